"""Which columns of a source are read: those that the schema names, and nothing else."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence

from pellucid.errors import InputError, SchemaError


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
    pellucid.errors.SchemaError: patients.csv: no column 'zpi'; did you mean 'zip'? Columns: age, zip
    """
    require_distinct(available, source)
    if wanted is None:
        return [name for name in available if name]
    for name in wanted:
        if name not in available:
            close = difflib.get_close_matches(name, available, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}? " if close else ""
            shown = ", ".join(available[:20]) + (", ..." if len(available) > 20 else "")
            raise SchemaError(f"{source}: no column {name!r}; {hint}Columns: {shown}")
    return list(wanted)
