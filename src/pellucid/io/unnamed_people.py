"""A column that numbers people or things under a name that says nothing: values repeat, and much never changes within.

A person's sex, origin and schooling are the same in all their rows, and tell nothing of each other. What a town says of
its rows is told by each other: its county tells its state. So three columns are asked for of which none tells another,
or two of which one has the name of a sex or a birth: no town has one.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.hints import hint_of
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Persons, Table
from pellucid.errors import PellucidError
from pellucid.io.codes import coded, plain
from pellucid.io.loading import load
from pellucid.io.text_form import filled_in

MOST = 30.0  # rows of a value on average
LEAST_VALUES = 30
LEAST_REPEATED = 3  # values that repeat
CHANCE = 1e-6  # that columns are the same within so many values though they have nothing to do with them
LOOKED_AT = 2_000  # values that repeat, evenly over all
VARIES = 0.2  # how probable it is that two people differ in a column
CHANGES = 0.03  # of the values that repeat, in a column that is a person's own: origins are written wrongly at times
WAYS = 1.15  # for each value that repeats: in how many ways so few may change
TELLS = 0.5  # of what is not guessed anyhow, where a column tells another
BY_CHANCE = 0.9  # of a column, told by one of nearly as many values as there are people: nobody can say more
OWN, WITH_A_BIRTH = 3, 2  # columns that never change within a value and do not tell each other
OF_A_PERSON = ("birth", "sex")


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
    if values <= LEAST_VALUES or not values < len(known) <= MOST * values:
        return False
    return not (known.dtype.is_float() and bool((known != known.floor()).any()))


def _apart(own: list[tuple[str, Codes]]) -> list[tuple[str, Codes]]:
    """Columns of which none tells another; those of few values first."""
    kept: list[tuple[str, Codes]] = []
    for column, codes in sorted(own, key=lambda one: int(one[1].max())):
        if not any(_tells(codes, known) or _tells(known, codes) for _, known in kept):
            kept.append((column, codes))
    return kept


def _own(name: str, frame: pl.DataFrame) -> int:
    """How many columns never change within the values that repeat, of which none tells another.

    As many as are asked for count where one is a birth or a sex, and none where chance may make them so.
    """
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
    once = np.unique(book.codes, return_index=True)[1][int(book.has_null) :]
    own: list[tuple[str, Codes]] = []
    for series in frame:
        if series.name == name or series.dtype.is_nested():
            continue
        codes = coded(plain(series)).codes
        here = codes[rows]
        changed = np.logical_or.reduceat(here != np.repeat(here[starts], lengths), starts)
        if changed.mean() < CHANGES and _alike(codes[once]) <= 1 - VARIES:
            own.append((series.name, np.unique(codes[once], return_inverse=True)[1].astype(np.int32)))
    kept = _apart(own)
    chance = (WAYS * prod(_alike(codes) for _, codes in kept)) ** len(repeated)
    if chance > CHANCE:
        return 0
    of_a_person = any(hint is not None and hint.concept in OF_A_PERSON for hint in map(hint_of, dict(kept)))
    return max(len(kept), OWN) if of_a_person and len(kept) >= WITH_A_BIRTH else len(kept)


def _alike(codes: Codes) -> float:
    """How probable it is that two people have the same."""
    shares = np.bincount(codes) / len(codes)
    return float(shares @ shares)


def _tells(by: Codes, codes: Codes) -> bool:
    """Whether one column tells another, beyond what one of so many values tells of any by chance."""
    chance = _told(by, np.random.default_rng(1).permutation(codes))
    return chance > BY_CHANCE or _told(by, codes) - chance >= TELLS * (1 - chance)


def _told(by: Codes, codes: Codes) -> float:
    """How much of a column, beyond its most frequent value, another one tells."""
    width = int(codes.max()) + 1
    pairs, held = np.unique(by.astype(np.int64) * width + codes, return_counts=True)
    most: NDArray[np.int64] = np.zeros(int(by.max()) + 1, np.int64)
    np.maximum.at(most, pairs // width, held)
    guessed = int(np.bincount(codes).max())
    return 1.0 if guessed == len(codes) else (int(most.sum()) - guessed) / (len(codes) - guessed)
