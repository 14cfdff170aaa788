"""Spreadsheets as people keep them: titles above, headers in two lines, sums and notes below, gaps."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from pellucid.core.schema import Schema, TextForm
from pellucid.drafting.column_values import missing_codes
from pellucid.errors import InputError
from pellucid.io import load, read, written_as
from pellucid.io.sheet_layout import TableFound
from workbooks import Cell, write_ods, write_xlsx

BOTH = pytest.mark.parametrize("write", [write_xlsx, write_ods])
Write = Callable[..., Path]
PEOPLE: list[list[Cell]] = [[30, "Rome", 1.5], [41, "Oslo", 2], [22, "Bern", 2.5]]


def loaded(path: Path, **form: object) -> tuple[dict[str, list[object]], list[str]]:
    with warnings.catch_warnings(record=True) as caught, written_as(TextForm(**form)):  # type: ignore[arg-type]
        warnings.simplefilter("always")
        frame = load(path)[0]
    return frame.to_dict(as_series=False), [str(one.message) for one in caught]


@BOTH
def test_a_title_above_and_sums_below_are_no_rows(write: Write, tmp_path: Path) -> None:
    rows = [
        ["Survey 2024", None, None],
        [None] * 3,
        ["age", "town", "cost"],
        *PEOPLE,
        [None] * 3,
        ["Total:", None, 6],
        ["Source: the office", None, None],
    ]
    found, told = loaded(write(tmp_path / f"a.{write.__name__[6:]}", {"people": rows}))
    assert found == {"age": [30, 41, 22], "town": ["Rome", "Oslo", "Bern"], "cost": [1.5, 2.0, 2.5]}
    name = f"a.{write.__name__[6:]}"
    assert told == [
        f"{name}: row 3 was taken for the header below 'Survey 2024'; for another, say header_row=",
        f"{name}: 2 rows at the end, which begin with 'Total:', 'Source: the office', are no people and left out",
    ]


@BOTH
def test_names_in_two_lines_are_one_name(write: Write, tmp_path: Path) -> None:
    rows: list[list[Cell]] = [[None, "income", None, "town"], ["age", "2019", "net", None], [30, 5, 6, "Rome"]]
    path = write(tmp_path / f"a.{write.__name__[6:]}", {"people": [*rows, [31, 7, 8, "Oslo"], [32, 7, 8, "Bern"]]})
    found, told = loaded(path)
    assert list(found) == ["age", "income 2019", "income net", "town"]
    assert found["age"] == [30, 31, 32]
    assert told[0].startswith(f"{path.name}: rows 1 and 2 were taken for the header; for")


@BOTH
def test_the_row_of_the_names_can_be_said(write: Write, tmp_path: Path) -> None:
    rows: list[list[Cell]] = [["a", "b", "c"], ["age", "town", "cost"], *PEOPLE]
    path = write(tmp_path / f"a.{write.__name__[6:]}", {"people": rows})
    assert list(loaded(path)[0]) == ["a", "b", "c"]
    found, told = loaded(path, header_row=2)
    assert found["age"] == [30, 41, 22]
    assert told == []
    assert len(read(path, quasi="age", sensitive="town", header_row=2)) == 3
    toml = tmp_path / "schema.toml"
    said = '[columns.age]\nrole = "quasi"\n[columns.town]\nrole = "sensitive"\n[file]\nheader_row = 2\n'
    toml.write_text(said, encoding="utf-8")
    assert len(read(path, schema=Schema.load(toml))) == 3
    with pytest.raises(InputError, match=r"has no header in row 7; header_row= is one of the first 5 rows"):
        loaded(path, header_row=7)
    text = tmp_path / "a.csv"
    text.write_text("title\nage,town\n30,Rome\n", encoding="utf-8")
    assert loaded(text, header_row=2) == ({"age": [30], "town": ["Rome"]}, [])
    with pytest.raises(InputError, match=r"a.csv has no header in row 7; header_row= is one of the first 3 rows"):
        loaded(text, header_row=7)


@pytest.mark.parametrize("mark", [";", ",", "\t"])
@pytest.mark.parametrize("padded", [False, True])
def test_a_text_that_a_spreadsheet_made_has_titles_and_sums_as_well(mark: str, padded: bool, tmp_path: Path) -> None:
    def line(*cells: object) -> str:
        return mark.join([*map(str, cells), *([""] * (3 - len(cells)) if padded else [])])

    people = [line(20 + n, f"T{n % 4}", n % 7) for n in range(40)]
    below = [line(""), line("Summe", "", 120), line("Quelle: eigene")]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([line("Umfrage 2024"), line(""), line("age", "town", "cost"), *people, *below, ""]))
    found, told = loaded(path)
    assert (found["age"], found["cost"]) == ([*range(20, 60)], [n % 7 for n in range(40)])
    assert told == [
        "a.csv: row 3 was taken for the header below 'Umfrage 2024'; for another, say header_row=",
        "a.csv: 2 rows at the end, which begin with 'Summe', 'Quelle: eigene', are no people and left out",
    ]


@pytest.mark.parametrize("last", ["59,T3,4", "Total,T3,4", "Anna Berg,,"])
def test_a_last_row_like_others_of_a_text_stays(last: str, tmp_path: Path) -> None:
    """A value that occurs above as well is no sum, and a line like a note is none where others are like it."""
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["age,town,cost", *(f"{last.split(',')[0]},T{n},{n}" for n in range(9)), last]))
    found, told = loaded(path)
    assert (len(found["age"]), told) == (10, [])


def test_a_release_has_no_sums(tmp_path: Path) -> None:
    """What begins with such a word in a release is a group's row."""
    (tmp_path / "data.csv").write_text("kind,ill\na,flu\nb,gout\nTotal,cold\n")
    frame, _ = load(tmp_path / "data.csv", verbatim=True)
    assert frame["kind"].to_list() == ["a", "b", "Total"]


@BOTH
def test_empty_columns_and_rows_are_left_out_in_silence(write: Write, tmp_path: Path) -> None:
    rows: list[list[Cell]] = [
        [None] * 5,
        [None, "age", None, "town", "cost"],
        [None] * 5,
        *([None, a, None, t, c] for a, t, c in PEOPLE),
    ]
    found, told = loaded(write(tmp_path / f"a.{write.__name__[6:]}", {"people": rows}))
    assert found == {"age": [30, 41, 22], "town": ["Rome", "Oslo", "Bern"], "cost": [1.5, 2.0, 2.5]}
    assert told == []


@BOTH
def test_people_stay(write: Write, tmp_path: Path) -> None:
    """A last person with one value, and texts below texts, are rows."""
    rows: list[list[Cell]] = [
        ["name", "town", "ill"],
        ["Ann", "Rome", "flu"],
        ["Bob", "Oslo", "flu"],
        ["Eve", None, None],
    ]
    found, told = loaded(write(tmp_path / f"a.{write.__name__[6:]}", {"people": rows}), header=True)
    assert found["name"] == ["Ann", "Bob", "Eve"]
    assert told == []


def test_a_warning_is_no_error_where_warnings_are(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"people": [["Survey", None, None], ["age", "town", "cost"], *PEOPLE]})
    with pytest.warns(TableFound, match="row 2 was taken for the header below 'Survey'"):
        load(path)


def test_a_sheet_of_which_only_the_first_column_is_filled_below(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [["age", "town", "cost"], [30, "Rome", 1], [31, None, None], [32, None, None]]
    assert loaded(write_xlsx(tmp_path / "a.xlsx", {"people": rows}))[0]["age"] == [30, 31, 32]


@pytest.mark.parametrize("marks", [["N"], ["k.A."], ["n/a"], ["."], ["N", "k.A."], ["N", "k.A.", "n/a", "."]])
def test_marks_of_missing_values_are_found_wherever_they_stand(marks: list[str]) -> None:
    """After thousands of incomes as well as among words: a column of numbers is no text because of them."""
    incomes = [f"{1000 + at}" for at in range(5_000)] + marks * 2
    assert set(missing_codes(pl.Series(incomes))) == set(marks)
    assert set(missing_codes(pl.Series(marks * 2 + incomes))) == set(marks)


@pytest.mark.parametrize("title", [["Title"], [None, "Title"], [None, None, None, None, "Title"]])
@pytest.mark.parametrize("empty", [0, 1, 2])
def test_names_stand_above_their_own_values_wherever_the_title_stands(
    tmp_path: Path, title: list[Cell], empty: int
) -> None:
    """A title in column A above a table that begins in column B: empty columns before the header shifted all names."""
    before: list[Cell] = [None] * empty
    people: list[list[Cell]] = [[*before, 30 + n, f"z{n}", "flu"] for n in range(9)]
    path = write_xlsx(tmp_path / "t.xlsx", {"a": [title, [], [*before, "age", "zip", "ill"], *people]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame, _ = load(path)
    assert frame.row(0, named=True) == {"age": 30, "zip": "z0", "ill": "flu"}
    assert frame.height == 9
