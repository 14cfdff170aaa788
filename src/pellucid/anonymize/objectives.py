"""What full-domain recoding minimises: of all nodes of the lattice that may be published, the one that loses least.

Each objective here is a sum or a quotient that cannot fall when a column goes up a level, unless rows are withheld.
So what a node loses with nothing withheld bounds, from below, what it and all nodes above it lose, and the search looks
no further up from where that is more than the best so far. A withheld row that counts less than a row of which
everything is lost lowers the bound, by what the budget can save at most.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import fsum
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.lattice import Classes, Lattice, Node
from pellucid.runtime.progress import Progress

ObjectiveName = Literal["loss", "entropy", "precision", "discernibility", "class-size", "workload"]
OBJECTIVES: tuple[str, ...] = get_args(ObjectiveName)[:-1]  # without the one that needs conditions
SURE = 1 + 1e-9  # by so much a sum of floats may be off

Kept = NDArray[np.bool_]  # of the classes of a node, which are published
Judge = Callable[[Node], "Kept | None"]  # None where more would be withheld than may be


class Objective(ABC):
    """What is lost at a node, for one lattice. ``weight``: how many times a withheld row counts."""

    rises = True  # whether a higher node never loses less, as long as nothing is withheld
    slack = 0.0  # by so much a bound may be off besides

    def __init__(self, lattice: Lattice, weight: Fraction, importance: Sequence[int], most: int) -> None:
        self.lattice = lattice
        self.weight = weight
        self.importance = importance
        self.rows = np.diff(lattice.starts)
        self.total = int(self.rows.sum())
        self.most = most

    @abstractmethod
    def value(self, node: Node, kept: Kept) -> Fraction:
        """What is lost at a node of whose classes these are published."""

    @abstractmethod
    def bound(self, node: Node) -> float:
        """No more than what is lost at the node, or at any above it, whatever is withheld."""

    def _withheld(self, classes: Classes, kept: Kept) -> NDArray[np.int64]:
        """The rows of each vector that are withheld."""
        return np.where(kept[classes.labels], 0, self.rows)

    @property
    def _saved(self) -> float:
        """The share of what a row can lose that withholding it may save, times the rows that may be withheld."""
        return max(0.0, float(1 - self.weight)) * self.most


class ByColumn(Objective):
    """A sum over columns and rows, of whole steps of a column's unit."""

    def __init__(self, lattice: Lattice, weight: Fraction, importance: Sequence[int], most: int) -> None:
        super().__init__(lattice, weight, importance, most)
        self.unit = [self._unit(i) * importance[i] for i in range(len(lattice.levels))]
        sums = [
            [float(self.unit[i] * self._sum(i, level, self.rows)) for level in range(size)]
            for i, size in enumerate(lattice.shape)
        ]
        self.bounds = np.zeros(lattice.shape)
        for i, axis in enumerate(np.ix_(*(range(size) for size in lattice.shape))):
            self.bounds = self.bounds + np.array(sums[i])[axis]
        self.bounds -= self._saved * self._most_of_a_row()

    @abstractmethod
    def _unit(self, column: int) -> Fraction:
        """What one step of a column's sums is."""

    @abstractmethod
    def _sum(self, column: int, level: int, rows: NDArray[np.int64]) -> int | Fraction:
        """What so many rows of each vector lose in a column on a level, in steps."""

    def _most_of_a_row(self) -> float:
        """The most that a row can lose."""
        one = np.ones(len(self.rows), np.int64)
        return fsum(
            float(self.unit[i] * self._sum(i, size - 1, one)) / len(one) for i, size in enumerate(self.lattice.shape)
        )

    def bound(self, node: Node) -> float:
        """The sum with nothing withheld, less what withholding can save."""
        return float(self.bounds[node])

    def value(self, node: Node, kept: Kept) -> Fraction:
        """The sum over the published rows, and what the withheld ones count."""
        gone = self._withheld(self.lattice.classes(node), kept)
        total = Fraction(0)
        for i, (level, size) in enumerate(zip(node, self.lattice.shape, strict=True)):
            total += self.unit[i] * self._sum(i, level, self.rows - gone)
            total += self.weight * self.unit[i] * self._sum(i, size - 1, gone)
        return total


class Loss(ByColumn):
    """The mean over rows of the share of a column's leaves that are left open."""

    def _unit(self, column: int) -> Fraction:
        return Fraction(1, self.total * self.lattice.levels[column].width)

    def _sum(self, column: int, level: int, rows: NDArray[np.int64]) -> int:
        return int(rows @ self.lattice.levels[column].open[level][self.lattice.vectors[column]])


class Precision(ByColumn):
    """The mean over rows of the level by the height of the taxonomy: 1 less the precision of each column."""

    def _unit(self, column: int) -> Fraction:
        return Fraction(1, self.total * max(1, self.lattice.levels[column].top))

    def _sum(self, column: int, level: int, rows: NDArray[np.int64]) -> int:  # noqa: ARG002 - all rows are on it
        return level * int(rows.sum())


class Entropy(ByColumn):
    """The bits that are missing from what is published to the values, by how often values occur in the table."""

    slack = 2.0**-16  # sums are rounded to 20 binary digits

    def _unit(self, column: int) -> Fraction:  # noqa: ARG002 - a bit is a bit
        return Fraction(1)

    def _sum(self, column: int, level: int, rows: NDArray[np.int64]) -> Fraction:
        codes, nodes = self.lattice.vectors[column], self.lattice.levels[column].nodes[level]
        held = np.bincount(codes, self.rows, len(nodes))
        among = np.bincount(nodes, held)
        bits = np.log2(among[nodes[codes]] / held[codes])
        return Fraction(round(fsum((rows * bits).tolist()) * 2**20), 2**20)  # what differs by less is the same

    def _most_of_a_row(self) -> float:
        return float(sum(self.importance)) * float(np.log2(self.total))


class Discernibility(Objective):
    """From how many rows each row cannot be told; a withheld one from all."""

    def bound(self, node: Node) -> float:
        """The squares of the classes, less what withholding can save."""
        return float((self.lattice.classes(node).sizes.astype(np.float64) ** 2).sum()) - self._saved * self.total

    def value(self, node: Node, kept: Kept) -> Fraction:
        """The squares of what is published, and all rows for each that is withheld."""
        sizes = self.lattice.classes(node).sizes
        squares = Fraction(sum(size * size for size in sizes[kept].tolist()))
        return squares + self.weight * (int(sizes[~kept].sum()) * self.total)


class ClassSize(Objective):
    """The mean rows of a class, all withheld rows being one class more, as ARX counts."""

    def bound(self, node: Node) -> float:
        """The mean with nothing withheld: withholding leaves no more classes."""
        return self.total / len(self.lattice.classes(node))

    def value(self, node: Node, kept: Kept) -> Fraction:  # noqa: ARG002 - sizes do not matter, only how many
        """Rows by classes."""
        return Fraction(self.total, int(kept.sum()) + int(not kept.all()))


KINDS: dict[str, type[Objective]] = {
    "loss": Loss,
    "entropy": Entropy,
    "precision": Precision,
    "discernibility": Discernibility,
    "class-size": ClassSize,
}


def best_node(lattice: Lattice, objective: Objective, judge: Judge, starts: Sequence[Node], progress: Progress) -> Node:
    """Of all nodes from the starts upwards that may be published, the one that loses least, the first of equals."""
    waiting = [(objective.bound(node), node) for node in starts]
    heapq.heapify(waiting)
    seen = set(starts)
    best: tuple[Fraction, Node] | None = None
    progress.stage("searching", int(np.prod(lattice.shape)))
    while waiting:
        bound, node = heapq.heappop(waiting)
        if best is not None and bound > float(best[0]) * SURE + objective.slack:
            break
        progress.advance(len(seen))
        kept = judge(node)
        if kept is not None:
            this = (objective.value(node, kept), node)
            best = this if best is None else min(best, this)
        for higher in one_higher(node, lattice.shape):
            if higher not in seen:
                seen.add(higher)
                heapq.heappush(waiting, (objective.bound(higher), higher))
    assert best is not None  # the model was checked on the whole table
    return best[1]


def one_higher(node: Node, shape: Sequence[int]) -> list[Node]:
    """The nodes one level higher in one column.

    >>> one_higher((1, 0), (2, 3))
    [(1, 1)]
    """
    return [(*node[:i], level + 1, *node[i + 1 :]) for i, level in enumerate(node) if level + 1 < shape[i]]
