"""How far from the table a choice of so many of a group's rows can be: what t-closeness needs for worst-case sizes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

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
    steps = list(zip(counts[:-1].tolist(), np.cumsum(table)[:-1].tolist(), strict=True))

    def farthest(size: int) -> Fraction:
        chosen = np.arange(size + 1, dtype=np.int64)
        best = np.full(size + 1, -UNREACHED, dtype=np.int64)
        best[0] = 0
        for count, cumulated in steps:
            best = _window_maximum(best, count) + np.abs(chosen * rows - cumulated * size)
        return Fraction(int(best[max(0, size - int(counts[-1])) :].max()), size * rows * (values - 1))

    return farthest if values > 1 else lambda _: Fraction(0)


def _window_maximum(values: NDArray[np.int64], back: int) -> NDArray[np.int64]:
    """Per place the largest of its own value and the ``back`` values before it, by doubling the window.

    >>> _window_maximum(np.array([3, 1, 2, 5, 0, 0]), 2).tolist()
    [3, 3, 3, 5, 5, 5]
    """
    width, result = 1, values
    wanted = min(back, len(values) - 1) + 1
    while width < wanted:
        step = min(width, wanted - width)
        result = np.concatenate((result[:step], np.maximum(result[step:], result[:-step])))
        width += step
    return result
