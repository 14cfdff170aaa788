"""Means and medians of groups are what their definitions say, in fractions; and nobody takes them for values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.core.request import UnfitRecoding, recoder_with
from pellucid.errors import InputError
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople

ROWS = 40
START = date(2020, 1, 1)
SIZES = ["small", "medium", "large"]


def columns(coins: np.random.Generator) -> dict[str, pl.Series]:
    """A column of each sort, some with nulls."""
    drawn = {
        "whole": pl.Series(coins.integers(-50, 50, ROWS)),
        "tenths": pl.Series(coins.integers(-50, 50, ROWS) / 10),
        "short": pl.Series(coins.integers(0, 50, ROWS) / 10, dtype=pl.Float32),
        "wide": pl.Series(coins.integers(0, 2**62, ROWS)),
        "money": pl.Series([Decimal(int(n)) / 100 for n in coins.integers(0, 999, ROWS)], dtype=pl.Decimal(10, 2)),
        "day": pl.Series([START + timedelta(int(n)) for n in coins.integers(0, 700, ROWS)]),
        "size": pl.Series(coins.choice(SIZES, ROWS)),
    }
    hidden = {name: pl.Series(coins.random(ROWS) < 0.3) for name in ("whole", "tenths", "day", "size")}
    return drawn | {
        name: pl.select(pl.when(~null).then(drawn[name])).to_series().alias(name) for name, null in hidden.items()
    }


def published(seed: int, statistic: str) -> tuple[pl.DataFrame, pl.DataFrame, np.ndarray[Any, Any]]:
    """The table, what is published of each of its rows, and the groups."""
    coins = np.random.default_rng(seed)
    frame = pl.DataFrame({**columns(coins), "s": [f"{row:02}" for row in range(ROWS)]})
    how: dict[str, Any] = {name: {} for name in frame.columns}
    how["size"] = {"kind": "ordered", "order": SIZES}
    roles = {name: "carry" if name == "tenths" else "sensitive" if name == "s" else "quasi" for name in frame.columns}
    schema = pc.Schema(columns={name: pc.Column(role=roles[name], **how[name]) for name in frame.columns})
    labels = coins.integers(0, 7, ROWS)
    _, labels = np.unique(labels, return_inverse=True)
    recoder = pc.Means.model_validate({"statistic": statistic})
    out = recoder.recode(pc.read(frame, schema=schema), Grouping.from_labels(labels.astype(np.int32)))["data"]
    return frame, out.sort("s"), labels


def unit_of(values: Sequence[Any]) -> Fraction:
    """The coarsest power of ten in which all of these are whole."""
    numbers = [Fraction(str(value)) for value in values]
    return next(Fraction(1, 10**p) for p in range(10) if all((n * 10**p).denominator == 1 for n in numbers))


def mean_of(values: Sequence[Any], column: Sequence[Any]) -> Fraction:
    """Rounded, halves upwards, to the unit of the column, counted from its least value."""
    least, unit = Fraction(str(min(column))), unit_of(column)
    steps = sum((Fraction(str(value)) - least) / unit for value in values) / len(values)
    return least + floor(steps + Fraction(1, 2)) * unit


@pytest.mark.parametrize("seed", range(12))
def test_a_mean_is_the_mean_in_the_units_of_the_column(seed: int) -> None:
    frame, out, labels = published(seed, "mean")
    for name in ("whole", "tenths", "short", "money"):
        known = [one for one in _texts(frame[name]) if one is not None]
        assert out[f"{name}_mean"].dtype == frame[name].dtype
        for group in np.unique(labels):
            mine = [one for one in _texts(frame[name].filter(pl.Series(labels == group))) if one is not None]
            told = out[f"{name}_mean"].filter(pl.Series(labels == group)).unique()
            expected = mean_of(mine, known) if mine else None
            assert [None if t is None else Fraction(t) for t in _texts(told)] == [expected], (name, group)


def _texts(column: pl.Series) -> list[str | None]:
    return column.cast(pl.String).to_list()


@pytest.mark.parametrize("seed", range(6))
def test_days_have_a_mean_and_long_numbers_one_to_the_precision_of_their_line(seed: int) -> None:
    frame, out, labels = published(seed, "mean")
    least, width = frame["wide"].min(), frame["wide"].max() - frame["wide"].min()  # type: ignore[operator]
    for group in np.unique(labels):
        here = pl.Series(labels == group)
        days = [(one - START).days for one in frame["day"].filter(here).drop_nulls().to_list()]
        expected = START + timedelta(floor(Fraction(sum(days), len(days)) + Fraction(1, 2))) if days else None
        assert out["day_mean"].filter(here).unique().to_list() == [expected]
        exact = Fraction(sum(frame["wide"].filter(here).to_list()), int(here.sum()))
        (told,) = out["wide_mean"].filter(here).unique().to_list()
        assert abs(told - exact) <= Fraction(width, 2**31 - 1) * 2
        assert least <= told <= frame["wide"].max()  # type: ignore[operator]


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("seed", range(4))
def test_a_median_is_the_lower_middle_value_and_nulls_are_told(seed: int, statistic: str) -> None:
    frame, out, labels = published(seed, statistic)
    for name in ["size", *(["whole", "tenths", "wide", "money", "day"] if statistic == "median" else [])]:
        for group in np.unique(labels):
            here = pl.Series(labels == group)
            all_of_it = frame[name].filter(here)
            mine = sorted(all_of_it.drop_nulls().to_list(), key=SIZES.index if name == "size" else None)
            expected = mine[(len(mine) - 1) // 2] if mine else None
            assert out[f"{name}_median"].filter(here).unique().to_list() == [expected]
            if frame[name].null_count():
                word = "none" if len(mine) == len(all_of_it) else "some" if mine else "all"
                assert out[f"{name}_nulls"].filter(here).unique().to_list() == [word]


PEOPLE = pl.DataFrame(
    {
        "name": list("abcdefghij"),
        "age": [20, 22, 30, 34, 41, 45, 50, 58, 60, 62],
        "ill": ["flu", "cold", "flu", "hiv", "cold", "flu", "hiv", "cold", "flu", "cold"],
    }
)
ROLES = {"quasi": "age", "sensitive": "ill", "identifier": "name"}


def folder_of_means(path: Path) -> Path:
    """Eight of ten people in groups that only their means tell."""
    pc.publish(PEOPLE[:8], pc.Ace(l=2), recode="means", **ROLES, seed=3).write(path / "out")
    return path / "out"


@pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")
def test_nobody_counts_how_many_of_a_population_a_mean_covers(tmp_path: Path) -> None:
    out = folder_of_means(tmp_path)
    assert pc.examine(out).levels()  # without a population
    with pytest.raises(InputError, match="the mean of groups, which covers nobody in particular"):
        pc.examine(out, population=PEOPLE.drop("ill")).levels()


@pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")
def test_no_chance_is_counted_from_means(tmp_path: Path) -> None:
    """Of the ways to give each row a person few have these means, so that their number says nothing."""
    found = gather(folder_of_means(tmp_path), pc.Roles(identifier="name"), KnownPeople(population=PEOPLE.drop("ill")))
    membership = found.evidence.membership
    assert membership is not None
    assert not membership.exact.any()
    assert (membership.chance == 1).all()
    assert found.evidence.published.population is None


def test_median_goes_with_means() -> None:
    assert recoder_with("means", {"median": True}) == pc.Means(statistic="median")
    with pytest.raises(UnfitRecoding, match="median goes with recode means"):
        recoder_with("intervals", {"median": True})
