"""Figures as people say them."""

from __future__ import annotations


def percent(share: float) -> str:
    """A share as a person says it; never 100 % when it is less, never 0 % when it is more.

    >>> percent(0.874), percent(0.9999), percent(0.0001), percent(1.0)
    ('87 %', 'over 99 %', 'under 1 %', '100 %')
    """
    if 0.995 <= share < 1:
        return "over 99 %"
    if 0 < share < 0.005:
        return "under 1 %"
    return f"{share:.0%}".replace("%", " %")
