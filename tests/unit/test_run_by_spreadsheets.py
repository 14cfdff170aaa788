"""Cells that a spreadsheet runs are told where the release is made; numbers with a sign are none."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from pellucid.app.cli import main
from pellucid.app.run_by_spreadsheets import run_by_spreadsheets


def told(values: list[str], name: str = "town") -> list[str]:
    table = pl.DataFrame({name: values, "ill": [str(n) for n in range(len(values))]})
    return list(map(str, run_by_spreadsheets(pc.read(table, quasi=name, sensitive="ill", roles=None))))


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3+cmd", "\t=1"])
def test_a_cell_that_is_run_is_told(cell: str) -> None:
    (said,) = told(["Rome", cell])
    assert repr(cell) in said


@pytest.mark.parametrize("cell", ["Rome", "-5", "+4.5", "-1,5", "a=b", "- 3"])
def test_a_number_with_a_sign_is_none(cell: str) -> None:
    assert told(["x", cell]) == []


def test_so_is_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "the name '=town'" in told(["a", "b"], "=town")[0]
    pl.DataFrame({"town": ["=1+1", "b"] * 8, "ill": list("abcd") * 4}).write_csv(tmp_path / "t.csv")
    asked = ["publish", str(tmp_path / "t.csv"), "--quasi", "town", "--sensitive", "ill", "--method", "hybrid"]
    assert main([*asked, "--l", "2", "--out", str(tmp_path / "out")]) == 0
    assert "Spreadsheets run cells" in " ".join(capsys.readouterr().err.split())
