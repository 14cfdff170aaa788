"""What one process tells another of an exception that nobody expected."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Failed:
    """An exception that nobody expected: its kind, the file and line, and all of it for who reads traces."""

    kind: str
    place: str
    trace: str


def failed(bug: Exception) -> Failed:
    """What is told of a bug."""
    last = traceback.extract_tb(bug.__traceback__)[-1]
    return Failed(type(bug).__name__, f"{Path(last.filename).name}, line {last.lineno}", traceback.format_exc())
