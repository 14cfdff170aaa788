"""How many rows each row may be where null and ``*`` match every value: the view of sdcMicro, beside the strict one.

Two rows match where each column has the same value in both, or null or ``*`` in one of them. That is no partition: a
row with a null may match two rows that do not match each other. A row is found as one of so many by an attacker who
does not know what was taken out. For one who knows it the strict view counts, in which null is a value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.audit.partition import silent_codes
from pellucid.core.table import Codes, Table

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
MOST_PATTERNS = 64  # sets of columns that are null together; all pairs of them are compared


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """For each row how many rows it matches, itself included, and the sum of their weights where rows have some."""

    rows: Longs
    people: Floats | None

    def below(self, k: int) -> int:
        """How many rows match fewer than k rows.

        >>> Matches(np.array([1, 2, 2]), None).below(2)
        1
        """
        return int((self.rows < k).sum())


def matches(
    table: Table, columns: tuple[int, ...], weights: Floats | None = None, *, nulls: bool = True
) -> Matches | None:
    """What each row matches; None where no cell is null or ``*``, or too many sets of columns are null together.

    Without ``nulls`` a null is a value, and ``*`` alone matches.
    """
    silent = [silent_codes(table.attributes[i], nulls=nulls) for i in columns]
    if not any(one.any() for one in silent):
        return None
    distinct, at = np.unique(np.stack([table.codes[i] for i in columns], axis=1), axis=0, return_inverse=True)
    at = at.ravel()
    hidden = np.stack([one[distinct[:, i]] for i, one in enumerate(silent)], axis=1)
    patterns, pattern_of = np.unique(hidden, axis=0, return_inverse=True)
    if not patterns.any() or len(patterns) > MOST_PATTERNS:
        return None
    held: Floats = np.bincount(at).astype(np.float64)
    each: Floats = np.stack([held, held if weights is None else np.bincount(at, weights)], axis=1)
    found: Floats = np.zeros(each.shape)
    members = [np.flatnonzero(pattern_of.ravel() == i) for i in range(len(patterns))]
    for mine, here in zip(members, patterns, strict=True):
        for theirs, there in zip(members, patterns, strict=True):
            found[mine] += _sums(distinct[:, ~(here | there)], each, mine, theirs)
    return Matches(found[at, 0].astype(np.int64), None if weights is None else found[at, 1])


def _sums(codes: Codes, each: Floats, mine: Longs, theirs: Longs) -> Floats:
    """For each of my rows the sums over those of theirs that have the same codes."""
    _, key = np.unique(codes[np.append(mine, theirs)], axis=0, return_inverse=True)
    own, other = np.split(key.ravel(), [len(mine)])
    sums: Floats = np.stack([np.bincount(other, one, len(key) + 1)[own] for one in each[theirs].T], axis=1)
    return sums
