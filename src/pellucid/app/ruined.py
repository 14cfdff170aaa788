"""A taxonomy that ruins its column: broad names where the values themselves, or their ranges, would have told more.

A column that keeps little with its taxonomy is tried without it, on a few thousand rows; where that keeps much more,
the steward hears it with both figures. The trial is for the steward's eyes, and nothing of it is published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.app.remarks import Remark
from pellucid.coins import Coins
from pellucid.errors import PellucidError
from pellucid.group import Method
from pellucid.io import encode
from pellucid.io.original import frame_of_table
from pellucid.measuring.kept import information_kept
from pellucid.recode import Recoder
from pellucid.schema import Column, Kind, Role, Schema
from pellucid.table import Table
from pellucid.text.figures import percent

LITTLE = 0.5  # a column that keeps less may be ruined
MORE = 0.25  # so much more must be kept without the taxonomy
ROWS = 5_000
TRIED = 3  # columns
QUICK = ("soft-cut", "hybrid", "tailor", "ace", "mondrian")  # methods that group so many rows in a moment


def ruined_columns(table: Table, method: Method, recoder: Recoder, figures: Mapping[str, Any]) -> list[Remark]:
    """A remark on each quasi-identifier that would keep much more without its taxonomy."""
    if method.name not in QUICK or not recoder.uses_names(Kind.CATEGORY) or table.schema is None:
        return []
    kept = figures["information_kept"]
    suspects = [
        table.attributes[i].name
        for i in table.having(Role.QUASI)
        if table.attributes[i].taxonomy is not None and kept[table.attributes[i].name] < LITTLE
    ][:TRIED]
    found = [_tried(name, table, table.schema, method, recoder, kept[name]) for name in suspects]
    return [remark for remark in found if remark is not None]


def _tried(name: str, table: Table, schema: Schema, method: Method, recoder: Recoder, kept: float) -> Remark | None:
    """Both ways on a part of the rows; None where the taxonomy is not to blame, or it cannot be tried."""
    rows = np.unique(np.linspace(0, len(table) - 1, min(len(table), ROWS)).astype(np.int64))
    frame = frame_of_table(replace(table, names=None))[rows.tolist()]  # publishing keeps no names, only their type
    there = {key: column for key, column in schema.columns.items() if key in frame.columns}
    columns = {key: column for key, column in there.items() if column.role is not Role.IDENTIFIER}
    plain = Column(role=Role.QUASI, nulls=columns[name].nulls)
    try:
        before, after = (
            _share(name, encode(frame, schema.model_copy(update={"columns": said})), method, recoder)
            for said in (columns, columns | {name: plain})
        )
    except PellucidError:
        return None
    if after - before < MORE:
        return None
    figures = f"keeps {percent(kept)} with its taxonomy; tried on {len(rows):,} rows, it keeps {percent(before)} with"
    if len(rows) == len(table):
        figures = f"keeps {percent(kept)} with its taxonomy"
    advice = "take the taxonomy out, or give one whose names cover what groups have in common"
    return Remark("note", f"{name!r} {figures} and {percent(after)} without it: {advice}")


def _share(name: str, table: Table, method: Method, recoder: Recoder) -> float:
    grouping = method.group(table, Coins.from_seed("a trial"), threads=1)  # nothing of it is published
    return information_kept(table, grouping, recoder)[name]
