"""What tells whether a file is still the one that it was: its SHA-256, as sha256sum prints it."""

from __future__ import annotations

import hashlib
from pathlib import Path

CHUNK = 1 << 20


def checksum(path: Path) -> str:
    """The SHA-256 of a file, in hex; it is read piece by piece."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
