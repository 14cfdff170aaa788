"""The language that a report is written in: English, or another one that there is a catalog of."""

from __future__ import annotations

from collections.abc import Iterator
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
def written_in(language: str) -> Iterator[None]:
    """While a report is made: what is drawn is written in this language."""
    token = _written.set(language)
    try:
        yield
    finally:
        _written.reset(token)


def report_reader() -> Reader:
    """Whoever the report that is being made is for."""
    from pellucid.speaking.reader import report_reader_of

    return report_reader_of(_written.get())


def told(text: str) -> str:
    """A text of a chart, in the language of the report that is being made.

    >>> told("groups")
    'groups'
    >>> with written_in("de"):
    ...     told("groups")
    'Gruppen'
    """
    return text if _written.get() == ENGLISH else report_reader().plainly(text)
