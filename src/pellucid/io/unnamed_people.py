"""A column that numbers people or things under a name that says nothing: values repeat, and much never changes within.

A person's sex, origin and schooling are the same in all their rows, and tell nothing of each other. What a town says of
its rows is told by each other: its county tells its state. So three columns are asked for of which none tells another.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import PellucidError
from pellucid.io.codes import coded, plain
from pellucid.io.loading import load
from pellucid.io.text_form import filled_in
from pellucid.schema import Role
from pellucid.table import Codes, Persons, Table

FEWEST, MOST = 1.2, 30.0  # rows of a value on average
LEAST_VALUES = 30
LEAST_REPEATED = 20  # values that repeat; of fewer a column may be the same by chance
LOOKED_AT = 2_000  # values that repeat, evenly over all
VARIES = 0.2  # how probable it is that two people differ in a column
CHANGES = 0.01  # of the values that repeat, in a column that is a person's own
TELLS = 0.5  # of what is not guessed anyhow, where a column tells another
OWN = 3  # columns that never change within a value and do not tell each other


def people_unnamed(source: Any, table: Table) -> Persons | None:
    """The people or things that a column numbers which is not published, where nobody says what is done about them.

    A source is looked at as a whole, and a table that was read already has no other columns.
    """
    if table.persons is not None or table.clusters is not None or isinstance(source, Table) or table.schema is None:
        return None
    with suppress(PellucidError), warnings.catch_warnings(), filled_in(table.schema.file):
        warnings.simplefilter("ignore")  # reading the columns that are published has warned already
        frame, _ = load(source)
        frame = frame if table.kept is None else frame.filter(pl.Series(table.kept))
        roles = {name: column.role for name, column in table.schema.columns.items()}
        return numbered_in(frame, [name for name in frame.columns if roles.get(name, Role.DROP) is Role.DROP])
    return None


def numbered_in(frame: pl.DataFrame, names: list[str]) -> Persons | None:
    """Which of these columns numbers people or things: the one within whose values most columns never change.

    >>> whose = [n // 3 for n in range(300)]
    >>> own = {"sex": 2, "born": 7, "schooling": 5, "blood": 3}
    >>> columns = {name: [(one * 31 + one // 7) % of for one in whose] for name, of in own.items()}
    >>> visits = pl.DataFrame({"zq": whose, "visit": list(range(300)), **columns})
    >>> found = numbered_in(visits, ["zq", "visit"])
    >>> found.column, found.people, found.rows
    ('zq', 100, 300)
    """
    candidates = [name for name in names if _may_number(frame[name])]
    if not candidates:
        return None
    found = {name: _own(name, frame) for name in candidates}
    best = max(found, key=lambda name: found[name])
    if found[best] < OWN:
        return None
    numbers = plain(frame[best])
    return Persons(best, coded(numbers).codes, numbers.drop_nulls().n_unique(), len(numbers))


def _may_number(numbers: pl.Series) -> bool:
    known = numbers.drop_nulls()
    if not (known.dtype.is_integer() or known.dtype.is_float() or known.dtype == pl.String):
        return False
    values = known.n_unique()
    if values <= LEAST_VALUES or not FEWEST * values <= len(known) <= MOST * values:
        return False
    return not (known.dtype.is_float() and bool((known != known.floor()).any()))


def _own(name: str, frame: pl.DataFrame) -> int:
    """How many columns never change within the values that repeat, of which none tells another."""
    book = coded(plain(frame[name]))
    times = np.bincount(book.codes)
    times[: int(book.has_null)] = 0
    repeated = np.flatnonzero(times > 1)
    if len(repeated) < LEAST_REPEATED:
        return 0
    repeated = repeated[np.linspace(0, len(repeated) - 1, min(LOOKED_AT, len(repeated))).astype(np.int64)]
    rows = np.flatnonzero(np.isin(book.codes, repeated))
    rows = rows[np.argsort(book.codes[rows], kind="stable")]
    starts = np.flatnonzero(np.diff(book.codes[rows], prepend=-1))
    lengths = np.diff(np.append(starts, len(rows)))
    own: list[Codes] = []
    for series in frame[rows]:
        if series.name == name or series.dtype.is_nested():
            continue
        here = coded(plain(series)).codes
        changed = np.logical_or.reduceat(here != np.repeat(here[starts], lengths), starts)
        if changed.mean() < CHANGES and _varies(here[starts]):
            own.append(np.unique(here[starts], return_inverse=True)[1].astype(np.int32))
    kept: list[Codes] = []
    for codes in sorted(own, key=lambda codes: int(codes.max())):
        few = 3 * (int(codes.max()) + 1) <= len(codes)  # a column of many values tells every other by chance
        if few and all(max(_told(codes, known), _told(known, codes)) < TELLS for known in kept):
            kept.append(codes)
    return len(kept)


def _varies(codes: Codes) -> bool:
    shares = np.bincount(codes) / len(codes)
    return 1 - float(shares @ shares) >= VARIES


def _told(by: Codes, codes: Codes) -> float:
    """How much of a column, beyond its most frequent value, another one tells."""
    width = int(codes.max()) + 1
    pairs, held = np.unique(by.astype(np.int64) * width + codes, return_counts=True)
    most: NDArray[np.int64] = np.zeros(int(by.max()) + 1, np.int64)
    np.maximum.at(most, pairs // width, held)
    guessed = int(np.bincount(codes).max())
    return 1.0 if guessed == len(codes) else (int(most.sum()) - guessed) / (len(codes) - guessed)
