"""Tailor: cut while both sides are sure to stay diverse."""

from __future__ import annotations

from typing import ClassVar

from pellucid.coins import Coins
from pellucid.group.entries import lay_out
from pellucid.group.grouping import Grouping
from pellucid.group.method import DiversityMethod
from pellucid.group.tree import grow_tree
from pellucid.parallel import thread_count
from pellucid.progress import SILENT, Progress
from pellucid.table import Table


class Tailor(DiversityMethod):
    """Posterior at most 1/l against somebody who knows the method, its parameters and everyone's quasi-identifiers.

    **Definition.** Start with one group. While a group has at least 2 * l * c rows, c being the number of rows of
    its most frequent sensitive value, replace it by its canonical cut. A cut on attribute i at position k sorts the
    group by (code on i, row order) and takes the first k rows, l * c <= k <= size - l * c. The canonical cut has
    the smallest total perimeter; ties go to the lowest attribute, then to the smallest k. With several sensitive
    columns, c is the largest count over all of them, and each column is protected.

    **What its decisions look at.** Quasi-identifiers, row order, and c. Permuting sensitive values inside the final
    groups changes none of these, so every such permutation would have led to the same release: the posterior of a
    value is its frequency in the group.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Tailor(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release.private.labels.tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]

    Reference: X. Xiao, Y. Tao, N. Koudas. Transparent anonymization: thwarting adversaries who know the algorithm.
    ACM TODS 35(2), 2010, section 3.1.
    """

    name: ClassVar[str] = "tailor"
    summary: ClassVar[str] = "cuts groups only where both sides are sure to stay diverse"
    guarantee: ClassVar[str] = "algorithm"
    explanation: ClassVar[str] = (
        "Tailor starts with everybody in one group and cuts groups in two as long as both parts are certain to stay "
        "diverse, whichever way the sensitive values fall. Whether to cut never depends on who has which value, so the "
        "cuts give nothing away. It draws no coins, except for the order of rows when there is no identifier. It is "
        "the method for tables with several sensitive columns; its groups are larger than Hybrid's."
    )
    reference: ClassVar[str] = "Xiao, Tao, Koudas: Transparent anonymization, TODS 2010, section 3.1"

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        threads = thread_count(threads)
        self.check(table, threads)
        entries = lay_out(table, coins, threads)
        return grow_tree(entries, self.l, ace=False, coins=coins, threads=threads, progress=progress)
