"""Compare methods and settings on this table."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from pellucid.app.parameters import build_method
from pellucid.app.web.charts import HERE, inline
from pellucid.app.web.desk import Desk
from pellucid.comparing import compare as compare_table
from pellucid.comparing.cell import Cell
from pellucid.group import methods
from pellucid.progress import Progress

FOLDER = "compare"


def compare(
    desk: Desk, *, source: dict[str, Any], schema: str, names: list[str], ls: list[int], progress: Progress
) -> dict[str, Any]:
    """Risk against utility for each method and each l; what was finished is kept when it is stopped."""
    table = desk.table(source, schema, progress)
    settings = [build_method(name, {"l": str(l)}) for name in names for l in ls]
    found = compare_table(table, settings, out=desk.folder / FOLDER, overwrite=True, progress=progress)
    progress.stage("drawing", 0)
    main = found.main["name"]
    links = {setting_link(cell): f"{cell.method}, l = {cell.bound}" for cell in found.cells}
    return {
        "names": names,
        "ls": ls,
        "sentence": found.sentence,
        "rule": found.rule,
        "main": dict(found.main),
        "chart": inline(found.chart(link=_address), label="Risk against utility", links=links)
        if found.drawable
        else "",
        "cells": [
            {
                "method": cell.method,
                "l": cell.bound,
                "link": setting_link(cell),
                "utility": cell.value(main),
                "loss": cell.value("loss"),
                "risk": cell.largest,
                "above": cell.above,
                "groups": cell.groups,
                "known": cell.known,
                "safe": cell.safe,
                "refused": cell.refused,
                "claim": methods()[cell.method].guarantee,
                "remarks": [f"{risk.adversary}: {risk.how}" for risk in cell.risks if not risk.ran],
            }
            for cell in found.cells
        ],
    }


def _address(cell: Cell) -> str:
    return HERE + setting_link(cell)


def setting_link(cell: Cell) -> str:
    """The page that has this setting filled in.

    >>> setting_link(Cell("hybrid", {"l": 4}, 4))
    '/method?name=hybrid&l=4'
    """
    return "/method?" + urlencode({"name": cell.method, **cell.parameters})
