"""A comparison can be trusted, stopped and continued: nothing unknown counts as safe, nothing is done twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.summary import told_by_others
from pellucid.cli.verbs.compare import _not_known
from pellucid.comparison import Cell, Comparison, Inquiry, Risk
from pellucid.comparison.cell import _risk_by, bound_of, fill, worst_of
from pellucid.comparison.comparison import page
from pellucid.comparison.kept import cell_file
from pellucid.comparison.sentences import remarks
from pellucid.comparison.weighing import Weighing, trust
from pellucid.core.table import fingerprint
from pellucid.errors import AttackError, MeasureError, MethodError, OutputError
from pellucid.publishing import release_of
from pellucid.risk.exactness import Exactness
from pellucid.runtime.patience import TooLong, at_most
from pellucid.text.figures import percent
from plain.long_comparison import compare_twelve
from plain.made_up import survey

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
METRICS = [{"name": "query-error", "unit": "mean relative error", "direction": "lower"}]


def cell(method: str, l: int, error: float, risks: list[Risk], **more: Any) -> Cell:
    scores = [{"metric": "query-error", "value": error, "unit": "", "direction": "lower", "meaning": ""}]
    return Cell(method, {"l": l}, l, scores=scores, risks=risks, rows=100, groups=10, **more)


def measured(method: str, l: int, error: float, loss: float, groups: int = 10, **more: Any) -> Cell:
    """A safe release with a query error and a loss."""
    both = {"query-error": error, "loss": loss}
    scores = [{"metric": k, "value": v, "unit": "", "direction": "lower", "meaning": ""} for k, v in both.items()]
    return Cell(method, {"l": l}, l, scores=scores, risks=[ran(1 / l, 0)], rows=100, groups=groups, **more)


def ran(largest: float, above: int, unsure: int = 0) -> Risk:
    return Risk("knows the algorithm", True, largest, above, unsure)


INFORMED = pc.Adversary(knows="algorithm")
NOT_RUN = Risk("knows the algorithm", False, how="it is too much to count")


def test_the_sentence_names_what_is_kept_and_who_is_above() -> None:
    cells = [cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), cell("mondrian", 6, 0.0, [ran(1.0, 412)])]
    assert Comparison(cells, METRICS).sentence == (
        "Hybrid at l=6 keeps 92 % of the query accuracy of Mondrian and has no row above 1/6; Mondrian has 412."
    )


@pytest.mark.parametrize("errors", [[0.05, 0.08, 0.12, 0.4], [0.4, 0.12, 0.08, 0.05]])
def test_no_figure_chooses_the_l(errors: list[float]) -> None:
    """An l chosen because of an error tells about the values that make it: the largest one asked for is meant."""
    cells = [cell("hybrid", l, error, [ran(1 / l, 0)]) for l, error in zip((2, 4, 8, 10), errors, strict=True)]
    found = Comparison([*cells, cell("ace", 10, 0.9, [ran(1 / 10, 0)])], METRICS)
    assert found.sentence.startswith("Hybrid at l=10 ")
    assert len(found.sentences) == 4
    assert found.rule.count("who chooses l or size by them leaves the promise") == 1


@pytest.mark.parametrize(("sizes", "meant"), [((20, 50, 200), 50), ((200, 20), 20)])
def test_no_figure_chooses_the_size_of_strata(sizes: tuple[int, ...], meant: int) -> None:
    for best in sizes:
        made = [cell("strata", 4, 0.1 if size == best else 0.3, [ran(1 / 4, 0)]) for size in sizes]
        cells = [replace(one, parameters={"l": 4, "size": size}) for one, size in zip(made, sizes, strict=True)]
        assert Comparison(cells, METRICS).sentence.startswith(f"Strata at l=4, size={meant} ")


def test_a_rival_that_could_not_be_attacked_is_told_with_the_reason() -> None:
    cells = [cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), cell("mondrian", 6, 0.0, [NOT_RUN], promised=False)]
    assert Comparison(cells, METRICS).sentence == (
        "Hybrid at l=6 keeps 92 % of the query accuracy of Mondrian and has no row above 1/6; Mondrian is not known "
        "to be safe (somebody who knows the algorithm could not be tried on it: it is too much to count)."
    )


def test_a_release_that_says_nothing_is_not_recommended_for_its_accuracy() -> None:
    one_group = measured("ace", 6, 0.01, 1.0, groups=1)
    stars = measured("tailor", 6, 0.02, 1.0, groups=4)
    found = Comparison([measured("hybrid", 6, 0.2, 0.5), one_group, stars], METRICS)
    assert found.sentence.startswith("Hybrid at l=6 has no row above 1/6")
    assert "Ace is more accurate (query-error 0.01 against 0.2) and as safe, but says nothing" in found.sentence
    alone = Comparison([one_group], METRICS).sentence
    assert "It says nothing about the quasi-identifiers (1 group); nothing that says more" in alone
    stricter = Comparison([measured("hybrid", 4, 0.2, 0.5), one_group], METRICS)
    assert stricter.sentence.startswith("Hybrid at l=4")


def test_detail_is_weighed_beside_accuracy() -> None:
    found = Comparison([measured("hybrid", 6, 0.2, 0.3), measured("ace", 6, 0.15, 0.9, groups=2)], METRICS)
    assert found.sentence.startswith("Hybrid at l=6")  # (0.8 + 0.7) / 2 against (0.85 + 0.1) / 2
    assert "safe against somebody who knows the algorithm" in found.rule
    by_l = Comparison([measured("hybrid", 2, 0.1, 0.2), measured("hybrid", 7, 0.1, 0.9)], METRICS)
    assert by_l.sentence.startswith("Hybrid at l=7")  # how little that keeps would tell about values


def test_what_the_chart_shows_ahead_in_both_is_named_with_the_reason() -> None:
    """Households of four in groups of 421: counts come out a little better, and nobody sees who is meant."""
    households = [measured("soft-cut", 3, 0.2083, 0.3468), measured("ace", 3, 0.1929, 0.6311)]
    found = Comparison(households, METRICS)
    assert found.sentence == (
        "SoftCut at l=3 has no row above 1/3 and has the highest mean of accuracy and detail of 2 safe methods "
        "(query-error 0.2083). Ace at l=3 is ahead in the chart (query-error 0.1929 against 0.2083, largest risk 0.333 "
        "against 0.333), but tells less: its loss, what cells leave open, is 0.6311 against 0.3468."
    )
    assert "SoftCut at l=3 has 0.7225, Ace at l=3 0.588." in found.rule
    usual = Comparison([measured("hybrid", 2, 0.1, 0.2), measured("hybrid", 7, 0.2, 0.9)], METRICS)
    assert "in the chart" not in usual.sentence
    assert "Hybrid at l=7 has 0.45. No figure" in usual.rule


def worse_or_equal(one: Cell, other: Cell, figures: list[str]) -> bool:
    """Whether one setting is beaten: nowhere better than the other, and worse somewhere; no lower promise is better."""
    names = [(one.value(name), other.value(name)) for name in figures]
    pairs = [*names, (one.largest, other.largest), (1 / one.bound, 1 / other.bound)]  # type: ignore[operator]
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)  # type: ignore[operator]


def test_no_setting_is_recommended_that_another_beats_in_all_that_is_weighed() -> None:
    """On drawn tables of results, by the plain definition (Pareto); one that is beaten in the chart alone names it."""
    coins = np.random.default_rng(5)
    named = alone = 0
    for _ in range(3000):
        cells, detail = [], coins.random() < 0.7
        for _ in range(int(coins.integers(1, 8))):
            l, error, loss = int(coins.integers(2, 6)), int(coins.integers(1, 25)) / 20, int(coins.integers(1, 11)) / 10
            risk = ran(coins.choice([1 / l, 1 / (l + 1), 0.9 / l]), 0)
            made = measured(str(coins.choice(["hybrid", "ace"])), l, error, loss, groups=int(coins.integers(1, 9)))
            made = replace(made, risks=[risk], promised=bool(coins.random() < 0.8), exact=bool(coins.random() < 0.2))
            cells.append(made if detail else replace(made, scores=made.scores[:1]))
        weighing = Weighing(cells, METRICS[0])
        chosen = weighing.recommended()
        assert chosen is not None
        rivals = [one for one in cells if trust(one) == trust(chosen)]
        weighed = ["query-error", "loss"] if detail else ["query-error"]
        assert not any(worse_or_equal(chosen, rival, weighed) for rival in rivals)
        in_the_chart = [rival for rival in rivals if worse_or_equal(chosen, rival, ["query-error"])]
        # one that differs in nothing but a stricter promise is no other point of the chart
        seen = [one for one in in_the_chart if (one.value("query-error"), one.largest) != shown_at(chosen)]
        assert (weighing.ahead(chosen) is not None) == bool(seen)
        assert detail or not seen
        assert ("is ahead in the chart" in Comparison(cells, METRICS).sentence) == bool(seen)
        named, alone = named + bool(seen), alone + (not seen)
    assert min(named, alone) > 50


def shown_at(one: Cell) -> tuple[float | None, float | None]:
    """Where a chart shows a setting."""
    return one.value("query-error"), one.largest


def test_the_rule_says_which_safe_releases_are_not_weighed_and_explains_only_words_that_are_there() -> None:
    exact = [measured("anatomy", l, 0.01, 0.0, exact=True) for l in (2, 9)]
    lucky = measured("mondrian", 3, 0.02, 0.1, promised=False)
    nothing, more = measured("ace", 4, 0.01, 1.0, groups=1), measured("ace", 2, 0.1, 0.5)
    found = Comparison([measured("hybrid", 3, 0.1, 0.2), *exact, lucky, nothing, more], METRICS)
    assert found.sentence.startswith("Hybrid at l=3")  # though others keep more, and anatomy a stricter promise
    assert (
        "Not weighed, though safe: anatomy (publishes exact quasi-identifiers, so that its accuracy cannot be "
        "compared); mondrian (does not promise it); ace at l=4 (says nothing about the quasi-identifiers). "
    ) in found.rule
    alone = Comparison(exact, METRICS)
    assert alone.sentence.startswith("Anatomy at l=9")
    assert "Not weighed" not in alone.rule
    assert "query accuracy of" not in alone.sentence
    assert "Keeps N %" not in alone.rule
    shares = Comparison([cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), cell("mondrian", 6, 0.0, [ran(1.0, 412)])], METRICS)
    assert "92 % of the query accuracy of" in shares.sentence
    assert "Keeps N %" in shares.rule


@pytest.mark.parametrize("least", [0.1, 0.0005])  # on a plain axis, and on a logarithmic one
def test_a_label_covers_neither_another_label_nor_a_point(least: float) -> None:
    cells = [cell("anatomy", 2, 0.8, [ran(0.5, 0)]), cell("hybrid", 2, least, [ran(0.5, 0)])]
    for l in range(2, 7):
        cells.append(cell("mondrian", l, 0.3 + 0.012 * l, [ran(1.0, 5)], promised=False))
        cells.append(cell("incognito", l, 0.32 + 0.012 * l, [ran(1.0, 5)], promised=False))
    svg = Comparison(cells, METRICS).chart(still=True).svg()
    places = r'transform="translate\(([-\d.]+),([-\d.]+)\)"'
    texts = re.findall(
        rf'<text[^>]*text-anchor="start"[^>]*{places} font-family="[^"]*" font-size="10px"[^>]*>(\w+)<', svg
    )
    points = re.findall(
        rf'<path aria-label="[^"]*" role="graphics-symbol"[^>]*aria-roledescription="point" {places}', svg
    )
    assert len(points) == 12
    assert len(texts) > 4
    boxes = [(float(x), float(y) - 8, float(x) + 6 * len(word), float(y) + 1) for x, y, word in texts]
    marks = [(float(x) - 4, float(y) - 4, float(x) + 4, float(y) + 4) for x, y in points]
    for i, box in enumerate(boxes):
        for other in [*boxes[:i], *marks]:
            assert not (box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3])


def test_what_is_a_little_worse_does_not_keep_all() -> None:
    cells = [cell("hybrid", 6, 0.0801, [ran(1 / 6, 0)]), cell("mondrian", 6, 0.08, [ran(1.0, 412)])]
    assert "keeps over 99 % of the query accuracy" in Comparison(cells, METRICS).sentence


def test_one_is_told_as_one() -> None:
    assert "of 1 setting 1 has rows above" in Comparison([cell("mondrian", 5, 0.1, [ran(1.0, 7)])], METRICS).sentence


def test_what_is_not_known_is_printed_so_and_patience_is_the_way_out() -> None:
    late = Risk("knows the algorithm", False, how="not done after 45 seconds; give it more time with --patience")
    nothing = Risk("knows only the release", True, 0.5, 0)
    mondrian = cell("mondrian", 2, 0.0, [nothing, late], promised=False)
    found = Comparison([cell("hybrid", 2, 0.1, [ran(0.5, 0)]), mondrian], METRICS)
    assert found.in_short().row(1)[-2:] == ("not known", "not known")
    assert "--patience" in found.sentence
    surely = cell("mondrian", 2, 0.0, [Risk("knows only the release", True, 1.0, 3), late], promised=False)
    assert Comparison([surely], METRICS).in_short().row(0)[-2:] == ("1 or more", "3 or more")
    blind = cell("mondrian", 2, 0.0, [late], promised=False)
    assert Comparison([blind], METRICS).in_short().row(0)[-2:] == ("not known", "not known")
    open_figure = cell("mondrian", 2, 0.0, [Risk("knows the algorithm", True, None, 28, 300)], promised=False)
    assert Comparison([open_figure], METRICS).in_short().row(0)[-2:] == ("more than 0.5", "28 or more")
    unattacked = cell("mondrian", 2, 0.0, [], promised=False)
    assert Comparison([unattacked], METRICS).in_short().row(0)[-2:] == ("", "")


def test_a_risk_is_told_and_drawn_as_what_is_known_of_it() -> None:
    late = Risk("knows the algorithm", False, how="not done after 45 seconds")
    exact = cell("hybrid", 2, 0.1, [ran(0.5, 0)])
    least = cell("mondrian", 2, 0.1, [Risk("knows only the release", True, 0.93, 0), late], promised=False)
    most = cell("incognito", 2, 0.1, [Risk("knows the algorithm", True, 0.93, 0, 40)], promised=False)
    hidden = cell("mondrian", 3, 0.1, [Risk("knows the algorithm", True, None, 28, 300)], promised=False)
    nothing = cell("mondrian", 4, 0.1, [Risk("knows the algorithm", True, None, 0, 300)], promised=False)
    mixed = cell("mondrian", 5, 0.1, [Risk("knows only the release", True, 0.93, 0, 40), late], promised=False)
    assert [one.told_risk for one in (exact, least, most)] == [("", 0.5), ("at least", 0.93), ("at most", 0.93)]
    assert hidden.told_risk == ("more than", 1 / 3)  # of a cell that was kept before certain beliefs were
    leak = cell("mondrian", 6, 0.1, [Risk("knows the algorithm", True, None, 28, 300, least=0.8)], promised=False)
    assert leak.told_risk == ("at least", 0.8)
    of_a_column = replace(late, above=28, least=0.8)  # another column could not be attacked
    assert replace(least, risks=[least.risks[0], of_a_column]).told_risk == ("at least", 0.93)
    assert replace(least, risks=[ran(0.5, 0), of_a_column]).told_risk == ("at least", 0.8)
    assert [nothing.told_risk, mixed.told_risk] == [("not known", None)] * 2
    found = Comparison([exact, least, most, hidden, nothing, mixed, leak], METRICS)
    assert found.in_short()["largest risk"].to_list() == [
        *("0.5", "not known", "at most 0.93", "more than 0.333", "not known", "not known", "0.8 or more"),
    ]
    chart = found.chart().specification
    rows = {(row["method"], row["setting"]): row for row in chart["data"]["values"]}
    assert {setting: row["hollow"] for (_, setting), row in rows.items()} == {
        **{"2": False, "2?": True, "2*": True, "3?": True, "6?": True},
    }
    assert rows["mondrian", "6?"]["risk"] == 0.8
    drawn = json.dumps(chart)
    assert '"2?"' in drawn
    assert '"2*"' in drawn
    said = drawn.replace('", "', " ")  # a caption is a list of lines
    assert "the risk is at least what is drawn" in said
    assert "the largest is at most what is drawn" in said
    assert "Not drawn, since their risk is not known: mondrian (4, 5)." in said
    assert not any(f'"{l}{mark}"' in drawn for l in (4, 5) for mark in ("", "?", "*"))


def test_a_known_leak_is_drawn_though_others_are_left_open() -> None:
    """Mondrian's: of some people it is certain, and of others nothing is known."""
    table = pc.read(pc.datasets.patients(), **ROLES)
    lower, upper = np.array([0.8, 0.6, *[0.0] * 6]), np.ones(8)
    beliefs = pc.attack(pc.publish(table, pc.Hybrid(l=2)), INFORMED, truth=table)
    found = _risk_by(replace(beliefs, risk=upper, lower=lower, upper=upper, exactness=Exactness.BOUND), 2)
    assert (found.largest, found.above, found.unsure, found.least) == (None, 2, 6, 0.8)
    several = worst_of({"ill": found, "pay": ran(0.5, 0)})
    assert (several.above, several.least) == (2, 0.8)
    assert worst_of({"ill": found, "pay": NOT_RUN}).least == 0.8


def test_a_setting_is_counted_once_among_the_reasons_why_nothing_is_recommended() -> None:
    """Somebody is above, and it is not known who else: it was counted in both, and more than there are."""
    leak = cell("mondrian", 2, 0.1, [Risk("knows the algorithm", True, None, 28, 300, least=0.8)], promised=False)
    open_ = cell("mondrian", 3, 0.1, [Risk("knows the algorithm", True, None, 0, 300)], promised=False)
    assert Comparison([leak, open_], METRICS).sentence == (
        "No release was found to be safe: of 2 settings 1 has rows above the promise, of 1 it is not known whether any "
        "are, since some attack could not run or left some people open; the remarks in the table say which, and what "
        "can be done."
    )
    safe = cell("hybrid", 2, 0.1, [ran(0.5, 0)])
    told = "Of 1 release it is not known whether somebody is above 1/l: some attack could not run or left it open. "
    told += "It does not count as safe. "
    assert _not_known(Comparison([safe, leak, open_], METRICS), Path("out")) == (
        f"{told}The column remarks of compare.csv says why."
    )
    assert _not_known(Comparison([safe, leak, open_], METRICS), None) == (
        f"{told}compare.csv, which --out DIR writes, says why."
    )
    assert _not_known(Comparison([safe, leak], METRICS), None) == ""
    without = cell("mondrian", 4, 0.1, [NOT_RUN], promised=False)
    assert [one.undecided for one in (leak, open_, replace(without, bound=None))] == [False, True, False]


def test_a_promise_that_is_not_one_in_a_whole_number_is_kept() -> None:
    assert bound_of(pc.AlphaK(alpha="9/10", k=1)) == Fraction(10, 9)
    kept = Cell("alpha-k", {"alpha": "9/10"}, Fraction(10, 9), risks=[ran(1.0, 1)])
    assert Cell.from_json(json.loads(json.dumps(kept.as_json()))) == kept
    assert (kept.promise, kept.setting) == ("9/10", "alpha=9/10")
    table = pl.DataFrame({"age": [1, 1, 2, 2], "disease": ["flu", "flu", "cold", "cold"]})
    method = pc.AlphaK(alpha="9/10", k=1, sensitive=["cold"])
    attackers = [pc.Adversary()]
    (found,) = pc.compare(table, [method], [pc.Loss()], attackers, quasi=["age"], sensitive="disease").cells
    assert found.refused or (found.largest or 0) <= 0.9 or not found.safe


def test_an_attack_that_fails_or_takes_too_long_is_not_a_safe_release(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pc.read(pc.datasets.patients(), **ROLES)
    for wrong in (AttackError("it is too much to count"), TooLong()):

        def attacked(*_: Any, failing: BaseException = wrong, **__: Any) -> None:
            raise failing

        monkeypatch.setattr("pellucid.comparison.cell.attack", attacked)
        found = fill(table, pc.Hybrid(l=2), Inquiry([pc.Loss()], [pc.Adversary()], 1.0, 1))
        assert [risk.ran for risk in found.risks] == [False]
        assert not found.safe
        assert found.largest is None


def test_people_who_may_be_above_are_counted_as_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pc.read(pc.datasets.patients(), **ROLES)
    real = pc.attack

    def sampled(*given: Any, **more: Any) -> Any:
        beliefs = real(*given, **more)
        lower, upper = np.zeros(8), np.zeros(8)
        lower[:2], upper[:5] = 0.52, 0.7  # of a promise of 0.5
        return replace(beliefs, risk=upper, lower=lower, upper=upper, confidence=0.95)

    monkeypatch.setattr("pellucid.comparison.cell.attack", sampled)
    (risk,) = fill(table, pc.Hybrid(l=2), Inquiry([pc.Loss()], [pc.Adversary()], 9.0, 1)).risks
    assert (risk.above, risk.unsure, risk.largest) == (2, 3, 0.7)


def test_nothing_feasible_and_nobody_to_attack_are_written_without_a_chart(tmp_path: Path) -> None:
    found = pc.compare(pc.datasets.patients(), [pc.Hybrid(l=9)], out=tmp_path / "a", **ROLES)
    assert not found.feasible
    assert "use l = 4 or less" in found.sentence
    assert not (tmp_path / "a" / "compare.png").exists()
    assert "use l = 4 or less" in (tmp_path / "a" / "compare.html").read_text()
    alone = pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2)], adversaries=[], out=tmp_path / "b", **ROLES)
    assert not alone.cells[0].safe


def test_the_page_has_the_recommendation_and_the_table_escaped() -> None:
    cells = [cell("<b>hybrid", 6, 0.08, [ran(1 / 6, 0)]), cell("mondrian", 6, 0.0, [ran(1.0, 412)])]
    found = Comparison(cells, METRICS)
    shown = page(found.chart(), found.sentence, found.rule, found.in_short())
    assert "&lt;b&gt;hybrid at l=6 keeps 92 % of the query accuracy of Mondrian" in shown
    assert "<td" in shown
    assert "<p><strong><b>" not in shown
    assert shown.startswith("<!DOCTYPE html>")  # else a browser guesses how to read it
    assert shown.index("<h1>") < shown.index('<div id="chart">') < shown.index('vegaEmbed("#chart"')


def test_more_methods_than_colours_are_drawn_as_far_as_they_can_be_told_apart() -> None:
    cells = [cell(f"m{i}", 2, 0.1 + i / 50, [ran(0.5, 0)]) for i in range(10)]
    (*_, last) = Comparison(cells, METRICS).chart().specification["title"]["subtitle"]
    assert "Not drawn" in last
    assert "m8, m9" in last


def test_the_folder_of_another_table_is_refused_unless_overwritten(tmp_path: Path) -> None:
    pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2)], [pc.Loss()], out=tmp_path, **ROLES)
    before = (tmp_path / "compare.csv").read_bytes()
    other = pc.datasets.patients().with_columns(pl.col("age") + 1)
    with pytest.raises(OutputError, match="comparison of another table"):
        pc.compare(other, [pc.Anatomy(l=2)], [pc.Loss()], out=tmp_path, **ROLES)
    assert (tmp_path / "compare.csv").read_bytes() == before
    found = pc.compare(other, [pc.Anatomy(l=2)], [pc.Loss()], out=tmp_path, overwrite=True, **ROLES)
    assert found.others == 1
    assert len(list((tmp_path / "cells").glob("*.json"))) == 2


def test_a_module_in_the_working_directory_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "decimal.py").write_text("open('ran', 'w')\n")
    script = (
        "import sys, pellucid as pc\n"
        "sys.path = [p for p in sys.path if p]\n"
        "roles = dict(quasi=['age', 'zipcode'], sensitive='disease', identifier='name')\n"
        "pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2)], [pc.Loss()], [pc.Adversary()], **roles)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-P", "-c", script], cwd=tmp_path, env=environment, check=True)
    assert not (tmp_path / "ran").exists()


def test_a_method_without_a_promise_is_not_recommended_because_it_was_lucky() -> None:
    lucky = cell("mondrian", 6, 0.01, [ran(1 / 6, 0)], promised=False)
    found = Comparison([cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), lucky], METRICS)
    assert found.sentence.startswith("Hybrid at l=6 keeps 93 % ")
    assert found.sentence.endswith("Mondrian has none on this table either, but does not promise it.")
    assert "does not promise it" in Comparison([lucky], METRICS).sentence


def test_exact_quasi_identifiers_are_not_preferred_for_their_accuracy_and_are_told() -> None:
    anatomy = cell("anatomy", 6, 0.01, [ran(1 / 6, 0)], exact=True)
    found = Comparison([cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), anatomy], METRICS)
    assert found.sentence == (
        "Hybrid at l=6 has no row above 1/6 (query-error 0.08). Anatomy is more accurate (query-error 0.01 against "
        "0.08) and as safe, but publishes everybody's exact quasi-identifiers, so that it tells who is in the table."
    )
    alone = Comparison([anatomy], METRICS).sentence
    assert alone.startswith("Anatomy at l=6 ")
    assert "exact quasi-identifiers" in alone
    worse = cell("anatomy", 6, 0.2, [ran(1 / 6, 0)], exact=True)
    assert "Anatomy" not in Comparison([cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), worse], METRICS).sentence


def test_a_stricter_promise_of_exact_quasi_identifiers_does_not_win_over_a_generalised_release() -> None:
    cells = [cell("hybrid", 4, 0.08, [ran(1 / 4, 0)]), cell("anatomy", 7, 0.01, [ran(1 / 7, 0)], exact=True)]
    found = Comparison(cells, METRICS)
    assert found.sentence.startswith("Hybrid at l=4 ")
    assert len(found.sentences) == 2


def test_a_mistaken_belief_in_minimality_does_not_count() -> None:
    guess = Risk("knows minimality", True, 1.0, 40, knows="minimality")
    knows = Risk("knows the algorithm", True, 0.5, 0, knows="algorithm")
    assert cell("ace", 2, 0.1, [guess, knows]).safe
    assert not cell("mondrian", 2, 0.1, [guess], promised=False).safe
    informed = cell("mondrian", 2, 0.1, [guess, Risk("knows the algorithm", True, 1.0, 7, knows="algorithm")])
    assert informed.above == 7
    assert not cell("ace", 2, 0.1, [guess]).known  # nobody who counts was tried


def test_somebody_who_assumes_minimality_does_not_decide_about_a_method_that_does_more() -> None:
    attackers = [pc.Adversary(knows="minimality"), pc.Adversary(knows="algorithm")]
    methods = [pc.Ace(l=2), pc.GreedyGrouping(l=2)]
    found = pc.compare(pc.datasets.patients(), methods, [pc.Perimeter()], attackers, workers=1, **ROLES)
    ace, greedy = found.cells
    assert [risk.ran for risk in ace.risks] == [True, True]
    assert [risk.ran for risk in greedy.risks] == [True, True]
    assert ace.safe
    assert [risk.knows for risk in ace.counted] == ["algorithm"]
    (aside,) = ace.asides
    assert aside.startswith("somebody who knows minimality believes up to ")
    assert "so it does not decide" in aside
    assert [risk.knows for risk in greedy.counted] == ["algorithm"], "who knows the method knows that it is minimal"
    assert greedy.asides == []


def test_somebody_who_assumes_minimality_and_has_facts_counts() -> None:
    facts = [pc.Not("Ann", "flu")]
    attackers = [
        pc.Adversary(knows="minimality", facts=facts),
        pc.Adversary(knows="minimality", prior=pc.Learned()),
        pc.Adversary(knows="minimality"),
    ]
    (ace,) = pc.compare(pc.datasets.patients(), [pc.Ace(l=2)], [pc.Perimeter()], attackers, **ROLES).cells
    assert [risk.more for risk in ace.counted] == [True, True]


def test_the_largest_risk_is_the_upper_bound_and_not_known_where_nothing_is_shown() -> None:
    assert cell("mondrian", 2, 0.1, [ran(0.4, 0), Risk("learns", True, None, 0, 9)]).largest is None
    assert cell("mondrian", 2, 0.1, [ran(0.4, 0), ran(0.7, 0)]).largest == 0.7
    quasi, values = [[0, 1, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]], list("abcade")
    frame = pl.DataFrame({"q0": quasi[0], "q1": quasi[1], "d": values})
    roles: dict[str, Any] = {"quasi": ["q0", "q1"], "sensitive": "d"}
    (several,) = pc.compare(frame, [pc.Mondrian(l=3)], [pc.Perimeter()], [INFORMED], **roles).cells
    assert several.largest is None  # several ways of cutting lead to these groups
    assert (several.above, several.known, several.safe) == (0, False, False)


@pytest.mark.parametrize("risks", [[NOT_RUN], [ran(0.2, 0), NOT_RUN], [ran(0.2, 0, unsure=3)], []])
def test_what_is_not_known_is_not_safe(risks: list[Risk]) -> None:
    doubtful = cell("mondrian", 5, 0.01, risks)
    assert not doubtful.safe
    found = Comparison([doubtful], METRICS)
    assert found.sentence.startswith("No release was found to be safe")
    assert found.frame["safe"].to_list() == ["not known"]


def test_a_row_above_the_bound_is_unsafe_whatever_else_could_not_run() -> None:
    found = Comparison([cell("mondrian", 5, 0.01, [ran(1.0, 7), NOT_RUN])], METRICS)
    assert found.frame["safe"].to_list() == ["no"]
    assert "too much to count" in found.frame["remarks"][0]


def test_an_attack_ends_when_patience_does() -> None:
    began = time.perf_counter()
    with pytest.raises(TooLong), at_most(0.05):
        time.sleep(600)
    assert time.perf_counter() - began < 500  # the machine may be busy


def test_bounds_come_from_what_a_method_promises() -> None:
    assert [bound_of(m) for m in (pc.Tailor(l=3), pc.AlphaK(alpha="1/4", k=2), pc.Incognito(k=3))] == [3, 4, None]


def grid() -> list[pc.Hybrid | pc.GreedyGrouping]:
    return [pc.Hybrid(l=2), pc.GreedyGrouping(l=2), pc.Hybrid(l=9)]


def test_a_comparison_measures_attacks_and_writes(tmp_path: Path) -> None:
    found = pc.compare(pc.datasets.patients(), grid(), out=tmp_path, **ROLES)
    hybrid, greedy, refused = found.cells
    assert (hybrid.safe, hybrid.above, hybrid.largest) == (True, 0, 0.5)
    assert (greedy.safe, greedy.largest) == (False, 1.0)  # of two buckets with gastritis twice the first has both
    assert "l = 9 is not feasible" in refused.refused
    assert {path.name for path in tmp_path.iterdir()} == {
        "cells",
        "compare.csv",
        "compare.html",
        "compare.png",
        "recommendation.txt",
    }
    table = pl.read_csv(tmp_path / "compare.csv")
    assert table["method"].to_list() == ["hybrid", "greedy-grouping", "hybrid"]
    assert table["safe"].to_list() == ["yes", "no", "not known"]
    assert "Hybrid at l=2" in (tmp_path / "recommendation.txt").read_text()
    page = (tmp_path / "compare.html").read_text()
    assert "cdn." not in page  # it works without a network
    assert "Gill" not in page
    assert "Gill" not in (tmp_path / "compare.csv").read_text()


def test_finished_cells_are_not_done_again_and_spoilt_ones_are(tmp_path: Path) -> None:
    grid = [pc.Hybrid(l=2), pc.Anatomy(l=2)]
    first = pc.compare(pc.datasets.patients(), grid, out=tmp_path, workers=1, **ROLES)
    kept = sorted((tmp_path / "cells").iterdir())
    content = json.loads(kept[1].read_text())
    kept[1].write_text(json.dumps({**content, "groups": 999}))
    kept[0].write_text('{"half a')
    again = pc.compare(pc.datasets.patients(), grid, out=tmp_path, **ROLES)
    assert [c.groups for c in again.cells] == [999, first.cells[1].groups]


def test_another_table_method_or_question_has_cells_of_its_own() -> None:
    def place(
        ages: int = 0,
        l: int = 2,
        metric: pc.Metric | None = None,
        knows: Any = "nothing",
        seed: int = 1,
        patience: float = 10.0,
        *,
        shuffled: bool = False,
    ) -> Path:
        frame = pc.datasets.patients().with_columns(pl.col("age") + ages)
        if shuffled:  # the same values, with other people
            frame = frame.with_columns(frame["disease"].reverse())
        table = pc.read(frame, **ROLES)
        question = Inquiry([metric or pc.Perimeter()], [pc.Adversary(knows=knows)], patience, seed)
        return cell_file(Path(), fingerprint(table), pc.Hybrid(l=l), question)

    assert place() == place()
    others = [place(ages=1), place(l=3), place(metric=pc.Loss()), place(knows="algorithm"), place(seed=2)]
    others += [place(patience=9.0), place(shuffled=True)]
    assert len({place(), *others}) == 8


def test_taxonomies_of_numbers_and_saved_queries_make_other_cells() -> None:
    def place(ladder: list[int], seed: int) -> Path:
        columns = {"age": pc.Column(role="quasi", taxonomy={"ladder": ladder}), "disease": pc.Column(role="sensitive")}
        table = pc.read(pc.datasets.patients(), schema=pc.Schema(columns=columns))
        workload = pc.Workload.of(table, dimensions=1, selectivity=0.5, queries=500, seed=seed)
        question = Inquiry([pc.QueryError(workload=workload)], [pc.Adversary()], 10.0, 1)
        return cell_file(Path(), fingerprint(table), pc.Hybrid(l=2), question)

    assert place([5, 10], 1) == place([5, 10], 1)
    assert len({place([5, 10], 1), place([2, 4], 1), place([5, 10], 2)}) == 3


def laddered(widths: list[int], ages: list[int]) -> pc.Table:
    ladder = pc.Column(role="quasi", taxonomy={"ladder": widths})
    columns = {"age": ladder, "job": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive")}
    frame = pl.DataFrame({"age": ages, "job": list("abab"), "ill": list("xyxy")})
    return pc.read(frame, schema=pc.Schema(columns=columns))


def test_a_fingerprint_tells_rows_in_another_order_and_another_taxonomy() -> None:
    one = laddered([5, 10], [20, 23, 31, 38])
    assert fingerprint(one) == fingerprint(laddered([5, 10], [20, 23, 31, 38]))
    swapped = laddered([5, 10], [23, 20, 31, 38])  # the same values in every column, of other rows
    others = [swapped, laddered([2, 4], [20, 23, 31, 38]), laddered([5, 10], [20, 24, 31, 38])]
    for measured in (False, True):
        assert len({fingerprint(table, measured=measured) for table in (one, *others)}) == 4


def test_killed_and_called_again_gives_the_same_result(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-m", "plain.long_comparison", str(broken)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"two\n"
        running.kill()
    assert running.wait() == -signal.SIGKILL
    done = {path: path.stat().st_mtime_ns for path in broken.glob("cells/*.json")}
    assert 2 <= len(done) < 12
    assert not (broken / "compare.csv").exists()
    compare_twelve(broken)
    compare_twelve(whole)
    assert all(path.stat().st_mtime_ns == when for path, when in done.items())
    for name in ("compare.csv", "recommendation.txt"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize(
    ("methods", "metrics", "told"),
    [
        ([], None, "methods = \\[\\]"),
        ([pc.Hybrid(l=2)], [], "metrics = \\[\\]"),
        (["hybrid"], None, "'hybrid'"),
        ([pc.Hybrid(l=2)], ["loss"], "'loss'"),
    ],
)
def test_mistakes_are_told(methods: list[Any], metrics: list[Any] | None, told: str) -> None:
    with pytest.raises((MethodError, MeasureError), match=told):
        pc.compare(pc.datasets.patients(), methods, metrics, **ROLES)


class Local(pc.Hybrid):
    """A method that another process cannot be given: it holds on to something that is open."""

    def __reduce__(self) -> Any:
        raise TypeError("it is open")


def test_patience_must_be_positive_and_methods_must_travel() -> None:
    with pytest.raises(MeasureError, match="patience = 0"):
        pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2)], patience=0, **ROLES)
    with pytest.raises(MethodError, match="cannot be sent to another process"):
        pc.compare(pc.datasets.patients(), [Local(l=2)], **ROLES)


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("pellucid.comparison.filled", None)  # whoever starts to work fails
    with pytest.raises(OutputError, match="cannot be written: a part of the path is a file"):
        pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2)], out=tmp_path / "file", **ROLES)


def test_why_mondrian_is_not_known_to_be_safe_is_said_as_it_is() -> None:
    """Without an identifier nobody knows the order of rows: nothing was sampled, and a person is told what to give."""
    table = pc.read("census:300", schema=pc.datasets.schema_of("census:300"))
    asked = Inquiry([pc.QueryError(queries=50)], [pc.Adversary(), pc.Adversary(knows="algorithm")], 45.0, 1)
    found = Comparison([fill(table, method, asked) for method in (pc.SoftCut(l=3), pc.Mondrian(l=3))], METRICS)
    said = " ".join([found.sentence, *(one for cell in found.cells for one in remarks(cell))])
    assert "was sampled" not in said
    why = "without an identifier the order of rows is a secret, and several ways of cutting may lead to these groups"
    told = f"of what somebody believes who knows the algorithm: not known for 300 people: {why}"
    assert f"Mondrian may have some ({told})" in said
    assert f"{why}; give the identifier that ordered the rows, or publish with one" in said


def test_a_setting_tells_what_the_strongest_attacker_with_statistics_gets_right() -> None:
    """The figure is that of an attack; it survives the disk, is in table and record, and has a picture of its own."""
    roles = {"quasi": ["age", "gender"], "sensitive": "occupation"}
    table = pc.read(pc.datasets.census(1_000), **roles)
    question = Inquiry([pc.QueryError(queries=50)], [INFORMED], 60.0, 1)
    found = [fill(table, method, question) for method in (pc.SoftCut(l=2), pc.SoftCut(l=4))]
    report = pc.attack_all(release_of(table, pc.SoftCut(l=2), seed=1), truth=table, adversaries=["distribution"])
    rights = [one.right for one in report.statistics if one.right is not None]
    best = max(rights, key=lambda one: one.right)
    assert found[0].right is not None
    assert (found[0].right.right, found[0].right.alone) == (best.right, best.right_alone)
    assert [Cell.from_json(json.loads(json.dumps(one.as_json()))) for one in found] == found
    comparison = Comparison(found, METRICS)
    assert comparison.frame["guesses right"].to_list() == [one.right.right for one in found if one.right]
    assert comparison.in_short()["right (without)"].to_list()[0].startswith(percent(best.right))
    upper, lower = comparison.chart().specification["vconcat"]
    assert [row["place"] for row in lower["data"]["values"]] == pytest.approx(
        comparison.frame["guesses right"].to_list()
    )
    assert len(upper["data"]["values"]) == 2
    assert comparison.chart(still=True).png()
    earlier = Comparison([replace(one, right=None) for one in found], METRICS)
    assert "guesses right" not in earlier.frame.columns
    assert "vconcat" not in earlier.chart().specification
    nobody = fill(pc.read(pc.datasets.patients(), **ROLES), pc.SoftCut(l=2), question)
    assert nobody.right is not None
    assert nobody.right.right is None
    assert "too many for statistics" in nobody.right.why


def test_a_setting_tells_how_many_the_rest_of_a_row_gives_away() -> None:
    """The column of which it gives away the largest share; it survives the disk, and is in table, record and words."""
    columns = ["drugs", "depressed", "diabetes"]
    values = dict.fromkeys(columns, ("yes",))
    people = survey(600).select("sex", "age", *columns)
    table = pc.read(people, quasi=["sex", "age"], sensitive=columns)
    question = Inquiry([pc.QueryError(queries=50)], [INFORMED], 60.0, 1)
    methods = pc.Strata(l=2, values=values), pc.SoftCut(l=2, values=values)
    found = [fill(table, method, question) for method in methods]
    for cell, method in zip(found, methods, strict=True):
        each = told_by_others(table, release_of(table, method, seed=1))["told_by_another"]
        rest = [one for one in each if one["known"] is None]
        assert cell.rest == max(rest, key=lambda one: (one["certain"] / one["people"], one["above"] / one["people"]))
        assert cell.rest in rest
    assert [Cell.from_json(json.loads(json.dumps(one.as_json()))) for one in found] == found
    comparison = Comparison(found, METRICS)
    first = found[0].rest
    assert first is not None
    assert comparison.frame["rest of a row, certain"][0] == first["certain"] > 0
    told = f"{first['column']}: {first['certain']} of {first['people']}"
    assert comparison.in_short()["certain, knowing the rest"][0] == told
    chosen = comparison.recommended
    assert chosen is not None
    assert chosen.rest is not None
    assert chosen.rest["sentence"] in comparison.sentence
    alone = fill(pc.read(people, quasi=["sex", "age"], sensitive="drugs"), pc.Strata(l=2), question)
    assert alone.rest is None
    assert "certain, knowing the rest" not in Comparison([alone], METRICS).in_short().columns
