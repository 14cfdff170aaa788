"""Rows find the part that takes their rank, however few bins are counted at a time."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pellucid.errors import EngineError
from pellucid.spark.engine.sieve import Sieve


def plain(taken: np.ndarray, values: np.ndarray, draws: np.ndarray) -> list[int]:
    """The part of each row by sorting: the last whose predecessors take no more than the rows before this one."""
    found = []
    for value, draw in zip(values.tolist(), draws.tolist(), strict=True):
        rank = sum(v == value and d < draw for v, d in zip(values.tolist(), draws.tolist(), strict=True))
        found.append(max(k for k in range(len(taken)) if taken[k, value] <= rank))
    return found


def sifted(sieve: Sieve, values: np.ndarray, draws: np.ndarray) -> Sieve:
    while sieve.waiting:
        sieve.take(sieve.count(values, draws))
    return sieve


@pytest.mark.parametrize("seed", range(200))
def test_every_row_finds_its_part(seed: int) -> None:
    random = Random(seed)
    generator = np.random.default_rng(seed)
    distinct, parts, rows = random.randrange(1, 8), random.randrange(1, 6), random.randrange(1, 120)
    values = generator.integers(0, distinct, rows).astype(np.int32)
    spread = random.choice(
        [2**63 - 1, 2**63 - 1, 10**6, 4 * rows]
    )  # numbers close together have long common beginnings
    draws = np.array(random.sample(range(spread), rows))
    counts = np.bincount(values, minlength=distinct)
    ends = np.sort(generator.integers(0, counts + 1, (parts, distinct)), axis=0)
    taken = np.concatenate([np.zeros((1, distinct), np.int64), ends])
    sieve = Sieve(taken, counts, most_bins=random.choice([1, 2, 8, 64, 1 << 20]))
    blocks = np.array_split(np.arange(rows), random.randrange(1, 4))
    while sieve.waiting:
        sieve.take(np.sum([sieve.count(values[block], draws[block]) for block in blocks], axis=0))
    assert sieve.parts(values, draws).tolist() == plain(taken, values, draws)
    assert sieve.passes <= 64


def test_numbers_that_are_equal_where_a_part_ends_are_refused() -> None:
    values, draws = np.zeros(3, np.int32), np.array([7, 7, 9])
    sieve = Sieve(np.array([[0], [1], [3]]), np.array([3]))
    with pytest.raises(EngineError, match="the same number"):
        sifted(sieve, values, draws)
    inside = Sieve(np.array([[0], [2], [3]]), np.array([3]))
    assert sifted(inside, values, draws).parts(values, draws).tolist() == [0, 0, 1]


def test_few_passes_are_enough_for_numbers_that_are_drawn() -> None:
    generator = np.random.default_rng(5)
    rows, distinct, parts = 400_000, 20, 50
    values = generator.integers(0, distinct, rows).astype(np.int32)
    draws = generator.integers(0, 2**63 - 1, rows)
    counts = np.bincount(values, minlength=distinct)
    taken = np.outer(np.arange(parts + 1), counts) // parts
    sieve = sifted(Sieve(taken, counts, most_bins=1 << 16), values, draws)
    assert sieve.passes <= 4
    sizes = np.bincount(sieve.parts(values, draws), minlength=parts)
    assert sizes.tolist() == np.diff(taken.sum(axis=1)).tolist()
