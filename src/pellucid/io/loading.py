"""A source as a polars frame, with the types that its values have: before anybody says what its columns are.

A file that somebody writes to while it is read is neither the old table nor the new one, and is refused; the same holds
for a folder of part files. Size, time and identity of each file are compared before and after; a pipe has none that
would tell, and is not compared.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.errors import InputError
from pellucid.io.database import is_address, read_database
from pellucid.io.files import read_coded, read_file, with_said_decimals
from pellucid.io.frames import read_frame
from pellucid.io.numbered import Columns


def load(
    source: Any,
    *,
    columns: list[str] | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
    verbatim: bool = False,
) -> tuple[pl.DataFrame, str]:
    """The columns of a source (all when None) as a polars frame, and the library that it came from.

    ``missing`` names, for columns of a text file, the texts that are null; the type of the column is then that of its
    other values. When ``verbatim``, what a text file writes differently stays different: 1 and 1.0, true and True.
    Files and databases that have types of their own are left as they are, but for texts such as 3,5 where somebody said
    that decimals follow a comma.

    >>> load("patients")[0].height
    8
    """
    if not isinstance(source, str | PathLike):
        return read_frame(source, columns)
    _refuse_no_name(source)
    if isinstance(source, str):
        embedded = _embedded(source)
        if embedded is not None:
            return read_frame(embedded, columns)
        if is_address(source):
            frame = read_database(source, columns)
            return frame if verbatim else with_said_decimals(frame, missing), "polars"
    with unchanged(Path(source)):
        return read_file(Path(source), columns, missing, verbatim=verbatim), "polars"


def load_coded(
    source: Any, columns: list[str], missing: Mapping[str, Sequence[str]], numbering: Sequence[str]
) -> tuple[pl.DataFrame | Columns, str]:
    """The same for who makes codes of the columns in ``numbering``: of a text file they may come numbered."""
    if not isinstance(source, str | PathLike) or not Path(source).is_file():
        return load(source, columns=columns, missing=missing)
    with unchanged(Path(source)):
        return read_coded(Path(source), columns, missing, numbering), "polars"


def _refuse_no_name(source: str | PathLike[str]) -> None:
    """Raise when no file can have that name."""
    try:
        Path(source).stat()
    except ValueError:  # a null character
        raise InputError(f"there is no file {str(source)!r}; no name of a file has such a character") from None
    except OSError as wrong:
        if wrong.errno == errno.ENAMETOOLONG:
            raise InputError("there is no file {source!r}...; its name is too long", source=str(source)[:40]) from None


def _embedded(source: str) -> pl.DataFrame | None:
    """The embedded table of that name, unless there is a file of that name."""
    if Path(source).is_file():
        return None
    from pellucid import datasets

    return datasets.named(source)


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


def _told(file: os.stat_result) -> tuple[int, int, int, int]:
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns
