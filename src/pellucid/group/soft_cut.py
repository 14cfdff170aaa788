"""SoftCut: Hybrid that may also try a cut, and whose refusals are blurred by a secret die and paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from pellucid.coins import Coins
from pellucid.group.buckets import assign_and_slice
from pellucid.group.entries import lay_out
from pellucid.group.grouping import Grouping
from pellucid.group.method import DiversityMethod, Guarantee, check_column, require_columns, single_sensitive
from pellucid.group.tree import grow_tree
from pellucid.kernels.die import Die
from pellucid.model import Groups
from pellucid.model.groups import Counts
from pellucid.parallel import thread_count
from pellucid.posterior.shape import Blurred, Likelihood
from pellucid.progress import SILENT, Progress
from pellucid.table import Table


class SoftCut(DiversityMethod):
    """Posterior at most 1/l against somebody who knows the method, its parameters and everyone's quasi-identifiers.

    **Definition.** n is the number of rows of a node, c that of its most frequent value; q is l, and l + 1 below a
    refused cut. A node with n >= 2 * q * c gets the canonical cut of Tailor(q), as there is no way for it to fail. Any
    other node is *tried* if it lies below one of these cuts and below no refused one, if (l + 1) * c <= n, and if
    there is a cut between different codes that leaves both sides at least low = ceil(2 * l * l * n / (n - l * c)) rows:
    the canonical one of these. Its slack t is the smaller of floor(size / l) - (count of the most frequent value) of
    the two sides. A secret die with l sides is thrown until it shows a 1: the cut is accepted when at most t throws
    came before, else it is refused and the node is grown on with q = l + 1. Leaves without a refused cut above them
    are divided by Ace(l). The others by lot: the buckets of Assign(l + 1), each divided at random into groups with one
    row of each value.

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
    summary: ClassVar[str] = "Hybrid that also tries cuts: a secret die hides why one is refused"
    guarantee: ClassVar[Guarantee] = "algorithm"
    explanation: ClassVar[str] = (
        "SoftCut gathers people who look alike as Hybrid does, and where no further cut is certain to be safe it tries "
        "one. Whether it keeps the cut depends on how diverse both parts are and on a secret die, so that a refused "
        "cut says almost nothing about anybody; what little it says is paid for with one more person in each group "
        "below it. People in one group look more alike than with Hybrid, most of all where one sensitive value is "
        "common, and the promise is the same."
    )
    reference: ClassVar[str] = "ours (docs/softcut.md), after Xiao, Tao, Koudas: Transparent anonymization, TODS 2010"

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        column = single_sensitive(table, "SoftCut")
        threads = thread_count(threads)
        most = self.check(table, threads)
        if len(table) < 2 * self.l * most:
            # no certain cut at the root, so none is tried either: the whole table is one leaf
            return assign_and_slice(table, column, self.l, coins, threads, progress)
        entries = lay_out(table, coins, threads)
        die = die_of(coins, self.l)
        return grow_tree(entries, self.l, ace=True, coins=coins, threads=threads, progress=progress, die=die)

    def check_counts(self, outline: Table, counts: Sequence[Counts]) -> None:
        """Raise when no release of a table with these attributes and sensitive counts is l-diverse."""
        require_columns(outline)
        column = single_sensitive(outline, "SoftCut")
        check_column(outline.attributes[column], counts[0], self.l)

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:
        """Of l rows or fewer, nothing but the frequencies. Above a larger group one cut may have been refused.

        Each value has one row in it, so whoever has which value, no side of that cut has more than one row of a value
        more or less, and the slack differs by at most 1. In a small table no cut is ever tried.
        """
        plain = Likelihood.transparent(grouping.sizes, len(people))
        if self.l == 1 or int(published.sizes.sum()) <= 12 * self.l**2:
            # a tried node has n - l*c >= 4*l*l and l*c > n/2, so n > 8*l*l; the other side of the cut above has more
            # than l*c rows again
            return plain
        ratio = Fraction(self.l, self.l - 1)
        return replace(plain, shapes=[s if s.sizes[0] <= self.l else Blurred(s.sizes, ratio) for s in plain.shapes])


def die_of(coins: Coins, sides: int) -> Die:
    """The die of a release."""
    return Die(sides, *coins.subkey("node"), *coins.subkey("die"))
