"""The file of ``--keep-groups`` (``keep_groups`` in a job): one number for each row of the table, in its order.

It tells who is in which group, so it stays with the steward: only its owner may read it, it never lies in the folder
that is handed out, and it replaces nothing but such a file. It is written before the release and gets its name after
it: a disk that is full for one of the two leaves both as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import OutputError
from pellucid.io.files import FORMATS
from pellucid.messages import Message, Term
from pellucid.messages.terms import KEEP_GROUPS, OVERWRITE, OVERWRITE_IN_JOB
from pellucid.runtime.whole_file import explained, prepared, refuse_broken_link, resolved

HEADER = b"group"
AT_ONCE = 1_000_000  # rows that are written at a time


def check_groups_file(
    path: Path | None, out: Path, inputs: Sequence[Path], *, overwrite: bool, called: str | Term = KEEP_GROUPS
) -> None:
    """Raise when the groups cannot be kept there: inside the release, over an input, over anything but groups.

    ``called`` is what the caller calls this choice.
    """
    if path is None:
        return
    in_job = called is not KEEP_GROUPS
    called = Message("{called} {path}", called=called, path=str(path))
    refuse_broken_link(path, called=called)
    with explained(called):
        place, release = resolved(path), resolved(out)
        _check_name(called, place)
        if place.is_relative_to(release):
            told = "{called}: groups stay with you, and {out} is handed out; choose another folder"
            raise OutputError(told, called=called, out=str(out))
        if not place.parent.is_dir():
            raise OutputError("{called}: there is no folder {parent}; make it first", called=called, parent=path.parent)
        if place.is_dir():
            raise OutputError("{called}: this is a folder; name a file", called=called)
        if any(covers(file, place) for file in inputs):
            told = "{called}: this is read as input, and is not replaced; choose another name"
            raise OutputError(told, called=called)
        if place.exists():
            _check_replaced(called, place, overwrite=overwrite, replacing=OVERWRITE_IN_JOB if in_job else OVERWRITE)


def _check_name(called: str, place: Path) -> None:
    """The file is CSV: under a name that promises another format nobody could read it again."""
    for format_name, (_, endings) in FORMATS.items():
        if place.suffix.lower() in endings:
            raise OutputError(
                "{called}: groups are written as CSV, and this name says {format_name}; name it {with_suffix}",
                called=called,
                format_name=format_name,
                with_suffix=place.with_suffix(".csv").name,
            )


def _check_replaced(called: str, place: Path, *, overwrite: bool, replacing: Term) -> None:
    """A file that is there is replaced only on request, and only when it has groups."""
    if not place.is_file():
        raise OutputError("{called} is no file that can be replaced; choose another name", called=called)
    with place.open("rb") as file:
        if file.readline(len(HEADER) + 2).strip() != HEADER:
            raise OutputError("{called}: what is there is no file of groups; choose another name", called=called)
    if not overwrite:
        told = "{called} exists; choose another name, or {replacing} to replace it"
        raise OutputError(told, called=called, replacing=replacing)


def kept_groups(
    path: Path | None, labels: Callable[[], NDArray[np.int32]], *, called: str | Term = KEEP_GROUPS
) -> AbstractContextManager[Callable[[], None]]:
    """Write the groups beside their place; gives what puts them there, when the release is in its own.

    ``labels`` gives the group of each row; nobody asks for them where no file is wanted.
    """
    if path is None:
        return nullcontext(lambda: None)
    named = Message("{called} {path}", called=called, path=str(path))
    return prepared(path, lines_of(labels()), private=True, called=named)


def covers(given: Path, place: Path) -> bool:
    """Whether writing to the place changes what was given: the same file under any name, or a file in that folder."""
    try:
        return (
            place == given.resolve()
            or (given.is_dir() and place.is_relative_to(given.resolve()))
            or (place.exists() and given.exists() and place.samefile(given))
        )
    except (OSError, RuntimeError, ValueError):
        return False


def lines_of(labels: NDArray[np.int32]) -> Iterator[bytes]:
    """The file, some rows at a time."""
    yield HEADER + b"\n"
    for first in range(0, len(labels), AT_ONCE):
        yield pl.DataFrame({"group": labels[first : first + AT_ONCE]}).write_csv(include_header=False).encode()
