"""Files, frames and databases become a :class:`~pellucid.core.table.Table`; a release becomes a bundle on disk.

``read`` is the way in, ``to_native`` and ``write_bundle`` are the ways out. ``load`` stops half way, at a polars frame
with the types that ``read`` would see, for those who look at a table before they have a schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.core.coins import Coins
from pellucid.core.hints.people import numbers_people
from pellucid.core.schema import Column, Kind, Role, Roles, Schema, TextForm, as_roles, schema_of_names
from pellucid.core.schema.people import Several
from pellucid.core.table import Table
from pellucid.errors import SchemaError
from pellucid.io.bundle import check_target, write_bundle
from pellucid.io.columns import NamelessColumns, asked_by, besides
from pellucid.io.decode import rows_only, to_native
from pellucid.io.delimited import line_of_value
from pellucid.io.encode import UnfitValue, coded_names, encode
from pellucid.io.files import absent, is_text
from pellucid.io.frames import orders_of
from pellucid.io.loading import load, load_coded
from pellucid.io.numbered import Columns
from pellucid.io.original import read_original
from pellucid.io.people import as_answered, found_in, names_looked_at, rows_asked, settled_by
from pellucid.io.secrets import is_address
from pellucid.io.text_form import filled_in, written_as
from pellucid.io.textbytes import EncodingGuessed
from pellucid.messages import Message
from pellucid.messages.terms import bare_term
from pellucid.runtime.progress import SILENT, Progress

__all__ = [
    "EncodingGuessed",
    "NamelessColumns",
    "check_target",
    "encode",
    "is_text",
    "line_in",
    "load",
    "read",
    "read_as",
    "read_original",
    "rows_only",
    "schema_for",
    "to_native",
    "write_bundle",
    "written_as",
]


def read(  # noqa: PLR0913  (a public verb)
    source: Any,
    *,
    roles: Roles | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    quasi: str | Iterable[str] | None = None,
    sensitive: str | Iterable[str] | None = None,
    identifier: str | None = None,
    carry: str | Iterable[str] | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    people: str | None = None,
    where: str | None = None,
    applies: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    max_unpacked: int | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Table:
    """The table of a source, under a schema or under roles given by name (or as :class:`Roles`).

    ``source`` is a path (CSV, Parquet, Arrow, Excel, OpenDocument, SPSS, Stata, SAS), a frame (pandas, Polars, PyArrow,
    DuckDB), a database URL
    (``sqlite:///clinic.db::patients``), an embedded table (``census:50000``, ``patients``), or a table, which is
    returned as it is. Only columns that the schema names are read. An ordered pandas Categorical of which the schema
    says no more than its role is ``ordered`` by its categories. Of a text file, ``separator`` and ``header`` say what
    cannot be seen: ``header=False`` calls the columns column_1, column_2, ...; and so do ``encoding`` and ``decimal``
    (``decimal=","``: 3,5), which also holds for texts in any other file. ``people`` says what is done about people with
    several rows, ``where`` which rows are read, and ``applies`` to whom a sensitive column applies, as :func:`publish`
    has them. ``sheet`` names the sheet of a
    spreadsheet, and ``header_row`` the row with the names of its columns. ``max_unpacked`` says how many megabytes a
    packed file may unpack to, where that is more than the free memory suggests.

    >>> table = read(pl.DataFrame({"age": [30, 21], "disease": ["flu", "cold"]}), quasi="age", sensitive="disease")
    >>> len(table), table.attributes[0].values.to_list()
    (2, [21, 30])
    """
    named = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "carry": carry}
    columns = as_roles(roles, schema=schema, cluster=cluster, weight=weight, people=people, where=where, **named)
    columns = as_roles(columns, applies=applies)
    form = {"separator": separator, "header": header, "encoding": encoding, "decimal": decimal, "sheet": sheet}
    with written_as(TextForm.model_validate({**form, "header_row": header_row, "max_unpacked": max_unpacked})):
        return read_as(source, columns, threads=threads, progress=progress)


def read_as(
    source: Any, roles: Roles, *, coins: Coins | None = None, threads: int | None = None, progress: Progress = SILENT
) -> Table:
    """The same, of a caller who says what the columns are in one value; ``coins`` draw which row of a person is read.

    Columns that number people are read as well, whatever their role, to see whether some have several rows.
    """
    if isinstance(source, Table) and roles.schema is None and not roles.named and not roles.kinds:
        return as_answered(source, roles)
    chosen, asked = settled_by(roles, schema_for(source, roles))
    progress.stage("reading", 0)
    frame, chosen, native = _loaded(source, chosen, asked)
    rows, kept = frame.height, None
    if _fewer(chosen, asked):
        frame, kept, rows = rows_asked(frame, asked, chosen, coins or Coins.fresh())
    try:
        table = encode(frame, chosen, native, threads=threads, progress=progress)
        return replace(table, persons=found_in(frame, chosen, asked, rows), kept=kept)
    except UnfitValue as wrong:
        with filled_in(chosen.file):
            place = _place_in(source, wrong)
        if place:
            raise wrong.found_at(place) from None
        raise


def _fewer(schema: Schema, asked: Several | None) -> bool:
    """Whether not all rows are asked for."""
    return schema.where is not None or (asked is not None and asked.leaves_one)


def _loaded(source: Any, chosen: Schema, asked: Several | None) -> tuple[pl.DataFrame | Columns, Schema, str]:
    """The columns that a schema asks for, and those that number people; the schema with orders of the source."""
    wanted = read_columns(chosen)
    known = [name for name in names_looked_at(asked) if name not in wanted]
    marks = {name: chosen.columns[name].missing for name in [*wanted, *known] if name in chosen.columns}
    numbering = [] if _fewer(chosen, asked) else coded_names(chosen)
    with asked_by(chosen), filled_in(chosen.file), besides(lambda name: bool(numbers_people(name))):
        frame, native = load_coded(source, [*wanted, *known], marks, numbering)
    return frame, _with_orders(chosen, orders_of(source, wanted)), native


def _place_in(source: Any, wrong: UnfitValue) -> Message:
    """The file and the line of a value that is not of its column's kind; empty where there is no text file."""
    if wrong.value is None:
        return Message("")
    line = line_in(source, wrong.column, wrong.value)
    return Message("") if line is None else Message("{path}, line {line}", path=Path(source).name, line=line)


def line_in(source: Any, column: str, value: str) -> int | None:
    """The first line of a text file with this text in a column; None where the source is none, or it cannot be told."""
    if not isinstance(source, str | PathLike) or not Path(source).is_file() or not is_text(Path(source)):
        return None
    return line_of_value(Path(source), column, value)


def read_columns(schema: Schema) -> list[str]:
    """The columns that a schema asks for; no other is read."""
    return [name for name, column in schema.columns.items() if column.role is not Role.DROP]


def schema_for(source: Any, roles: Roles) -> Schema:
    """The schema that was given, or roles by name as a schema, or the one that an embedded table brings."""
    given = [*roles.named, *(["kinds"] if roles.kinds else [])]
    if isinstance(source, Table):
        raise SchemaError("a Table has its schema already; pass it without schema and roles, or pass the source")
    if not given:
        return _schema_for(source, roles.schema)
    if roles.schema is not None:
        raise SchemaError(
            "{schema} and {given} both say what the columns are; give one of the two",
            schema=bare_term("schema"),
            given=bare_term(given[0]),
        )
    return schema_of_names(roles)


def refuse_absent(source: Any) -> None:
    """Raise where a source is the path of a file that is not there: before anything else is said of the call."""
    if not isinstance(source, str | PathLike) or is_address(str(source)):
        return
    with suppress(OSError):  # no file can have this name
        if Path(source).exists():
            return
    from pellucid import datasets

    if datasets.schema_of(str(source)) is None:
        raise absent(Path(source))


def _schema_for(source: Any, schema: Schema | str | PathLike[str] | None) -> Schema:
    """The schema that was given, or the one that an embedded table brings."""
    if isinstance(schema, Schema):
        return schema
    if schema is not None:
        return Schema.load(Path(schema))
    if isinstance(source, str) and not Path(source).is_file():
        from pellucid import datasets

        known = datasets.schema_of(source)
        if known is not None:
            return known
    refuse_absent(source)
    raise SchemaError(
        "nothing says what the columns are where the table is read; give that call {QUASI} and {SENSITIVE}, or "
        "{SCHEMA}{DRAFTED}"
    )


def _with_orders(schema: Schema, orders: Mapping[str, tuple[str, ...]]) -> Schema:
    """The schema with the orders that the source itself declares for columns of which it says nothing but the role."""
    columns = dict(schema.columns)
    for name, order in orders.items():
        column = columns[name]
        if column.kind is None and column.taxonomy is None and column.domain is None:
            known = [label for label in order if label not in column.missing]
            columns[name] = Column(
                role=column.role, kind=Kind.ORDERED, order=tuple(known), nulls=column.nulls, missing=column.missing
            )
    return schema.model_copy(update={"columns": columns})
