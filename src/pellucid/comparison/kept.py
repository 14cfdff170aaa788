"""Finished cells on disk, so that a comparison that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.comparison.cell import Cell, Inquiry
from pellucid.errors import OutputError
from pellucid.metrics import Metric
from pellucid.metrics.workload import Workload
from pellucid.runtime.whole_file import write_whole

FOLDER = "cells"
TABLE = "table"  # in that folder: a digest of the table that was compared last
FORMAT = 3  # of a cell; one that was kept in another is not read


def cell_file(folder: Path, table_print: str, method: Method, question: Inquiry) -> Path:
    """Where a cell is kept: a name to read, and a digest of all that it depends on."""
    depends = {
        "pellucid": [version("pellucid"), FORMAT],
        "table": table_print,
        "method": [method.name, method.model_dump(mode="json")],
        "metrics": [[metric.name, _parameters(metric)] for metric in question.metrics],
        "adversaries": [repr(adversary) for adversary in question.adversaries],
        "patience": question.patience,
        "seed": question.seed,
        **({"recode": question.recode} if question.recode else {}),
    }
    key = hashlib.blake2b(json.dumps(depends, sort_keys=True, default=str).encode(), digest_size=6).hexdigest()
    return folder / FOLDER / f"{label(method.name, method.model_dump(mode='json', exclude_defaults=True))}-{key}.json"


def _parameters(metric: Metric) -> list[str]:
    """Each parameter in a way that differs where it differs; of saved queries a digest."""
    parameters = []
    for name in type(metric).model_fields:
        value = getattr(metric, name)
        parameters.append(f"{name}={value.digest() if isinstance(value, Workload) else repr(value)}")
    return parameters


def check_table(folder: Path, table_print: str, *, overwrite: bool) -> None:
    """Raise when the folder has a comparison of another table; else note which table it is of."""
    note = folder / FOLDER / TABLE
    before = note.read_text(encoding="utf-8") if note.exists() else table_print
    if before != table_print and not overwrite:
        raise OutputError(
            "{folder} has a comparison of another table, or of this one read with other roles; choose another "
            "folder, or {OVERWRITE} to replace its compare.csv and compare.html",
            folder=folder,
        )
    write_whole(note, table_print.encode(), private=True)


def count_cells(folder: Path) -> int:
    """How many cells a folder keeps."""
    return len(list((folder / FOLDER).glob("*.json")))


def label(name: str, parameters: Mapping[str, Any]) -> str:
    """A method and its parameters as a file name.

    >>> label("mask", {"l": 4, "sensitive": ["a/b", "c"]})
    'mask-l=4-sensitive=a_b+c'
    """
    parts = [name]
    for key, value in parameters.items():
        text = "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        parts.append(f"{key}={text}")
    return "".join(c if c.isalnum() or c in "-=+.," else "_" for c in "-".join(parts))[:80]


def read_cell(path: Path) -> Cell | None:
    """A cell that was kept; None where there is none, or none that can be read."""
    try:
        return Cell.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def keep_cell(path: Path, cell: Cell) -> None:
    """Keep a cell; it is there whole or not at all."""
    write_whole(path, json.dumps(cell.as_json(), indent=1, ensure_ascii=False).encode(), private=True)
