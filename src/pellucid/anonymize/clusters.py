"""Rows that belong together (a household, the stays of a patient) as one unit: the promise is about the whole of it.

**Definition.** The rows of a cluster are ordered by their quasi-identifiers (in the schema's order), then by row
order, and parted from the front into *units* of ``cluster_rows`` rows; the last may have fewer. Units of equally many
rows make a table of their own with one row for each unit: the quasi-identifiers of its first row, of its second row and
so on (one that is the same throughout every unit, such as the town of a household, once), and for every sensitive
column the set of values that the unit has. The method groups the units of each size apart from the others, with coins
of their own, as it does for several sensitive columns: a value counts once for a unit, however many rows have it. The
first rows of a group's units are then one group of the release, their second rows another, and so on: two rows of a
unit are never in one group.

**What its decisions look at.** How rows are parted, ordered and laid side by side: the clusters, quasi-identifiers and
row order alone, which the attacker knows. Everything else is the method's. So whole units trade their values, as people
do in docs/several.md, whatever goes with what inside one of them. The proof is in docs/clusters.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import row_order, sort_rows
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.runtime.records import record

Longs = NDArray[np.int64]


@record(eq=False)
class Units:
    """Units of equally many rows: ``rows[unit]`` are the rows of each, ``table`` has one row for each."""

    rows: Codes
    table: Table

    @property
    def size(self) -> int:
        """How many rows each has."""
        return int(self.rows.shape[1])


def cluster_name(table: Table) -> str:
    """What the schema calls the column that says which rows belong together."""
    named = [] if table.schema is None else table.schema.names(Role.CLUSTER)
    return named[0] if named else "cluster"


def are_parted(table: Table, cluster_rows: int | None) -> bool:
    """Whether some cluster of a table has more rows than are one unit; all rows of each are where nobody says less."""
    if table.clusters is None or cluster_rows is None:
        return False
    return int(np.bincount(table.clusters).max(initial=0)) > cluster_rows


def units_of(table: Table, cluster_rows: int, coins: Coins, threads: int = 1) -> list[Units]:
    """The units of a table, the smallest first.

    >>> import pellucid as pc, polars as pl
    >>> homes = pl.DataFrame({"home": [1, 1, 2, 2], "age": [40, 3, 5, 41], "ill": ["flu", "flu", "flu", "cold"]})
    >>> table = pc.read(homes, quasi="age", sensitive="ill", cluster="home")
    >>> (units,) = units_of(table, 2, Coins.from_seed(1))
    >>> units.rows.tolist(), [codes.tolist() for codes in units.table.codes]
    ([[1, 0], [2, 3]], [[0, 1], [2, 3], [1, 0], [2, 1]])
    """
    order = row_order(table, coins, threads)
    return [
        Units(rows, _side_by_side(table, rows, order if table.order is not None else None))
        for rows in _parted(table, cluster_rows, order, threads)
    ]


def unit_of_rows(table: Table, cluster_rows: int, threads: int = 1) -> Codes:
    """The number of each row's unit; which rows make one does not depend on coins (:func:`parted_by_lot`).

    >>> import pellucid as pc, polars as pl
    >>> homes = pl.DataFrame({"home": [7, 5, 7, 7], "age": [40, 5, 3, 41], "ill": ["flu", "flu", "cold", "cold"]})
    >>> table = pc.read(homes, quasi="age", sensitive="ill", cluster="home")
    >>> unit_of_rows(table, 3).tolist(), unit_of_rows(table, 2).tolist()
    ([1, 0, 1, 1], [1, 0, 1, 2])
    """
    assert table.clusters is not None
    if not are_parted(table, cluster_rows):
        return table.clusters
    order = np.arange(len(table)) if table.order is None else table.order
    rows, starts, _ = _sorted(table, cluster_rows, order, threads)
    units = np.empty(len(table), np.int32)
    units[rows] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    return units


def parted_by_lot(table: Table, cluster_rows: int) -> int | None:
    """A row that no order of a schema tells from the one before it, which is in another unit; None where there is none.

    Without an identifier the coins decide which of two such rows comes first, and so what a unit has. Whether units can
    be grouped would then differ from try to try, and trying until they can would tell something of their values.

    >>> import pellucid as pc, polars as pl
    >>> homes = pl.DataFrame({"home": [1, 1, 1, 2], "age": [40, 5, 40, 41], "ill": ["flu", "flu", "cold", "cold"]})
    >>> table = pc.read(homes, quasi="age", sensitive="ill", cluster="home")
    >>> parted_by_lot(table, 2), parted_by_lot(table, 3), parted_by_lot(table, 1)
    (2, None, None)
    """
    if table.clusters is None or table.order is not None or cluster_rows == 1:  # a row alone is what it is
        return None
    rows, starts, first = _sorted(table, cluster_rows, np.arange(len(table)), 1)
    later = starts[~first[starts]]  # units that are not the first of their cluster
    alike = np.ones(len(later), bool)
    for i in table.having(Role.QUASI):
        alike &= table.codes[i][rows[later]] == table.codes[i][rows[later - 1]]
    return int(rows[later[alike]][0]) if alike.any() else None


def _sorted(table: Table, cluster_rows: int, order: Longs, threads: int) -> tuple[Longs, Longs, NDArray[np.bool_]]:
    """The rows as they are parted, where units begin among them, and which rows are the first of their cluster."""
    assert table.clusters is not None
    quasi = table.having(Role.QUASI)
    by_order = np.argsort(order)  # the sort is stable: rows that agree in all stay so
    columns = [table.clusters[by_order], *(table.codes[i][by_order] for i in quasi)]
    sizes = [int(table.clusters.max()) + 1, *(len(table.attributes[i]) for i in quasi)]
    rows = by_order[sort_rows(columns, sizes, threads)[0]]
    rows_of = np.bincount(table.clusters)
    rows_of = rows_of[rows_of > 0]
    place = np.arange(len(rows)) - np.repeat(np.cumsum(rows_of) - rows_of, rows_of)
    return rows, np.flatnonzero(place % cluster_rows == 0), place == 0


def _parted(table: Table, cluster_rows: int, order: Longs, threads: int) -> Iterator[Codes]:
    """The rows of the units, by their number of rows."""
    rows, starts, _ = _sorted(table, cluster_rows, order, threads)
    lengths = np.diff(np.append(starts, len(rows)))
    for size in np.unique(lengths).tolist():
        first = starts[lengths == size]
        yield np.ascontiguousarray(rows[first[:, None] + np.arange(size)], dtype=np.int32)


def _side_by_side(table: Table, rows: Codes, order: Longs | None) -> Table:
    """One row for each unit; the order of units is that of the rows that come first in them."""
    columns: list[tuple[Attribute, Codes]] = []
    for i in table.having(Role.QUASI):
        codes_of_rows = table.codes[i][rows]
        places = 1 if (codes_of_rows == codes_of_rows[:, :1]).all() else codes_of_rows.shape[1]
        columns += [(table.attributes[i], codes_of_rows[:, place]) for place in range(places)]
    for i in table.having(Role.SENSITIVE):
        columns += _sets(table.attributes[i], table.codes[i][rows])
    first = None if order is None else np.argsort(np.argsort(order[rows].min(axis=1)))
    codes = tuple(np.ascontiguousarray(codes_of_rows, dtype=np.int32) for _, codes_of_rows in columns)
    return Table(tuple(attribute for attribute, _ in columns), codes, first)


def _sets(attribute: Attribute, codes: Codes) -> list[tuple[Attribute, Codes]]:
    """The different values of every unit, ascending, in as many columns as the unit with the most of them needs."""
    nothing = len(attribute)
    values = np.sort(codes, axis=1)
    values[:, 1:][values[:, 1:] == values[:, :-1]] = nothing
    values = np.sort(values, axis=1)
    most = int((values != nothing).sum(axis=1).max())
    several = attribute if most == 1 else replace(attribute, absent=True)
    return [(several, values[:, place]) for place in range(most)]


def group_units(
    table: Table, units: Sequence[Units], coins: Coins, group: Callable[[Table, Coins], Grouping]
) -> Grouping:
    """The groups of a table whose units ``group`` divides: of rows that stand at the same place of their units."""
    labels = np.empty(len(table), np.int32)
    groups = 0
    for some in units:
        grouping = group(some.table, coins.part(f"clusters of {some.size}"))
        labels[some.rows] = groups + grouping.labels[:, None] * some.size + np.arange(some.size)
        groups += len(grouping) * some.size
    return Grouping.from_labels(labels)
