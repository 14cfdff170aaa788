"""Anatomy: groups drawn by lot from the most frequent sensitive values, published as two tables.

In parts for Spark: some consecutive groups of its sequence each, made by somebody who has their rows and no others.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import sort_within
from pellucid.anonymize.layout.by_draws import Longs, by_value
from pellucid.anonymize.layout.entries import row_order, sort_rows
from pellucid.anonymize.layout.leaves import COMPANY, POOL, Leaves, Part, label, pool_part, together
from pellucid.anonymize.method import DiversityMethod, Guarantee, RecoderName, require_quasi, single_sensitive
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.errors import MethodError
from pellucid.kernels import anatomy as kernel
from pellucid.models import Groups
from pellucid.models.groups import Counts
from pellucid.runtime.parallel import SHORT, run, stretches, thread_count
from pellucid.runtime.progress import SILENT, Progress
from pellucid.runtime.records import record

if TYPE_CHECKING:
    from pellucid.posterior.shape import Likelihood


class TwoMeanings(type(DiversityMethod)):  # type: ignore[misc]
    """``Anatomy(l=8)`` is the method; ``Anatomy()``, without parameters, is the recoder that publishes two tables."""

    def __call__(cls, *positional: Any, **parameters: Any) -> Any:
        """The method, or the recoder when nothing is given."""
        if positional or parameters:
            return super().__call__(*positional, **parameters)
        from pellucid.anonymize.recode.anatomy import TwoTables

        return TwoTables()


class Anatomy(ProtectingMethod, metaclass=TwoMeanings):
    """Posterior at most 1/l against somebody who knows the method, its parameters and everyone's quasi-identifiers.

    **Definition.** While at least l different values remain: one row, drawn at random, of each of the l most frequent
    values (ties by codebook order) makes a group. Then at most l - 1 rows are left, of different values, and each joins
    a group drawn at random among those that lack its value. It does not matter which of them is treated first: none
    changes where another may go. The groups are published as two tables, unless another recoder is asked for.

    **What its decisions look at.** The counts of the sensitive values, and coins: no quasi-identifier at all. Which
    values a group has is fixed by the counts, every way to hand out the rows is equally likely, and a value occurs at
    most once in a group: the posterior of a value is one over the size of the group. With ``values`` and ``k`` see
    :class:`~pellucid.anonymize.protecting.ProtectingMethod`; a pool is then grouped by quasi-identifiers.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Anatomy(l=2), quasi=["age", "zipcode"], sensitive="disease")
    >>> release.private.grouping.sizes.tolist(), release.recipe["recode"]
    ([2, 2, 2, 2], 'anatomy')
    >>> pc.Anatomy()
    TwoTables()

    Reference: X. Xiao, Y. Tao. Anatomy: simple and effective privacy preservation. VLDB 2006.
    """

    name: ClassVar[str] = "anatomy"
    draws: ClassVar[bool] = True
    summary: ClassVar[str] = "draws groups by lot, one row of each of the most frequent values; two tables"
    guarantee: ClassVar[Guarantee] = "algorithm"
    explanation: ClassVar[str] = (
        "Anatomy makes the smallest groups that are diverse: again and again it draws one person of each of the most "
        "frequent sensitive values by lot. It never looks at who people are, so it gives nothing away, and people in a "
        "group have nothing else in common. That is why the result is published as two tables, exact quasi-identifiers "
        "in one and sensitive values in the other, joined by the number of the group. SoftCut keeps people who look "
        "alike together and is better wherever one table is wanted."
    )
    reference: ClassVar[str] = "Xiao, Tao: Anatomy, simple and effective privacy preservation, VLDB 2006"
    recoder: ClassVar[RecoderName] = "anatomy"

    if TYPE_CHECKING:
        # a type checker does not see the metaclass: it is told that nothing need be given

        def __init__(
            self, *, l: int = ..., values: object = ..., k: int | None = ..., together: bool = ...
        ) -> None: ...

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Anatomy:
        """A method from its parameters as a mapping; without any it is not the recoder but an error."""
        made: object = super().model_validate(obj, **options)
        if not isinstance(made, cls):
            raise MethodError("anatomy needs the parameter 'l'", f"its parameters are: {', '.join(cls.model_fields)}")
        return made

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        if self.together:
            method, merged = self.merging(table)
            return method.group(merged, coins, threads=threads, progress=progress)
        self.check(table)
        (column,) = table.having(Role.SENSITIVE)
        n = len(table)
        threads = thread_count(threads)
        progress.stage("grouping", n)
        if self.special:
            return self.in_large_groups(table, column, coins, threads)
        order = row_order(table, coins, threads)
        members, starts = anatomize(
            table.codes[column], len(table.attributes[column]), np.array([0, n]), order, self.l, coins, threads
        )
        progress.advance(n)
        return Grouping(members, starts, n)

    def check(self, table: Table, threads: int = 1) -> int:
        """How many rows the most frequent protected value has; raises when no release keeps the promise."""
        require_quasi(table)
        single_sensitive(table, "Anatomy")
        return super().check(table, threads)

    def in_large_groups(self, table: Table, column: int, coins: Coins, threads: int) -> Grouping:
        """Anatomy of protected and pseudo-values, so many draws to a group that it has k rows; then the pool."""
        leaves = Leaves.whole(table, coins, "anatomy", threads)
        protected = self.protected(table.attributes[column])
        labels = label(leaves, table.codes[column][leaves.rows], protected, self.l, self.fewest)
        named = labels >= 0
        whole, orders = np.array([0, int(named.sum())]), leaves.orders[named]
        drawn, parts = anatomize(labels[named], int(labels.max()) + 1, whole, orders, self.l, coins, threads)
        members = np.append(leaves.rows[named][drawn], leaves.rows[labels == COMPANY])
        needed = -(-self.fewest // self.l)
        groups = max(1, (len(parts) - 1) // needed)
        first = np.zeros(len(members), np.uint8)
        first[parts[: groups * needed : needed]] = 1  # the last group takes the draws that are too few, and the company
        of_lots = Part(members, first, np.zeros(len(members), np.int64))
        return together([of_lots, pool_part(table, leaves, labels == POOL, self.fewest, threads)], len(table))

    def shares(self, counts: Counts, rows: int, most: int) -> AnatomyShares:
        """Parts of about so many rows, for a table that no machine holds."""
        self.check_divisible()
        groups = int(counts.sum()) // self.l
        return AnatomyShares.of(counts, self.l, max(1, rows // self.l, -(-groups // most)))

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:  # noqa: ARG002
        """Nothing but the frequencies: the method looks at no quasi-identifier."""
        from pellucid.posterior.shape import Likelihood  # here: publishing asks for none

        return Likelihood.transparent(grouping.sizes, len(people))


def anatomize(
    values: Codes, distinct: int, starts: Longs, orders: Longs, l: int, coins: Coins, threads: int
) -> tuple[Codes, Longs]:
    """Divide each group of consecutive rows, starts[g]..starts[g + 1] - 1, by Anatomy; each is l-diverse.

    Returns the rows part after part, and where each part begins; a group of s rows has s // l parts.
    """
    threads = threads if len(values) >= SHORT else 1
    sizes = np.diff(starts)
    group_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    rows, runs = sort_rows([group_of, values], [len(sizes), distinct], threads)
    draws = coins.draws(orders, purpose="anatomy", threads=threads)
    sort_within(runs, rows, draws, np.empty_like(draws), threads)
    del draws
    groups = np.searchsorted(group_of[rows[runs[:-1]]], np.arange(len(sizes) + 1)).astype(np.int64)
    firsts = np.append(0, np.cumsum(sizes // l)).astype(np.int64)
    labels = np.empty(len(values), np.int32)
    ordered, key = orders[rows], coins.subkey(LEFT_OVER)

    def divide(first: int, last: int) -> None:
        lost = kernel.divide(runs, groups, first, last, firsts, l, ordered, *key, labels)
        assert lost == 0, "a group that is not l-diverse cannot be divided"

    run([partial(divide, a, b) for a, b in stretches(len(sizes), 4 * threads)], threads)
    places, parts = sort_rows([labels], [int(firsts[-1])], threads)
    return rows[places], parts


def dealt(positive: NDArray[np.bool_], starts: Longs, orders: Longs, l: int, coins: Coins) -> tuple[Codes, Longs]:
    """The same where one event counts, which no group has in more than one row in l; each part has it at most once.

    By lot, first the rows that have it and then the others go round the parts.

    >>> rows, parts = dealt(np.array([True, False] * 3), np.array([0, 6]), np.arange(6), 2, Coins.from_seed(1))
    >>> parts.tolist(), sorted((rows % 2).tolist()), (np.add.reduceat(rows % 2 == 0, parts[:-1]) <= 1).tolist()
    ([0, 2, 4, 6], [0, 0, 0, 1, 1, 1], [True, True, True])
    """
    sizes = np.diff(starts)
    group_of = np.repeat(np.arange(len(sizes)), sizes)
    in_turn = np.lexsort((coins.draws(orders, purpose="anatomy"), ~positive, group_of))
    rank = np.arange(len(positive)) - starts[group_of]
    parts = np.maximum(sizes // l, 1)
    firsts = np.append(0, np.cumsum(parts))
    labels = (firsts[group_of] + rank % parts[group_of]).astype(np.int64)
    rows = in_turn[np.argsort(labels, kind="stable")].astype(np.int32)
    return rows, np.append(0, np.cumsum(np.bincount(labels, minlength=int(firsts[-1])))).astype(np.int64)


LEFT_OVER = "anatomy leftover"
MOST = 2**31  # rows of one value, with which the kernel can count


@record(eq=False)
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
        labels = [
            np.searchsorted(self.firsts - self.taken[:, value], pick, side="right") - 1
            for value, pick in zip(values.tolist(), picks.tolist(), strict=True)
        ]
        return np.array(labels, np.int64)

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
            for taken in labels[starts[value] : last].tolist():  # they ascend: step over those up to the pick
                if taken > pick:
                    break
                pick += 1
            labels[last] = pick
        places, parts = sort_rows([labels], [groups], 1)
        return Grouping(rows[places], parts, len(rows))
