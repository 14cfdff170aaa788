"""SoftCut: Hybrid that may also try a cut; a secret die blurs its refusals, which are paid for. The strict form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import lay_out
from pellucid.anonymize.layout.first_cut import Drawn, first_cut
from pellucid.anonymize.layout.leaves import Leaves, divide_leaves
from pellucid.anonymize.layout.tentative_cuts import ROOT_PLACE, Place, Trying, die_of, smallest_side
from pellucid.anonymize.layout.tree import grow_tree, whole
from pellucid.anonymize.method import Guarantee
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.kernels.die import Die
from pellucid.models import Groups
from pellucid.models.groups import Counts
from pellucid.runtime.progress import SILENT, Progress

if TYPE_CHECKING:
    from pellucid.posterior.shape import Likelihood


class SoftCut(ClusterMethod):
    """Posterior at most 1/l against somebody who knows the method, its parameters and everyone's quasi-identifiers.

    **Definition.** n is the number of rows of a node, c that of its most frequent value; q is l, and l + 1 below a
    refused cut. A node with n >= 2 * q * c gets the canonical cut of Tailor(q), as there is no way for it to fail. Any
    other node is *tried* if it lies below a cut and below no refused one, if (l + 1) * c <= n, and if some cut
    between different codes leaves both sides at least low = ceil(2 * l * l * n / (n - l * c)) rows: the canonical one
    of these. Its slack t is the smaller of floor(size / l) - (count of the most frequent value) of
    the two sides. A secret die with l sides is thrown until it shows a 1: the cut is accepted when at most t throws
    came before, else it is refused and the node is grown on with q = l + 1. Leaves without a refused cut above them
    are divided by Ace(l). The others by lot: the buckets of Assign(l + 1), each divided at random into groups with one
    row of each value. A table in which no cut is certain is first cut between different codes, with the same low, if
    the buckets of Ace(l) allow it, and below it nothing is tried where 5 * l * c > 4 * n; else it is Ace's
    (:mod:`pellucid.anonymize.layout.first_cut`). ``values`` and ``k``: see
    :class:`pellucid.anonymize.protecting.ProtectingMethod`; counts are then those of protected values.

    **What its decisions look at.** The counts of a node, quasi-identifiers, row order and coins, as Hybrid's; and,
    where a cut is tried, the counts of its two sides. No group reaches across an accepted cut, so these counts are the
    same whoever has which value inside a group. A refused cut lies above groups of l + 1 or more different values. If
    two people of such a group swap their values, t changes by at most 1 and the probability of the refusal by a factor
    of at most l / (l - 1). So a person has a value with probability at most 1 / (1 + (l - 1) / l * (g - 1)) in a group
    of g rows, which is at most 1/l because g > l. The whole proof is in docs/softcut.md.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(
    ...     patients, pc.SoftCut(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name"
    ... )
    >>> release.private.labels[4:].tolist()
    [2, 2, 3, 3]

    Reference: this project, docs/softcut.md; it builds on X. Xiao, Y. Tao, N. Koudas. Transparent anonymization:
    thwarting adversaries who know the algorithm. ACM TODS 35(2), 2010.
    """

    name: ClassVar[str] = "soft-cut"
    draws: ClassVar[bool] = True
    several: ClassVar[bool] = True
    divides_together: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = (
        "small groups of people who look alike; tries finer cuts, a secret die hides why one is refused"
    )
    guarantee: ClassVar[Guarantee] = "algorithm"
    explanation: ClassVar[str] = (
        "SoftCut gathers people who look alike into small groups. Where a finer cut is not certain to be safe, it "
        "looks whether one is possible, but demands a secret random slack (throws of a die), so that a refusal tells "
        "almost nothing about anybody; what little it tells is paid for with one more row in each group below it. "
        "People in one group look more alike than with Hybrid, most of all where one sensitive value is common, and "
        "the promise is the same. It is the strict form: 1/l for everybody, for an attacker without statistics."
    )
    reference: ClassVar[str] = "ours (docs/softcut.md), after Xiao, Tao, Koudas: Transparent anonymization, TODS 2010"

    def group_rows(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """Decide the groups of a table whose rows are people of their own."""
        most = self.check(table, threads)
        columns = table.having(Role.SENSITIVE)
        die = die_of(coins, self.l)
        if self.special or len(columns) > 1:
            if len(table) >= 2 * max(self.l * most, self.fewest):
                return self.leaves_of(table, coins, threads, progress, die)
            if len(columns) > 1:  # the first cut is for one column
                return self.whole_leaf(table, coins, threads, progress)
            return self._opened(table, columns[0], most, coins, threads, progress, die)
        how: dict[str, Any] = {"ace": True, "coins": coins, "threads": threads, "progress": progress, "die": die}
        if len(table) >= 2 * self.l * most:
            return grow_tree(lay_out(table, coins, threads), self.l, **how)
        drawn = Drawn.of(table, columns[0], self.l, coins, threads)
        side = smallest_side(len(table), most, self.l)
        if side is not None:
            entries = lay_out(table, coins, threads)
            cut = first_cut(entries, side, die)
            if cut is not None and drawn.allow(cut[0], self.l):
                return grow_tree(entries, self.l, **how, subtrees=cut[1])
            del entries, cut
        return drawn.sliced(table, threads, progress)

    def _opened(
        self, table: Table, column: int, most: int, coins: Coins, threads: int, progress: Progress, die: Die
    ) -> Grouping:
        """The groups with ``values`` or ``k`` where no cut is certain: below the first cut, or Ace's."""
        leaves = Leaves.whole(table, coins, "assign", threads)
        labels = self.labels(table, column, leaves)
        side = smallest_side(len(table), most, self.l, self.fewest)
        if side is not None:
            entries = lay_out(table, coins, threads)
            cut = first_cut(entries, side, die)
            values = len(table.attributes[column])
            if cut is not None and Drawn.labelled(leaves, labels, values, self.l, threads).allow(cut[0], self.l):
                return self.leaves_of(table, coins, threads, progress, die, (entries, cut[1]))
            del entries, cut
        progress.stage("grouping", len(table))
        return divide_leaves(table, leaves, labels, self.l, self.fewest, threads)

    def trying(self, outline: Table, coins: Coins) -> Trying:
        """What decides about cuts of nodes that no machine holds, from their counts."""
        (column,) = outline.having(Role.SENSITIVE)
        return Trying(self.l, self.fewest, self.protected(outline.attributes[column]), die_of(coins, self.l))

    def group_part(
        self,
        table: Table,
        counts: Sequence[Counts],  # noqa: ARG002
        coins: Coins,
        place: Place = ROOT_PLACE,
    ) -> Grouping:
        """The groups of one part of a cut table: the tree is grown on from its place."""
        if not place.path:
            return self.group(table, coins, threads=1)
        die = die_of(coins, self.l)
        entries = lay_out(table, coins, 1)
        begun = [whole(entries, place.name(die), place.refused)]
        if self.special:
            return self.leaves_of(table, coins, 1, SILENT, die, (entries, begun))
        how: dict[str, Any] = {"ace": True, "coins": coins, "threads": 1, "progress": SILENT, "die": die}
        return grow_tree(entries, self.l, **how, subtrees=begun)

    @property
    def at_most(self) -> Fraction | None:
        """1/l where groups need k rows, some values only are protected, or clusters are units: it is bounded."""
        return Fraction(1, self.l) if self.special or self.cluster_rows is not None else None

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:
        """Of l rows or fewer, nothing but the frequencies. Above a larger group one cut may have been refused.

        Each value has one row in it, so whoever has which value, no side of that cut has more than one row of a value
        more or less, and the slack differs by at most 1. In a small table no cut is ever tried. With ``values`` or
        ``k``, ``at_most`` says it.
        """
        from pellucid.posterior.shape import Blurred, Likelihood  # here: publishing asks for none

        plain = Likelihood.transparent(grouping.sizes, len(people))
        if self.at_most is not None or self.l == 1 or int(published.sizes.sum()) <= 12 * self.l**2:
            # a tried node has n - l*c >= 4*l*l and l*c > n/2, so n > 8*l*l; beside it, the cut above has a
            # side of more than 4*l*l rows: a certain one of l*c or more, a first one by its smallest side
            return plain
        ratio = Fraction(self.l, self.l - 1)
        return replace(plain, shapes=[s if s.sizes[0] <= self.l else Blurred(s.sizes, ratio) for s in plain.shapes])
