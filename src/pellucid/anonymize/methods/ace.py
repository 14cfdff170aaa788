"""Ace: assign rows to buckets by sensitive value and coins, then slice the buckets by quasi-identifiers.

In parts for Spark: some consecutive buckets of Assign each, sliced by somebody who has their rows and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import Step, assign_and_slice, hand_out, slice_buckets, steps_of
from pellucid.anonymize.layout.by_draws import Longs, by_value
from pellucid.anonymize.method import Guarantee
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.models import Groups
from pellucid.models.groups import Counts
from pellucid.runtime.progress import SILENT, Progress

if TYPE_CHECKING:
    from pellucid.posterior.shape import Likelihood


class Ace(ClusterMethod):
    """Posterior at most 1/l against somebody who knows the method, its parameters and everyone's quasi-identifiers.

    **Definition.** *Assign*: until no row is left, rank the remaining values by frequency (ties by codebook order);
    for beta = l, l + 1, ... find the largest alpha such that taking alpha rows of each of the beta most frequent
    values leaves the rest l-diverse; the first beta that has one makes a bucket, whose rows are drawn at random.
    *Slice*: while a bucket has more than one row per value, divide it: on attribute i at k, sort each value's rows
    by (code, row order) and take the first k of each; smallest perimeter first, then lowest attribute, then
    smallest k.

    **What its decisions look at.** Assign: the counts of the sensitive values, and coins. Slice: quasi-identifiers
    and row order. Each group ends with one row of each of its values, and permuting the values inside a group has
    the same probability: the posterior of a value is one over the number of values in the group. With ``values`` and
    ``k`` see :class:`~pellucid.anonymize.protecting.ProtectingMethod`.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Ace(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release.private.grouping.sizes.tolist()
    [2, 2, 2, 2]

    Reference: X. Xiao, Y. Tao, N. Koudas. Transparent anonymization: thwarting adversaries who know the algorithm.
    ACM TODS 35(2), 2010, section 3.2.
    """

    name: ClassVar[str] = "ace"
    draws: ClassVar[bool] = True
    several: ClassVar[bool] = True
    divides_together: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = "draws diverse buckets at random, then slices them by quasi-identifiers"
    guarantee: ClassVar[Guarantee] = "algorithm"
    explanation: ClassVar[str] = (
        "Ace first mixes people of different sensitive values into buckets, by lot, and then divides each bucket among "
        "people who look alike, always keeping one person of each value together. Groups are as small as they can be, "
        "but they are spread wider than Hybrid's, because the lot ignores who looks alike."
    )
    reference: ClassVar[str] = "Xiao, Tao, Koudas: Transparent anonymization, TODS 2010, section 3.2"

    def group_rows(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """Decide the groups of a table whose rows are people of their own."""
        self.check(table, threads)
        columns = table.having(Role.SENSITIVE)
        if self.special or len(columns) > 1:
            return self.whole_leaf(table, coins, threads, progress)
        return assign_and_slice(table, columns[0], self.l, coins, threads, progress)

    def shares(self, counts: Counts, rows: int, most: int) -> BucketShares:
        """Parts of whole buckets, about so many rows each where buckets are smaller."""
        self.check_divisible()
        return BucketShares.of(counts, self.l, max(rows, -(-2 * int(counts.sum()) // most)))

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:  # noqa: ARG002
        """Nothing but the frequencies: every arrangement inside a group has the same probability."""
        from pellucid.posterior.shape import Likelihood  # here: publishing asks for none

        return Likelihood.transparent(grouping.sizes, len(people))


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
        ends, lines, rows_so_far = [0], [np.zeros(len(counts), np.int64)], 0
        now = np.zeros(len(counts), np.int64)
        for number, (alpha, chosen) in enumerate(steps):
            size = alpha * len(chosen)
            if rows_so_far and rows_so_far + size > rows:
                ends.append(number)
                lines.append(now.copy())
                rows_so_far = 0
            now[chosen] += alpha
            rows_so_far += size
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
