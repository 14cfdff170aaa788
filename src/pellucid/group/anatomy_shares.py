"""Anatomy in parts: some consecutive groups of its sequence each, made by somebody who has their rows and no others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.coins import Coins
from pellucid.errors import MethodError
from pellucid.group.by_draws import Longs, by_value
from pellucid.group.entries import sort_rows
from pellucid.group.grouping import Grouping
from pellucid.kernels import anatomy as kernel
from pellucid.model.groups import Counts
from pellucid.schema import Role
from pellucid.table import Codes, Table

LEFT_OVER = "anatomy leftover"
MOST = 2**31  # rows of one value, with which the kernel can count


@dataclass(frozen=True, slots=True, eq=False)
class AnatomyShares:
    """Parts of ``every`` consecutive groups each, of an l-diverse table with these counts of its sensitive values.

    >>> shares = AnatomyShares.of(np.array([3, 2, 2]), l=2, every=2)
    >>> shares.taken.tolist()  # two groups of values 0, 1 and 0, 2, then one of 0, 1; a row of value 2 is left
    [[0, 0, 0], [2, 1, 1], [3, 2, 1]]
    """

    counts: Counts
    l: int
    every: int
    taken: Longs
    purpose: str = "anatomy"

    @classmethod
    def of(cls, counts: Counts, l: int, every: int) -> AnatomyShares:
        """Run the sequence on the counts: time for every row, and memory for every value."""
        if int(counts.max()) >= MOST:
            raise MethodError(
                f"a sensitive value has {int(counts.max()):,} rows, and anatomy counts less than {MOST:,} of one",
                "split it into finer values, or use hybrid",
            )
        groups = int(counts.sum()) // l
        taken = np.empty((-(-groups // every) + 1, len(counts)), np.int64)
        made = kernel.mark(counts, l, every, taken)
        assert made == groups, "a table that is not l-diverse cannot be divided"
        return cls(counts, l, every, taken)

    @property
    def firsts(self) -> Longs:
        """The number of each part's first group, and of all groups."""
        groups = int(self.counts.sum()) // self.l
        return np.minimum(np.arange(len(self.taken)) * self.every, groups)

    def picks(self, values: Codes, orders: Longs, coins: Coins) -> Longs:
        """Which of all groups that lack its value a row joins that is left: its number among them."""
        lacking = self.firsts[-1] - self.taken[-1, values]
        picks: Longs = coins.draws(orders, purpose=LEFT_OVER) % lacking
        return picks

    def joined(self, values: Codes, orders: Longs, coins: Coins) -> Longs:
        """The parts that rows join which are left; there are less than l of them."""
        picks = self.picks(values, orders, coins)
        found = [
            np.searchsorted(self.firsts - self.taken[:, value], pick, side="right") - 1
            for value, pick in zip(values.tolist(), picks.tolist(), strict=True)
        ]
        return np.array(found, np.int64)

    def group(self, part: int, table: Table, coins: Coins) -> Grouping:
        """The groups of one part; a row that joined is the last of its value, since it drew the largest number."""
        (column,) = table.having(Role.SENSITIVE)
        values = table.codes[column]
        assert table.order is not None
        rows, starts = by_value(values, len(self.counts), coins.draws(table.order, purpose=self.purpose))
        before, after = self.taken[part], self.taken[part + 1]
        groups = int(self.firsts[part + 1] - self.firsts[part])
        labels = np.empty(len(rows), np.int32)
        made = kernel.resume(self.counts - before, self.l, groups, starts, labels)
        assert made == groups
        for value in np.flatnonzero(np.diff(starts) > after - before):
            last = starts[value + 1] - 1
            row = rows[last : last + 1]
            pick = int(self.picks(values[row], table.order[row], coins)[0])
            pick -= int(self.firsts[part] - before[value])  # among the groups of this part
            for label in labels[starts[value] : last].tolist():  # they ascend: step over those up to the pick
                if label > pick:
                    break
                pick += 1
            labels[last] = pick
        places, parts = sort_rows([labels], [groups], 1)
        return Grouping(rows[places], parts, len(rows))
