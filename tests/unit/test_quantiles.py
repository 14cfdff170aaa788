"""Classes by quantiles: counted in the table, of three people or more, told by the recipe, and public."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema.rounding import Quantiles, checked_rounding
from pellucid.errors import InputError, SchemaError
from pellucid.io.rounding import begins_of
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.risk.views.missing_inputs import SHARES

ROLES = {"name": "identifier", "age": "quasi", "ill": "sensitive"}


def schema(rounding: Any, **more: Any) -> pc.Schema:
    columns = {name: pc.Column(role=role) for name, role in ROLES.items()}
    return pc.Schema(columns=columns | {"age": pc.Column(role="quasi", round=rounding, **more)})


def people(rows: int = 90, seed: int = 1) -> pl.DataFrame:
    random = Random(seed)
    return pl.DataFrame(
        {
            "name": [f"{row:03}" for row in range(rows)],
            "age": [random.choice([None, *range(18, 80)]) for _ in range(rows)],
            "ill": [random.choice("abcd") for _ in range(rows)],
        }
    )


def plainly(rows: list[int], parts: int) -> list[int]:
    """The definition, row by row."""
    rows = sorted(rows)
    wanted = sorted({rows[j * len(rows) // parts] for j in range(1, parts)})
    begins: list[int] = []
    for begin in wanted:
        since = begins[-1] if begins else rows[0]
        inside = sum(since <= row < begin for row in rows)
        if inside >= 3 and sum(row >= begin for row in rows) >= 3:
            begins.append(begin)
    return [rows[2], *begins] if begins else []


@pytest.mark.parametrize("seed", range(30))
def test_classes_begin_where_the_definition_says(seed: int) -> None:
    random = Random(seed)
    rows = [random.randrange(random.choice([4, 30, 500])) for _ in range(random.randint(3, 60))]
    parts = random.choice([2, 3, 5, 10, 70])
    values, times = np.unique(rows, return_counts=True)
    found = begins_of(pl.Series(values), times.astype(np.int64), parts)
    assert found == plainly(rows, parts)
    if found:
        classes = [max(bisect_right(found, row) - 1, 0) for row in rows]
        assert min(classes.count(one) for one in range(len(found))) >= 3


def test_the_table_its_schema_and_the_recipe_have_the_classes(tmp_path: Path) -> None:
    frame = people()
    known = [age for age in frame["age"].to_list() if age is not None]
    table = pc.read(frame, schema=schema({"quantiles": 4}))
    begin = plainly(known, 4)
    assert table.attributes[0].values.to_list() == [None, *begin]
    assert table.schema is not None
    assert table.schema.columns["age"].round == Quantiles(4, tuple(begin))
    release = pc.publish(table, pc.Ace(l=2))
    assert release.recipe["columns"][0]["round"] == {"begin": begin, "measured": 4}
    release.write(tmp_path / "out")
    read = pc.measure(tmp_path / "out", frame, [pc.Kept()])[0].value  # the original is read by the recipe
    assert read == pc.measure(release, table, [pc.Kept()])[0].value
    assert pc.attack(tmp_path / "out", truth=frame, identifier="name").max_risk <= 0.5


def test_what_a_schema_says_is_written_and_read_again() -> None:
    for said in ({"quantiles": 5}, {"begin": [17, 31, 48], "measured": 5}):
        column = pc.Column(role="quasi", round=said)
        assert pc.Column(role="quasi", round=checked_rounding(column.round)).round == column.round
        assert "round = {" in column.to_toml("age")
        assert pc.Column.told({"role": "quasi", "kind": "number", **column.public()}).round == column.round


def test_dates_have_quantiles_too() -> None:
    days = [date(2020, 1, 1) + timedelta(day) for day in range(90)]
    frame = people().with_columns(age=pl.Series(days))
    table = pc.read(frame, schema=schema({"quantiles": 2}))
    assert table.attributes[0].values.to_list() == [days[2], days[45]]


def test_who_is_in_the_table_decides_so_others_are_told() -> None:
    """As with a cap in percent: with more people the classes would begin elsewhere, and nothing is claimed."""
    everybody = people(12, seed=3).with_columns(age=pl.Series([20, 22, 25, 30, 31, 36, 40, 44, 50, 51, 60, 61]))
    how = schema({"quantiles": 3})
    with pytest.warns(pc.InformedAttackerWarning):
        release = pc.publish(everybody[:10], pc.Mondrian(l=2), schema=how)
    found = gather(release, pc.Roles(), KnownPeople(population=everybody.drop("ill")))
    assert SHARES in found.evidence.lacking


def test_of_others_nobody_guesses_where_classes_begin() -> None:
    release = pc.publish(people(), pc.Tailor(l=2), schema=schema({"quantiles": 3}))
    with pytest.raises(InputError, match="nobody says where they begin"):
        pc.examine(release.frame, schema=schema({"quantiles": 3}), population=people().drop("ill")).levels()


@pytest.mark.parametrize(
    ("rounding", "said"),
    [
        ({"quantiles": 1}, "names no classes"),
        ({"quantiles": 2.5}, "names no classes"),
        ({"quantiles": 5, "begin": [1, 2]}, "names no classes"),
        ({"begin": [3, 1], "measured": 2}, "does not go up"),
    ],
)
def test_what_is_no_quantile_is_refused(rounding: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        schema(rounding)


def test_columns_that_have_none_are_refused() -> None:
    with pytest.raises(SchemaError, match="is public, and the role is sensitive"):
        pc.Column(role="sensitive", round={"quantiles": 3})
    with pytest.raises(SchemaError, match="leaves no two classes of three people"):
        pc.read(people().with_columns(age=pl.lit(7)), schema=schema({"quantiles": 3}))
    with pytest.raises(SchemaError, match="quantiles are for numbers and dates"):
        pc.read(people().with_columns(age=pl.lit("x")), schema=schema({"quantiles": 3}))


HOMES = pc.Schema(columns=schema({"quantiles": 2}).columns | {"home": pc.Column(role="cluster")})


def in_homes(ages: Sequence[int | None], homes: Sequence[int]) -> pl.DataFrame:
    rows = range(len(ages))
    return pl.DataFrame({"name": rows, "age": ages, "ill": [f"{row % 3}" for row in rows], "home": homes})


def test_no_class_and_no_end_is_told_by_fewer_than_three_households(thorough: bool) -> None:
    """Every table of 7 rows with two ages, or three, in homes of several sizes: a class has three homes at least.

    Rows alone would do with one person who has three of them.
    """
    told = by_rows = 0
    shapes = [(0, 0, 0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5, 6), (0, 0, 1, 1, 2, 2, 3), (0, 0, 0, 0, 1, 2, 3)]
    for ages in product((1, 2, 5) if thorough else (1, 5), repeat=7):
        for homes in shapes:
            frame = in_homes(ages, homes)
            for asked in ({"round": {"quantiles": 2}}, {"cap": {"percent": [30, 70]}}):
                columns = HOMES.columns | {"age": pc.Column(role="quasi", **asked)}
                try:
                    settled = pc.read(frame, schema=pc.Schema(columns=columns)).schema
                except SchemaError:
                    continue
                assert settled is not None
                told += 1
                by_rows += _told_by(settled.columns["age"], list(zip(ages, range(7), strict=True)))
                assert _told_by(settled.columns["age"], list(zip(ages, homes, strict=True))), (ages, homes, asked)
    assert told > 50
    assert by_rows == told  # as many rows as homes, and more


def _told_by(column: pc.Column, rows: Sequence[tuple[int, int]]) -> bool:
    """Whether every class, and all that lies beyond an end, has three different ones at least."""

    def homes(low: float, high: float) -> int:
        return len({home for age, home in rows if low <= age < high})

    if isinstance(column.round, Quantiles):
        assert column.round.begin is not None
        first, *begins = column.round.begin
        ends = [-math.inf, *begins, math.inf]
        return homes(-math.inf, first + 1) >= 3 and all(homes(a, b) >= 3 for a, b in pairwise(ends))
    cap = column.cap
    assert cap is not None
    return homes(-math.inf, cap.low + 1) >= 3 and homes(cap.high, math.inf) >= 3


def test_three_stays_of_one_patient_are_no_class() -> None:
    ages = [20, 21, 22, 23, 97, 97, 97]
    homes = [0, 1, 2, 3, 4, 4, 4]
    with pytest.raises(SchemaError, match="no two classes of three people"):
        pc.read(in_homes(ages, homes), schema=HOMES)
    alone = pc.read(in_homes(ages, homes).drop("home"), schema=schema({"quantiles": 2}))
    assert alone.attributes[0].classes is not None


def test_households_are_counted_once_each_at_their_lowest_age() -> None:
    """Six homes of which one has four people: two classes of three homes each."""
    ages = [10, 11, 12, 13, 20, 30, 40, 50, 60]
    homes = [0, 0, 0, 0, 1, 2, 3, 4, 5]
    table = pc.read(in_homes(ages, homes), schema=HOMES)
    assert table.attributes[0].values.to_list() == [30, 40]
    assert table.attributes[0].classes == Quantiles(2, (30, 40))
