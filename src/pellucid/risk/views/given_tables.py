"""A table or a population as a person gives it: a frame of any library, a file, a Table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from pellucid.core.schema import Roles, Schema
from pellucid.core.table import Table
from pellucid.errors import AttackError
from pellucid.io import load, read_as, read_original


@dataclass(frozen=True, slots=True, eq=False)
class KnownPeople:
    """Who is known beside a release: its table, those from whom that was drawn, and who is in which group."""

    truth: Any = None
    population: Any = None
    groups: Any = None


NOBODY = KnownPeople()


def opened_table(source: Any, roles: Roles) -> tuple[Table, pl.DataFrame, str]:
    """A table in codes, the same as a frame, and the library that it came from; a Table knows its columns itself."""
    if isinstance(source, Table):
        if roles.named:
            named = "=, ".join(roles.named)
            raise AttackError("a Table knows its columns already", f"leave {named}= out, or give the source")
        return source, frame_of(source), source.native
    table = read_as(source, roles)
    frame, native = load(source)
    return table, frame, native


def table_of(source: Any, roles: Roles) -> tuple[Table, list[Any] | None]:
    """A table and the names of its people, from the identifier when there is one."""
    table = source if isinstance(source, Table) else read_as(source, roles)
    return table, None if table.names is None else table.names.to_list()


def frame_of(source: Any, schema: Schema | None = None) -> pl.DataFrame:
    """Its rows as a frame, the identifier included, with values as the schema means them."""
    return read_original(source, schema)[0]
