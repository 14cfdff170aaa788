"""What the worker can do: each task takes the desk, plain arguments and a progress, and gives plain data for a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.web.tasks.attacking import attack, person
from pellucid.web.tasks.checking import check
from pellucid.web.tasks.comparing import compare
from pellucid.web.tasks.declaring import schema, taxonomy
from pellucid.web.tasks.describing import column, counts, unique
from pellucid.web.tasks.fetching import database
from pellucid.web.tasks.guessing import guess, preview
from pellucid.web.tasks.measuring import measure
from pellucid.web.tasks.open_table import open_table
from pellucid.web.tasks.projects import project
from pellucid.web.tasks.publishing import pack, publish
from pellucid.web.tasks.reporting import report
from pellucid.web.tasks.values import values

TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "database": database,
    "guess": guess,
    "project": project,
    "preview": preview,
    "open": open_table,
    "check": check,
    "unique": unique,
    "column": column,
    "counts": counts,
    "values": values,
    "schema": schema,
    "taxonomy": taxonomy,
    "publish": publish,
    "pack": pack,
    "attack": attack,
    "person": person,
    "measure": measure,
    "compare": compare,
    "report": report,
}
