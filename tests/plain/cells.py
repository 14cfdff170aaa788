"""What follows from weights and the counts of groups, by listing every arrangement; and learning, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import prod
from typing import Any

Weights = Sequence[Sequence[float]]  # by person and value of a group


def posteriors(weights: Weights, counts: Sequence[int]) -> list[list[float]] | None:
    """By person and value of one group: the share of the arrangements; None where none has any weight."""
    slots = [value for value, count in enumerate(counts) for _ in range(count)]
    found = [[0.0] * len(counts) for _ in weights]
    total = 0.0
    for arrangement in permutations(slots):
        weight = prod(own[value] for own, value in zip(weights, arrangement, strict=True))
        total += weight
        for own, value in zip(found, arrangement, strict=True):
            own[value] += weight
    return [[cell / total for cell in own] for own in found] if total else None


def learned(
    people: Sequence[Sequence[int]],
    sizes: Sequence[int],
    groups: Sequence[tuple[Sequence[int], Sequence[int], Sequence[int]]],
    *,
    iterations: int,
    smoothing: float,
) -> list[dict[int, float]]:
    """What naive Bayes believes of each person in turn: ``people[row]`` are codes of columns with so many values.

    A group is its rows, the codes of its values, and how often each occurs.
    """
    beliefs: list[dict[int, float]] = [{} for _ in people]
    for rows, codes, counts in groups:
        for row in rows:
            beliefs[row] = {code: count / len(rows) for code, count in zip(codes, counts, strict=True)}
    for _ in range(iterations):
        weight = _classifier(people, sizes, beliefs, smoothing)
        for rows, codes, counts in groups:
            found = posteriors([[weight(row, code) for code in codes] for row in rows], counts)
            assert found is not None
            for row, own in zip(rows, found, strict=True):
                beliefs[row] = dict(zip(codes, own, strict=True))
    return beliefs


def _classifier(people: Any, sizes: Sequence[int], beliefs: list[dict[int, float]], smoothing: float) -> Any:
    total: dict[int, float] = {}
    seen: dict[tuple[int, int, int], float] = {}
    for looks, own in zip(people, beliefs, strict=True):
        for code, belief in own.items():
            total[code] = total.get(code, 0.0) + belief
            for column, look in enumerate(looks):
                seen[column, look, code] = seen.get((column, look, code), 0.0) + belief

    def weight(row: int, code: int) -> float:
        return prod(
            (seen.get((column, look, code), 0.0) + smoothing) / (total[code] + smoothing * sizes[column])
            for column, look in enumerate(people[row])
        )

    return weight
