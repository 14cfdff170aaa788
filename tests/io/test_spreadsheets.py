"""Sheets of Excel and LibreOffice as tables."""

import datetime as dt
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.core.schema import TextForm
from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read, written_as
from workbooks import write_ods, write_xlsx

ROWS = [
    ["age", "zip", "cost", "born", "mixed"],
    [30, "01234", 1.5, dt.date(1990, 1, 1), 3],
    [41, "10115", None, dt.date(1991, 2, 28), "x"],
    [None] * 5,
    [7, "z", 2, None, 2.5],
]
FOUND = {
    "age": [30, 41, 7],
    "zip": ["01234", "10115", "z"],
    "cost": [1.5, None, 2.0],
    "born": [dt.date(1990, 1, 1), dt.date(1991, 2, 28), None],
    "mixed": ["3", "x", "2.5"],
}


@pytest.mark.parametrize(("write", "name"), [(write_xlsx, "a.xlsx"), (write_ods, "a.ods"), (write_xlsx, "unnamed")])
def test_a_sheet_is_read_in_the_types_of_its_cells(tmp_path: Path, write: Callable[..., Path], name: str) -> None:
    path = write(tmp_path / name, {"people": ROWS, "empty": []})
    frame, native = load(path)
    assert native == "polars"
    assert frame.to_dict(as_series=False) == FOUND
    assert [frame[column].dtype for column in ("age", "born")] == [pl.Int64, pl.Date]
    assert load(str(path), columns=["cost", "age"])[0].columns == ["cost", "age"]


def test_a_value_in_the_last_row_decides_the_type_too(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"people": [["age"], *([i] for i in range(3_000)), ["ninety"]]})
    assert load(path)[0]["age"].to_list()[-2:] == ["2999", "ninety"]


WRITERS = pytest.mark.parametrize(("write", "name"), [(write_xlsx, "a.xlsx"), (write_ods, "a.ods")])


@WRITERS
def test_an_empty_text_is_null_as_in_a_text_file(tmp_path: Path, write: Callable[..., Path], name: str) -> None:
    rows = [["age", "ill", "note"], [30, "flu", ""], ["", "", ""], [41, "", ""], [22, "cold", "x"]]
    frame = load(write(tmp_path / name, {"people": rows}))[0]
    assert frame.to_dict(as_series=False) == {
        "age": [30, 41, 22],
        "ill": ["flu", None, "cold"],
        "note": [None, None, "x"],
    }
    text = tmp_path / "a.csv"
    text.write_text("age,ill,note\n30,flu,\n41,,\n22,cold,x\n", encoding="utf-8")
    assert frame.equals(load(text)[0])


@WRITERS
def test_true_and_false_among_numbers_are_text(tmp_path: Path, write: Callable[..., Path], name: str) -> None:
    rows = [["bits", "a", "b", "truths"], [1, True, 0.5, True], [0, 1, 1, False], [1, 0, 2, None], [0, False, 7, True]]
    frame = load(write(tmp_path / name, {"people": rows}))[0]
    assert frame.to_dict(as_series=False) == {
        "bits": [1, 0, 1, 0],
        "a": ["true", "1", "0", "false"],
        "b": [0.5, 1.0, 2.0, 7.0],
        "truths": [True, False, None, True],
    }
    with written_as(TextForm(header=False)):
        assert load(tmp_path / name)[0]["column_2"].to_list() == ["a", "true", "1", "0", "false"]


def test_a_column_without_values_is_read_in_silence(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"people": [["age", "note", "ill"], [30, "", "flu"], [41, None, "cold"]]})
    code = "import sys; from pellucid.io import load; print(load(sys.argv[1])[0].height)"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_what_stands_for_a_missing_value_leaves_numbers(tmp_path: Path) -> None:
    rows = [["age", "disease"], [30, "flu"], ["?", "cold"], [41, "flu"], [22, "#N/A"]]
    path = write_xlsx(tmp_path / "a.xlsx", {"people": rows})
    frame = load(path, missing={"age": ["?"]})[0]
    assert frame["age"].to_list() == [30, None, 41, 22]
    assert frame["disease"].to_list() == ["flu", "cold", "flu", None]


def test_of_several_sheets_somebody_must_say_which(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"notes": [["made in May"], ["x"]], "people": ROWS})
    with pytest.raises(InputError, match=r"a.xlsx has 2 sheets .*; say which .*sheet = .notes. under"):
        load(path)
    with written_as(TextForm(sheet="people")):
        assert load(path)[0].height == 3
    assert len(read(path, quasi="age", sensitive="zip", sheet="people")) == 3
    with pytest.raises(InputError, match=r"no sheet 'poeple'; did you mean 'people'\?; its sheets: 'notes', 'people'"):
        read(path, quasi="age", sensitive="zip", sheet="poeple")


def test_the_header_follows_the_rules_of_text_files(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"s": [[], [], [39, "Private"], [50, "State"], [38, "Private"]]})
    with pytest.raises(InputError, match="line 1 has '39' where a column's name should be"):
        load(path)
    with written_as(TextForm(header=False)):
        assert load(path)[0].to_dict(as_series=False) == {
            "column_1": [39, 50, 38],
            "column_2": ["Private", "State", "Private"],
        }
    twice = write_xlsx(tmp_path / "b.xlsx", {"s": [["a", "a"], ["x", "y"]]})
    with pytest.raises(InputError, match="column 'a' occurs 2 times"):
        load(twice)
    with pytest.raises(SchemaError, match="has no column 'b'; "):
        load(write_xlsx(path, {"s": ROWS}), columns=["b"])


def test_what_is_no_workbook_is_one_line(tmp_path: Path) -> None:
    whole = write_xlsx(tmp_path / "a.xlsx", {"s": ROWS}).read_bytes()
    for name, content, message in (
        ("cut.xlsx", whole[:900], "cut.xlsx is damaged or incomplete; save the workbook again"),
        ("some.zip", b"PK\x03\x04 and so on", "some.zip is a zip archive; unpack it, and give the table in it"),
        ("old.xls", b"\xd0\xcf\x11\xe0" + bytes(600), "old.xls cannot be read as a spreadsheet"),
        ("text.xlsx", b"a,b\n1,2\n", "this is not Excel .its name says so. but text"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=message) as raised:
            load(tmp_path / name)
        assert "\n" not in str(raised.value)
    empty = write_xlsx(tmp_path / "e.xlsx", {"s": []})
    with pytest.raises(InputError, match=r"e.xlsx is empty"):
        load(empty)
    with pytest.raises(InputError, match=r"e.xlsx has a header but no rows"):
        load(write_xlsx(empty, {"s": [["a", "b"]]}))


def test_without_the_extra_the_message_names_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    with pytest.raises(InputError, match=r"a.xlsx is a spreadsheet, which needs fastexcel; pip install 'pellucid\[exc"):
        load(write_xlsx(tmp_path / "a.xlsx", {"s": ROWS}))
