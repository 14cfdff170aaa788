"""Groups whose rows all have different values: counting sets of values equals counting arrangements by limits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pellucid.model.l_diversity import LDiversity
from pellucid.posterior import generalized
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import Impossible
from pellucid.posterior.generalized import Generalized

TABLE = (("a", 9), ("b", 9), ("c", 9), ("d", 9), ("e", 9), ("f", 9))


def some_group(random: np.random.Generator) -> tuple[Generalized, SensitiveColumn]:
    """A few classes in a group, some of them with rows that are published as they are, now and then too many."""
    rows = int(random.integers(2, 7))
    ends = np.sort(random.choice(np.arange(1, rows), int(random.integers(1, rows)), replace=False))
    sizes = tuple(int(n) for n in np.diff([0, *ends, rows]))
    values = [value for value, _ in TABLE]
    kept = tuple(tuple((value, int(random.integers(1, 4))) for value in values if random.random() < 0.5) for _ in sizes)
    held = [str(value) for value in random.permutation(values)[:rows]]
    return Generalized(sizes, kept, LDiversity(l=int(random.integers(2, 5))), TABLE), SensitiveColumn(held, [1] * rows)


def told(shape: Generalized, column: SensitiveColumn) -> Any:
    try:
        return shape.shares(column, exact=True, budget=10**9)
    except Impossible:
        return None


def test_sets_of_values_are_counted_as_arrangements_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand groups, in fractions."""
    differing = impossible = 0
    for seed in range(2_000):
        shape, column = some_group(np.random.default_rng(seed))
        fast = told(shape, column)
        with monkeypatch.context() as patched:
            patched.setattr(generalized, "LARGEST", 0)
            slow = told(shape, column)
        assert fast == slow, (seed, shape, column)
        impossible += fast is None
        differing += fast is not None and len({share for part in fast for share in part.values()}) > 1
    assert differing > 200
    assert impossible > 20


def test_large_groups_are_counted_exactly() -> None:
    """One row may have anything but the first value, so it has it in every arrangement that is left."""
    rows = generalized.LARGEST
    allowed = [[column > 0 for column in range(rows)]] + [[True] * rows] * (rows - 1)
    found = generalized.given_too_much([1] * rows, allowed)
    assert found[0] == [Fraction(1), *[Fraction(0)] * (rows - 1)]
    assert found[1] == [Fraction(0), *[Fraction(1, rows - 1)] * (rows - 1)]
