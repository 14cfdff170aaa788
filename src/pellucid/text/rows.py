"""What a row is called that has no name: by its number, from 0 for programs, from 1 for people.

Python and the command line count rows from 0, as dataframes do, and say so, also in the reports that they make. The
pages of the browser and the reports made there count from 1, as a spreadsheet does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_first: ContextVar[int] = ContextVar("first", default=0)


@contextmanager
def counted_from(first: int) -> Iterator[None]:
    """While texts are made: the number of the first row.

    >>> with counted_from(1):
    ...     called(0)
    'row 1'
    """
    token = _first.set(first)
    try:
        yield
    finally:
        _first.reset(token)


def first_row() -> int:
    """The number of the first row."""
    return _first.get()


def called(row: int) -> str:
    """What a row is called, by its place from 0.

    >>> called(17)
    'row 17'
    """
    return f"row {row + first_row()}"
