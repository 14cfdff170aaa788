"""Sends rows to parts by rank, where no machine can rank them all: from counts of bins of the numbers they drew.

Each value's drawn numbers are divided into bins by their leading bits. A bin whose rows all go to one part is done; one
that several parts share is divided into finer bins, in the next pass over the rows. In the end every bin belongs to
one part, and a row finds its part by its value and its number alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.errors import EngineError
from pellucid.spark.engine.operations import Longs

BITS = 63  # of a drawn number
MOST_BINS = 1 << 20  # counted in one pass
SPARE_BITS = 6  # finer than one row per bin: most ends of parts then fall between bins


class Sieve:
    """Bins of drawn numbers, each finally in one part of :class:`pellucid.anonymize.layout.by_draws.Shares`.

    >>> sieve = Sieve(taken=np.array([[0], [2], [3]]), counts=np.array([3]), most_bins=2)
    >>> values, draws = np.zeros(3, np.int32), np.array([5, 2**62, 2**61])
    >>> while sieve.waiting:
    ...     sieve.take(sieve.count(values, draws))
    >>> sieve.parts(values, draws).tolist()  # of the three numbers the first and the third are the smaller ones
    [0, 1, 0]
    """

    def __init__(self, taken: Longs, counts: Longs, most_bins: int | None = None) -> None:
        self.lines, values = taken.shape
        self.most_bins = MOST_BINS if most_bins is None else most_bins
        self.step = int(counts.max()) + 1  # ranks of one value are below it, so that values do not overlap in a line
        self.ends = (taken.T + np.arange(values)[:, None] * self.step).ravel()
        # a node is a bin that is divided: its first bin, the shift and mask that give a number's bin inside, its value
        self.base, self.shift, self.mask, self.value = (np.zeros(0, np.int64) for _ in range(4))
        self.child, self.part = np.zeros(0, np.int64), np.zeros(0, np.int64)  # of each bin
        self.passes = 0
        self._divide(np.arange(values), counts, np.zeros(values, np.int64), np.full(values, BITS))

    @property
    def waiting(self) -> int:
        """How many bins are to be counted."""
        return len(self.child) - len(self.part)

    def places(self, values: Codes, draws: Longs) -> Longs:
        """The finest bin of each row."""
        nodes = values.astype(np.int64)
        rows = np.arange(len(values))
        bins = np.empty(len(values), np.int64)
        while len(rows):
            bins[rows] = self.base[nodes] + ((draws[rows] >> self.shift[nodes]) & self.mask[nodes])
            nodes = self.child[bins[rows]]
            deeper = nodes >= 0
            rows, nodes = rows[deeper], nodes[deeper]
        return bins

    def count(self, values: Codes, draws: Longs) -> Longs:
        """How many of these rows are in each bin that waits."""
        bins = self.places(values, draws) - len(self.part)
        return np.bincount(bins[bins >= 0], minlength=self.waiting)

    def take(self, counts: Longs) -> None:
        """Take the counts of the bins that wait, over all rows; divide those that several parts share."""
        self.passes += 1
        first, nodes = len(self.part), self._newest()
        starts = self.base[nodes] - first
        sizes = np.diff(np.append(starts, len(counts)))
        before = np.append(0, np.cumsum(counts))
        # the rank of a bin's first row: that of its node's, and the rows of the bins between
        ranks = before[:-1] + np.repeat(self.ranks - before[starts], sizes)
        value = np.repeat(self.value[nodes], sizes)
        part, last = self._part(value, ranks), self._part(value, ranks + np.maximum(counts, 1) - 1)
        self.part = np.append(self.part, part)
        shared = np.flatnonzero(part != last)
        left = np.repeat(self.shift[nodes], sizes)[shared]
        if len(left) and not left.min():
            raise EngineError(
                "two rows drew the same number, which is very unlikely; nothing was published: publish again"
            )
        self.child[first + shared] = len(self.base) + np.arange(len(shared))
        self._divide(value[shared], counts[shared], ranks[shared], left)

    def parts(self, values: Codes, draws: Longs) -> Longs:
        """The part of each row; one more than there are parts for rows that no part takes."""
        part_of_row: Longs = self.part[self.places(values, draws)]
        return part_of_row

    def _newest(self) -> NDArray[np.int64]:
        """The nodes whose bins wait."""
        return np.flatnonzero(self.base >= len(self.part))

    def _part(self, values: Longs, ranks: Longs) -> Longs:
        """The part that takes this rank of this value."""
        line = np.searchsorted(self.ends, values * self.step + ranks, side="right") - 1
        place: Longs = line - values * self.lines
        return place

    def _divide(self, values: Longs, counts: Longs, ranks: Longs, left: Longs) -> None:
        """New nodes for bins with so many rows and bits left, the first of them with these ranks."""
        room = max(1, self.most_bins // max(1, len(values))).bit_length() - 1
        wanted = np.ceil(np.log2(np.maximum(counts, 1))).astype(np.int64) + SPARE_BITS
        bits = np.minimum(np.minimum(wanted, max(room, int(self.passes > 0))), left)
        self.ranks = ranks
        sizes = np.left_shift(1, bits)
        self.base = np.append(self.base, len(self.child) + np.cumsum(sizes) - sizes)
        self.shift = np.append(self.shift, left - bits)
        self.mask = np.append(self.mask, sizes - 1)
        self.value = np.append(self.value, values)
        self.child = np.append(self.child, np.full(int(sizes.sum()), -1))
