"""Files that are damaged or incomplete: one sentence about them, whichever reader notices."""

from __future__ import annotations

from pathlib import Path

from pellucid.errors import InputError


class ContradictoryFile(ValueError):
    """The file says something that cannot be."""


def damaged(path: Path, reason: str) -> InputError:
    """The error of such a file, with the reason where one is known.

    >>> damaged(Path("people.parquet"), "it has no footer")
    InputError('people.parquet is damaged or incomplete (it has no footer); write it again')
    """
    return InputError(
        "{path} is damaged or incomplete{what}; write it again", path=path.name, what=f" ({reason})" if reason else ""
    )
