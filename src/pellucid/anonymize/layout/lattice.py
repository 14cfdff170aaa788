"""The lattice of generalisation levels: which of its nodes satisfy a monotone model, with few of them looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.layout.hierarchies import Hierarchy
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.kernels import roll_up as kernel
from pellucid.runtime.progress import Progress

Node = tuple[int, ...]
Longs = NDArray[np.int64]
KEYS = 2**62  # more do not fit a machine word
CHUNK = 1 << 16
KEPT = 256  # so many roll-ups are remembered


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of a node: an example vector of each, its rows, and the class of every vector."""

    examples: Codes
    sizes: Longs
    labels: Codes

    def __len__(self) -> int:
        """The number of classes."""
        return len(self.examples)


class Lattice:
    """The generalisations of one table's distinct quasi-identifier vectors.

    The classes of a node are made from those of the smallest finer node that was made before: rows are looked at once.
    """

    def __init__(self, table: Table, levels: list[Hierarchy], threads: int) -> None:
        quasi = table.having(Role.QUASI)
        columns = [table.codes[i] for i in quasi]
        self.levels = levels
        self.shape = tuple(len(of_column.nodes) for of_column in levels)
        self.rows, self.starts = sort_rows(columns, [len(table.attributes[i]) for i in quasi], threads)
        firsts = self.rows[self.starts[:-1]]
        self.vectors = [column[firsts] for column in columns]
        distinct = np.arange(len(firsts), dtype=np.int32)
        self.counts = [[int(nodes.max()) + 1 for nodes in of_column.nodes] for of_column in levels]
        self.slots = np.empty(1 << max(4, (2 * len(firsts)).bit_length()), np.int32)
        self.last: tuple[Node, Classes] | None = None  # one node is asked about several times in a row
        self.made = [((0,) * len(levels), Classes(distinct, np.diff(self.starts), distinct))]
        self.corners = np.zeros((1, len(levels)), np.int64)
        self.lengths = np.array([len(firsts)], np.int64)

    def classes(self, node: Node) -> Classes:
        """The classes of a node."""
        if self.last is None or self.last[0] != node:
            self.last = node, self._classes(node)
        return self.last[1]

    def _classes(self, node: Node) -> Classes:
        finer = np.flatnonzero((self.corners <= node).all(axis=1))
        best = int(finer[self.lengths[finer].argmin()])
        at, below = self.made[best]
        if at == node:
            return below
        labels, examples, sizes = self.grouped(node, below)
        classes = Classes(examples, sizes, labels[below.labels])
        if len(self.made) < KEPT and 2 * len(classes) < len(below):
            self.made.append((node, classes))
            self.corners = np.vstack([self.corners, node])
            self.lengths = np.append(self.lengths, len(classes))
        return classes

    def grouped(self, node: Node, below: Classes) -> tuple[Codes, Codes, Longs]:
        """The label of each finer class, and the example and size of each label."""
        n = len(below)
        keys, bound = np.zeros(n, np.int64), 1
        labels, firsts, sizes = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
        slots = self.slots[: 1 << max(4, (2 * n).bit_length())]
        for i, level in enumerate(node):
            size = self.counts[i][level]
            if bound * size > KEYS:
                bound = kernel.number(keys, below.sizes, slots, labels, firsts, sizes)
                keys = labels.astype(np.int64)
            kernel.extend(keys, self.levels[i].nodes[level], self.vectors[i], below.examples, size)
            bound *= size
        count = kernel.number(keys, below.sizes, slots, labels, firsts, sizes)
        return labels, below.examples[firsts[:count]], sizes[:count].copy()

    def row_labels(self, labels: Codes) -> Codes:
        """The class of every row, from that of every vector."""
        by_row = np.empty(len(self.rows), np.int32)
        by_row[self.rows] = np.repeat(labels, np.diff(self.starts))
        return by_row


def satisfying(shape: tuple[int, ...], holds: Callable[[Node], bool], progress: Progress) -> NDArray[np.bool_]:
    """Which nodes satisfy a model that every node above a satisfying one satisfies.

    Predictive tagging: a node that satisfies tags everything above it, one that fails everything below it. From the
    first node without a tag a path leads upward through others; halving finds where on it the answer changes.
    """
    satisfied, known = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    flat = known.reshape(-1)
    place = 0
    progress.stage("searching", flat.size)
    while place < flat.size:
        ahead = ~flat[place : place + CHUNK]
        step = int(ahead.argmax())
        if not ahead[step]:
            place += len(ahead)
            continue
        place += step
        progress.advance(place)
        path = upward(tuple(int(x) for x in np.unravel_index(place, shape)), known)
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            node = path[middle]
            if holds(node):
                high = middle
                above = tuple(slice(x, None) for x in node)
                satisfied[above] = known[above] = True
            else:
                low = middle + 1
                known[tuple(slice(None, x + 1) for x in node)] = True
    progress.advance(flat.size)
    return satisfied


def each_satisfying(shape: tuple[int, ...], holds: Callable[[Node], bool], progress: Progress) -> NDArray[np.bool_]:
    """Which nodes satisfy a model of which nothing else is known: each is asked."""
    satisfied = np.zeros(shape, np.bool_)
    progress.stage("searching", satisfied.size)
    for number, node in enumerate(np.ndindex(*shape)):
        satisfied[node] = holds(node)
        progress.advance(number)
    progress.advance(satisfied.size)
    return satisfied


def upward(node: Node, known: NDArray[np.bool_]) -> list[Node]:
    """A path of nodes without a tag, one level of one attribute at a time, the last attribute first."""
    path = [node]
    while True:
        for i in reversed(range(len(node))):
            higher = (*node[:i], node[i] + 1, *node[i + 1 :])
            if higher[i] < known.shape[i] and not known[higher]:
                node = higher
                path.append(node)
                break
        else:
            return path


def minimal(satisfied: NDArray[np.bool_]) -> list[Node]:
    """The satisfying nodes of which no predecessor satisfies, in lexicographic order."""
    lowest = satisfied.copy()
    for axis, size in enumerate(satisfied.shape):
        upper = [slice(None)] * satisfied.ndim
        lower = [slice(None)] * satisfied.ndim
        upper[axis], lower[axis] = slice(1, None), slice(0, size - 1)
        lowest[tuple(upper)] &= ~satisfied[tuple(lower)]
    return [tuple(node) for node in np.argwhere(lowest).tolist()]
