"""Which columns make people unique: what every set of up to three quasi-identifiers tells apart.

**Distinction** of a set of columns: different combinations of its values over rows. **Separation**: the share of pairs
of rows that differ in it (Motwani, Xu: Efficient algorithms for masking and finding quasi-identifiers, 2007). A row is
*alone by* a set when no other row has its combination.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes, Table

MOST_TOGETHER = 3
MOST_SETS = 2_000  # beyond, smaller sets only


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """What a set of columns tells apart; ``alone``: how many rows no other row is like in it."""

    columns: tuple[str, ...]
    distinction: Fraction
    separation: Fraction
    alone: int


@dataclass(frozen=True, slots=True, eq=False)
class Identifying:
    """All sets, those by which most rows are alone first; and for each row a smallest one that it is alone by.

    ``alone_by`` has the place of that set in ``sets``, -1 for a row that is alone by none.
    """

    sets: tuple[ColumnSet, ...]
    alone_by: NDArray[np.int64]

    def named(self) -> list[str | None]:
        """The set that each row is alone by, in words; None for a row that is alone by none."""
        words = [" + ".join(one.columns) for one in self.sets]
        return [words[place] if place >= 0 else None for place in self.alone_by.tolist()]


def identifying(table: Table, columns: Sequence[int]) -> Identifying:
    """What every set of up to three columns tells apart, and two or one where there would be more than 2,000 sets."""
    together = min(MOST_TOGETHER, len(columns))
    while together > 1 and sum(1 for size in range(1, together + 1) for _ in combinations(columns, size)) > MOST_SETS:
        together -= 1
    n = len(table)
    found: list[tuple[ColumnSet, NDArray[np.bool_]]] = []
    labels: dict[tuple[int, ...], Codes] = {(): np.zeros(n, np.int64)}
    for size in range(1, together + 1):
        for chosen in combinations(columns, size):
            number, label, counts = _combined(labels[chosen[:-1]], table.codes[chosen[-1]])
            if size < together:
                labels[chosen] = label
            pairs = n * (n - 1)
            apart = Fraction(pairs - int((counts * (counts - 1)).sum()), pairs) if pairs else Fraction(0)
            names = tuple(table.attributes[i].name for i in chosen)
            alone = counts == 1
            found.append((ColumnSet(names, Fraction(number, n), apart, int(alone.sum())), alone[label]))
    order = sorted(range(len(found)), key=lambda i: (-found[i][0].alone, len(found[i][0].columns), i))
    place = {i: at for at, i in enumerate(order)}
    alone_by = np.full(n, -1, np.int64)
    for i, (_, rows) in enumerate(found):  # smaller sets come first
        alone_by[(alone_by < 0) & rows] = place[i]
    return Identifying(tuple(found[i][0] for i in order), alone_by)


def _combined(label: Codes, codes: Codes) -> tuple[int, Codes, NDArray[np.int64]]:
    """How many combinations there are, which of them each row has, and how many rows each has."""
    keys = label.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes
    values, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return len(values), which, counts.astype(np.int64)
