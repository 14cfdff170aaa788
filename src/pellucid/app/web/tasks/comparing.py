"""Compare methods and settings on this table."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pellucid.app.parameters import build_method
from pellucid.app.web.charts import HERE, inline
from pellucid.app.web.worker_state import Desk
from pellucid.comparing import compare as compare_table
from pellucid.comparing.cell import Cell
from pellucid.comparing.kept import FOLDER as CELLS
from pellucid.comparing.kept import label
from pellucid.comparing.sentences import remarks
from pellucid.group import methods
from pellucid.progress import Progress

FOLDER = "compare"
HELD = {  # whether 1/l is held, in words that the Risk tab uses too
    (True, True): "promised and kept",
    (True, False): "kept here, not promised",
    (False, True): "promise not kept",
    (False, False): "not kept, not promised",
}
NAMED = {  # what a steward calls a metric, the same on every page
    "query-error": "Count error (query-error)",
    "kept": "Kept",
    "loss": "Loss",
}


def compare(
    desk: Desk,
    *,
    source: dict[str, Any],
    schema: str,
    names: list[str],
    ls: list[int],
    finished: bool = False,
    progress: Progress,
) -> dict[str, Any]:
    """Risk against utility for each method and each l; what was finished is kept when it is stopped.

    Only the settings that are ``finished`` already are shown when that is asked.
    """
    table = desk.table(source, schema, progress)
    folder = comparison_folder(desk.folder, schema)
    wanted = [(name, l) for name in names for l in ls]
    if finished:
        wanted = [(name, l) for name, l in wanted if kept_settings(desk.folder, schema, [name], [l])]
    settings = [build_method(name, {"l": str(l)}) for name, l in wanted]
    found = compare_table(table, settings, out=folder, overwrite=True, progress=progress)
    progress.stage("drawing", 0)
    main = found.main["name"]
    links = {setting_link(cell): f"{cell.method}, l = {cell.bound}" for cell in found.cells}
    return {
        "names": names,
        "ls": ls,
        "all": len(wanted) == len(names) * len(ls),
        "asked": len(names) * len(ls),
        "sentence": found.sentence,
        "rule": found.rule,
        "main": {**found.main, "title": NAMED.get(main, main)},
        "chart": inline(found.chart(link=_address), label="Risk against utility", links=links)
        if found.drawable
        else "",
        "cells": [
            {
                "method": cell.method,
                "l": cell.bound,
                "link": setting_link(cell),
                "utility": cell.value(main),
                "kept": cell.value("kept"),
                "loss": cell.value("loss"),
                "told": cell.told_risk[0],
                "risk": cell.told_risk[1],
                "above": cell.above,
                "groups": cell.groups,
                "known": cell.known,
                "safe": cell.safe,
                "refused": cell.refused,
                "held": HELD[cell.safe, cell.promised] if cell.safe or cell.above else "not known",
                "claim": methods()[cell.method].guarantee,
                "remarks": remarks(cell),
            }
            for cell in found.cells
        ],
    }


def comparison_folder(folder: Path, schema: str) -> Path:
    """Where the finished settings of the table under this schema are kept."""
    return folder / FOLDER / hashlib.sha256(schema.encode()).hexdigest()[:16]


def kept_settings(folder: Path, schema: str, names: Sequence[str], ls: Sequence[int]) -> int:
    """How many of these settings are finished."""
    cells = comparison_folder(folder, schema) / CELLS
    return sum(any(cells.glob(f"{label(name, {'l': l})}-*.json")) for name in names for l in ls)


def _address(cell: Cell) -> str:
    return HERE + setting_link(cell)


def setting_link(cell: Cell) -> str:
    """The page that has this setting filled in.

    >>> setting_link(Cell("hybrid", {"l": 4}, 4))
    '/method?name=hybrid&l=4'
    """
    return "/method?" + urlencode({"name": cell.method, **cell.parameters})
