"""Hybrid: Tailor's groups, and Ace inside each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import assign_and_slice
from pellucid.anonymize.layout.entries import lay_out
from pellucid.anonymize.layout.tree import grow_tree
from pellucid.anonymize.method import Guarantee
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.models import Groups
from pellucid.models.groups import Counts
from pellucid.runtime.progress import Progress

if TYPE_CHECKING:
    from pellucid.posterior.shape import Likelihood


class Hybrid(ClusterMethod):
    """Posterior at most 1/l against somebody who knows the method, its parameters and everyone's quasi-identifiers.

    **Definition.** The groups of Tailor(l); inside each, Ace(l).

    **What its decisions look at.** Those of Tailor (quasi-identifiers, row order, the count of the most frequent value)
    and those of Ace inside each group (the counts of its values, coins, quasi-identifiers, row order). Permuting the
    sensitive values inside a final group leaves the counts of Tailor's group as they are and has the same probability
    over the coins. With ``values`` and ``k`` see :class:`~pellucid.anonymize.protecting.ProtectingMethod`.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Hybrid(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release.private.labels[4:].tolist()
    [2, 2, 3, 3]

    Reference: X. Xiao, Y. Tao, N. Koudas. Transparent anonymization: thwarting adversaries who know the algorithm.
    ACM TODS 35(2), 2010, section 3.3.
    """

    name: ClassVar[str] = "hybrid"
    draws: ClassVar[bool] = True
    several: ClassVar[bool] = True
    divides_together: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = "Tailor's groups divided further by Ace: small groups of people who look alike"
    guarantee: ClassVar[Guarantee] = "algorithm"
    explanation: ClassVar[str] = (
        "Hybrid first gathers people who look alike, cutting only where that gives nothing away (Tailor), and then "
        "divides each gathering by lot into small groups of people with different sensitive values (Ace). SoftCut "
        "does the same and also tries finer cuts, and Strata does it inside strata. Hybrid is for those who want the "
        "method of the paper."
    )
    reference: ClassVar[str] = "Xiao, Tao, Koudas: Transparent anonymization, TODS 2010, section 3.3"

    def group_rows(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """Decide the groups of a table whose rows are people of their own."""
        most = self.check(table, threads)
        columns = table.having(Role.SENSITIVE)
        if self.special or len(columns) > 1:
            if len(table) < 2 * max(self.l * most, self.fewest):
                return self.whole_leaf(table, coins, threads, progress)
            return self.leaves_of(table, coins, threads, progress)
        if len(table) < 2 * self.l * most:
            # Tailor cannot cut at all: the whole table is its one group
            return assign_and_slice(table, columns[0], self.l, coins, threads, progress)
        entries = lay_out(table, coins, threads)
        return grow_tree(entries, self.l, ace=True, coins=coins, threads=threads, progress=progress)

    def group_part(self, table: Table, counts: Sequence[Counts], coins: Coins) -> Grouping:  # noqa: ARG002
        """The groups of one part of a cut table: any choice of rows as large as a part is l-diverse."""
        return self.group(table, coins, threads=1)

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:  # noqa: ARG002
        """Nothing but the frequencies: every arrangement inside a group has the same probability."""
        from pellucid.posterior.shape import Likelihood  # here: publishing asks for none

        return Likelihood.transparent(grouping.sizes, len(people))
