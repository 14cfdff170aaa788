"""The groups of a release: rows with the same published values, and how often each sensitive value occurs in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.models.groups import Groups
from pellucid.published.grammar import STAR
from pellucid.runtime.parallel import SHORT

AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Groups as the models see them, and the way back to rows and published values.

    ``rows`` lists the rows group after group, and group g of ``groups`` is ``rows[first[g]:first[g] + sizes[g]]``.
    """

    table: Table
    forming: tuple[int, ...]
    groups: Groups
    rows: Codes
    first: NDArray[np.int64]

    def rows_of(self, group: int) -> Codes:
        """The rows of one group, in the order of the release."""
        start = int(self.first[group])
        return np.sort(self.rows[start : start + int(self.groups.sizes[group])])

    def published(self, group: int) -> dict[str, Any]:
        """What the release says about one group: the values that its rows share."""
        row = int(self.rows[self.first[group]])
        attributes = [(self.table.attributes[i], self.table.codes[i]) for i in self.forming]
        return {attribute.name: attribute.values[int(codes[row])] for attribute, codes in attributes}

    @property
    def labels(self) -> NDArray[np.int64]:
        """The group of each row of the table; -1 for one that is in none."""
        sizes = self.groups.sizes
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        labels = np.full(len(self.table), -1, np.int64)
        labels[self.rows[np.repeat(self.first, sizes) + within]] = np.repeat(np.arange(len(sizes)), sizes)
        return labels

    def vectors(self) -> dict[str, Codes]:
        """Each group's code in every column that forms the groups."""
        examples = self.rows[self.first]
        return {self.table.attributes[i].name: self.table.codes[i][examples] for i in self.forming}


def partition(
    table: Table,
    forming: Sequence[int],
    sensitive: int | None,
    *,
    exempt: Sequence[int] = (),
    nulls: bool = True,
    threads: int = 1,
) -> Partition:
    """Sort the rows once by the columns that form groups, then by the sensitive one, and count.

    Rows in which every column of ``exempt`` is ``*``, or null unless ``nulls`` is False, are in no group; they still
    count in the whole table's distribution, as the tool that wrote them had them before it suppressed them.
    """
    columns = [table.codes[i] for i in forming]
    sizes = [len(table.attributes[i]) for i in forming]
    if sensitive is not None:
        columns.append(table.codes[sensitive])
        sizes.append(len(table.attributes[sensitive]))
    rows, starts = sort_rows(columns, sizes, threads if len(table) >= SHORT else 1)
    # An entry is a stretch of rows that agree in all columns; a group is a stretch of entries.
    examples = rows[starts[:-1]]
    new = np.zeros(len(examples), np.bool_)
    new[0] = True
    for i in forming:
        codes = table.codes[i][examples]
        new[1:] |= codes[1:] != codes[:-1]
    values = table.codes[sensitive][examples] if sensitive is not None else np.zeros(len(examples), np.int32)
    attribute = table.attributes[sensitive] if sensitive is not None else NOTHING
    counts = np.diff(starts)
    whole = _whole_table(values, counts, len(attribute))
    entry = np.flatnonzero(new)
    first, distinct = starts[entry], np.diff(np.append(entry, len(examples)))
    if exempt:
        hidden = suppressed_rows(table, exempt, examples[entry], nulls=nulls)
        kept = np.repeat(~hidden, distinct)
        group_sizes = np.diff(np.append(first, len(table)))[~hidden]
        first, distinct, values, counts = first[~hidden], distinct[~hidden], values[kept], counts[kept]
    else:
        group_sizes = np.diff(np.append(first, len(table)))
    begin = np.append(0, np.cumsum(distinct)).astype(np.int64)
    groups = Groups(group_sizes, begin, np.ascontiguousarray(values), counts, whole, attribute)
    return Partition(table, tuple(forming), groups, rows, first)


def _whole_table(codes: Codes, counts: NDArray[np.int64], values: int) -> NDArray[np.int64]:
    """How often each value occurs, some entries at a time: numpy would copy them all to a wider type."""
    whole = np.zeros(values, np.int64)
    for start in range(0, len(codes), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        whole += np.bincount(codes[part], weights=counts[part], minlength=values).astype(np.int64)
    return whole


def suppressed_rows(
    table: Table, columns: Sequence[int], rows: Codes | None = None, *, nulls: bool = True
) -> NDArray[np.bool_]:
    """Which rows (all when None) say nothing: every column is ``*``, or null unless nulls are known to be values."""
    hidden = np.ones(len(table) if rows is None else len(rows), np.bool_)
    for i in columns:
        silent = silent_codes(table.attributes[i], nulls=nulls)
        if not silent.any():
            return np.zeros(len(hidden), np.bool_)
        codes = table.codes[i] if rows is None else table.codes[i][rows]
        hidden &= silent[codes]
    return hidden


def silent_codes(attribute: Attribute, *, nulls: bool = True) -> NDArray[np.bool_]:
    """Which codes of a column say nothing: ``*``, and null unless nulls are known to be values."""
    values = attribute.values
    silent = values.is_null() if nulls else pl.repeat(False, len(values), eager=True)
    if values.dtype == pl.String:
        silent = silent | (values == STAR).fill_null(False)
    return silent.to_numpy()


NOTHING = Attribute(
    name="",
    role=Role.SENSITIVE,
    kind=Kind.CATEGORY,
    values=pl.Series([None], dtype=pl.String),
    has_null=True,
    positions=np.array([-1]),
    width=0,
)
"""Stands for the sensitive column of a release that has none: one value in every row."""
