"""A text file, written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from pellucid.errors import OutputError


def write_text(target: Path, text: str) -> None:
    """Write the text beside the target and give it the target's name in one step."""
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(target)
    except OSError as wrong:
        raise OutputError(f"{target}: cannot be written ({wrong.strerror}); choose another --out") from wrong
    finally:
        beside.unlink(missing_ok=True)
