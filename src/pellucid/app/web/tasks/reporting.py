"""The report that a steward files or publishes beside the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pellucid
from pellucid.app.web.desk import REPORT_FILES, Desk
from pellucid.errors import PellucidError
from pellucid.progress import Progress


def report(
    desk: Desk, *, source: dict[str, Any], schema: str, audience: Literal["public", "private"], progress: Progress
) -> dict[str, Any]:
    """Write the report for one audience into the private folder."""
    make = getattr(pellucid, "report", None)
    if make is None:
        raise PellucidError("this version of pellucid makes no reports")
    frame = desk.frame(source, progress)
    desk.table(source, schema, progress)
    target: Path = desk.folder / REPORT_FILES[audience]
    made = make(desk.release, original=frame, schema=desk.schema(schema), audience=audience, progress=progress)
    made.write(target)
    return {"audience": audience, "bytes": target.stat().st_size}
