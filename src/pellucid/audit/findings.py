"""What a steward should know about a release besides its levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pellucid.audit.roles import Roles
from pellucid.audit.source import Source
from pellucid.schema import Kind
from pellucid.table import Attribute, Codes, Table

STANDINS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")  # what people write for null
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """``name`` for a program, ``sentence`` for a person, and how many rows it is about where it is about rows."""

    name: str
    sentence: str
    rows: int | None = None


def findings(source: Source, roles: Roles, tables: Sequence[Table], hidden: int, *, exempt: bool) -> Iterator[Finding]:
    """Everything worth saying, the gravest first."""
    for name in roles.identifying:
        yield Finding("identifier", f"column {name!r} names people and is in the release; take it out")
    if hidden:
        yield _suppressed(hidden, len(tables[0]), exempt=exempt)
    if roles.group is not None:
        yield Finding(
            "two tables",
            "the quasi-identifiers are published as they are: k counts the rows that share a group number, so it "
            "bounds what is learnt about sensitive values, not whether a person is recognised",
        )
    for table in tables:
        for attribute, codes in zip(table.attributes, table.codes, strict=True):
            yield from _standins(attribute, codes)
    if source.recipe is not None:
        for column in source.recipe["columns"]:
            declared = roles.sensitive.get(column["name"])
            if column["kind"] == Kind.ORDERED and declared is not None and declared.kind is Kind.CATEGORY:
                yield Finding(
                    "order",
                    f"column {column['name']!r} is ordered, but the recipe does not say how; give a schema with its "
                    "order for the ordered distance",
                )
    if roles.unnamed:
        names = ", ".join(roles.unnamed[:SHOWN]) + (", ..." if len(roles.unnamed) > SHOWN else "")
        yield Finding(
            "unnamed columns",
            f"no model looks at {names}; whoever knows a person's value there may find the row all the same",
        )


def _suppressed(hidden: int, rows: int, *, exempt: bool) -> Finding:
    what = f"{hidden:,} of {rows:,} rows are suppressed: every quasi-identifier is * or null"
    why = "they are exempt, as in ARX, though their sensitive values are public"
    if not exempt:
        why = "their sensitive values are public, so they count as a group"
    return Finding("suppressed", f"{what}; {why}", hidden)


def _standins(attribute: Attribute, codes: Codes) -> Iterator[Finding]:
    """Nulls, and texts that somebody may have meant as null: never merged, but said."""
    if attribute.has_null:
        nulls = int(np.count_nonzero(codes == 0))
        told = f"column {attribute.name!r} is null in {_rows(nulls)}; a null counts as a value of its own"
        yield Finding("nulls", told, nulls)
    values = attribute.values
    found = values.is_in(STANDINS).fill_null(False).arg_true().to_list() if values.dtype == pl.String else []
    if not found:
        return
    counted = [int(np.count_nonzero(codes == code)) for code in found]
    told = ", ".join(f"{_spelled(values[code])} in {_rows(rows)}" for code, rows in zip(found, counted, strict=True))
    rule = "it counts as a value like any other" if len(found) == 1 else "these count as values like any others"
    if attribute.has_null:
        rule += ", different from null"
    yield Finding("stand-ins", f"column {attribute.name!r} is {told}; {rule}", sum(counted))


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def _spelled(value: str | None) -> str:
    return "null" if value is None else "an empty text" if value == "" else repr(value)
