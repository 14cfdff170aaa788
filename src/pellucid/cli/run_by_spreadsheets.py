"""Cells and names of columns that a spreadsheet runs when somebody opens the release: ``=1+1``, ``@SUM``."""

from __future__ import annotations

import polars as pl

from pellucid.core.schema import OF_GROUP, Role
from pellucid.core.table import Table
from pellucid.io import formulas
from pellucid.messages import Message, Names
from pellucid.messages.terms import bare_term

SHOWN = 3


def run_by_spreadsheets(table: Table) -> list[Message]:
    """Which published values and names a spreadsheet would run, in one sentence; empty where there are none.

    >>> import pellucid as pc, polars as pl
    >>> people = pl.DataFrame({"town": ["=1+1", "-5", "Rome"], "ill": list("abc")})
    >>> run_by_spreadsheets(pc.read(people, quasi="town", sensitive="ill"))[0].partition(": ")[0]
    'Spreadsheets run cells that begin like a formula'
    """
    published = [one for one in table.attributes if one.role in (*OF_GROUP, Role.SENSITIVE)]
    names = pl.Series([one.name for one in published], dtype=pl.String)
    found = [f"the name {name!r}" for name in names.filter(formulas.are_run(names))]
    for attribute in published:
        values = attribute.values
        texts = values.cast(pl.String) if values.dtype in formulas.TEXTS else values.clear().cast(pl.String)
        found += [f"{first!r} in {attribute.name}" for first in texts.filter(formulas.are_run(texts))[:1]]
    if not found:
        return []
    return [
        Message(
            "Spreadsheets run cells that begin like a formula: {found}. Whoever opens the release there runs them: "
            "quote them with {spreadsheet_safe}, or publish Parquet",
            spreadsheet_safe=bare_term("spreadsheet_safe"),
            found=Names([*found[:SHOWN], *([f"{len(found) - SHOWN} more"] if len(found) > SHOWN else [])]),
        )
    ]
