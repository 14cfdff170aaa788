"""The worlds of several releases of the same people, counted over cells of people who share all their groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.posterior.exclusion import OverBudget, Vector, multinomial, vectors_of
from pellucid.risk.views.joined import Joined

Cell = tuple[int, ...]  # the group of each release, or -1
Step = tuple[Vector, Vector, Fraction]  # the values that people of a cell have, what is left after it, its weight
Reached = dict[Vector, tuple[Fraction, int]]  # of each state the weight and the number of the ways there


def groups_in(cell: Cell) -> list[tuple[int, int]]:
    """The releases in which the people of a cell are, each with their group there."""
    return [(release, group) for release, group in enumerate(cell) if group >= 0]


def parts_of(labels: NDArray[np.int32]) -> list[dict[Cell, list[int]]]:
    """The people by cell, in parts that share no group."""
    cells: dict[Cell, list[int]] = defaultdict(list)
    for row, cell in enumerate(map(tuple, labels.tolist())):
        if max(cell) >= 0:
            cells[cell].append(row)
    joined = Joined[tuple[int, int]]()
    for cell in cells:
        joined.join(groups_in(cell))
    parts: dict[tuple[int, int], dict[Cell, list[int]]] = defaultdict(dict)
    for cell, rows in cells.items():
        parts[joined.find(groups_in(cell)[0])][cell] = rows
    return [dict(sorted(part.items())) for part in parts.values()]


class CellsTogether:
    """Worlds of the people of some groups, counted cell by cell; a state is what is left of each group's values."""

    def __init__(
        self,
        cells: Mapping[Cell, list[int]],
        counts: Sequence[Sequence[Mapping[int, int]]],
        weights: Sequence[Fraction],
    ) -> None:
        groups = sorted({group for cell in cells for group in groups_in(cell)})
        self.codes = sorted({code for r, g in groups for code in counts[r][g]})
        self.weights = [weights[code] for code in self.codes]
        width = len(self.codes)
        offset = {group: i * width for i, group in enumerate(groups)}
        self.start = tuple(counts[r][g].get(code, 0) for r, g in groups for code in self.codes)
        self.sizes = [len(rows) for rows in cells.values()]
        self.offsets = [[offset[group] for group in groups_in(cell)] for cell in cells]

    def steps(self, number: int, state: Vector) -> list[Step]:
        """How the people of a cell can have values: the vector, what is left after it, and its weight."""
        offsets, width = self.offsets[number], len(self.codes)
        open_ = [min(state[o + v] for o in offsets) if w else 0 for v, w in enumerate(self.weights)]
        ways = []
        for vector in vectors_of(self.sizes[number], open_):
            left = list(state)
            for o in offsets:
                for v in range(width):
                    left[o + v] -= vector[v]
            weight = Fraction(multinomial(vector))
            for v, n in enumerate(vector):
                weight *= self.weights[v] ** n
            ways.append((vector, tuple(left), weight))
        return ways

    def count(self, budget: int) -> tuple[list[dict[int, Fraction]], int]:
        """Each cell's posterior by code, and the number of worlds."""
        forward, taken = self._forward(budget)
        end = (0,) * len(self.start)
        if end not in forward[-1]:
            raise AttackError(
                "the releases contradict each other: no world fits all of them",
                "they are not about the same people, or values were changed",
            )
        total, worlds = forward[-1][end]
        after: dict[Vector, Fraction] = {end: Fraction(1)}
        shares: list[dict[int, Fraction]] = []
        for number in reversed(range(len(self.sizes))):
            sums, after = self._backward(forward[number], taken[number], after)
            people = total * self.sizes[number]
            shares.append({code: s / people for code, s in zip(self.codes, sums, strict=True) if s})
        return shares[::-1], worlds

    def _forward(self, budget: int) -> tuple[list[Reached], list[dict[Vector, list[Step]]]]:
        """The states that are reached before each cell and after the last one, and the steps of each cell there."""
        forward: list[Reached] = [{self.start: (Fraction(1), 1)}]
        taken: list[dict[Vector, list[Step]]] = []
        spent = 0
        for number in range(len(self.sizes)):
            reached: Reached = {}
            taken.append({})
            for state, (weight, ways) in forward[-1].items():
                taken[-1][state] = steps = self.steps(number, state)
                spent += len(steps)
                if spent > budget:
                    raise OverBudget(f"{len(self.sizes)} cells of people take more than {budget:,} steps")
                for vector, left, own_weight in steps:
                    before, worlds = reached.get(left, (Fraction(0), 0))
                    reached[left] = before + weight * own_weight, worlds + ways * multinomial(vector)
            forward.append(reached)
        return forward, taken

    def _backward(
        self, reached: Reached, taken: Mapping[Vector, list[Step]], after: Mapping[Vector, Fraction]
    ) -> tuple[list[Fraction], dict[Vector, Fraction]]:
        """Of one cell the weight of its people's having each code, and the weight from each state before it to the end.

        ``after`` has the same weight of each state behind it.
        """
        sums = [Fraction(0)] * len(self.codes)
        before: dict[Vector, Fraction] = {}
        for state, steps in taken.items():
            onward = [(vector, weight * after[left]) for vector, left, weight in steps if left in after]
            for vector, weight in onward:
                for v, n in enumerate(vector):
                    if n:
                        sums[v] += n * weight * reached[state][0]
            through = sum((weight for _, weight in onward), Fraction(0))
            if through:
                before[state] = through
        return sums, before
