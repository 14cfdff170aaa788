"""From what a person gives (a release in memory or on disk, the original) to what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pellucid.errors import MeasureError
from pellucid.io import read
from pellucid.measuring.shown import Shown, shown_by
from pellucid.progress import SILENT, Progress
from pellucid.release import Release
from pellucid.schema import Schema


def shown_of(
    release: Any,
    original: Any,
    *,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    identifier: str | None = None,
    progress: Progress = SILENT,
) -> Shown:
    """What a release shows of the original."""
    table = read(original, schema=schema, quasi=quasi, sensitive=sensitive, identifier=identifier, progress=progress)
    if isinstance(release, Release):
        return shown_by(release, table)
    raise MeasureError("a release on disk cannot be measured yet; give the release of publish")
