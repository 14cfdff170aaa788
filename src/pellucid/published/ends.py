"""Intervals whose ends are columns of their own: ``age_low``, ``age_high``, and ``age_nulls`` (none, some or all)."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.published.grammar import OR_NULL
from pellucid.text.values import label_of

ENDS = ("_low", "_high", "_nulls")


def published_as(name: str, available: Sequence[str]) -> list[str]:
    """A column under its own name, or as the ends of its intervals; nothing when it is not there.

    >>> published_as("age", ["age_low", "age_high", "zip"]), published_as("zip", ["zip"]), published_as("sex", ["zip"])
    (['age_low', 'age_high'], ['zip'], [])
    """
    if name in available:
        return [name]
    ends = [f"{name}{end}" for end in ENDS]
    return [end for end in ends if end in available] if all(end in available for end in ends[:2]) else []


def base_name(column: str) -> str:
    """The column that an end of its intervals belongs to.

    >>> base_name("age_low"), base_name("age")
    ('age', 'age')
    """
    return next((column.removesuffix(end) for end in ENDS if column.endswith(end)), column)


def place_of_end(column: str) -> int:
    """Low, high and nulls in this order, whatever the order of the columns.

    >>> sorted(["age_nulls", "age_high", "age_low"], key=place_of_end)
    ['age_low', 'age_high', 'age_nulls']
    """
    return next((i for i, end in enumerate(ENDS) if column.endswith(end)), len(ENDS))


def joined_ends(low: object, high: object, nulls: object = None) -> str | None:
    """An interval whose ends are columns of their own, as one text.

    >>> joined_ends(21, 27, "some"), joined_ends(None, None, "all")
    ('[21, 27] or null', None)
    """
    if low is None:
        return None
    return f"[{label_of(low)}, {label_of(high)}]{OR_NULL if nulls in ('some', 'all') else ''}"
