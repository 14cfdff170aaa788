"""``round`` in a schema: what becomes of values, what is refused, and that every verb reads the original so."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from math import floor
from pathlib import Path
from random import Random

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema import Column
from pellucid.errors import SchemaError
from pellucid.io.rounding import rounded


def test_multiples_are_the_nearest_the_upper_of_two() -> None:
    random = Random("multiples")
    for step in (1, 2, 5, 7, 1000):
        values = [random.randint(-5000, 5000) for _ in range(200)]
        expected = [floor(Fraction(value, step) + Fraction(1, 2)) * step for value in values]
        assert rounded(pl.Series(values), step).to_list() == expected
        assert rounded(pl.Series([float(value) for value in values]), step).to_list() == expected
    assert rounded(pl.Series([0.24, 0.25, -0.3, 7.77]), 0.1).to_list() == [0.2, 0.3, -0.3, 7.8]
    assert rounded(pl.Series([2**63 - 8, -(2**63) + 7]), 10).to_list() == [2**63 - 8, -(2**63) + 8]
    assert rounded(pl.Series([255], dtype=pl.UInt8), 10).to_list() == [260]
    assert rounded(pl.Series([2**64 - 6], dtype=pl.UInt64), 10).to_list() == [2**64 - 6]
    assert rounded(pl.Series([7, 8]), 2.5).to_list() == [7.5, 7.5]


def test_a_class_is_told_by_where_it_begins() -> None:
    assert rounded(pl.Series([-3, 0, 17, 18, 64, 65, 99]), (0, 18, 65)).to_list() == [0, 0, 0, 18, 18, 65, 65]
    days = pl.Series([date(1979, 1, 1), date(1980, 1, 1), date(2001, 5, 1)])
    assert rounded(days, (date(1980, 1, 1), date(2000, 1, 1))).to_list() == [
        date(1980, 1, 1),
        date(1980, 1, 1),
        date(2000, 1, 1),
    ]


@pytest.mark.parametrize(("part", "first"), [("month", (5, 1)), ("quarter", (4, 1)), ("year", (1, 1))])
def test_a_part_of_a_date_is_its_first_day(part: str, first: tuple[int, int]) -> None:
    days = pl.Series([date(2001, 5, 17)])
    assert rounded(days, part).to_list() == [date(2001, *first)]
    assert rounded(pl.Series([datetime(2001, 5, 17, 23, 59)]), part).to_list() == [date(2001, *first)]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"role": "quasi", "round": 0}, "0 is no way to round; write round = 5"),
        ({"role": "quasi", "round": "week"}, "'week' is no way to round"),
        ({"role": "quasi", "round": [18, 0]}, "does not go up"),
        ({"role": "quasi", "kind": "category", "round": 5}, "it rounds numbers, and the kind is category"),
        ({"role": "quasi", "kind": "number", "round": "year"}, "it rounds dates, and the kind is number"),
        ({"role": "identifier", "round": 5}, "what is rounded is published, and the role is identifier"),
    ],
)
def test_what_cannot_be_rounded_is_refused(said: dict[str, object], why: str) -> None:
    with pytest.raises(SchemaError, match=why):
        pc.Schema(columns={"x": said})


PEOPLE = pl.DataFrame(
    {
        "name": [f"p{i}" for i in range(40)],
        "age": [20 + (7 * i) % 50 for i in range(40)],
        "born": [date(1950 + i % 30, 1 + i % 12, 1 + i % 28) for i in range(40)],
        "kg": [50.25 + 1.5 * i for i in range(40)],
        "income": [1000 + 137 * i for i in range(40)],
    }
)
SCHEMA = pc.Schema(
    columns={
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "round": [0, 30, 50]},
        "born": {"role": "quasi", "round": "year"},
        "kg": {"role": "carry", "round": 10},
        "income": {"role": "sensitive", "round": 500},
    }
)


def test_a_schema_file_says_it_and_reads_back(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    assert pc.Schema.load(tmp_path / "s.toml") == SCHEMA


def test_a_release_shows_rounded_values_alone_and_every_verb_reads_the_original_so(tmp_path: Path) -> None:
    release = pc.publish(PEOPLE, pc.Tailor(l=2), schema=SCHEMA)
    assert set(release.frame["income"].cast(int).to_list()) <= set(range(1000, 7000, 500))
    told = {column["name"]: column.get("round") for column in release.recipe["columns"]}
    assert told == {"age": [0, 30, 50], "born": "year", "kg": 10, "income": 500}
    assert "What is said of income is about its values rounded to multiples of 500." in release.recipe["sentence"]
    release.write(tmp_path / "out")
    PEOPLE.write_csv(tmp_path / "people.csv")
    # from the recipe alone, with no schema: everybody is found in a group again, and the promise holds
    beliefs = pc.attack(tmp_path / "out", truth=tmp_path / "people.csv", identifier="name")
    assert beliefs.max_risk <= 0.5
    assert len(beliefs.risk) == 40
    with pytest.warns(UserWarning, match="income was rounded to multiples of 500 before"):
        scores = pc.measure(tmp_path / "out", tmp_path / "people.csv", [pc.Perimeter()])
    assert scores[0].value >= 0
    population = pc.levels(tmp_path / "out", population=tmp_path / "people.csv")
    assert next(level.level for level in population if level.model == "k-map") >= 2


def test_values_that_are_no_numbers_are_refused_with_the_place() -> None:
    text = PEOPLE.with_columns(age=pl.lit("young"))
    with pytest.raises(SchemaError, match=r"columns\.age"):
        pc.read(text, schema=SCHEMA)


@pytest.mark.parametrize(
    ("rounding", "inside", "begins"),
    [
        ([-10, 3], 2, 3),
        (5, 152, 150),
        (0.1, 0.25, 0.3),
        ("month", date(2024, 4, 30), date(2024, 4, 1)),
        ("quarter", date(2024, 5, 1), date(2024, 4, 1)),
        ("year", date(2024, 4, 1), date(2024, 1, 1)),
    ],
)
def test_a_cap_inside_a_class_is_refused(rounding: object, inside: object, begins: object) -> None:
    """A person of 2 was published as -10, one of 3 as >=2, and an attack said that nobody of the people fits that."""
    for end in ("low", "high"):
        with pytest.raises(SchemaError, match="is inside a class of the column"):
            Column.model_validate({"role": "quasi", "round": rounding, "cap": {end: inside}})
        Column.model_validate({"role": "quasi", "round": rounding, "cap": {end: begins}})
