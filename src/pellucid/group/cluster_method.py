"""Methods that take rows that belong together (a household, the stays of a patient) as one unit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from pydantic import Field

from pellucid.advice import quoted_key
from pellucid.coins import Coins
from pellucid.errors import MethodError
from pellucid.group.cluster_ways_out import refuse_infeasible
from pellucid.group.clusters import group_units, units_of
from pellucid.group.grouping import Grouping
from pellucid.group.method import DEFAULT, Method
from pellucid.group.protecting import ProtectingMethod
from pellucid.parallel import thread_count
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role
from pellucid.table import Table


class ClusterMethod(ProtectingMethod):
    """A protecting method that, where a column is a cluster, promises of no cluster that it has a value above 1/l.

    The definition is in :mod:`pellucid.group.clusters`, the proof in docs/clusters.md.
    """

    cluster_rows: int | None = Field(
        default=None,
        ge=1,
        description="where a column is a cluster: the most rows of one that are one unit, all when not given",
    )

    @property
    def at_most(self) -> Fraction | None:
        """1/l where a group may be put together of several buckets, or its rows are parts of clusters."""
        return super().at_most if self.cluster_rows is None else Fraction(1, self.l)

    @property
    def not_computed(self) -> str:
        """Who knows the clusters, where there are some."""
        if self.cluster_rows is None:
            return super().not_computed
        return "rows are parts of clusters, which were grouped as a whole: what somebody believes who knows them is"

    def sentence(self, table: Table) -> str:
        """The guarantee in one plain sentence: about whole clusters, where a column says which rows belong together."""
        if self.cluster_rows is None or self.l == 1:
            return super().sentence(table)
        unit = cluster_name(table)
        columns = [table.attributes[column].name for column in table.having(Role.SENSITIVE)]
        listed = columns[0] if len(columns) == 1 else f"{', '.join(columns[:-1])} and {columns[-1]}"
        only = f" of at most {self.cluster_rows} rows" if self._parts(table) else ""
        promise = (
            f"Somebody who knows the method, its parameters, which rows belong together as one {unit} and everything "
            f"about everyone except {listed} names {self._value_of(columns)} that any one {unit}{only} has, in "
            f"whichever of its rows, with probability at most 1/{self.l}."
        )
        return promise if self.fewest == 1 else f"{promise} Every group has at least {self.fewest} rows."

    def _value_of(self, columns: Sequence[str]) -> str:
        """What is named: a protected value of the sensitive column, or of each single one of several."""
        protected = "" if self.values is None else "protected "
        return f"a {protected}value of {columns[0] if len(columns) == 1 else 'each single one of these columns'}"

    def left_open(self, table: Table) -> list[str]:
        """What may depend on what inside a cluster, how larger ones are taken, and who is not covered."""
        if self.cluster_rows is None or self.l == 1:
            return []
        unit = cluster_name(table)
        if self._parts(table):
            how_taken = (
                f"A {unit} of more than {self.cluster_rows} rows is taken as several of at most so many that have "
                f"nothing to do with each other: of the whole of it up to 1/{self.l} may be believed for each of "
                "these, and somebody who knows that what they have goes together is not covered."
            )
        else:
            how_taken = (
                f"What the rows of one {unit} have may depend on each other in any way that does not ask which row is "
                "which, if all ways of handing it out to those of as many rows seem equally likely."
            )
        knows = f"Somebody who knows what one row of a {unit} has, such as one of its members, is not covered"
        return [how_taken, f"{knows} and may learn what its other rows have."]

    def _parts(self, table: Table) -> bool:
        """Whether some cluster of the table is taken as several."""
        return table.clusters is not None and int(np.bincount(table.clusters).max()) > (self.cluster_rows or 0)

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table: of its rows, or of its clusters where a column says which rows are one."""
        decide = self.group_rows if self.cluster_rows is None else self._group_clusters
        return decide(table, coins, thread_count(threads), progress)

    @abstractmethod
    def group_rows(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """Decide the groups of a table whose rows are people of their own."""

    def _group_clusters(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """The groups where rows that belong together are one unit (:mod:`pellucid.group.clusters`)."""
        if self.cluster_rows is None or table.clusters is None:
            raise MethodError(
                "cluster_rows is about rows that belong together, and no column says which do",
                f"give one {quoted_key('role', 'cluster')}, or leave cluster_rows out",
            )
        alone = self.model_copy(update={"cluster_rows": None})

        def group(units: Table, coins: Coins) -> Grouping:
            return alone.group_rows(units, coins, threads, progress)

        units = units_of(table, self.cluster_rows, coins, threads)
        refuse_infeasible(table, units, alone)
        return group_units(table, units, coins, group)


def cluster_name(table: Table) -> str:
    """What the schema calls the column that says which rows belong together."""
    named = [] if table.schema is None else table.schema.names(Role.CLUSTER)
    return named[0] if named else "cluster"


def for_clusters(method: Method, table: Table) -> Method:
    """The method that takes rows that belong together as one unit, where a table says which do.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi="age", sensitive="disease", cluster="zipcode")
    >>> for_clusters(pc.SoftCut(l=2), table).cluster_rows
    3
    """
    if table.clusters is None:
        return method
    if not isinstance(method, ClusterMethod):
        raise MethodError(
            f"{method.name} takes every row as a person of its own, and a column says which rows belong together",
            f"use {DEFAULT}, hybrid or ace; or drop that column: what is promised is then about single rows",
        )
    largest = int(np.bincount(table.clusters).max())
    asked = largest if method.cluster_rows is None else min(largest, method.cluster_rows)
    return method.model_copy(update={"cluster_rows": asked})
