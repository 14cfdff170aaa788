"""The language that a report is written in: English, or another one that there is a catalog of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pellucid.errors import OutputError

if TYPE_CHECKING:
    from pellucid.speaking.reader import Reader

ENGLISH = "en"
_written: ContextVar[str] = ContextVar("written", default=ENGLISH)  # the language of the report that is being made


def check_language(language: str) -> None:
    """Raise where there is no catalog of a language."""
    from pellucid.speaking.reader import languages

    if language not in languages():
        raise OutputError(f"language = {language!r}: must be one of {', '.join(languages())}")


@contextmanager
def written_in(language: str, columns: Collection[str] = (), *, rows: bool = False) -> Iterator[None]:
    """While a report is made: it is written in this language, and names of these columns stay whole.

    ``rows``: what it counts are rows and no people, because a person may have several.
    """
    from pellucid.speaking.counted_rows import counting_rows
    from pellucid.speaking.reader import called

    written, names, counted = _written.set(language), called.set(columns), counting_rows.set(rows)
    try:
        yield
    finally:
        counting_rows.reset(counted)
        called.reset(names)
        _written.reset(written)


def report_reader() -> Reader:
    """Whoever the report that is being made is for."""
    from pellucid.speaking.reader import report_reader_of

    return report_reader_of(_written.get())


def told_axis() -> str:
    """The title of an axis along which people are counted, or rows, in the language of that report.

    >>> with written_in("de", rows=True):
    ...     told_axis()
    'Zeilen'
    """
    return report_reader().axis()


def told(text: str) -> str:
    """A text of a chart, in the language of the report that is being made.

    >>> told("groups")
    'groups'
    >>> with written_in("de"):
    ...     told("groups")
    'Gruppen'
    """
    return report_reader().plainly(text)
