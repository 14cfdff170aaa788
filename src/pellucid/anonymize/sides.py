"""Values that not everybody may have, as a schema declares: whom a column applies to, for whom a value is ruled out.

Everybody knows such a rule, and strikes out of a group whom it is about. So no group may have people of both sides
(``same`` of Strata), and nobody may have what is ruled out for them, or the rule tells of others than it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.same import Side
from pellucid.core.schema import Column, Role
from pellucid.core.table import Table
from pellucid.errors import SchemaError
from pellucid.messages import Count
from pellucid.text.values import label_of

Marks = NDArray[np.bool_]


def declared(table: Table) -> Iterator[tuple[int, Column]]:
    """The sensitive columns of which the schema says who may have which value, by their places."""
    for place in table.having(Role.SENSITIVE):
        known = None if table.schema is None else table.schema.columns.get(table.attributes[place].name)
        if known is not None and known.conditions:
            yield place, known


def applying(table: Table, column: Column) -> Marks:
    """The rows to which a column applies."""
    return np.ones(len(table), np.bool_) if column.applies is None else Side.of(column.applies, table).marks(table)


def sizes_applying(table: Table, grouping: Grouping) -> dict[str, NDArray[np.int64]]:
    """How many rows of each group each sensitive column applies to."""
    columns = dict(declared(table))
    return {
        table.attributes[i].name: np.bincount(
            grouping.labels[(grouping.labels >= 0) & applying(table, columns[i])], minlength=len(grouping)
        )
        if i in columns
        else grouping.sizes
        for i in table.having(Role.SENSITIVE)
    }


def refuse_ruled_out(table: Table) -> None:
    """Raise where somebody has a value that the schema rules out for them: the rule is then not true."""
    for place, column in declared(table):
        attribute, codes = table.attributes[place], table.codes[place]
        held = ~applying(table, column)
        if attribute.has_null:
            held &= codes > 0
        if held.any():
            raise SchemaError(
                "{name} is said to apply where {condition}, and {people} with a value are on the other side",
                "correct the condition, or empty these cells",
                name=attribute.name,
                condition=column.applies,
                people=Count(int(held.sum()), "person", "people"),
            )
        labels = [label_of(value) if value is not None else None for value in attribute.values.to_list()]
        for value, condition in (column.ruled_out or {}).items():
            if value not in labels:
                continue
            held = (codes == labels.index(value)) & Side.of(condition, table).marks(table)
            if held.any():
                raise SchemaError(
                    "{name} = {value} is said to be ruled out where {condition}, and {people} there have it",
                    "correct the condition, or these cells",
                    name=attribute.name,
                    value=value,
                    condition=condition,
                    people=Count(int(held.sum()), "person", "people"),
                )


def by_applying(table: Table) -> list[Table]:
    """The table, or where columns apply to some people a table of these for each sensitive column."""
    some = {place: column for place, column in declared(table) if column.applies is not None}
    if not some:
        return [table]
    found = []
    for place in table.having(Role.SENSITIVE):
        others = {other for other in table.having(Role.SENSITIVE) if other != place}
        kept = [i for i in range(len(table.attributes)) if i not in others]
        names = {table.attributes[i].name for i in kept}
        part = replace(
            table,
            attributes=tuple(table.attributes[i] for i in kept),
            codes=tuple(table.codes[i] for i in kept),
            before={name: was for name, was in table.before.items() if name in names},
        )
        marks = applying(table, some[place]) if place in some else np.ones(len(table), np.bool_)
        found.append(part.rows(np.flatnonzero(marks)))
    return found
