"""Pictures of protected values: how many are believed to have one, how many rightly, and one colour for one thing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.reports import charts, contrast_pictures
from pellucid.reports.charts import BLUE, GREY, ORANGE
from pellucid.risk.attack_all import attack_all
from pellucid.risk.report.attack_report import AttackReport
from pellucid.risk.report.chart import histogram
from pellucid.risk.report.results import result_of
from pellucid.risk.report.statistics_words import right_lines, right_sentence, right_table
from plain.made_up import census_excerpt

TABLE = census_excerpt(1_500)
SOME = {"income": ["high"]}
SETTINGS: dict[str, pc.Method] = {"soft-cut": pc.SoftCut(l=3, values=SOME), "strata": pc.Strata(l=3, values=SOME)}


QUASI = ["sex", "age", "schooling"]


def published(method: pc.Method, table: pl.DataFrame = TABLE, quasi: Sequence[str] = QUASI) -> pc.Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pc.publish(table, method, seed=1, quasi=quasi, sensitive="income")


@pytest.fixture(scope="module")
def reports() -> dict[str, AttackReport]:
    table = pc.read(TABLE, quasi=QUASI, sensitive="income")
    return {name: attack_all(published(method), truth=table) for name, method in SETTINGS.items()}


def drawn(monkeypatch: pytest.MonkeyPatch, module: Any) -> list[dict[str, Any]]:
    """The charts of what is drawn from now on."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(module, "picture", lambda chart, **said: found.append(chart | said))
    return found


@pytest.mark.parametrize("name", SETTINGS)
def test_bars_are_beliefs_and_orange_those_that_are_right(
    reports: dict[str, AttackReport], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    result, found = result_of(reports[name], persons=True), drawn(monkeypatch, contrast_pictures)
    contrast_pictures.right_picture(result)
    bars = {(bar["class"], bar["of"], bar["colour"]): bar for bar in found[0]["layer"][0]["data"]["values"]}
    for line in right_lines(result):
        assert line.right is not None
        for of, above in zip(("without", "with"), line.right.above, strict=True):
            assert above is not None
            right, wrong = (bars[str(line.name), of, colour] for colour in (ORANGE, GREY))
            assert right["from"] == 0
            assert right["to"] == wrong["from"] == above.correct / 1_500
            assert wrong["to"] == above.people / 1_500
    share = (TABLE["income"] == "high").mean()
    (rule, label) = (layer["data"]["values"][0] for layer in found[0]["layer"][2:])
    assert rule["at"] == pytest.approx(share)
    assert label["label"] == f"{100 * share:.0f} % have it"


def test_two_releases_of_a_table_have_one_axis(
    reports: dict[str, AttackReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = drawn(monkeypatch, contrast_pictures)
    for report in reports.values():
        contrast_pictures.right_picture(result_of(report, persons=True))
    first, second = (chart["layer"][0]["encoding"]["x"]["scale"]["domain"] for chart in found)
    assert first == second


@pytest.mark.parametrize("name", SETTINGS)
def test_orange_are_people_above_what_is_allowed_of_them_whatever_the_method(
    reports: dict[str, AttackReport], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    found = drawn(monkeypatch, charts)
    some = 0
    for attempt in reports[name].attempts:
        charts.beliefs(attempt, reports[name].line)
        charts.beliefs(attempt, reports[name].line, vain=True)
        of, vain = (chart["layer"][0]["data"]["values"] for chart in found[-2:])
        people = {hue: sum(one["top"] - one["base"] for one in of if one["colour"] == hue) for hue in (BLUE, ORANGE)}
        assert people == {BLUE: 1_500 - len(attempt.above), ORANGE: len(attempt.above)}
        assert {one["colour"] for one in vain} <= {BLUE, GREY}
        assert sum(bar["above"] for bar in histogram(attempt, limit=reports[name].line)) == len(attempt.above)
        some += len(attempt.above)
    assert some
    assert (reports[name].line is None) == (name == "strata")


def test_without_the_original_the_reason_stands_where_the_figures_would() -> None:
    release = published(pc.SoftCut(l=3, values=SOME))
    result = result_of(attack_all(release), persons=True)
    assert right_table(result) is None
    assert "attackers with statistics are right is not known: it is measured on the true table" in right_sentence(
        result
    )


def test_a_release_of_another_tool_without_groups_has_the_reason_and_no_figure() -> None:
    ages = TABLE["age"].to_list()
    ends = [f"[{age - age % 7}, {age + 9 + row % 5}]" for row, age in enumerate(ages)]
    foreign = TABLE.select("sex", "income").with_columns(pl.Series("age", ends))
    report = attack_all(foreign, truth=TABLE.select("sex", "age", "income"), quasi=["sex", "age"], sensitive="income")
    result = result_of(report, persons=True)
    assert right_table(result) is None
    assert "with statistics are right is not known: it is open who is in which group" in right_sentence(result)
