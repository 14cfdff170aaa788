"""A file that somebody writes to while it is read: what was read is neither the old table nor the new one.

The same holds for a folder of part files. Size, time and identity of each file are compared before and after; a pipe
has none that would tell, and is not compared.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pellucid.errors import InputError

Look = dict[str, tuple[int, int, int, int]]


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    r"""Refuse what was read meanwhile, also what an error says of it, when a file was changed, replaced, added or gone.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age\n1\n")
    >>> with unchanged(file):
    ...     _ = file.write_text("age\n1\n2\n")
    Traceback (most recent call last):
    pellucid.errors.InputError: people.csv was changed while it was read; read it again when nobody writes to it
    """
    before = _look(path)
    try:
        yield
    except Exception:
        _compare(path, before)
        raise
    _compare(path, before)


def _compare(path: Path, before: Look | None) -> None:
    if before is not None and _look(path) != before:
        raise InputError(f"{path.name} was changed while it was read; read it again when nobody writes to it") from None


def _look(path: Path) -> Look | None:
    """What the system says of each file; None of what is no file."""
    try:
        whole = path.stat()
        if stat.S_ISREG(whole.st_mode):
            return {"": _told(whole)}
        if stat.S_ISDIR(whole.st_mode):
            return {entry.name: _told(entry.stat()) for entry in os.scandir(path) if entry.is_file()}
    except (OSError, ValueError):  # whoever reads it says what is wrong, or that it is gone
        return {}
    return None


def _told(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
