"""What a refused cut tells, against counting every arrangement one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

from pellucid.errors import ModelError
from pellucid.models import PrivacyModel, of
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior import refused_cut
from pellucid.posterior.refusal.one_cut import mean_floats

Satisfies = Callable[[Sequence[Any]], bool]


def by_enumeration(a: int, values: Sequence[Any], satisfies: Satisfies) -> list[dict[Any, Fraction]] | None:
    """Every way to choose the rows of the first side; None when each passes."""
    refused = 0
    left: Counter[Any] = Counter()
    rows = range(len(values))
    for chosen in combinations(rows, a):
        first = [values[row] for row in chosen]
        second = [values[row] for row in rows if row not in chosen]
        if not (satisfies(first) and satisfies(second)):
            refused += 1
            left.update(first)
    if not refused:
        return None
    counts, b = Counter(values), len(values) - a
    return [
        {value: Fraction(left[value], refused * a) for value in counts},
        {value: Fraction(counts[value] * refused - left[value], refused * b) for value in counts},
    ]


def at_most(share: Fraction, k: int, sets: Sequence[Sequence[Any]]) -> Satisfies:
    return lambda side: len(side) >= k and all(sum(v in s for v in side) <= share * len(side) for s in sets)


def random_case(random: Random) -> tuple[int, list[str], Any, Satisfies]:
    """Sides, values, a model, and the model as a plain predicate."""
    n = random.randint(2, 9)
    values = [random.choice("abcd"[: random.randint(1, 4)]) for _ in range(n)]
    held = sorted(set(values))
    some = random.sample(held, random.randint(1, len(held)))
    l, k = random.randint(1, 4), random.randint(1, 3)
    share = Fraction(random.randint(0, 5), 5)
    each = [[v] for v in held]
    model, satisfies = random.choice(
        [
            (of({"name": "l-diversity", "l": l}), at_most(Fraction(1, l), 1, each)),
            (of({"name": "l-diversity", "l": l, "sensitive": some}), at_most(Fraction(1, l), 1, [[v] for v in some])),
            (
                of({"name": "l-diversity", "l": l, "sensitive": some, "together": True}),
                at_most(Fraction(1, l), 1, [some]),
            ),
            (of({"name": "(alpha,k)-anonymity", "alpha": str(share), "k": k}), at_most(share, k, each)),
            (of({"name": "k-anonymity", "k": k}), lambda side: len(side) >= k),
            (of({"name": "distinct l-diversity", "l": k}), lambda side: len(set(side)) >= k),
        ]
    )
    return random.randint(1, n - 1), values, model, satisfies


def test_posteriors_are_those_of_enumeration() -> None:
    told = 0
    for number in range(1000):
        a, values, model, satisfies = random_case(Random(f"refused {number}"))
        sides, counts = (a, len(values) - a), Counter(values)
        expected = by_enumeration(a, values, satisfies)
        if expected is None:
            with pytest.raises(ModelError, match="cannot have been refused"):
                refused_cut(sides, counts, model)
            continue
        assert refused_cut(sides, counts, model, exact=True) == expected
        for found, exact in zip(refused_cut(sides, counts, model), expected, strict=True):
            assert found == pytest.approx({value: float(p) for value, p in exact.items()}, rel=1e-9, abs=1e-15)
        told += expected[0] != {value: Fraction(count, len(values)) for value, count in counts.items()}
    assert told > 50


@pytest.mark.parametrize(("n", "l"), [(101, 3), (301, 3), (400, 7)])
def test_floats_are_close_to_the_exact_answer(n: int, l: int) -> None:
    random = Random(n)
    counts = {0: n // l, 1: n // l - 1}
    while sum(counts.values()) < n:
        counts[len(counts)] = min(random.randint(1, n // (2 * l) + 3), n - sum(counts.values()))
    sides = (n // 2, n - n // 2)
    exact = refused_cut(sides, counts, LDiversity(l=l), exact=True)
    for found, expected in zip(refused_cut(sides, counts, LDiversity(l=l)), exact, strict=True):
        assert found == pytest.approx({value: float(p) for value, p in expected.items()}, rel=1e-9)


def test_a_refusal_that_floats_cannot_hold_is_computed_exactly() -> None:
    """Only all 500 rows of a value on the one side explain it, which has probability 1e-300."""
    assert mean_floats(500, 520, [500], (499, 518)) is None
    model = of({"name": "(alpha,k)-anonymity", "alpha": "499/500", "k": 1, "sensitive": ["a"]})
    assert isinstance(model, PrivacyModel)
    found = refused_cut((500, 520), {"a": 500, "b": 520}, model)
    assert found == [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}]


def test_probabilities_of_each_side_add_up() -> None:
    for number in range(100):
        random = Random(f"sum {number}")
        counts = {value: random.randint(1, 12) for value in range(random.randint(2, 8))}
        n = sum(counts.values())
        a = random.randint(1, n - 1)
        l = random.randint(2, 6)
        try:
            found = refused_cut((a, n - a), counts, LDiversity(l=l))
        except ModelError:
            continue
        assert np.allclose([sum(side.values()) for side in found], 1)


@pytest.mark.parametrize("l", range(2, 9))
def test_one_positive_of_an_odd_group_is_named_with_probability_1_in_l_minus_1(l: int) -> None:
    """Erratum 15: halves of 2l - 1 rows that differ by one do not protect a single set within 1 / (l - 1/2)."""
    counts = {"positive": 1, "negative": 2 * l - 2}
    found = refused_cut((l, l - 1), counts, LDiversity(l=l, sensitive=("positive",)), exact=True)
    assert found[1]["positive"] == Fraction(1, l - 1)


def test_a_model_that_must_be_tried_is_refused_beyond_the_budget() -> None:
    counts = dict.fromkeys(range(30), 4)
    with pytest.raises(ModelError, match="ways, and at most 200,000 are tried"):
        refused_cut((60, 60), counts, of("entropy l-diversity=8"))  # type: ignore[arg-type]


@pytest.mark.parametrize("sides", [(0, 6), (3, 4), (-1, 7)])
def test_sides_must_make_up_the_group(sides: tuple[int, int]) -> None:
    with pytest.raises(ModelError):
        refused_cut(sides, {"a": 3, "b": 3}, LDiversity(l=2))


def test_closeness_is_measured_against_the_whole_table() -> None:
    counts, whole = {"a": 2, "b": 2}, {"a": 2, "b": 8}
    model = of("t-closeness=0.3")
    found = refused_cut((2, 2), counts, model, exact=True, table_counts=whole)  # type: ignore[arg-type]
    assert found == [{"a": Fraction(1, 2), "b": Fraction(1, 2)}] * 2
    with pytest.raises(ModelError, match="cannot have been refused"):
        refused_cut((2, 2), counts, of("t-closeness=0.9"), table_counts=whole)  # type: ignore[arg-type]
