"""What is believed of each part of a group, by trying every arrangement of its values: the oracle of the engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import factorial, prod

import numpy as np

from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.shape import Shape

Matrix = tuple[tuple[int, ...], ...]  # part x value


def spreads(sizes: Sequence[int], counts: Sequence[int]) -> Iterator[Matrix]:
    """Every way to give each part a number of rows of each value."""
    if not sizes:
        if not any(counts):
            yield ()
        return
    for row in rows_of(sizes[0], counts):
        rest = [c - r for c, r in zip(counts, row, strict=True)]
        for others in spreads(sizes[1:], rest):
            yield (row, *others)


def rows_of(size: int, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if not counts:
        if size == 0:
            yield ()
        return
    for here in range(min(size, counts[0]) + 1):
        for others in rows_of(size - here, counts[1:]):
            yield (here, *others)


def ways(matrix: Matrix) -> int:
    """In how many ways people can be given their values so that the parts have these counts."""
    return prod(factorial(sum(row)) // prod(map(factorial, row)) for row in matrix)


def shares(shape: Shape, column: SensitiveColumn) -> list[list[Fraction]] | None:
    """For each part the share of each value; None when no arrangement can have led to the group."""
    matrices = list(spreads(shape.sizes, column.counts))
    weights = shape.weights(np.array(matrices, dtype=np.int64), column)
    total: int | Fraction = 0
    rows: list[list[int | Fraction]] = [[0] * len(column.counts) for _ in shape.sizes]
    for matrix, weight in zip(matrices, weights, strict=True):
        if not weight:
            continue
        mass: int | Fraction = weight * ways(matrix)
        total += mass
        for part, row in enumerate(matrix):
            for value, count in enumerate(row):
                rows[part][value] += count * mass
    if total == 0:
        return None
    return [[Fraction(mass) / (total * size) for mass in row] for row, size in zip(rows, shape.sizes, strict=True)]
