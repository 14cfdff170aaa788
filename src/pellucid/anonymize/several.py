"""Several sensitive columns protected at once, each on its own: Ace, Hybrid and SoftCut on vectors of values.

A row's *vector* has its value in every sensitive column, or none where that value is not protected. What makes these
methods safe for one column is that rows trade their values inside a bucket; here they trade whole vectors. The columns
of a bucket, so many rows of one vector each, are chosen such that no value of any sensitive column stands in more than
one of l. The definition is in :class:`pellucid.anonymize.protecting.ProtectingMethod`, the proof in docs/several.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.leaves import COMPANY, POOL, Flags, Leaves, company_of
from pellucid.core.table import Codes
from pellucid.runtime.records import record

Longs = NDArray[np.int64]
MOST_VECTORS = 4096  # a leaf with more different vectors is parted first: every bucket looks at all of them
PART_ROWS = 2048  # at most, of the parts
FREE = -1  # in place of a value that is not protected


@record(eq=False)
class Vectors:
    """``of_row`` has the number of each row's vector, ``parts[vector]`` the numbers of its values, or FREE.

    Values of different columns have different numbers, and vectors are numbered in the order of their values. The l of
    a value is ``fewer[number]`` less than that of other columns.
    """

    of_row: Codes
    parts: Codes
    fewer: Longs

    @classmethod
    def of(
        cls,
        columns: Sequence[Codes],
        protected: Sequence[Flags],
        shifts: Sequence[int] | None = None,
        fewer: Sequence[int] | None = None,
    ) -> Vectors:
        """The vectors of rows with these codes, of which these are protected; ``fewer`` of each column, 0 unless given.

        ``shifts`` says what is added to the codes of each column: the same where columns share a codebook. These hold a
        set, of which the protected values alone count, wherever they stand: two rows with the same ones have the same
        vector. Of two sets the one that has the first value on which they differ comes behind.

        >>> marks = [np.array([True, False]), np.array([True, True])]
        >>> seen = Vectors.of([np.array([0, 1, 1]), np.array([1, 0, 1])], marks)
        >>> seen.of_row.tolist(), seen.parts.tolist()
        ([2, 0, 1], [[-1, 2], [-1, 3], [0, 3]])
        >>> sets = [np.array([0, 1]), np.array([1, 2])]  # the sets {0, 1} and {1, 2}, of which 1 is protected
        >>> seen = Vectors.of(sets, [np.array([False, True, False])] * 2, [0, 0])
        >>> seen.of_row.tolist(), seen.parts.tolist()
        ([0, 0], [[1, -1]])
        """
        if shifts is None:
            shifts = np.cumsum([0, *map(len, protected[:-1])]).tolist()
        shared = len(set(shifts)) < len(shifts)
        end = max(shift + len(marks) for shift, marks in zip(shifts, protected, strict=True))
        keys = np.zeros(len(columns[0]), np.int64)
        held = zip(columns, protected, shifts, strict=True)
        numbers = np.stack(
            [np.where(marks, np.arange(len(marks)) + shift, FREE)[codes] for codes, marks, shift in held]
        )
        if shared:
            _sort_sets(numbers, shifts)
        for number in numbers:
            rank = np.where(number == FREE, FREE, end - 1 - number) if shared else number
            keys = keys * (end + 1) + rank + 1
            keys = np.unique(keys, return_inverse=True)[1]  # dense, so that the next column fits
        _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
        parts = np.stack([number[first] for number in numbers], axis=1)
        less = np.zeros(end, np.int64)
        for shift, marks, of_column in zip(shifts, protected, fewer or [0] * len(shifts), strict=True):
            less[shift : shift + len(marks)] = of_column
        return cls(of_row.astype(np.int32), np.ascontiguousarray(parts, dtype=np.int32), less)

    @property
    def free(self) -> Flags:
        """Which vectors have nothing protected: those of fillers."""
        return np.asarray((self.parts == FREE).all(axis=1))

    def parted(self, leaves: Leaves, l: int, k: int) -> Leaves:
        """The leaves; those with too many vectors in parts, drawn by lot, each diverse and of at least k rows."""
        if int(np.diff(leaves.starts).max()) <= MOST_VECTORS:
            return leaves
        kind = self.of_row[leaves.rows]
        pieces: list[tuple[int, Longs]] = []  # the leaf, and the places of the rows
        for leaf, (a, b) in enumerate(pairwise(leaves.starts.tolist())):
            few = b - a <= MOST_VECTORS or len(np.unique(kind[a:b])) <= MOST_VECTORS
            least = l + int(leaves.by_lot[leaf])
            parts = [np.arange(a, b)] if few else self._by_lot(kind, a + np.argsort(leaves.draws[a:b]), least, k)
            pieces += [(leaf, np.sort(part)) for part in parts]  # in row order, as they were
        if len(pieces) == len(leaves.starts) - 1:
            return leaves
        places = np.concatenate([part for _, part in pieces])
        starts = np.append(0, np.cumsum([len(part) for _, part in pieces])).astype(np.int64)
        by_lot = leaves.by_lot[[leaf for leaf, _ in pieces]]
        return Leaves(leaves.rows[places], starts, by_lot, leaves.orders[places], leaves.draws[places])

    def _by_lot(self, kind: Codes, drawn: Longs, l: int, k: int) -> list[Longs]:
        """Places in the order of the lot in parts: cut evenly, and put together until each part is fine."""
        rows_of = np.zeros(len(self.fewer), np.int64)  # of the part that grows, by value

        def count(chunk: Longs) -> None:
            values = self.parts[kind[chunk]]
            np.add.at(rows_of, values[values != FREE], 1)

        def fine(rows: int) -> bool:
            return rows >= k and int(((l - self.fewer) * rows_of).max(initial=0)) <= rows

        ends = [0]  # of the parts, in the order of the lot
        at = 0
        for chunk in np.array_split(drawn, -(-len(drawn) // PART_ROWS)):
            count(chunk)
            at += len(chunk)
            if fine(at - ends[-1]):
                ends.append(at)
                rows_of[:] = 0
        while ends[-1] < len(drawn):  # too few, or not diverse: the whole leaf is both
            last = ends.pop()
            count(drawn[ends[-1] : last])
            if fine(len(drawn) - ends[-1]):
                ends.append(len(drawn))
        return [drawn[a:b] for a, b in pairwise(ends)]

    def label(self, leaves: Leaves, l: int, k: int) -> Codes:
        """Of every row of the leaves the number of its vector, COMPANY or POOL.

        As many fillers are drawn in a leaf as make its most frequent value one in l; they keep their vector.
        """
        of_row = self.of_row[leaves.rows]
        is_filler = self.free[of_row]
        if not is_filler.any():
            return of_row
        leaf_of, count = leaves.leaf_of, len(leaves.starts) - 1
        needed = self._needed(of_row, leaf_of, l + leaves.by_lot.astype(np.int64))
        fillers = np.bincount(leaf_of[is_filler], minlength=count)
        protected_rows = np.diff(leaves.starts) - fillers
        drawn = np.minimum(np.maximum(0, needed - protected_rows), fillers)
        company = company_of(needed > 0, protected_rows, drawn, fillers, k)
        places = np.flatnonzero(is_filler)
        places = places[np.lexsort((leaves.draws[places], leaf_of[places]))]
        rank = np.arange(len(places)) - np.repeat(np.cumsum(fillers) - fillers, fillers)
        of = leaf_of[places]
        behind = np.where(rank < (drawn + company)[of], COMPANY, POOL)
        labels = of_row.copy()
        labels[places] = np.where(rank < drawn[of], labels[places], behind)
        return labels

    def _needed(self, of_row: Codes, leaf_of: Longs, l: Longs) -> Longs:
        """How many rows the most frequent value needs, leaf by leaf, in whichever place of the vectors it stands."""
        needed, values = np.zeros(len(l), np.int64), len(self.fewer)
        numbers = self.parts[of_row]
        some = numbers != FREE
        of_number = np.broadcast_to(leaf_of[:, None], numbers.shape)[some]
        pairs, rows_of = np.unique(of_number * values + numbers[some], return_counts=True)
        np.maximum.at(needed, pairs // values, (l[pairs // values] - self.fewer[pairs % values]) * rows_of)
        return needed


def _sort_sets(numbers: Longs, shifts: Sequence[int]) -> None:
    """Put the values of each set in order, what is FREE behind them; columns with the same shift hold one set."""
    for shift in set(shifts):
        places = [place for place, one in enumerate(shifts) if one == shift]
        some = numbers[places]
        last = int(numbers.max()) + 1
        some[some == FREE] = last
        some.sort(axis=0)
        some[some == last] = FREE
        numbers[places] = some
