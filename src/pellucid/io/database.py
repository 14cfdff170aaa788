"""Tables and queries of a database: ``sqlite:///clinic.db::patients``, ``sqlite:///clinic.db::SELECT ...``.

Any database that SQLAlchemy has a driver for. What follows ``::`` is a query when it starts with SELECT or WITH,
otherwise the name of a table or view (``schema.table`` where the database has schemas). Of a table only the wanted
columns are asked for. Passwords never appear in a message, a draft or a report (:mod:`pellucid.io.secrets`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from pellucid.errors import InputError, first_line
from pellucid.io.columns import choose
from pellucid.io.secrets import end_of_url, is_address, secrets_of, without_password
from pellucid.text.values import listed

__all__ = ["is_address", "read_database", "without_password"]

if TYPE_CHECKING:
    from sqlalchemy import URL, ColumnElement, Connection, Executable

QUERY = re.compile(r"^\s*(select|with)\b", re.IGNORECASE)
BATCH_ROWS = 50_000
PACKAGES = {"psycopg": "'psycopg[binary]'", "psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient"}  # named otherwise


def read_database(source: str, wanted: list[str] | None = None) -> pl.DataFrame:
    """The wanted columns of a table or query; all of them when None."""
    try:
        import sqlalchemy as sql
    except ImportError:
        raise InputError("a database URL needs SQLAlchemy; pip install 'pellucid[database]'") from None
    address, what = _apart(source)
    if not address or not what:
        raise InputError(f"{without_password(source)} names no table; write <url>::<table> or <url>::SELECT ...")
    try:
        url = sql.make_url(address)
    except (sql.exc.SQLAlchemyError, ValueError):  # which repeats some of it
        raise _unread(source, "it is no URL that SQLAlchemy understands") from None
    try:
        _require_file(url)
        with sql.create_engine(url).connect() as connection:
            query = QUERY.match(what)
            asked = (sql.text(what), "the query") if query else (_table(connection, what, wanted), what)
            return _fetch(connection, asked[0], wanted, asked[1])
    except ImportError as error:
        driver, place = error.name or str(error), without_password(source).partition("::")[0]
        way_out = f"pip install {PACKAGES.get(driver, driver)}"
        raise InputError(f"{place} needs the driver {driver}, which is not installed; {way_out}") from None
    except (sql.exc.SQLAlchemyError, ValueError, pl.exceptions.PolarsError) as error:
        raise _unread(source, first_line(getattr(error, "orig", None) or error)) from None


def _apart(source: str) -> tuple[str, str]:
    """The URL, and the table or query behind it."""
    end = end_of_url(source)
    if end == len(source):  # an @ in a query
        end = max(0, source.find("::"))
    return source[:end], source[end + 2 :].strip()


def _unread(source: str, reason: str) -> InputError:
    """Where nothing could be read, and what the driver says of it, without the secrets that it may repeat."""
    for secret in secrets_of(source):
        reason = reason.replace(secret, "***")
    place = without_password(source).partition("::")[0].rpartition("@")[2]
    return InputError(
        "the database {place} cannot be read ({reason}); check the URL, the table and the query",
        place=place,
        reason=reason,
    )


def _require_file(url: URL) -> None:
    """SQLite would create a database that is not there."""
    missing = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    if missing and not Path(str(url.database)).is_file():
        raise InputError(
            f"there is no database file {url.database!r}; check the name (sqlite:///relative, sqlite:////absolute)"
        )


def _table(connection: Connection, name: str, wanted: list[str] | None) -> Executable:
    """SELECT the wanted columns of a table or view, in the types that the database declares for them."""
    import sqlalchemy as sql

    schema, _, bare = name.rpartition(".")
    inspector = sql.inspect(connection)
    known = [*inspector.get_table_names(schema or None), *inspector.get_view_names(schema or None)]
    if bare not in known:
        raise InputError(f"the database has no table {name!r}; it has {listed(sorted(known)) or 'none'}")
    table = sql.Table(bare, sql.MetaData(), schema=schema or None, autoload_with=connection)
    columns: list[ColumnElement[Any]] = [table.c[column] for column in choose(table.columns.keys(), wanted, name)]
    if connection.dialect.name == "sqlite":  # it has no decimals: SQLAlchemy would make them out of floats
        columns = [
            sql.type_coerce(column, sql.Float()).label(column.key) if isinstance(column.type, sql.Numeric) else column
            for column in columns
        ]
    return sql.select(*columns)


def _fetch(connection: Connection, statement: Executable, wanted: list[str] | None, name: str) -> pl.DataFrame:
    """The rows in batches, each turned into columns at once, so that Python objects do not pile up."""
    result = connection.execution_options(stream_results=True).execute(statement)
    available = list(result.keys())
    columns = choose(available, wanted, name)
    places = [available.index(column) for column in columns]
    parts: list[list[pl.Series]] = [[] for _ in columns]
    for rows in result.partitions(BATCH_ROWS):
        for column, place, collected in zip(columns, places, parts, strict=True):
            collected.append(_series(column, [row[place] for row in rows]))
    return pl.DataFrame([_joined(column, collected) for column, collected in zip(columns, parts, strict=True)])


def _series(name: str, values: list[Any]) -> pl.Series:
    """One batch of a column. Integers among floats are floats; any other mixture is an error."""
    types = {type(value) for value in values} - {type(None)}
    if types == {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    if len(types) > 1:
        _raise_mixed(name, sorted(kind.__name__ for kind in types))
    return pl.Series(name, values)


def _joined(name: str, parts: list[pl.Series]) -> pl.Series:
    """The batches of a column under one type."""
    types = {part.dtype for part in parts} - {pl.Null()}
    if len(types) > 1 and not all(dtype.is_numeric() for dtype in types):
        _raise_mixed(name, sorted(map(str, types)))
    return pl.concat([part.to_frame() for part in parts], how="vertical_relaxed")[name] if parts else pl.Series(name)


def _raise_mixed(name: str, types: list[str]) -> NoReturn:
    raise InputError(
        f"column {name!r} mixes {' and '.join(types)}; a column has one type: CAST it in a query (<url>::SELECT ...)"
    )
