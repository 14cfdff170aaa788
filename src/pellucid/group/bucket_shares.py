"""Ace in parts: some consecutive buckets of Assign each, sliced by somebody who has their rows and no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.coins import Coins
from pellucid.group.buckets import Step, hand_out, slice_buckets, steps_of
from pellucid.group.by_draws import Longs, by_value
from pellucid.group.grouping import Grouping
from pellucid.model.groups import Counts
from pellucid.progress import SILENT
from pellucid.schema import Role
from pellucid.table import Codes, Table


@dataclass(frozen=True, slots=True, eq=False)
class BucketShares:
    """Parts of whole buckets, in the order in which Assign makes them: part k has the buckets ends[k]..ends[k + 1] - 1.

    >>> shares = BucketShares.of(np.array([4, 3, 3]), l=2, rows=4)
    >>> shares.steps
    [(2, [0, 1]), (2, [2, 0]), (1, [1, 2])]
    >>> shares.ends, shares.taken.tolist()
    ([0, 1, 2, 3], [[0, 0, 0], [2, 2, 0], [4, 2, 2], [4, 3, 3]])
    """

    steps: Sequence[Step]
    ends: Sequence[int]
    taken: Longs
    purpose: str = "assign"

    @classmethod
    def of(cls, counts: Counts, l: int, rows: int) -> BucketShares:
        """Parts of at most so many rows; a bucket that has more is a part of its own."""
        steps = steps_of(counts, l)
        ends, lines, held = [0], [np.zeros(len(counts), np.int64)], 0
        now = np.zeros(len(counts), np.int64)
        for number, (alpha, chosen) in enumerate(steps):
            size = alpha * len(chosen)
            if held and held + size > rows:
                ends.append(number)
                lines.append(now.copy())
                held = 0
            now[chosen] += alpha
            held += size
        return cls(steps, [*ends, len(steps)], np.stack([*lines, now]))

    def joined(self, values: Codes, orders: Longs, coins: Coins) -> Longs:  # noqa: ARG002
        """No row is left: the buckets take all."""
        assert not len(values)
        return np.zeros(0, np.int64)

    def group(self, part: int, table: Table, coins: Coins) -> Grouping:
        """The groups of one part."""
        (column,) = table.having(Role.SENSITIVE)
        assert table.order is not None
        draws = coins.draws(table.order, purpose=self.purpose)
        rows, starts = by_value(table.codes[column], self.taken.shape[1], draws)
        assigned = hand_out(rows, starts[:-1], self.steps[self.ends[part] : self.ends[part + 1]])
        return slice_buckets(table, np.arange(len(table), dtype=np.int32), *assigned, 1, SILENT)
