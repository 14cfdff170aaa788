"""Cells that a spreadsheet runs are told where the release is made; numbers with a sign are none."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from pellucid.audit.source import opened
from pellucid.cli.program import main
from pellucid.cli.run_by_spreadsheets import run_by_spreadsheets


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
    assert "quote them with --spreadsheet-safe" in " ".join(capsys.readouterr().err.split())
    assert main([*asked, "--l", "2", "--out", str(tmp_path / "safe"), "--spreadsheet-safe"]) == 0
    assert "Spreadsheets run cells" not in capsys.readouterr().err


@pytest.mark.parametrize("recode", ["intervals", "taxonomy", "anatomy"])
def test_a_quoted_release_runs_nothing_and_is_read_as_it_was(recode: str, tmp_path: Path) -> None:
    towns, ills = ["=1+1", "-5", "Rome", "'x", "+a", ""], ["=a", "b", "-c d", "@", "'", "e"]
    people = pl.DataFrame(
        {
            "@town": [towns[n % 6] for n in range(60)],
            "age": range(-3, 57),
            "ill": [ills[(7 * n + n // 6) % 6] for n in range(60)],
        }
    )
    made = {"quasi": ["@town", "age"], "sensitive": "ill", "recode": recode, "spreadsheet_safe": True}
    release = pc.publish(people, pc.SoftCut(l=2), **made)
    release.write(tmp_path / "release")
    cells = [
        cell
        for path in (tmp_path / "release").glob("*.csv")
        for row in pl.read_csv(path, has_header=False, infer_schema=False).iter_rows()
        for cell in row
    ]
    assert any(cell.startswith("'=") for cell in cells if cell)
    assert not any(cell[0] in "=@\t" or (cell[0] in "+-" and not cell[1:].isdigit()) for cell in cells if cell)
    back = opened(tmp_path / "release")
    for name, frame in release.public.frames.items():
        assert back.tables[name].cast(pl.String).equals(frame.cast(pl.String))
    verdicts = [pc.verify(source, [pc.LDiversity(l=2)]) for source in (release, tmp_path / "release")]
    assert verdicts[0] == verdicts[1]
