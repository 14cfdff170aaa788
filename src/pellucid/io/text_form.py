"""How a file writes its table, where somebody said so: a separator, whether the first line is a header, a sheet.

Mostly nobody needs to: the head of a file tells the separator. A schema may say it (``[file] separator = "^"``), and so
may whoever calls; what is said holds for all text tables that are read meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pellucid.core.schema import TextForm

AS_SEEN = TextForm()
_said: ContextVar[TextForm] = ContextVar("_said", default=AS_SEEN)


def said_form() -> TextForm:
    """What is said about the text files that are read now."""
    return _said.get()


@contextmanager
def written_as(form: TextForm | None) -> Iterator[None]:
    """While it lasts, text files are read in this form; what it leaves open stays as it was said around it.

    >>> with written_as(TextForm(separator="^")), written_as(TextForm(header=False)):
    ...     said_form().separator, said_form().header
    ('^', False)
    """
    around = _said.get()
    fields = {} if form is None else {key: value for key, value in form.model_dump().items() if value is not None}
    before = _said.set(around.model_copy(update=fields) if fields else around)
    try:
        yield
    finally:
        _said.reset(before)


@contextmanager
def filled_in(form: TextForm | None) -> Iterator[None]:
    """While it lasts, a schema's form holds where the caller said nothing."""
    around = _said.get()
    with written_as(form), written_as(around):
        yield


@contextmanager
def by_its_looks() -> Iterator[None]:
    """While it lasts, nothing is said: a release of ours has commas and a header, whatever its original has."""
    before = _said.set(AS_SEEN)
    try:
        yield
    finally:
        _said.reset(before)
