"""A source as a polars frame, with the types that its values have: before anybody says what its columns are."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.errors import InputError
from pellucid.io.database import is_address, read_database
from pellucid.io.files import read_file
from pellucid.io.frames import read_frame
from pellucid.io.unchanged import unchanged


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
    Sources that have types of their own are left as they are.

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
            return read_database(source, columns), "polars"
    with unchanged(Path(source)):
        return read_file(Path(source), columns, missing, verbatim=verbatim), "polars"


def _refuse_no_name(source: str | PathLike[str]) -> None:
    """Raise when no file can have that name."""
    try:
        Path(source).stat()
    except ValueError:  # a null character
        raise InputError(f"there is no file {str(source)!r}; no name of a file has such a character") from None
    except OSError as wrong:
        if wrong.errno == errno.ENAMETOOLONG:
            raise InputError(f"there is no file {str(source)[:40]!r}...; its name is too long") from None


def _embedded(source: str) -> pl.DataFrame | None:
    """The embedded table of that name, unless there is a file of that name."""
    from pellucid import datasets

    return None if Path(source).is_file() else datasets.named(source)
