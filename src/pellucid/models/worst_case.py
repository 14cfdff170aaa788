"""How far from the table a choice of so many of a group's rows can be: what t-closeness needs for worst-case sizes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.kernels import worst_case as kernel
from pellucid.models.groups import Counts

UNREACHED = 2**61  # more than any sum that occurs


def first_size(rows: int, passes: Callable[[int], bool]) -> int | None:
    """The smallest size from which on all pass, None when ``rows`` does not.

    A multiset averages those with one row less. So where a model accepts averages of what it accepts, passing at one
    size implies passing at the next, and halving finds the first.

    >>> first_size(100, lambda size: size * size >= 50), first_size(3, lambda size: size > 3)
    (8, None)
    """
    return first_between(1, rows, passes) if passes(rows) else None


def first_between(low: int, high: int, passes: Callable[[int], bool]) -> int:
    """The first size that passes, from low to high, which does."""
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
    return _equal(counts[counts > 0], table[counts > 0], int(table.sum()), int(counts.sum()))


def _equal(counts: Counts, table: Counts, rows: int, most: int) -> Callable[[int], Fraction]:
    """The same for the values that the group has, and sizes up to the most.

    A set is no rarer with a value that it does not need to have as many rows as are chosen.
    """
    room = min(int(counts.sum()), most + int(counts.max()))
    rarest = np.full(room + 1, UNREACHED, dtype=np.int64)
    rarest[0] = 0
    pairs, times = np.unique(np.stack((counts, table)), axis=1, return_counts=True)
    for count, whole, many in zip(*pairs.tolist(), times.tolist(), strict=True):
        part = 1
        while many:  # of values that are alike one is taken, then two, four and so on: any number of them is a sum
            part = min(part, many)
            kernel.take_value(rarest, count * part, whole * part)
            many, part = many - part, 2 * part
    held = np.flatnonzero(rarest < UNREACHED)
    rarest = rarest[held]
    return lambda size: Fraction(int((np.minimum(held, size) * rows - rarest * size).max()), size * rows)


def equal_sizes(table: Counts, t: Fraction) -> Callable[[NDArray[np.int64], Counts, int], int]:
    """Worst-case sizes of many groups by total variation."""
    rows = int(table.sum())

    def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
        whole = table[codes]
        # the sets of the first so many values by rarity, most rows for little of the table first, are only some sets
        order = np.argsort(whole / counts, kind="stable")
        held, rare = np.cumsum(counts[order]), np.cumsum(whole[order])
        excess = int((np.minimum(held, most) * rows - rare * most).max())
        if Fraction(excess, most * rows) > t:
            return most + 1
        farthest = _equal(counts, whole, rows, most)
        return first_size(most, lambda size: farthest(size) <= t) or most + 1

    return size_of


def ordered_sizes(table: Counts, t: Fraction) -> Callable[[NDArray[np.int64], Counts, int], int] | None:
    """Worst-case sizes of many groups by ordered distance; None when 64 bits are not enough.

    Choosing the lowest rows, or the highest, is far from the table at sight and rules out most sizes.
    """
    rows, values = int(table.sum()), len(table)
    bound = t * rows * (values - 1)  # the distance times size and this is an integer
    if rows * rows * values >= 2**62 or rows * max(bound.numerator, bound.denominator) >= 2**62:
        return None
    cumulated = np.cumsum(table)
    summed = np.append(0, np.cumsum(cumulated))

    def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
        return kernel.least_ordered(codes, counts, cumulated, summed, bound.numerator, bound.denominator, most)

    return size_of


def ordered(counts: Counts, table: Counts) -> Callable[[int], Fraction]:
    """The largest ordered distance of so many rows.

    Value by value, the largest sum so far for every number of rows chosen so far; a value adds at most its count.
    """
    values, rows = len(table), int(table.sum())
    room = int(counts.sum()) + 1
    if values < 2:
        return lambda _: Fraction(0)
    if room * rows * values >= 2**62:
        raise ModelError(
            f"the worst-case size is not computed for {room - 1:,} rows of {rows:,}", "group fewer at once"
        )
    work = [np.empty(room, np.int64) for _ in range(3)]
    held, cumulated = np.ascontiguousarray(counts), np.cumsum(table)

    def farthest(size: int) -> Fraction:
        return Fraction(kernel.farthest_ordered(held, cumulated, rows, size, *work), size * rows * (values - 1))

    return farthest
