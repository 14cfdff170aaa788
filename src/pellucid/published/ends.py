"""Cells in columns of their own: ``age_low`` and ``age_high``, or ``age_mean``; and ``age_nulls`` (none, some or all).

The name of a column tells a mean from a value: 27 in ``age_mean`` is the middle of a group in which nobody may be 27.
"""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.published.grammar import OR_NULL
from pellucid.text.values import label_of

LOW, HIGH, NULLS = "_low", "_high", "_nulls"
MEAN, MEDIAN = "_mean", "_median"
PLACES = {LOW: 0, MEAN: 0, MEDIAN: 0, HIGH: 1, NULLS: 2}
TOGETHER = ((LOW, HIGH), (MEAN,), (MEDIAN,))  # what one column became, and whether there are nulls besides


def published_as(name: str, available: Sequence[str]) -> list[str]:
    """A column under its own name, as the ends of its intervals, or as a mean; nothing when it is not there.

    >>> published_as("age", ["age_low", "age_high", "zip"]), published_as("zip", ["zip"]), published_as("sex", ["zip"])
    (['age_low', 'age_high'], ['zip'], [])
    >>> published_as("age", ["zip", "age_mean", "age_nulls"])
    ['age_mean', 'age_nulls']
    """
    if name in available:
        return [name]
    for parts in TOGETHER:
        columns = [f"{name}{part}" for part in parts]
        if all(column in available for column in columns):
            return [*columns, *(column for column in [f"{name}{NULLS}"] if column in available)]
    return []


def base_name(column: str) -> str:
    """The column that an end of its intervals, or its mean, belongs to.

    >>> base_name("age_low"), base_name("age_mean"), base_name("age")
    ('age', 'age', 'age')
    """
    return next((column.removesuffix(end) for end in PLACES if column.endswith(end)), column)


def place_of_end(column: str) -> int:
    """Low, high and nulls in this order, whatever the order of the columns.

    >>> sorted(["age_nulls", "age_high", "age_low"], key=place_of_end)
    ['age_low', 'age_high', 'age_nulls']
    """
    return next((place for end, place in PLACES.items() if column.endswith(end)), len(PLACES))


def is_centre(name: str, columns: Sequence[str]) -> bool:
    """Whether a column is published as the mean or the median of groups, in columns of these names.

    >>> is_centre("age", ["age_mean", "age_nulls"]), is_centre("age_mean", ["age_mean"]), is_centre("age", ["age_low"])
    (True, False, False)
    """
    return any(f"{name}{centre}" in columns for centre in (MEAN, MEDIAN)) and name not in columns


def joined_ends(low: object, high: object, nulls: object = None) -> str | None:
    """An interval whose ends are columns of their own, as one text.

    >>> joined_ends(21, 27, "some"), joined_ends(None, None, "all")
    ('[21, 27] or null', None)
    """
    if low is None:
        return None
    return f"[{label_of(low)}, {label_of(high)}]{OR_NULL if nulls in ('some', 'all') else ''}"
