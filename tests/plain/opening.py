"""SoftCut's first cut where none is certain, written down as it is defined; see :mod:`pellucid.group.opening`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plain.transparent import Vectors, most_frequent

Bucket = Sequence[Sequence[int]]  # one list of rows per value


def largest_possible(buckets: Sequence[Bucket], sensitive: Vectors, side: Sequence[int]) -> int:
    """How many rows of a side one value could have, if in every bucket it had the column with the most of them.

    >>> largest_possible([[[0, 1], [2, 3]], [[4], [5]]], [(7,), (7,), (8,), (8,), (8,), (9,)], side=[2, 3, 4])
    3
    """
    inside, bound = set(side), Counter[int]()
    for columns in buckets:
        most = max(len(inside.intersection(column)) for column in columns)
        for column in columns:
            bound[sensitive[column[0]][0]] += most
    return max(bound.values())


def allowed(buckets: Sequence[Bucket], sensitive: Vectors, sides: Sequence[Sequence[int]], l: int) -> bool:
    """Whether both sides are l-diverse however the columns of the buckets trade their values."""
    return all(l * largest_possible(buckets, sensitive, side) <= len(side) for side in sides)


def allowed_by_peeking(buckets: Sequence[Bucket], sensitive: Vectors, sides: Sequence[Sequence[int]], l: int) -> bool:  # noqa: ARG001
    """What must not be asked: whether both sides are l-diverse."""
    return all(l * most_frequent(side, sensitive) <= len(side) for side in sides)
