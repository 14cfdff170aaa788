"""SoftCut's first cut where none is certain: refused or accepted, nobody's value is believed above 1/l.

With tries below it that are accepted and refused, with values that are not protected, and with groups of k rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pytest

from oracle.opening import Opening
from oracle.worlds import PUBLICATIONS, Population, beliefs, worlds
from plain.opening import allowed_by_peeking


class Case(NamedTuple):
    population: Population
    multiset: tuple[int, ...]
    l: int
    values: tuple[int, ...] | None
    k: int
    low: int


# (counts of the values, l, the protected ones)
SHAPES: list[tuple[Sequence[int], int, tuple[int, ...] | None]] = [
    ((2, 2, 2), 2, None),
    ((3, 3), 2, None),
    ((2, 2, 1, 1), 2, None),
    ((2, 2, 2), 3, None),
    ((2, 1, 1, 1), 2, None),
    ((2, 4), 2, (0,)),
    ((2, 3, 1), 2, (0,)),
    ((2, 2, 2), 2, (0, 1)),
    ((2, 5), 3, (0,)),
    ((3, 4), 2, (0,)),
]
# eight people: a side of six, in which a cut can be tried, and one of two
LARGER: list[tuple[Sequence[int], int, tuple[int, ...] | None]] = [
    ((3, 3, 2), 2, None),
    ((3, 2, 2, 1), 2, None),
    ((3, 5), 2, (0,)),
    ((3, 3, 2), 2, (0, 1)),
]


def case_of(number: int, *, larger: bool = False) -> Case:
    """The number-th random table."""
    random = Random(f"opening {number} {larger}")
    counts, l, values = random.choice(LARGER if larger else SHAPES)
    multiset = tuple(value for value, count in enumerate(counts) for _ in range(count))
    population = Population.random(random, len(multiset), random.choice([1, 2]), random.choice([2, 3, 4]))
    k = random.choice([1, 1, 2, 3]) if values is not None or random.random() < 0.3 else 1
    return Case(population, multiset, l, values, k, random.choice([1, 2]))


def worst(case: Case, seen: Counter[str], forms: Sequence[str] = tuple(PUBLICATIONS), **wrong: Any) -> Fraction:
    """The highest belief in a protected value over these forms of publication."""
    population, multiset, l, values, k, low = case
    law = cache(Opening(population, l, values, k, low, seen=seen, **wrong).law)
    possible = list(worlds(len(multiset), multiset))
    return max(
        belief
        for form in forms
        for facts in beliefs(population, possible, law, PUBLICATIONS[form]).values()
        for (_, value), belief in facts.items()
        if values is None or value in values
    )


# in these the die decides over cuts below an accepted first cut: six people of whom two have a protected value
DECIDED = (4, 29)
# eight people, a minute each: (0, 1) protected; (0,) protected; all protected, with k = 2 and without
LARGER_DECIDED = (8, 50, 51, 87, 94)


def test_whether_the_first_cut_is_made_tells_nothing(thorough: bool) -> None:
    """Thorough: 300 tables."""
    seen: Counter[str] = Counter()
    for number in range(300 if thorough else 10):
        case = case_of(number)
        assert worst(case, seen) <= Fraction(1, case.l), number
    assert min(seen["opened"], seen["whole"]) > 500  # both happened, to one and the same world and draws


def test_a_try_below_an_accepted_first_cut_tells_no_more_than_promised(thorough: bool) -> None:
    """Whole tables: accepted and refused first cuts, and below them dice that accept and that refuse."""
    cases = [case_of(number) for number in DECIDED]
    if thorough:
        cases += [case_of(number, larger=True) for number in LARGER_DECIDED]
    for case in cases:
        seen: Counter[str] = Counter()
        assert worst(case, seen, ("composition",)) <= Fraction(1, case.l), case
        assert min(seen["opened"], seen["whole"], seen["die"]) > 0, case


def hard(path: Sequence[int], slack: int) -> Fraction:  # noqa: ARG001
    return Fraction(slack < 0)


@pytest.mark.parametrize(
    ("wrong", "numbers"),
    [
        ({"allowing": allowed_by_peeking}, (9, 17, 24, 28)),  # with values, without, with k
        ({"buckets_anew": True}, (9, 17, 24, 28)),
        ({"refusal": hard}, DECIDED),
    ],
)
def test_a_first_cut_or_a_try_below_it_that_tells_is_caught(wrong: dict[str, Any], numbers: Sequence[int]) -> None:
    """On the very tables, and in the weakest form of publication."""
    for number in numbers:
        case = case_of(number)
        assert worst(case, Counter(), ("intervals",), **wrong) > Fraction(1, case.l), number
        assert worst(case, Counter(), ("intervals",)) <= Fraction(1, case.l), number
