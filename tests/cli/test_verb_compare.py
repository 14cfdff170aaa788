"""``pellucid compare`` and ``pellucid reproduce``: what they print and write, and how they end."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from cli.program import Program
from research import experiments

WORDS = ("--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name")


def test_a_comparison_is_printed_with_groups_loss_and_how_it_was_decided(call: Program, folder: Path) -> None:
    done = call("compare", "patients.csv", *WORDS, "--methods", "hybrid,anatomy", "--l", "2", "--out", "found")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("2 settings\n")
    heads = next(line for line in done.out.splitlines() if line.startswith("method"))
    assert heads.split("  ")[0] == "method"
    assert all(word in heads for word in ("query-error", "loss", "groups", "largest risk", "rows above 1/l"))
    said = " ".join(done.out.split())
    assert "Hybrid at l=2 has no row above 1/2" in said
    assert "How it is chosen: only releases that are safe against somebody who" in said
    assert "How it is chosen" in (folder / "found" / "recommendation.txt").read_text()
    again = call("compare", "patients.csv", *WORDS, "--methods", "hybrid", "--l", "3", "--out", "found")
    assert again.out.startswith("1 setting\n")
    assert "2 settings of other calls stay in found/cells" in " ".join(again.out.split())


@pytest.mark.usefixtures("folder")
def test_nothing_feasible_ends_with_one_and_the_reason_also_when_quiet(call: Program) -> None:
    done = call("compare", "patients.csv", *WORDS, "--methods", "hybrid", "--l", "9", "--quiet")
    assert (done.code, done.out) == (1, "")
    assert "l = 9 is not feasible" in done.err
    assert "use l = 4 or less" in done.err


@pytest.mark.usefixtures("folder")
def test_a_parameter_that_every_method_needs_is_asked_for_in_one_line(call: Program) -> None:
    assert call("compare", "patients.csv", *WORDS).error == (
        "error: strata needs --l: give one or several to compare, as in --l 2..5"
    )
    told = call("compare", "patients.csv", *WORDS, "--methods", "mdav,spurious-records", "--k", "3").error
    assert told == "error: spurious-records needs --l: give one or several to compare, as in --l 2..5"


def test_a_table_whose_rows_repeat_people_is_asked_about_as_publish_does(call: Program, folder: Path) -> None:
    """The lot that draws a row of each is the same in every call, so that a comparison goes on where it was."""
    stays = {"patient_nbr": [n * 7 % 40 for n in range(90)], "age": [20 + n % 40 for n in range(90)]}
    frame = pl.DataFrame(stays).with_columns(ill=pl.int_range(90) % 4 + pl.int_range(90) // 40)
    frame.cast({"ill": pl.String}).write_csv(folder / "stays.csv")
    words = ("stays.csv", "--quasi", "age", "--sensitive", "ill")
    told = call("compare", *words, "--methods", "soft-cut", "--l", "2").error
    assert told == call("publish", *words, "--method", "soft-cut", "--l", "2", "--out", "out").error
    assert "--people patient_nbr=one" in told
    with pytest.raises(pc.SchemaError, match="40 have 90 rows"):
        pc.compare("stays.csv", [pc.SoftCut(l=2)], quasi=["age"], sensitive="ill")
    once = ("--methods", "soft-cut", "--l", "2", "--people", "patient_nbr=one", "--out", "found", "--json")
    first, again = (call("compare", *words, *once) for _ in range(2))
    assert (first.code, again.code) == (0, 0)
    assert first.document["settings"] == again.document["settings"]
    assert len([*(folder / "found" / "cells").glob("soft-cut*")]) == 1
    by_python = pc.compare(
        "stays.csv", [pc.SoftCut(l=2)], quasi=["age"], sensitive="ill", people="patient_nbr=one", out=folder / "found"
    )
    assert by_python.cells[0].risks
    each = call("compare", *words, *once[:4], "--people", "patient_nbr=row", "--json").document["settings"]
    assert each[0]["groups"] > first.document["settings"][0]["groups"]


def test_experiments_are_listed_and_one_that_does_not_exist_is_told(call: Program) -> None:
    assert "wong-fig2" in call("reproduce", "--list").out
    assert "no experiment is called 'wong-fig9'" in call("reproduce", "wong-fig9", "--quick").error


def test_an_experiment_is_told_beside_the_paper_and_written(folder: Path, call: Program) -> None:
    done = call("reproduce", "xiao-fig15", "--quick", "--out", "figs", "--json")
    assert done.code == 0
    found = done.document
    assert found["quick"] is True
    assert found["reports"] == experiments()["xiao-fig15"].reports
    assert found["agrees"] == all(finding["holds"] for finding in found["findings"])
    assert len(found["findings"]) > 0
    assert pl.read_csv(folder / "figs" / "xiao-fig15.csv").height == len(found["figures"]) > 0
    assert all(finding["claim"] in (folder / "figs" / "xiao-fig15.txt").read_text() for finding in found["findings"])


def test_the_list_has_every_experiment(call: Program) -> None:
    done = call("reproduce", "--list")
    assert done.code == 0
    assert all(name in done.out for name in experiments())


def test_an_experiment_that_there_is_not_is_refused_with_those_that_there_are(folder: Path, call: Program) -> None:
    assert "xiao-fig15" in call("reproduce", "xiao-fig99", "--out", "figs").error
    assert "which experiment?" in call("reproduce").error
    assert not (folder / "figs").exists()


def test_without_the_source_the_verb_says_where_the_experiments_are(
    call: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pc, "__file__", str(tmp_path / "lib" / "site-packages" / "pellucid" / "__init__.py"))
    for words in (["--list"], ["wong-fig2", "--quick"]):
        done = call("reproduce", *words)
        assert done.code == 2
        assert "folder research of pellucid's source; get the source" in " ".join(done.err.split())
