"""That rows which follow each other look like one person's, where nothing numbers people: a note, and no proof.

A table of person-years lists each person's years one after the other. Two such rows agree in nearly all that others may
know, and two rows drawn at random do not. A file in the order of a column looks alike, and blocks of one region do. So
three columns count of which none tells another, and which agree no more than at random where two columns change: there
another person begins. The order of the rows is looked at for this alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.messages import Message, Share
from pellucid.messages.terms import PEOPLE

LOOKED_AT = 100_000  # rows
LEAST_ROWS, LEAST_COLUMNS = 50, 3
PART = 1 / 3  # of the rows that agree with the one before, of a column and of all but one
TIMES = 3  # as often as at random
MORE = 0.1  # than at random, where another person begins


def rows_that_follow(table: Table) -> list[Message]:
    """A note where a third of the rows agree with the row before in all that is published but one column.

    >>> import pellucid as pc, polars as pl
    >>> coins = np.random.default_rng(1)
    >>> columns = {name: np.repeat(coins.integers(0, 5, 100), 4) for name in ("sex", "town", "age")}
    >>> years = pl.DataFrame(columns | {"ill": coins.integers(0, 4, 400)})
    >>> [note] = rows_that_follow(pc.read(years, quasi=["sex", "town", "age"], sensitive="ill"))
    >>> note.partition(":")[0]
    'rows that follow each other look like the same person'
    """
    places = [*table.having(Role.QUASI), *table.having(Role.CARRY)]
    if table.persons is not None or table.clusters is not None or len(places) < LEAST_COLUMNS:
        return []
    codes = np.stack([table.codes[i][:LOOKED_AT].astype(np.int64) for i in places])
    if codes.shape[1] < LEAST_ROWS:
        return []
    mixed = codes[:, np.random.default_rng(1).permutation(codes.shape[1])]
    follow, chance = (rows[:, 1:] == rows[:, :-1] for rows in (codes, mixed))
    near, by_chance = (same.sum(axis=0) >= len(places) - 1 for same in (follow, chance))
    usual = chance.mean(axis=1)
    above = follow.mean(axis=1) - usual >= PART * (1 - usual)
    above &= (follow & ~near).sum(axis=1) <= (usual + MORE) * (~near).sum()
    apart: list[NDArray[np.int64]] = []
    for column in sorted(codes[above], key=lambda one: int(one.max())):
        apart += [] if any(_tells(column, other) or _tells(other, column) for other in apart) else [column]
    if near.mean() < max(PART, TIMES * by_chance.mean()) or len(apart) < LEAST_COLUMNS:
        return []
    return [
        Message(
            "rows that follow each other look like the same person: {near} agree with the row before in all columns "
            "that others may know but at most one, and {chance} of rows drawn at random do. If a person has several "
            "rows, protect the person with a column that numbers people and {people}: the promise is about single rows",
            near=Share(float(near.mean())),
            chance=Share(float(by_chance.mean())),
            people=PEOPLE.such_as("NUMBER=person"),
        )
    ]


def _tells(column: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether each value of a column goes with one value of another."""
    return len(np.unique(column * (int(other.max()) + 1) + other)) == len(np.unique(column))
