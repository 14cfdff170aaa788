"""Figures as people say them."""

from __future__ import annotations


def percent(share: float) -> str:
    """A share as a person says it; never 100 % when it is less, never 0 % when it is more.

    >>> percent(0.874), percent(0.9999), percent(0.005), percent(1.0)
    ('87 %', 'over 99 %', 'under 1 %', '100 %')
    """
    rounded = f"{share:.0%}"
    if rounded == "100%" and share < 1:
        return "over 99 %"
    if rounded == "0%" and share > 0:
        return "under 1 %"
    return rounded.replace("%", " %")
