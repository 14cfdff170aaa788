"""The report that a steward files or publishes beside the data."""

from __future__ import annotations

from typing import Any

from pellucid.app.web.desk import REPORT_FILES, Desk
from pellucid.app.web.tasks.attacking import reported
from pellucid.attacking.suite import KINDS
from pellucid.progress import Progress
from pellucid.reporting import Audience
from pellucid.reporting import report as make_report
from pellucid.schema import Role


def report(
    desk: Desk, *, source: dict[str, Any], schema: str, audience: Audience, progress: Progress
) -> dict[str, Any]:
    """Write the report for one audience into the private folder; attacks that were made already are not made again."""
    frame = desk.frame(source, progress)
    table = desk.table(source, schema, progress)
    alone = len(table.having(Role.SENSITIVE)) == 1  # of several columns the report attacks each by itself
    attacks = reported(desk, source, schema, KINDS, progress) if audience == "private" and alone else None
    made = make_report(
        desk.release, frame, schema=desk.schema(schema), audience=audience, attacks=attacks, progress=progress
    )
    made.write(desk.folder / REPORT_FILES[audience])
    return {"audience": audience}
