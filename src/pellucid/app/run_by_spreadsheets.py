"""Cells and names of columns that a spreadsheet runs when somebody opens the release: ``=1+1``, ``@SUM``."""

from __future__ import annotations

import re

from pellucid.messages import Message, Names
from pellucid.schema import OF_GROUP, Role
from pellucid.table import Table

FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.,\s]*$)")  # a sign before a number is that of the number
SHOWN = 3


def run_by_spreadsheets(table: Table) -> list[Message]:
    """Which published values and names a spreadsheet would run, in one sentence; empty where there are none.

    >>> import pellucid as pc, polars as pl
    >>> people = pl.DataFrame({"town": ["=1+1", "-5", "Rome"], "ill": list("abc")})
    >>> run_by_spreadsheets(pc.read(people, quasi="town", sensitive="ill"))[0].partition(": ")[0]
    'Spreadsheets run cells that begin like a formula'
    """
    published = [one for one in table.attributes if one.role in (*OF_GROUP, Role.SENSITIVE)]
    found = [f"the name {one.name!r}" for one in published if _would_run(one.name)]
    for attribute in published:
        first = next(filter(_would_run, attribute.values.to_list()), None)
        if first is not None:
            found.append(f"{first!r} in {attribute.name}")
    if not found:
        return []
    return [
        Message(
            "Spreadsheets run cells that begin like a formula: {found}. Whoever opens the release there runs them: "
            "put a letter or a quotation mark before them in the table, or publish Parquet",
            found=Names([*found[:SHOWN], *([f"{len(found) - SHOWN} more"] if len(found) > SHOWN else [])]),
        )
    ]


def _would_run(value: object) -> bool:
    """Whether a cell begins like a formula."""
    return isinstance(value, str) and FORMULA.match(value) is not None
