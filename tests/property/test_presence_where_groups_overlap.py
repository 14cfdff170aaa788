"""Delta-presence is never better than what counting every way to give rows to people shows."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc


def probabilities(boxes: list[tuple[int, int]], people: list[int]) -> list[Fraction]:
    """How likely each person is in the table, by trying every way to give each row a person of its own."""
    fitting = [[i for i, value in enumerate(people) if low <= value <= high] for low, high in boxes]
    ways = [set(way) for way in product(*fitting) if len(set(way)) == len(way)]
    return [Fraction(sum(i in way for way in ways), len(ways)) for i in range(len(people))]


def bounds(boxes: list[tuple[int, int]], people: list[int]) -> tuple[Fraction, Fraction]:
    release = pl.DataFrame({"q": [f"[{low}, {high}]" for low, high in boxes], "s": ["x"] * len(boxes)})
    found = pc.levels(release, quasi="q", sensitive="s", population=pl.DataFrame({"q": people}))
    (presence,) = [level for level in found if level.model == "delta-presence"]
    values: Any = presence.parameters
    return Fraction(values["low"]), Fraction(values["high"])


@pytest.mark.parametrize("seed", range(120))
def test_bounds_hold_for_everybody(seed: int) -> None:
    random = Random(seed)
    people = [random.randrange(6) for _ in range(random.randint(4, 9))]
    # every row is about somebody, and says more or less about them
    boxes = [(q - random.randrange(3), q + random.randrange(3)) for q in random.sample(people, random.randint(1, 4))]
    truth = probabilities(boxes, people)
    fits = {box: [box[0] <= value <= box[1] for value in people] for box in boxes}
    low, high = bounds(boxes, people)
    assert low <= min(truth)
    assert high >= max(truth)
    if all(sum(flags) <= 1 for flags in zip(*fits.values(), strict=True)):
        assert (low, high) == (min(truth), max(truth))


def test_the_person_between_two_groups_is_not_safe() -> None:
    assert bounds([(1, 2), (1, 2), (2, 3)], [1, 2, 3])[1] == 1
    assert bounds([(1, 2), (2, 3)], [1, 2, 3])[1] >= Fraction(2, 3)


def test_one_suppressed_row_does_not_make_everybody_certain() -> None:
    people = pl.DataFrame({"q": ["a"] * 100 + ["b"] * 100})
    release = pl.DataFrame({"q": ["a"] * 10 + ["b"] * 10 + ["*"], "s": ["x"] * 21})
    found = pc.levels(release, quasi="q", sensitive="s", population=people)
    (presence,) = [level for level in found if level.model == "delta-presence"]
    assert presence.parameters == {"low": Fraction(11, 210), "high": Fraction(11, 100)}
