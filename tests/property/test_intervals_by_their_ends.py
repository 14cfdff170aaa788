"""What intervals cover, told by their ends alone, is what looking at every value of the column gives."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.table import Attribute
from pellucid.published.grammar import OR_NULL, interval_of
from pellucid.published.matcher import CellMatcher
from pellucid.published.reader import Anybody, _Reader
from pellucid.text.values import label_of

NOON = datetime(2024, 3, 30, 12, tzinfo=UTC)
ORDER = ["low", "mid", "high", "[0, 1]", "top"]


def numbers(coins: np.random.Generator) -> list[Any]:
    return [int(number) for number in coins.integers(-20, 300, 12)]


def floats(coins: np.random.Generator) -> list[Any]:
    return [round(float(number), 2) for number in coins.normal(0, 3, 12)]


def days(coins: np.random.Generator) -> list[Any]:
    return [date(2024, 1, 20) + timedelta(days=int(day)) for day in coins.integers(0, 60, 12)]


def moments(coins: np.random.Generator) -> list[Any]:
    return [NOON.replace(tzinfo=None) + timedelta(minutes=int(step)) for step in coins.integers(0, 3000, 12)]


def in_rome(coins: np.random.Generator) -> list[Any]:
    """Around the hour when clocks are put forward: labels with an offset are not in the order of time."""
    return [NOON + timedelta(minutes=int(step)) for step in coins.integers(0, 1500, 12)]


def texts(coins: np.random.Generator) -> list[Any]:
    return [str(coins.choice(["3", "7", "10", "a", "b", "[3, 10]", "1.0"])) for _ in range(12)]


KINDS = [numbers, floats, days, moments, in_rome, texts]


def column(kind: Any, coins: np.random.Generator) -> pl.Series:
    values = pl.Series(sorted(set(kind(coins))))
    return values.dt.convert_time_zone("Europe/Rome") if kind is in_rome else values


def drawn_texts(values: pl.Series, coins: np.random.Generator, others: Sequence[str]) -> list[str]:
    """Intervals between values of the column and others, with all brackets, some with null beside."""
    ends = 3 * [label_of(value) for value in values if value is not None] + list(others)
    return [
        f"{coins.choice(list('[([]'))}{coins.choice(ends)}, {coins.choice(ends)}{coins.choice(list('])]['))}"
        + (OR_NULL if coins.random() < 0.3 else "")
        for _ in range(120)
    ]


OTHERS = ["0", "5.5", "2024-02", "2024-03-31", "2024-03-31 01:30:00", "2024", "<4", ">=9", "inf", "x", ""]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("where", ["sorted", "with null", "null last", "shuffled"])
def test_ends_tell_what_every_value_tells(kind: Any, seed: int, where: str) -> None:
    coins = np.random.default_rng([seed, KINDS.index(kind)])
    values = column(kind, coins)
    null = pl.Series([None], dtype=values.dtype)
    values = {
        "sorted": lambda: values,
        "with null": lambda: pl.concat([null, values]),
        "null last": lambda: pl.concat([values, null]),
        "shuffled": lambda: values.shuffle(seed=seed),
    }[where]()
    ordered = [label_of(value) for value in values if value is not None] if seed % 2 else ()
    matcher = CellMatcher(values, order=ordered, as_written=True)
    told = 0
    for text in drawn_texts(values, coins, OTHERS):
        interval = interval_of(text.removesuffix(OR_NULL))
        if interval is None:
            continue
        run = matcher.run_of(interval)
        looked_at = np.flatnonzero(matcher._looked_at(interval)).tolist()
        assert run is None or list(run) == looked_at, (text, values.to_list())
        assert np.flatnonzero(matcher._interval(interval)).tolist() == looked_at, text
        told += run is not None
    assert told or where in ("null last", "shuffled") or kind in (texts, in_rome), "no end has told anything"


def attribute_of(values: pl.Series, how: dict[str, Any]) -> Attribute:
    schema = pc.Schema(columns={"q": pc.Column(role="quasi", **how), "s": pc.Column(role="sensitive")})
    return pc.read(pl.DataFrame({"q": values, "s": ["x"] * len(values)}), schema=schema).attributes[0]


ORDERED = {"kind": "ordered", "order": ORDER}
HOW: list[tuple[Any, dict[str, Any]]] = [
    (numbers, {}),
    (numbers, {"domain": [-50, 400]}),
    (numbers, {"taxonomy": {"ladder": [10, 100]}}),
    (floats, {}),
    (days, {}),
    (moments, {}),
    (lambda coins: list(coins.choice(ORDER, 8)), ORDERED),
]


@pytest.mark.parametrize("number", range(len(HOW)))
@pytest.mark.parametrize("seed", range(12))
def test_a_span_is_the_choice_that_looking_at_every_value_gives(number: int, seed: int) -> None:
    coins = np.random.default_rng([seed, number])
    kind, how = HOW[number]
    values = pl.Series(kind(coins))
    if seed % 2:
        values = pl.concat([values, pl.Series([None], dtype=values.dtype)])
    attribute = attribute_of(values, how)
    reader = _Reader(attribute, Anybody())
    told = 0
    for text in drawn_texts(attribute.values, coins, OTHERS):
        span = reader.span(text)
        if span is None:
            continue
        told += 1
        choice = reader.choice(text)
        found = (choice.low[0], choice.high[0], choice.nulls[0], choice.covered[0])
        assert (len(choice), len(choice.low), tuple(map(int, found))) == (1, 1, tuple(map(int, span))), text
        assert not choice.counted[0]
    assert told, "no end has told anything"


@pytest.mark.parametrize(("text", "ends"), [("[30, inf]", (30, 99)), ("[-inf, 30)", (0, 29))])
def test_an_interval_without_an_end_goes_as_far_as_the_line(text: str, ends: tuple[int, int]) -> None:
    reader = _Reader(attribute_of(pl.Series([20, 30, 41]), {"domain": [0, 99]}), Anybody())
    choice = reader.choice(text)
    assert (int(choice.low[0]), int(choice.high[0])) == ends
    assert reader.span(text) == (*ends, False, int(choice.covered[0]))
