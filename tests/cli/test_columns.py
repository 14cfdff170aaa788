"""Columns named on the command line: by commas, by repetition, with a comma in the name."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cli.program import Program

WEIGHT = "Weight (kg), approx."


@pytest.fixture
def people(folder: Path) -> Path:
    """A table with a column whose name has a comma."""
    frame = pl.DataFrame(
        {
            "name": list("abcdefgh"),
            "age": [20, 21, 30, 31, 40, 41, 50, 51],
            WEIGHT: [50, 51, 60, 61, 70, 71, 80, 81],
            "ward": list("xxyyxxyy"),
            "floor": list("11112222"),
            "disease": ["flu", "cold"] * 4,
            "drug": ["p", "q"] * 4,
        }
    )
    frame.write_csv(folder / "people.csv")
    return folder


def roles(folder: Path) -> dict[str, str]:
    recipe = json.loads((folder / "out/recipe.json").read_text())
    return {column["name"]: column["role"] for column in recipe["columns"]}


def test_repeated_options_add_up(people: Path, call: Program) -> None:
    words = ["--quasi", "age", "--quasi", "ward", "--carry", "floor", "--sensitive", "disease", "--sensitive", "drug"]
    done = call("publish", "people.csv", *words, "--carry", WEIGHT, "--method", "tailor", "--l", "2", "--out", "out")
    assert done.code == 0, done
    assert roles(people) == {
        "age": "quasi",
        "ward": "quasi",
        "floor": "carry",
        WEIGHT: "carry",
        "disease": "sensitive",
        "drug": "sensitive",
    }


@pytest.mark.parametrize(
    "words",
    [
        ["--quasi", f'age,"{WEIGHT}"'],
        ["--quasi", f'"{WEIGHT}", age'],
        ["--quasi", "age", "--quasi", WEIGHT],
        ["--quasi", WEIGHT, "--quasi", " age"],
    ],
)
def test_a_name_with_a_comma_is_quoted_or_stands_alone(words: list[str], people: Path, call: Program) -> None:
    done = call("publish", "people.csv", *words, "--sensitive", "disease", "--l", "2", "--out", "out")
    assert done.code == 0, done
    assert roles(people) == {"age": "quasi", WEIGHT: "quasi", "disease": "sensitive"}


def test_an_identifier_may_have_a_comma_too(people: Path, call: Program) -> None:
    words = ["--quasi", "age", "--sensitive", "disease", "--identifier", WEIGHT, "--l", "2", "--out", "out"]
    assert call("publish", "people.csv", *words).code == 0
    assert json.loads((people / "out/recipe.json").read_text())["row_order"] == "identifier"


def test_a_part_of_a_name_is_refused_with_the_way_out(people: Path, call: Program) -> None:
    words = ["--quasi", f"age,{WEIGHT}", "--sensitive", "disease", "--l", "2", "--out", "out"]
    error = call("publish", "people.csv", *words).error
    assert "no column 'Weight (kg)'" in error
    assert error.endswith("or use --schema")
    assert not (people / "out").exists()


@pytest.mark.usefixtures("people")
def test_a_column_that_is_nowhere_brings_no_talk_of_commas(call: Program) -> None:
    words = ["--quasi", "age,height", "--sensitive", "disease", "--l", "2", "--out", "out"]
    error = call("publish", "people.csv", *words).error
    assert "no column 'height'" in error
    assert "comma" not in error


@pytest.mark.usefixtures("people")
def test_two_identifiers_are_refused(call: Program) -> None:
    words = ["--quasi", "age", "--sensitive", "disease", "--identifier", "name", "--identifier", "ward"]
    assert "'name' and 'ward'" in call("publish", "people.csv", *words, "--l", "2", "--out", "out").error


def test_a_source_that_is_looked_at_twice_warns_once(people: Path, call: Program) -> None:
    (people / "people.csv").write_bytes((people / "people.csv").read_bytes().replace(b"flu", b"fl\xfc"))
    words = ["--quasi", "age", "--quasi", WEIGHT, "--sensitive", "disease", "--l", "2", "--out", "out"]
    done = call("publish", "people.csv", *words)
    assert done.code == 0
    assert len(done.err.splitlines()) == 1
