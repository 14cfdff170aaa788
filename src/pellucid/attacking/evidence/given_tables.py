"""A table or a population as a person gives it: a frame of any library, a file, a Table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.errors import AttackError
from pellucid.io import load, read, read_original
from pellucid.schema import Schema
from pellucid.table import Table


def opened_table(
    source: Any, quasi: Sequence[str] | str | None, sensitive: str | None, identifier: str | None
) -> tuple[Table, pl.DataFrame, str]:
    """A table in codes, the same as a frame, and the library that it came from; a Table knows its columns itself."""
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier}
    roles: dict[str, Any] = {role: names for role, names in given.items() if names is not None}
    if isinstance(source, Table):
        if roles:
            raise AttackError(f"a Table knows its columns already; leave {'=, '.join(roles)}= out, or give the source")
        return source, frame_of(source), source.native
    table = read(source, **roles)
    frame, native = load(source)
    return table, frame, native


def table_of(source: Any, schema: Schema | str | Path | None, roles: dict[str, Any]) -> tuple[Table, list[Any] | None]:
    """A table and the names of its people, from the identifier when there is one."""
    table = source if isinstance(source, Table) else read(source, schema=schema, **roles)
    return table, None if table.names is None else table.names.to_list()


def frame_of(source: Any, schema: Schema | None = None) -> pl.DataFrame:
    """Its rows as a frame, the identifier included, with values as the schema means them."""
    return read_original(source, schema)[0]
