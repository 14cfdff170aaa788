"""The posterior of every row of a group when people differ beforehand: by a prior, or by facts about some of them.

People of the same part with the same weights are exchangeable. The count of arrangements runs over such classes of
people; a state says how many rows of each part have each value so far, and the shape weighs the final states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import BUDGET, Impossible, OverBudget, Vector, multinomial, vectors_of
from pellucid.posterior.shape import Shape

States = dict[Vector, Any]


def weighted_shares(
    shape: Shape,
    column: SensitiveColumn,
    parts: Sequence[int],
    weights: Sequence[Sequence[Any]],
    *,
    budget: int = BUDGET,
) -> tuple[list[list[Any]], Any]:
    """For each row the probability of each value, and the total weight of all arrangements.

    ``parts[row]`` is the row's part of the shape, ``weights[row][v]`` how likely the row has value v beforehand
    (fractions for an exact result, or floats).

    >>> from fractions import Fraction
    >>> from pellucid.posterior.shape import Plain
    >>> half, fifth = Fraction(1, 2), Fraction(1, 5)
    >>> s1, s2 = [half, half], [fifth, 1 - fifth]
    >>> weighted_shares(Plain((4,)), SensitiveColumn(["x", "y"], [2, 2]), [0] * 4, [s1, s1, s2, s2])[0][0]
    [Fraction(8, 11), Fraction(3, 11)]
    """
    classes: dict[tuple[int, tuple[Any, ...]], list[int]] = {}
    for row, (part, weight) in enumerate(zip(parts, weights, strict=True)):
        classes.setdefault((part, tuple(weight)), []).append(row)
    steps = _steps(classes, column.counts, budget)
    forward = _forward(steps, len(shape.sizes), column.counts, budget, people=len(parts))
    backward = [_weights_of_ends(shape, column, forward[-1])]
    for step, before in zip(reversed(steps), reversed(forward[:-1]), strict=True):
        backward.append(step.retract(backward[-1], before))
    backward.reverse()
    total = sum((w * backward[0].get(state, 0) for state, w in forward[0].items()), start=0)
    if not total:
        raise Impossible("no arrangement fits the release, the prior and the facts together", "one of them is wrong")
    by_row: dict[int, list[Any]] = {}
    for i, (step, rows) in enumerate(zip(steps, classes.values(), strict=True)):
        shares = step.shares(forward[i], backward[i + 1], total)
        by_row |= dict.fromkeys(rows, shares)
    return [by_row[row] for row in range(len(parts))], total


def _steps(
    classes: Mapping[tuple[int, tuple[Any, ...]], Sequence[int]], counts: Sequence[int], budget: int
) -> list[_Step]:
    """For each class of people who are alike every way in which they can have values."""
    for rows in classes.values():
        if prod(min(count, len(rows)) + 1 for count in counts[:-1]) > budget:
            raise OverBudget(
                "{rows} people who are alike have too many ways to share {counts} values, more than {budget:.1e}",
                "{SAMPLE_OR_MORE_BUDGET}",
                rows=len(rows),
                counts=len(counts),
                budget=budget,
            )
    return [_Step(part, weight, len(rows), counts) for (part, weight), rows in classes.items()]


def _forward(steps: Sequence[_Step], parts: int, counts: Sequence[int], budget: int, *, people: int) -> list[States]:
    """The states before any class of people, and after each, with the weight of all ways to them."""
    forward: list[States] = [{(0,) * (parts * len(counts)): 1}]
    spent = 0
    for step in steps:
        spent += len(forward[-1]) * len(step.vectors)
        if spent > budget:
            raise OverBudget(
                "a group of {people} people of {steps} kinds takes more than {budget:.1e} steps",
                "{SAMPLE_OR_MORE_BUDGET}",
                people=people,
                steps=len(steps),
                budget=budget,
            )
        forward.append(step.extend(forward[-1], counts))
    return forward


def _weights_of_ends(shape: Shape, column: SensitiveColumn, last: States) -> States:
    """How likely the method made the group of each arrangement that has the group's counts."""
    values = len(column.counts)
    ends = [state for state in last if _sums(state, values) == tuple(column.counts)]
    if not ends:
        return {}
    arrangements = np.array(ends, dtype=np.int64).reshape(len(ends), len(shape.sizes), values)
    return {state: w for state, w in zip(ends, shape.weights(arrangements, column), strict=True) if w}


def _sums(state: Vector, values: int) -> Vector:
    return tuple(sum(state[v::values]) for v in range(values))


class _Step:
    """Some people who are alike: every way in which they can have values, and its weight."""

    def __init__(self, part: int, weight: Sequence[Any], people: int, counts: Sequence[int]) -> None:
        self.people = people
        self.offset = part * len(counts)
        self.vectors: list[tuple[Vector, Any]] = []
        for vector in vectors_of(people, counts):
            mass: Any = multinomial(vector)
            for count, w in zip(vector, weight, strict=True):
                if count:
                    mass *= w**count
            if mass:
                self.vectors.append((vector, mass))

    def moved(self, state: Vector, vector: Vector) -> Vector:
        here = list(state)
        for v, count in enumerate(vector):
            here[self.offset + v] += count
        return tuple(here)

    def extend(self, states: States, counts: Sequence[int]) -> States:
        grown: States = defaultdict(int)
        for state, weight in states.items():
            sums = _sums(state, len(counts))
            for vector, mass in self.vectors:
                if all(h + n <= c for h, n, c in zip(sums, vector, counts, strict=True)):
                    grown[self.moved(state, vector)] += weight * mass
        return dict(grown)

    def retract(self, later: States, before: States) -> States:
        """The weight of everything that can follow each earlier state."""
        earlier: States = {}
        for state in before:
            total: Any = 0
            for vector, mass in self.vectors:
                after = later.get(self.moved(state, vector))
                if after is not None:
                    total += mass * after
            if total:
                earlier[state] = total
        return earlier

    def shares(self, before: States, later: States, total: Any) -> list[Any]:
        rows: list[Any] = [0] * len(self.vectors[0][0])
        for state, weight in before.items():
            for vector, mass in self.vectors:
                after = later.get(self.moved(state, vector))
                if after is not None:
                    here = weight * mass * after
                    for v, count in enumerate(vector):
                        if count:
                            rows[v] += count * here
        return [row / (total * self.people) for row in rows]
