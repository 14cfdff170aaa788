"""Withholding rows with a budget: on the command line, in Python and in a job, and what is said of it everywhere."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.cli.program import main
from pellucid.core.schema import Column, Schema
from pellucid.errors import MethodError, PellucidError

ROWS = 40  # of which one is like no other
SCHEMA = """
[columns.id]
role = "identifier"
[columns.age]
role = "quasi"
taxonomy = { ladder = [10, 100] }
[columns.ill]
role = "sensitive"
"""


def people() -> pl.DataFrame:
    """Two decades with many people, and one person of 95."""
    ages = [20 + i % 20 for i in range(ROWS - 1)]
    ills = ["abcd"[(i + i // 20) * (i + 1) // 3 % 4] for i in range(ROWS)]
    return pl.DataFrame({"id": range(ROWS), "age": [*ages, 95], "ill": ills})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the table and its schema are."""
    monkeypatch.chdir(tmp_path)
    people().write_csv("people.csv")
    Path("people.toml").write_text(SCHEMA)
    return tmp_path


COLUMNS = {
    "id": Column(role="identifier"),
    "age": Column(role="quasi", taxonomy={"ladder": [10, 100]}),
    "ill": Column(role="sensitive"),
}


def published(**how: Any) -> pc.Release:
    return pc.publish(people(), pc.Incognito(**how), schema=Schema(columns=COLUMNS))


def test_one_unusual_row_no_longer_makes_the_column_coarse_for_everybody() -> None:
    whole, without = published(k=5), published(k=5, max_suppressed="2.5%")
    assert whole.private.grouping.levels == (2,)
    assert without.private.grouping.levels == (1,)
    assert without.recipe["suppressed"] == 1
    assert without.private.labels.tolist().count(-1) == 1
    assert set(without.frame["age"]) == {"[20, 29]", "[30, 39]"}
    kept = [pc.measure(one, people(), [pc.Kept()])[0].value for one in (whole, without)]
    assert kept[0] == 0
    assert kept[1] == pytest.approx((1 - 9 / 20) * 39 / 40)  # ten of the 21 ages in a class, and nothing of one row


def test_a_row_above_the_budget_is_not_withheld() -> None:
    assert published(k=5, max_suppressed="2.4%").recipe["suppressed"] == 0
    assert published(k=5, max_suppressed=0).private.grouping.levels == (2,)


@pytest.mark.parametrize("written", ["2.5%", "2.5 %", 0.025, "1/40", Fraction(1, 40)])
def test_a_share_is_written_as_people_do(written: Any) -> None:
    assert published(k=5, max_suppressed=written).recipe["parameters"]["max_suppressed"] == 0.025


@pytest.mark.parametrize("written", ["101%", 1.5, -0.1, "few", "%"])
def test_what_is_no_share_is_refused(written: Any) -> None:
    with pytest.raises(MethodError, match="max_suppressed"):
        pc.Incognito(k=2, max_suppressed=written)


def test_the_promise_says_what_stays_true() -> None:
    by_size = published(k=5, max_suppressed="10%").promise
    assert "or with none where the person's is withheld" in by_size
    assert "Up to 10 % of the rows may be withheld" in by_size
    assert "The release tells nothing about their ill; whoever knows the totals of the whole table learns it" in by_size
    with pytest.warns(pc.InformedAttackerWarning):
        by_value = published(l=2, max_suppressed="10%").promise
    assert "that somebody is missing tells what ill they may have" in by_value
    assert "withheld" not in published(k=5).promise


def test_what_is_withheld_counts_in_every_metric_that_counts_rows() -> None:
    release = published(k=5, max_suppressed="2.5%")
    asked = [pc.SuppressedRows(), pc.Loss(), pc.Discernibility()]
    share, loss, discernibility = pc.measure(release, people(), asked)
    assert share.value == 1 / ROWS
    assert share.details["rows"] == 1
    assert loss.value == pytest.approx((39 * 10 / 21 + 1) / 40)
    assert discernibility.value == 20**2 + 19**2 + ROWS  # a row that is withheld costs all rows


def test_whom_is_withheld_depends_on_no_sensitive_value() -> None:
    method = pc.Incognito(k=5, max_suppressed="2.5%")
    found = {
        tuple(pc.publish(one, method, schema=Schema(columns=COLUMNS)).private.labels.tolist())
        for one in (people(), people().with_columns(ill=pl.col("ill").shuffle(seed=7)))
    }
    assert len(found) == 1


@pytest.mark.parametrize("name", sorted(set(methods()) - {"incognito"}))
def test_every_other_method_says_why_it_withholds_nothing(name: str) -> None:
    kind = methods()[name]
    with pytest.raises(MethodError, match=f"{name} has no max_suppressed") as refused:
        kind(max_suppressed=0.01)
    told = str(refused.value)
    assert "\n" not in told
    if kind.guarantee == "algorithm":
        assert "would depend on sensitive values" in told
    assert ("incognito takes" in told) != kind.suppresses


def test_models_that_look_at_the_whole_table_compare_with_withheld_rows_and_say_so() -> None:
    with pytest.warns(pc.InformedAttackerWarning):
        release = published(model="t-closeness=0.3", max_suppressed="5%")
    assert "Groups were compared with the whole table, withheld rows included" in release.recipe["sentence"]


def test_the_command_line_publishes_measures_and_attacks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["publish", "people.csv", "--schema", "people.toml", "--method", "incognito", "--k", "5"]
    assert main([*call, "--max-suppressed", "2.5%", "--out", "out"]) == 0
    said = capsys.readouterr().out
    assert "40, 1 suppressed; 39 published" in said
    recipe = json.loads((folder / "out" / "recipe.json").read_text())
    assert recipe["suppressed"] == 1
    assert recipe["parameters"] == {
        "k": 5,
        "max_suppressed": 0.025,
        "objective": "loss",
        "suppression_weight": 1,
    }
    assert main(["measure", "out", "--original", "people.csv", "--metric", "suppressed-rows", "--json"]) == 0
    (score,) = json.loads(capsys.readouterr().out)["scores"]
    assert score["value"] == 0.025
    assert main(["attack", "out", "--truth", "people.csv", "--identifier", "id", "--max-risk", "0.5"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "1 person is in no group, withheld for quasi-identifiers alone: nothing of theirs is published" in told
    assert main(["verify", "out", "--require", "k-anonymity=5"]) == 0


@pytest.mark.usefixtures("folder")
def test_the_command_line_says_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["publish", "people.csv", "--schema", "people.toml", "--l", "2", "--max-suppressed", "1%", "--out", "out"]
    assert main(call) == 2
    said = capsys.readouterr().err
    assert "strata has no --max-suppressed: which rows are withheld would depend on sensitive values" in said
    assert "incognito takes --max-suppressed" in said


def test_a_job_takes_it(folder: Path) -> None:
    job = folder / "job.toml"
    told = 'source = "people.csv"\nschema = "people.toml"\nout = "out"\n[method]\nname = "incognito"\nk = 5\n'
    job.write_text(f'{told}max_suppressed = "2.5%"\n')
    assert pc.run(job).recipe["suppressed"] == 1
    job.write_text(told.replace("incognito", "mondrian") + "max_suppressed = 0.1\n")
    with pytest.raises(PellucidError, match=r"line 7, method\.max_suppressed: mondrian has no max_suppressed"):
        pc.run(job)


SEEN = {"id": range(9), "q": list("aaabbbcde"), "ill": list("xxyxxyyyy")}  # y is the most frequent, x of what is kept
KINDS = {"quasi": ["q"], "sensitive": "ill", "identifier": "id"}


def test_all_who_guess_are_scored_on_the_people_who_are_published() -> None:
    table = pl.DataFrame(SEEN)
    release = pc.publish(table, pc.Incognito(k=3, max_suppressed="1/3"), **KINDS)
    told = pc.attack_all(release, truth=table, **KINDS).document()
    guessing = told["guessing"]
    assert guessing["withheld"] == 3
    assert guessing["frequent"] == guessing["counted"] == told["most_frequent"] == pytest.approx(4 / 6)
    assert "is right for 67 % of the people whose rows are published" in guessing["line"]
    found = {one["attack"]: one for one in told["classic"]}
    assert "3 people of 9 would be, 3 withheld among these 9" in found["uniqueness"]["sentence"]
    assert found["uniqueness"]["baseline"] == pytest.approx(3 / 9)
    assert found["skewness"]["baseline"] == pytest.approx(4 / 6)
    assert "of the published rows" in found["skewness"]["sentence"]
    whole = pc.attack_all(pc.publish(table, pc.Incognito(k=3), **KINDS), truth=table, **KINDS).document()
    assert whole["guessing"]["frequent"] == pytest.approx(5 / 9)
    assert "published" not in whole["guessing"]["line"].partition(";")[0]


@pytest.mark.parametrize("knows", ["nothing", "algorithm"])
def test_whoever_is_withheld_is_not_counted_and_has_no_risk(knows: Any) -> None:
    table = pl.DataFrame(SEEN)
    release = pc.publish(table, pc.Incognito(k=3, max_suppressed="1/3"), **KINDS)
    beliefs = pc.attack(release, pc.Adversary(knows=knows), truth=table, **KINDS)
    assert beliefs.risk[:6].tolist() == [pytest.approx(2 / 3)] * 6
    assert np.isnan(beliefs.risk[6:]).all()
    assert np.isnan(beliefs.belief("y")[6:]).all()
    assert np.isnan(beliefs.posterior(8, "y"))
    assert "is not published and not counted" in beliefs.explain(8)
    assert beliefs.max_risk == pytest.approx(2 / 3)
    assert beliefs.most_exposed < 6
    assert len(beliefs.vulnerable(1 / 2)) == 6
    assert beliefs.standing(1 / 2).holds is False  # NaN is above no bound, and must not hide who is
    assert beliefs.standing(3 / 4).holds is True


@pytest.mark.usefixtures("folder")
def test_the_closing_lines_do_not_tell_the_value_that_is_withheld(capsys: pytest.CaptureFixture[str]) -> None:
    ages = [21, 23, 24, 26, 28, 29, 31, 33, 34, 36, 38, 95]
    ills = ["flu", "gout", "cold", "flu", "ulcer", "cold", "gout", "flu", "ulcer", "cold", "gout"]
    call = ["publish", "people.csv", "--schema", "people.toml", "--method", "incognito", "--k", "5"]
    said, pages = [], []
    for last in ("flu", "ulcer", "cold"):
        pl.DataFrame({"id": range(12), "age": ages, "ill": [*ills, last]}).write_csv("people.csv")
        assert main([*call, "--max-suppressed", "10%", "--out", "out", "--overwrite"]) == 0
        said.append(capsys.readouterr().out)
        assert main(["report", "out", "--audience", "public", "--out", "page.html", "--overwrite"]) == 0
        capsys.readouterr()
        pages.append(Path("page.html").read_text())
    assert len(set(said)) == 1
    assert "is right for 27 % of the people whose rows are published" in " ".join(said[0].split())
    assert all("1 row is left out." in page for page in pages)
    assert not any("they are wrong about this method" in page for page in pages)
    assert "sizes of groups decided what was generalised" in pages[0]
