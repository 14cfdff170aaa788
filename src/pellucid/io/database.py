"""Tables and queries of a database: ``sqlite:///clinic.db::patients``, ``sqlite:///clinic.db::SELECT ...``.

Any database that SQLAlchemy has a driver for. What follows ``::`` is a query when it starts with SELECT or WITH,
otherwise the name of a table or view (``schema.table`` where the database has schemas). Of a table only the wanted
columns are asked for. Passwords never appear in a message, a draft or a report (:func:`without_password`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from pellucid.errors import InputError
from pellucid.io.columns import choose
from pellucid.text.values import listed

if TYPE_CHECKING:
    from sqlalchemy import URL, ColumnElement, Connection, Executable

ADDRESS = re.compile(r"^(?P<url>[A-Za-z][\w+.-]*://.*?)::(?P<what>.+)$", re.DOTALL)
QUERY = re.compile(r"^\s*(select|with)\b", re.IGNORECASE)
SECRETS = re.compile(r"([?&][^=&]*(?:passw|pwd|secret|token|key)[^=&]*=)[^&]*", re.IGNORECASE)
BATCH_ROWS = 50_000


def is_address(source: str) -> bool:
    """Whether a text is a database URL and not a path.

    >>> is_address("sqlite:///clinic.db::patients"), is_address("clinic.csv")
    (True, False)
    """
    return "://" in source


def without_password(source: str) -> str:
    """A source as it may be shown and written: of a database URL everything but its password.

    >>> without_password("postgresql://ann:s/3@cr@t@host/db?sslpassword=x&a=1::patients")
    'postgresql://ann:***@host/db?sslpassword=***&a=1::patients'
    >>> without_password("clinic.csv")
    'clinic.csv'
    """
    if not is_address(source):
        return source
    url, mark, what = source.partition("::")
    url = re.sub(r"(://[^:/@?]*):.*@", r"\1:***@", url)
    return SECRETS.sub(r"\1***", url) + mark + what


def read_database(source: str, wanted: list[str] | None = None) -> pl.DataFrame:
    """The wanted columns of a table or query; all of them when None."""
    try:
        import sqlalchemy as sql
    except ImportError:
        raise InputError("a database URL needs SQLAlchemy; pip install 'pellucid[database]'") from None
    match = ADDRESS.match(source)
    if match is None:
        raise InputError(f"{without_password(source)} names no table; write <url>::<table> or <url>::SELECT ...")
    what = match["what"].strip()
    try:
        url = sql.make_url(match["url"])
        _require_file(url)
        with sql.create_engine(url).connect() as connection:
            statement = sql.text(what) if QUERY.match(what) else _table(connection, what, wanted)
            return _fetch(connection, statement, wanted, "the query" if QUERY.match(what) else what)
    except (sql.exc.SQLAlchemyError, ImportError, ValueError, pl.exceptions.PolarsError) as error:
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        place = SECRETS.sub(r"\1***", match["url"].rpartition("@")[2])
        reason = _without_secrets(reason, match["url"])
        raise InputError(
            f"the database {place} cannot be read ({reason}); check the URL, the table and the query"
        ) from None


def _without_secrets(said: str, url: str) -> str:
    """What a driver says, without the password and the address that it may repeat."""
    import sqlalchemy as sql

    said = said.replace(url, without_password(url))
    try:
        password = sql.make_url(url).password
    except (sql.exc.SQLAlchemyError, ValueError):
        return said
    return said.replace(str(password), "***") if password else said


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
