"""Targets: refused before any work is done rather than after an hour of it, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from pellucid.errors import OutputError


def refuse_target(target: Path, *, overwrite: bool) -> None:
    """Raise when a release could not be written to ``target``."""
    if target.exists() and not target.is_dir():
        raise OutputError(f"{target}: is a file; --out names a folder")
    if target.exists() and not overwrite:
        raise OutputError(f"{target}: exists already; choose another folder, or add --overwrite to replace it")
    # The release is built beside the target and renamed, so it is the folder above that must take a new entry.
    above = next(folder for folder in target.absolute().parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise OutputError(f"{target}: {above} is not a folder that you may write to; choose another --out")


def write_text(target: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(target)
    except OSError as wrong:
        raise OutputError(f"{target}: cannot be written ({wrong.strerror}); choose another --out") from wrong
    finally:
        beside.unlink(missing_ok=True)
