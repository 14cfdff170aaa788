"""The report that a steward files or publishes beside the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pellucid.core.schema import Role
from pellucid.posterior.exclusion import BUDGET
from pellucid.reports import Audience, Origin
from pellucid.reports import report as make_report
from pellucid.runtime.progress import Progress
from pellucid.web.tasks.attack_budget import CHEAP_FIRST, SECONDS, Effort, reported
from pellucid.web.tasks.publishing import put_into_bundle
from pellucid.web.worker_state import BUNDLE_FILE, REPORT_FILES, REPORT_IN_BUNDLE, Desk


def report(
    desk: Desk,
    *,
    source: dict[str, Any],
    schema: str,
    audience: Audience,
    beside: dict[str, Any],
    seconds: float = SECONDS,
    budget: int = BUDGET,
    progress: Progress,
) -> dict[str, Any]:
    """Write the report for an audience into the private folder; no attack is made twice.

    ``beside`` has checksums of the published ``files``, what was ``accepted`` against a warning, and a ``place`` where
    the bundle is left with the public report in it; the server takes it from there. No other report is put into one.
    """
    table = desk.table(source, schema, progress)
    frame = desk.rows(source, table, progress)
    effort = Effort(seconds, budget)
    attacks = [  # of several columns each by itself, by somebody who is told who is in which group, as on the tab
        reported(desk, source, schema, CHEAP_FIRST, progress, effort, table.attributes[i].name)
        for i in table.having(Role.SENSITIVE)
        if audience == "private"
    ]
    path = Path(source["place"])
    made = make_report(
        desk.release,
        frame,
        schema=desk.schema(schema),
        audience=audience,
        attacks=attacks,
        origin=Origin.of_file(path, source["name"]) if path.is_file() else Origin(source["name"]),
        files=beside["files"],
        accepted=beside["accepted"],
        progress=progress,
    )
    made.write(desk.folder / REPORT_FILES[audience])
    if made.audience == "public":
        report_file = desk.folder / REPORT_FILES["public"]
        put_into_bundle(desk.folder / BUNDLE_FILE, report_file, REPORT_IN_BUNDLE, Path(beside["place"]))
    return {"audience": audience}
