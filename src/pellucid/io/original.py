"""The one way in which people's own values are read: the table that is published, and every other table beside it.

A release is compared with the table that it was made of (``--truth``, ``--original``) or with others
(``--population``). These are read with all that the schema says of a column: what stands for a missing value, its kind,
how its dates are written, where it is capped, what separates the fields. Otherwise 25 people of 40 would fit a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from pellucid.core.schema import Column, Kind, Role, Schema
from pellucid.core.table import Table
from pellucid.io.encode import readable, tally_of, understood, with_caps, with_classes
from pellucid.io.loading import load
from pellucid.io.people import where_holds
from pellucid.io.text_form import filled_in


def read_original(
    source: Any, schema: Schema | Mapping[str, Column] | None = None, *, verbatim: bool = False
) -> tuple[pl.DataFrame, Schema]:
    """All columns of a source, those that the schema names as it means them; and the schema with caps in values.

    With ``verbatim``, what a text file writes differently stays different in columns that are neither numbers nor dates
    by the schema. A table is what it is: it was read with its schema.

    >>> ages = pl.DataFrame({"age": ["30", "N", "121"]})
    >>> columns = {"age": Column(role="quasi", kind="number", missing=["N"], cap={"high": 99})}
    >>> read_original(ages, columns)[0]["age"].to_list()
    [30, None, 99]
    """
    known = schema if isinstance(schema, Schema) else Schema.model_construct(columns=dict(schema or {}))
    if isinstance(source, Table):
        return frame_of_table(source), source.schema or known
    with filled_in(known.file):
        marks = {name: column.missing for name, column in known.columns.items()}
        frame, _ = load(source, missing=marks, verbatim=verbatim)
    if known.where is not None:
        frame = frame.filter(where_holds(frame, known))
    columns, caps, classes = {}, {}, {}
    tally = tally_of(frame, known)
    for name in _read_of(known, frame):
        if verbatim and _is_plain_text(frame[name], known.columns[name]):
            columns[name] = readable(frame[name], known.columns[name], name)
            continue
        book, _, caps[name], classes[name] = understood(frame[name], known, name, tally)
        columns[name] = _values(book.values, book.codes, has_null=book.has_null).alias(name)
    return frame.with_columns(**columns), with_classes(with_caps(known, caps), classes)


def _read_of(schema: Schema, frame: pl.DataFrame) -> list[str]:
    """The columns that a schema does not drop, and that are there."""
    return [name for name, column in schema.columns.items() if name in frame.columns and column.role is not Role.DROP]


def _is_plain_text(values: pl.Series, column: Column) -> bool:
    return values.dtype == pl.String and not _is_parsed(column) and not column.becomes


def _is_parsed(column: Column) -> bool:
    """Whether the schema asks for numbers or dates, whatever the texts look like."""
    return column.kind in (Kind.NUMBER, Kind.DATE) or any(
        declared is not None for declared in (column.cap, column.round, column.date_order)
    )


def _values(values: pl.Series, codes: Any, *, has_null: bool) -> pl.Series:
    if not has_null:
        return values.gather(codes.astype(np.uint32))
    return pl.concat([values.clear().extend_constant(None, 1), values]).gather(codes.astype(np.uint32))


def frame_of_table(table: Table) -> pl.DataFrame:
    """The rows of a table as a frame, the identifier included."""
    columns = zip(table.attributes, table.codes, strict=True)
    named = {} if table.names is None else {table.names.name: table.names}
    return pl.DataFrame(named | {a.name: a.values.gather(codes.astype(np.uint32)) for a, codes in columns})
