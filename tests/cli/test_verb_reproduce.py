"""``pellucid reproduce``: what it prints, what it writes, how it refuses."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from cli.program import Program
from pellucid.reproducing import experiments


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
