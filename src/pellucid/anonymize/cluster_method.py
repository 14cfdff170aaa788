"""Methods that take rows that belong together (a household, the stays of a patient) as one unit.

A way out that the next size of unit refuses is none. So all sizes are looked at before anything is grouped, and what is
named was tried: the largest l, and the largest number of rows that a unit may have.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from pydantic import Field

from pellucid.anonymize.clusters import Units, are_parted, cluster_name, group_units, parted_by_lot, units_of
from pellucid.anonymize.disclosure.shared_values import left_open_by_parting
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import MOST_QUASI
from pellucid.anonymize.method import STRICT, Method, each_value, named_values, sensitive_counts, shown_value
from pellucid.anonymize.named_nodes import require_sets, with_nodes
from pellucid.anonymize.protecting import ProtectingMethod, as_schema_says, in_company
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from pellucid.messages import Count, Message
from pellucid.messages.terms import CLUSTER_ROWS, PEOPLE, quoted_key
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress
from pellucid.text.figures import counted
from pellucid.text.values import joined_by_and

FEW_VALUES = 5  # that a way out lists
COUNTED = Coins.from_seed("counted")  # for what is counted and not published


class ClusterMethod(ProtectingMethod):
    """A protecting method that, where a column is a cluster, promises of no cluster that it has a value above 1/l.

    The definition is in :mod:`pellucid.anonymize.clusters`, the proof in docs/clusters.md.
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
    def not_computed(self) -> Message:
        """Who knows the clusters, where there are some."""
        if self.cluster_rows is None:
            return super().not_computed
        return Message(
            "clusters of at most {whole} were grouped as a whole and larger ones, if there are any, as several: "
            "somebody who knows that what these several have goes together is neither covered nor bounded; what "
            "others believe who know the clusters is",
            whole=Count(self.cluster_rows, "row"),
        )

    def sentence(self, table: Table) -> str:
        """The guarantee in one plain sentence: about whole clusters, where a column says which rows belong together."""
        if self.cluster_rows is None or self.l == 1:
            return super().sentence(table)
        unit = cluster_name(table)
        columns = [table.attributes[column].name for column in table.having(Role.SENSITIVE)]
        only = f" of at most {counted(self.cluster_rows, 'row')}" if self._parts(table) else ""
        named, by_itself = self._named(columns)
        promise = (
            f"Somebody who knows the method, its parameters, which rows belong together as one {unit} and everything "
            f"about everyone except {joined_by_and(columns)} names {named} that any one {unit}{only} has, in whichever "
            f"of its rows,{by_itself} with probability at most 1/{self.l}."
            f"{each_value([] if self.as_one else [self.about(column) for column in columns], f'a {unit}')}"
        )
        return promise if self.fewest == 1 else f"{promise} Every group has at least {self.fewest} rows."

    def _named(self, columns: Sequence[str]) -> tuple[str, str]:
        """What is named: a value, one of those that are protected, of each sensitive column; and how several are."""
        if self.values is None and len(columns) > 1:
            return "a value of each single one of these columns", ""
        told = partial(named_values, together=self.as_one)
        named = [f"{told(self.about(column))}a value of {column}" for column in columns]
        return joined_by_and(named), "" if len(named) == 1 else " each by itself,"

    def left_open(self, table: Table) -> list[str]:
        """What may depend on what inside a cluster, how larger ones are taken, and who is not covered."""
        if self.cluster_rows is None or self.l == 1:
            return []
        unit = cluster_name(table)
        if self._parts(table):
            each = "one row each" if self.cluster_rows == 1 else "at most so many"
            how_taken = (
                f"A {unit} of more than {counted(self.cluster_rows, 'row')} is taken as several of {each} that have "
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
        return are_parted(table, self.cluster_rows or 0)

    def check(self, table: Table, threads: int = 1) -> int:
        """How many rows, or clusters where these are units, have the most frequent value; raises as grouping would."""
        if self.cluster_rows is None or table.clusters is None:
            return super().check(table, threads)
        if self.together:
            method, merged = self.merging(table)
            return method.check(merged, threads)
        require_told_apart(table, self.cluster_rows)
        alone = self.model_copy(update={"cluster_rows": None})
        units = units_of(table, self.cluster_rows, COUNTED, threads)
        refuse_infeasible(table, units, alone)
        return max(alone.check(some.table, threads) for some in units)

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table: of its rows, or of its clusters where a column says which rows are one."""
        if self.together:
            method, merged = self.merging(table)
            return method.group(merged, coins, threads=threads, progress=progress)
        decide = self.group_rows if self.cluster_rows is None else self._group_clusters
        return decide(table, coins, thread_count(threads), progress)

    @abstractmethod
    def group_rows(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """Decide the groups of a table whose rows are people of their own."""

    def _group_clusters(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """The groups where rows that belong together are one unit (:mod:`pellucid.anonymize.clusters`)."""
        if self.cluster_rows is None or table.clusters is None:
            raise MethodError(
                "cluster_rows is about rows that belong together, and no column says which do",
                "give one {role}, or leave cluster_rows out",
                role=quoted_key("role", "cluster"),
            )
        require_told_apart(table, self.cluster_rows)
        alone = self.model_copy(update={"cluster_rows": None})

        def group(units: Table, coins: Coins) -> Grouping:
            return alone.group_rows(units, coins, threads, progress)

        units = units_of(table, self.cluster_rows, coins, threads)
        refuse_infeasible(table, units, alone)
        return group_units(table, units, coins, group)


def require_told_apart(table: Table, cluster_rows: int) -> None:
    """Raise where the coins would decide which rows of a cluster are one unit: that looks at nothing sensitive."""
    if (row := parted_by_lot(table, cluster_rows)) is None:
        return
    unit, largest = cluster_name(table), int(np.bincount(table.clusters).max()) if table.clusters is not None else 0
    raise MethodError(
        "a {unit} of more than {rows} is taken as several, and some of its rows agree in "
        "every quasi-identifier, such as row {row}: which of them go together would be drawn by lot, and whether a "
        "release can be made would differ from try to try",
        "name a column as the identifier, which puts rows in an order, or use {cluster_rows}",
        unit=unit,
        rows=Count(cluster_rows, "row"),
        row=row,
        cluster_rows=CLUSTER_ROWS.such_as(largest),
    )


def applied(method: Method, table: Table) -> Method:
    """The method as it is applied to a table: about the values that the schema protects, and about whole clusters.

    What is promised before a release is made and what the release promises are both sentences of this one.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi="age", sensitive="disease", cluster="zipcode")
    >>> applied(pc.SoftCut(l=2), table).sentence(table).partition(" names ")[2]
    'a value of disease that any one zipcode has, in whichever of its rows, with probability at most 1/2.'
    """
    method = in_company(with_nodes(as_schema_says(method, table.schema), table), table)
    require_sets(method, table)
    return for_clusters(method, table)


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
            "{method} takes every row as a person of its own, and a column says which rows belong together",
            "use {strict}, hybrid or ace; or drop that column: what is promised is then about single rows",
            method=method.name,
            strict=STRICT,
        )
    largest = int(np.bincount(table.clusters).max())
    asked = largest if method.cluster_rows is None else min(largest, method.cluster_rows)
    return method.model_copy(update={"cluster_rows": asked})


def refuse_infeasible(table: Table, units: Sequence[Units], method: ProtectingMethod) -> None:
    """Raise where units of a size cannot be grouped; the message names the first, and ways out that no size refuses.

    ``method`` takes every unit as a row.
    """
    found = [(some, said) for some in units if (said := obstacle(some, method))]
    if not found:
        return
    some, said = found[0]
    more = f" (and of {len(found) - 1} larger sizes it is not either)" if len(found) > 1 else ""
    problem = Message("{which}: {said}{more}", which=_of_which(some), said=said, more=more)
    ways = [*_smaller_l(units, method), *_fewer_rows(table, units, method), *_fewer_values(units, method)]
    raise Infeasible(problem, Message.joined([*ways, *_without_clusters(table, method)] or [_VALUES], ", or "))


_VALUES = Message(
    "name the values that must not be learned with {VALUES}, so that the frequent ones are not among them"
)


def _without_clusters(table: Table, method: ProtectingMethod) -> list[Message]:
    """One row of each, with the rows that go, or a promise about rows; nothing where rows are in the way themselves."""
    try:
        method.check_counting("rows", replace(table, clusters=None))
    except Infeasible:
        return []
    unit, rows = cluster_name(table), len(table)
    units = 0 if table.clusters is None else len(np.unique(table.clusters))
    return [
        Message(
            "publish one row of each {unit}, by lot, with {one} ({gone:,} of {rows:,} rows go)",
            unit=unit,
            one=PEOPLE.such_as(f"{unit}=one"),
            gone=rows - units,
            rows=rows,
        ),
        Message("protect each row by itself with {row}", row=PEOPLE.such_as(f"{unit}=row")),
    ]


def ways_to_more(table: Table, method: ClusterMethod, largest: int) -> Message:
    """What can be done so that l may be one more than the largest with which all clusters can be grouped.

    >>> import pellucid as pc, polars as pl
    >>> ill = {"home": [1, 1, 2, 2], "age": [40, 3, 5, 41], "ill": ["flu", "cold", "flu", "gout"]}
    >>> table = pc.read(pl.DataFrame(ill), quasi="age", sensitive="ill", cluster="home")
    >>> ways_to_more(table, applied(pc.SoftCut(l=2), table), 1).partition(", or ")[2]
    "protect all values but 'flu', and 'flu' is then not protected"
    """
    more = method.model_copy(update={"l": largest + 1, "cluster_rows": None})
    units = units_of(table, method.cluster_rows or 1, COUNTED)
    return Message.joined([*_fewer_rows(table, units, more), *_fewer_values(units, more)], ", or ")


def obstacle(some: Units, method: ProtectingMethod) -> str:
    """Why units of one size cannot be grouped; empty where they can."""
    quasi = len(some.table.having(Role.QUASI))
    if quasi > MOST_QUASI:
        return f"side by side they have {quasi} quasi-identifiers, and at most {MOST_QUASI} are supported"
    try:
        method.check_counting("rows" if some.size == 1 else "clusters", some.table)
    except Infeasible as wrong:
        return wrong.message.problem
    return ""


def _of_which(some: Units) -> Message:
    """The units that a message is about, which it counts."""
    if some.size == 1:
        return Message("of the {rows:,} rows that are a cluster of their own", rows=len(some.rows))
    number = f"{len(some.rows):,} clusters" if len(some.rows) > 1 else "one cluster"
    return Message("of the {number} of {size} rows", number=number, size=some.size)


def _none_in_the_way(units: Iterable[Units], method: ProtectingMethod) -> bool:
    return not any(obstacle(some, method) for some in units)


def _smaller_l(units: Sequence[Units], method: ProtectingMethod) -> list[str]:
    """The largest smaller l with which all sizes can be grouped; none where there is none."""
    for l in range(method.l - 1, 1, -1):
        if _none_in_the_way(units, method.model_copy(update={"l": l})):
            return [f"use l = {l} or less"]
    return []


def _fewer_rows(table: Table, units: Sequence[Units], method: ProtectingMethod) -> list[str]:
    """The largest number of rows of a unit with which all sizes can be grouped, larger clusters taken as several."""
    for rows in range(max(some.size for some in units) - 1, 0, -1):
        if parted_by_lot(table, rows) is None and _none_in_the_way(units_of(table, rows, COUNTED), method):
            alone = ", which promises about single rows" if rows == 1 else ""
            beware = left_open_by_parting(table, method)
            return [
                Message(
                    "take larger clusters as several with {cluster_rows}{alone}{beware}",
                    cluster_rows=CLUSTER_ROWS.such_as(rows),
                    alone=alone,
                    beware=beware,
                )
            ]
    return []


def _fewer_values(units: Sequence[Units], method: ProtectingMethod) -> list[str]:
    """What to leave unprotected, where that is a few values of one sensitive column and all sizes are large enough."""
    names = {units[0].table.attributes[i].name for i in units[0].table.having(Role.SENSITIVE)}
    wide = any(len(some.table.having(Role.QUASI)) > MOST_QUASI for some in units)
    if wide or len(names) > 1 or method.values is not None:
        return []
    frequent: set[int] = set()
    others: set[int] = set()
    for some in units:
        ((attribute, counts),) = sensitive_counts(some.table)
        counts = counts[: len(attribute.values)]
        frequent |= set(np.flatnonzero(counts * method.l > len(some.table)).tolist())
        others |= set(np.flatnonzero(counts).tolist())
    if not 0 < len(frequent) <= min(FEW_VALUES, len(others) - 1):
        return []
    values = units[0].table.attributes[units[0].table.having(Role.SENSITIVE)[0]].values
    shown = Message.joined([shown_value(values[code]) for code in sorted(frequent)], " and ")
    null = any(values[code] is None for code in others - frequent)
    return [
        Message(
            "protect all values but {shown}{null}, and {shown} {are} then not protected",
            shown=shown,
            null=Message(', with {NULL} written as "null"') if null else "",
            are="is" if len(frequent) == 1 else "are",
        )
    ]
