"""What a method offers that draws rows by lot and can be divided among machines: who takes how many of each value.

Such a method takes the rows of a sensitive value in ascending order of a drawn number, and how many rows of which value
go together follows from the counts of the values alone. So the counts, which add up over machines, tell which ranks of
each value a part takes, and a part is then grouped without the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.core.coins import Coins
from pellucid.core.table import Codes, Table
from pellucid.models.groups import Counts

Longs = NDArray[np.int64]


class Shares(Protocol):
    """What each part takes: part k the rows of value v with ranks ``taken[k, v]`` to ``taken[k + 1, v] - 1``.

    Ranks are counted from 0 in ascending order of the numbers drawn for ``purpose``. Rows after the last part's join
    a part of their own choice.
    """

    @property
    def purpose(self) -> str:
        """What the numbers are drawn for."""

    @property
    def taken(self) -> Longs:
        """How many rows of each value the parts before each part take; the last line is about all of them."""

    def joined(self, values: Codes, orders: Longs, coins: Coins) -> Longs:
        """The parts that rows join which no part takes, by their sensitive codes and row orders."""

    def group(self, part: int, table: Table, coins: Coins) -> Grouping:
        """The groups of one part, whose rows the table has in row order."""


@runtime_checkable
class ByLot(Protocol):
    """A method that can be divided into shares."""

    def check_counts(self, outline: Table, counts: Sequence[Counts]) -> None:
        """Raise when the table cannot be published with these parameters."""

    def shares(self, counts: Counts, rows: int, most: int) -> Shares:
        """Parts of about so many rows, at most so many parts, of a table whose sensitive values have these counts."""


def by_value(values: Codes, distinct: int, draws: Longs) -> tuple[Codes, Longs]:
    """Rows value after value, each value's in ascending order of its drawn numbers; and where each value begins.

    >>> rows, starts = by_value(np.array([2, 0, 2], np.int32), 3, np.array([9, 5, 4]))
    >>> rows.tolist(), starts.tolist()
    ([1, 2, 0], [0, 1, 1, 3])
    """
    rows = np.lexsort((draws, values)).astype(np.int32)
    return rows, np.append(0, np.cumsum(np.bincount(values, minlength=distinct))).astype(np.int64)
