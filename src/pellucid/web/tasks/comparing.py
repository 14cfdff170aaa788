"""Compare methods and settings on this table."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pellucid.anonymize.methods import Method, methods
from pellucid.comparison import PATIENCE, Grid, Question, compared
from pellucid.comparison.cell import Cell
from pellucid.comparison.comparison import guesses_in_short
from pellucid.comparison.kept import FOLDER as CELLS
from pellucid.comparison.kept import label
from pellucid.comparison.picture import MARKS
from pellucid.comparison.sentences import remarks
from pellucid.runtime.progress import Progress
from pellucid.web.compare_chart import Point, drawn, legend
from pellucid.web.values_by_column import method_of, written
from pellucid.web.worker_state import Desk

FOLDER = "compare"
HELD = {  # whether 1/l is held, in words that the Risk tab uses too
    (True, True): "promised and kept",
    (True, False): "kept here, not promised",
    (False, True): "promise not kept",
    (False, False): "not kept, not promised",
}
SHARES = ("query-error", "kept", "loss")  # metrics that are told in percent
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
    asked: dict[str, Any],
    finished: bool = False,
    yours: dict[str, Any] | None = None,
    progress: Progress,
) -> dict[str, Any]:
    """Risk against utility for each method and each l; what was finished is kept when it is stopped.

    Only the settings that are ``finished`` already are shown when that is asked. ``yours`` has the figures of the
    release that was made, to be marked among them.
    """
    table = desk.table(source, schema, progress)
    settings = settings_of(asked)
    wanted = settings
    if finished:
        wanted = [method for method in settings if is_kept(desk.folder, schema, asked, method)]
    question = Question(recode=asked["recode"] or None, patience=seconds_of(asked))
    grid = Grid(comparison_folder(desk.folder, schema, asked), overwrite=True)
    found = compared(table, wanted, question, grid, progress=progress)
    progress.stage("drawing", 0)
    main = found.main["name"]
    cells = [_shown(cell, main, asked["recode"]) for cell in found.cells]
    points = [_point(cell) for cell in cells if not cell["refused"] and _finite(cell["utility"])]
    own = None
    if yours is not None and _finite(yours["utility"]):
        own = Point("", "", "your release", yours["utility"], yours["risk"])
    title = NAMED.get(main, main)
    return {
        **asked,
        "all": len(wanted) == len(settings),
        "asked": len(settings),
        "sentence": found.sentence,
        "guessed": found.guessed,
        "rule": found.rule,
        "main": {**found.main, "title": title, "share": main in SHARES},
        "chart": drawn(points, own, title, share=main in SHARES),
        "legend": legend(points),
        "cells": cells,
    }


def settings_of(asked: Mapping[str, Any]) -> list[Method]:
    """The settings that are compared: each method with each l, and besides what was set for the release.

    The method of the release keeps its other parameters; others protect the same values, where they can.

    >>> asked = {"names": ["ace", "tailor"], "ls": [3], "method": "soft-cut", "parameters": {"l": "4", "values": "HIV"}}
    >>> [(one.name, one.l, getattr(one, "values", None)) for one in settings_of(asked)]
    [('ace', 3, ('HIV',)), ('tailor', 3, None)]
    """
    sensitive = asked.get("sensitive", ())
    return [
        method_of(name, {**_carried(name, asked), "l": str(l)}, sensitive)
        for name in asked["names"]
        for l in asked["ls"]
    ]


def _carried(name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a method takes over from the release: all but l where it is the same, else which values are protected."""
    fields = methods()[name].model_fields
    given = {key: value for key, value in asked.get("parameters", {}).items() if key != "l" and key in fields}
    return given if name == asked.get("method") else {key: value for key, value in given.items() if key == "values"}


def _shown(cell: Cell, main: str, recode: str) -> dict[str, Any]:
    told, risk = cell.told_risk
    return {
        "method": cell.method,
        "l": cell.bound,
        "link": setting_link(cell, recode),
        "utility": cell.value(main),
        "kept": cell.value("kept"),
        "loss": cell.value("loss"),
        "told": told,
        "risk": risk,
        "above": cell.above,
        "right": guesses_in_short(cell),
        "groups": cell.groups,
        "known": cell.known,
        "safe": cell.safe,
        "refused": cell.refused,
        "held": HELD[cell.safe, cell.promised] if cell.safe or cell.above else "not known",
        "claim": methods()[cell.method].guarantee,
        "remarks": remarks(cell),
    }


def _point(cell: Mapping[str, Any]) -> Point:
    """A setting in the chart; what is only known to be more or less than a figure is marked, the rest is not known."""
    mark = MARKS.get(cell["told"])
    risk = cell["risk"] if mark is not None else None
    name = f"{cell['method']}, l = {cell['l']}"
    return Point(cell["method"], str(cell["l"]), name, cell["utility"], risk, cell["link"], mark or "")


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def seconds_of(asked: Mapping[str, Any]) -> float:
    """How long one attacker may take in a comparison."""
    return float(asked.get("seconds", PATIENCE))


def comparison_folder(folder: Path, schema: str, asked: Mapping[str, Any]) -> Path:
    """Where the finished settings of the table under this schema are kept.

    Those of other groups' forms are apart, and those whose attackers had another time.
    """
    of = f"{asked['recode']}\0{seconds_of(asked):g}\0{schema}"
    return folder / FOLDER / hashlib.sha256(of.encode()).hexdigest()[:16]


def is_kept(folder: Path, schema: str, asked: Mapping[str, Any], method: Method) -> bool:
    """Whether a setting is finished."""
    cells = comparison_folder(folder, schema, asked) / CELLS
    return any(cells.glob(f"{label(method.name, method.model_dump(mode='json', exclude_defaults=True))}-*.json"))


def kept_settings(folder: Path, schema: str, asked: Mapping[str, Any]) -> int:
    """How many of these settings are finished."""
    return sum(is_kept(folder, schema, asked, method) for method in settings_of(asked))


def setting_link(cell: Cell, recode: str = "") -> str:
    """The page that has this setting filled in, what a group becomes included.

    >>> setting_link(Cell("hybrid", {"l": 4}, 4)), setting_link(Cell("hybrid", {"l": 4}, 4), "taxonomy")
    ('/method?name=hybrid&l=4', '/method?name=hybrid&l=4&recode=taxonomy')
    """
    given = {key: _text_of(value) for key, value in cell.parameters.items()}
    return "/method?" + urlencode({"name": cell.method, **given, **({"recode": recode} if recode else {})})


def _text_of(value: Any) -> Any:
    """A parameter as an address has it."""
    if isinstance(value, Mapping):
        return written(value)
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value
