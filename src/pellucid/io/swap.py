"""Putting a finished folder in the place of another in one step that cannot be seen half done.

On Linux ``renameat2`` with RENAME_EXCHANGE swaps the two names at once: whoever looks sees the old folder or the new
one, also when the process is killed at any moment. File systems and systems without it get two renames, old folder
aside and new folder in; between the two the name is free, and a process killed exactly there leaves the old folder
under its temporary name, from where the next write restores it (:func:`pellucid.io.bundle.write_bundle`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

AT_FDCWD = -100
RENAME_EXCHANGE = 2
NOT_SUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTTY}


def exchange(one: Path, other: Path) -> bool:
    """Swap the names of two folders at once; False, with nothing done, where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:  # an old C library
        return False
    if rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in NOT_SUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(other))


def flush_file(path: Path) -> None:
    """Make the contents of a file durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
