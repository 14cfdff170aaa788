"""The belief under probabilities per row, by listing every world: what ``posterior.qi_distribution`` must equal."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod
from typing import Any


def worlds(values: Sequence[Hashable]) -> set[tuple[Hashable, ...]]:
    """Every different way to give the values to the rows."""
    return set(permutations(values))


def beliefs(
    probabilities: Sequence[Mapping[Any, Fraction]], values: Sequence[Hashable]
) -> list[dict[Hashable, Fraction]] | None:
    """For each row the share of the worlds in which it has each value; None when every world has probability 0."""
    weights = {
        world: prod(
            (of.get(value, Fraction(0)) for of, value in zip(probabilities, world, strict=True)), start=Fraction(1)
        )
        for world in worlds(values)
    }
    total = sum(weights.values())
    if not total:
        return None
    return [
        {
            value: sum((weight for world, weight in weights.items() if world[row] == value), Fraction(0)) / total
            for value in values
        }
        for row in range(len(values))
    ]
