"""SoftCut's first cut where none is certain, written down as it is defined; see
:mod:`pellucid.anonymize.layout.first_cut`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from plain.transparent import Vectors

Bucket = Sequence[Sequence[int]]  # one list of rows per value or pseudo-value
Values = Collection[int] | None  # the protected ones; None: all
Allowing = Callable[[Sequence[Bucket], Vectors, Sequence[Sequence[int]], int, Values], bool]  # is a first cut made?


def largest_possible(buckets: Sequence[Bucket], sensitive: Vectors, side: Sequence[int], values: Values = None) -> int:
    """How many rows of a side one protected value could have, if in every bucket it had the column with most of them.

    The columns of pseudo-values, whose rows have values that are not protected, are columns like the others.

    >>> table = [(7,), (7,), (8,), (8,), (8,), (9,)]
    >>> largest_possible([[[0, 1], [2, 3]], [[4], [5]]], table, side=[2, 3, 4])
    3
    >>> largest_possible([[[0, 1], [2, 3]], [[4], [5]]], table, side=[2, 3, 4], values=[7])
    2
    """
    inside, bound = set(side), Counter[int]()
    for columns in buckets:
        most = max(len(inside.intersection(column)) for column in columns)
        for column in columns:
            bound[sensitive[column[0]][0]] += most
    return max((rows for value, rows in bound.items() if values is None or value in values), default=0)


def allowed(
    buckets: Sequence[Bucket], sensitive: Vectors, sides: Sequence[Sequence[int]], l: int, values: Values = None
) -> bool:
    """Whether both sides are l-diverse however the columns of the buckets trade their values."""
    return all(l * largest_possible(buckets, sensitive, side, values) <= len(side) for side in sides)


def allowed_by_peeking(
    buckets: Sequence[Bucket],  # noqa: ARG001
    sensitive: Vectors,
    sides: Sequence[Sequence[int]],
    l: int,
    values: Values = None,
) -> bool:
    """What must not be asked: whether both sides are l-diverse."""

    def most(side: Sequence[int]) -> int:
        held = Counter(sensitive[row][0] for row in side)
        return max((rows for value, rows in held.items() if values is None or value in values), default=0)

    return all(l * most(side) <= len(side) for side in sides)
