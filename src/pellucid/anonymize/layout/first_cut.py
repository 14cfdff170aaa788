"""SoftCut's first cut of a table in which none is certain: to refuse it tells nothing, so it costs nothing.

The rows are first handed out to Ace's buckets, as if the table were not to be cut. Then the canonical cut is looked at
bucket by bucket, and of a bucket only what stays the same when its columns trade their values: how many rows the
fullest column has on a side. Whatever value that column stands for, no value can have more rows on the side than the
sum of these over the buckets that it takes part in. The cut is accepted when even so both sides are l-diverse.

*Why a refusal tells nothing.* After it the buckets are sliced, and the argument for Ace is that a bucket's columns may
trade values. Nothing that was looked at changes when they do. *Why an acceptance tells nothing.* No group reaches
across the cut, so whoever trades values is on one side, and a column has as many rows there as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import Step, assign, slice_buckets, sort_by_order, steps_of
from pellucid.anonymize.layout.entries import Entries, row_order
from pellucid.anonymize.layout.leaves import Leaves
from pellucid.anonymize.layout.tentative_cuts import ROOT
from pellucid.anonymize.layout.tree import Subtree
from pellucid.core.coins import Coins
from pellucid.core.table import Codes, Table, frequencies
from pellucid.kernels import grow as kernel
from pellucid.kernels.die import Die
from pellucid.runtime.parallel import SHORT
from pellucid.runtime.progress import Progress
from pellucid.runtime.records import record

Longs = NDArray[np.int64]


@record(eq=False)
class Drawn:
    """Ace's buckets of a whole table; rows are numbered in row order, which ``by_order`` leads back from.

    Codes from ``values`` on are pseudo-values, which fillers were drawn for; fillers without one are in no bucket.
    """

    values: int
    steps: list[Step]
    by_order: Codes
    bucket_of: Codes
    column_of: Codes
    heights: list[int]

    @classmethod
    def of(cls, table: Table, column: int, l: int, coins: Coins, threads: int) -> Drawn:
        """Assign's buckets, by the same draws as Ace's and Hybrid's."""
        threads = threads if len(table) >= SHORT else 1
        by_order, ordered = sort_by_order(row_order(table, coins, threads), threads)
        draws = coins.draws(ordered, threads=threads)
        values = table.codes[column][by_order]
        distinct = len(table.attributes[column])
        steps = steps_of(frequencies(values, distinct, threads), l)
        return cls(distinct, steps, by_order, *assign(values, distinct, draws, l, threads))

    @classmethod
    def labelled(cls, leaves: Leaves, labels: Codes, values: int, l: int, threads: int) -> Drawn:
        """The buckets of a table that is one leaf, of protected and pseudo-values."""
        inside = labels >= 0
        labels, distinct = labels[inside], int(labels.max(initial=0)) + 1
        steps = steps_of(frequencies(labels, distinct, threads), l)
        assigned = assign(labels, distinct, leaves.draws[inside], l, threads)
        return cls(values, steps, leaves.rows[inside], *assigned)

    def sliced(self, table: Table, threads: int, progress: Progress) -> Grouping:
        """Ace's groups."""
        progress.stage("grouping", len(table))
        return slice_buckets(table, self.by_order, self.bucket_of, self.column_of, self.heights, threads, progress)

    def allow(self, left: NDArray[np.bool_], l: int) -> bool:
        """Whether both sides of a cut are l-diverse however the columns of the buckets trade their values.

        ``left`` has a mark for each row of the table; protected values only need be diverse.
        """
        widths = np.array([len(values) for _, values in self.steps])
        firsts = np.cumsum(widths) - widths
        columns = firsts[self.bucket_of] + self.column_of
        lefts = np.bincount(columns[left[self.by_order]], minlength=int(widths.sum()))
        rights = np.repeat(self.heights, widths) - lefts
        rows = int(np.count_nonzero(left))
        return all(
            l * self._most(np.maximum.reduceat(side, firsts), widths) <= size
            for side, size in ((lefts, rows), (rights, len(left) - rows))
        )

    def _most(self, fullest: Longs, widths: Longs) -> int:
        """How many rows any value could have, given the fullest column of each bucket; pseudo-values are none."""
        values = np.fromiter(chain.from_iterable(values for _, values in self.steps), np.int64, int(widths.sum()))
        sums = np.bincount(values, np.repeat(fullest, widths))  # floats hold such sums exactly
        return int(sums[: self.values].max())


def first_cut(entries: Entries, side: int, die: Die) -> tuple[NDArray[np.bool_], Sequence[Subtree]] | None:
    """The canonical cut between different codes with so many rows on both sides, if there is one.

    As the rows on its left, and as what is to be grown on either side of it.
    """
    rows = len(entries.rows)
    left = np.empty_like(entries.records)
    lefts, rights, taken = kernel.cut_between_codes(entries.geometry, entries.records, entries.orders, rows, side, left)
    if lefts == 0:
        return None
    names = [die.child(ROOT, number) for number in (0, 1)]
    return on_left(entries, left[:lefts]), [
        Subtree(-taken, 0, taken, left[:lefts], names[0], opened=True),
        Subtree(taken - rows, taken, rows - taken, entries.records[:rights], names[1], opened=True),
    ]


def on_left(entries: Entries, records: Codes) -> NDArray[np.bool_]:
    """For each row of the table whether it belongs to these entries."""
    edges = np.zeros(len(entries.rows) + 1, np.int8)
    starts, counts = records[:, -2], records[:, -1]
    edges[starts] += 1
    np.subtract.at(edges, starts + counts, 1)
    left = np.empty(len(entries.rows), np.bool_)
    left[entries.rows] = np.cumsum(edges[:-1], dtype=np.int8).view(np.bool_)
    return left
