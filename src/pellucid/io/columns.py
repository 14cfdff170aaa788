"""Which columns of a source are read: those that the schema names, and nothing else."""

from __future__ import annotations

import difflib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from pellucid.core.schema import Schema, place_of
from pellucid.errors import InputError, SchemaError
from pellucid.messages import Message, Term
from pellucid.text.values import listed

# The schema file that asks for the columns, while its columns are looked for.
_asking: ContextVar[Schema | None] = ContextVar("_asking", default=None)
_besides: ContextVar[Callable[[str], bool] | None] = ContextVar("_besides", default=None)


@contextmanager
def asked_by(schema: Schema) -> Iterator[None]:
    """While it lasts, an unknown column is reported with the file and the line of the schema that asks for it."""
    before = _asking.set(schema if schema.path is not None else None)
    try:
        yield
    finally:
        _asking.reset(before)


@contextmanager
def besides(looked_at: Callable[[str], bool]) -> Iterator[None]:
    """While it lasts, columns with such names are read as well: they are looked at, and never published."""
    before = _besides.set(looked_at)
    try:
        yield
    finally:
        _besides.reset(before)


class NamelessColumns(UserWarning):
    """Columns without a name are not read: no schema can say what they are."""


def require_distinct(names: Sequence[str], source: str) -> None:
    """Refuse duplicate column names: nobody could say which of the two is meant.

    Columns without a name (a spreadsheet's empty last columns) cannot be asked for and may repeat.
    """
    for name, times in Counter(names).items():
        if times > 1 and name:
            raise InputError(f"{source}: column {name!r} occurs {times} times; column names must differ, rename one")


def choose(available: Sequence[str], wanted: Sequence[str] | None, source: str) -> list[str]:
    """The wanted columns, after checking that each exists; all of them when nothing in particular is wanted.

    >>> choose(["age", "zip"], ["zpi"], "patients.csv")
    Traceback (most recent call last):
    ...
    pellucid.errors.SchemaError: patients.csv has no column 'zpi'; did you mean 'zip'? Its columns: 'age', 'zip'
    """
    require_distinct(available, source)
    if wanted is None:
        _tell_of_nameless(available, source)
        return [name for name in available if name]
    for name in wanted:
        if name not in available:
            close = difflib.get_close_matches(name, available, n=1, cutoff=0.5)
            there = Term("columns there", listed(available), list(available))
            columns = Message("its columns: {there}", there=there) if available else Message("it has none")
            if close:
                columns = Message("did you mean {close!r}? Its columns: {there}", close=close[0], there=there)
            asking = _asking.get()
            where = "" if asking is None else Message("{place_of}", place_of=place_of(asking, name))
            raise SchemaError(
                "{where}{source} has no column {term}; {columns}",
                where=where,
                source=source,
                term=Term("column lacking", repr(name), name),
                columns=columns,
            )
    looked_at = _besides.get()
    more = [] if looked_at is None else [name for name in available if name not in wanted and looked_at(name)]
    return [*wanted, *more]


def _tell_of_nameless(available: Sequence[str], source: str) -> None:
    nameless = sum(not name for name in available)
    if nameless:
        which = "1 column has no name and is" if nameless == 1 else f"{nameless} columns have no name and are"
        warnings.warn(f"{source}: {which} left out; to keep one, name it in the header", NamelessColumns, stacklevel=3)


def may_lack_a_header(names: Sequence[str], wanted: Sequence[str] | None) -> bool:
    """Whether columns are wanted that are not there, or nobody says which: then the first line may be data."""
    return wanted is None or any(name not in names for name in wanted)
