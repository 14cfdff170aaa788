"""How far from the table a choice of so many of a group's rows can be: what t-closeness needs for worst-case sizes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from pellucid.errors import ModelError
from pellucid.kernels import worst_case as kernel
from pellucid.model.groups import Counts

UNREACHED = 2**61  # more than any sum that occurs


def first_size(rows: int, passes: Callable[[int], bool]) -> int | None:
    """The smallest size from which on all pass, None when ``rows`` does not.

    A multiset averages those with one row less. So where a model accepts averages of what it accepts, passing at one
    size implies passing at the next, and halving finds the first.

    >>> first_size(100, lambda size: size * size >= 50), first_size(3, lambda size: size > 3)
    (8, None)
    """
    if not passes(rows):
        return None
    low, high = 1, rows
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle + 1, high)
    return low


def equal(counts: Counts, table: Counts) -> Callable[[int], Fraction]:
    """The largest total variation of so many rows.

    The total variation is the largest excess ``p(A) - Q(A)`` over sets A of values. A set with w rows in the group has
    at most ``min(size, w)`` among those chosen, so only the set of each w that is rarest in the table matters: a
    knapsack, the same for every size.
    """
    rarest = np.full(int(counts.sum()) + 1, UNREACHED, dtype=np.int64)
    rarest[0] = 0
    for count, whole in zip(counts.tolist(), table.tolist(), strict=True):
        if count:
            rarest[count:] = np.minimum(rarest[count:], rarest[:-count] + whole)
    held = np.flatnonzero(rarest < UNREACHED)
    rarest, rows = rarest[held], int(table.sum())
    return lambda size: Fraction(int((np.minimum(held, size) * rows - rarest * size).max()), size * rows)


def ordered(counts: Counts, table: Counts) -> Callable[[int], Fraction]:
    """The largest ordered distance of so many rows.

    Value by value, the largest sum so far for every number of rows chosen so far; a value adds at most its count.
    """
    values, rows = len(table), int(table.sum())
    room = int(counts.sum()) + 1
    if values < 2:
        return lambda _: Fraction(0)
    if room * rows * values >= 2**62:
        raise ModelError(f"the worst-case size is not computed for {room - 1:,} rows of {rows:,}; group fewer at once")
    work = [np.empty(room, np.int64) for _ in range(3)]
    held, cumulated = np.ascontiguousarray(counts), np.cumsum(table)

    def farthest(size: int) -> Fraction:
        return Fraction(kernel.farthest_ordered(held, cumulated, rows, size, *work), size * rows * (values - 1))

    return farthest
