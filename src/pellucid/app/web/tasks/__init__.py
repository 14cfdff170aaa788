"""What the worker can do: each task takes the desk, plain arguments and a progress, and gives plain data for a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.app.web.tasks.attacking import attack, person
from pellucid.app.web.tasks.checking import check
from pellucid.app.web.tasks.comparing import compare
from pellucid.app.web.tasks.declaring import schema, taxonomy
from pellucid.app.web.tasks.describing import column, counts, unique
from pellucid.app.web.tasks.fetching import database
from pellucid.app.web.tasks.guessing import guess, preview
from pellucid.app.web.tasks.measuring import measure
from pellucid.app.web.tasks.opening import open_table
from pellucid.app.web.tasks.projects import project
from pellucid.app.web.tasks.publishing import pack, publish
from pellucid.app.web.tasks.reporting import report
from pellucid.app.web.tasks.values import values

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
