"""Figures as people say them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal


def percent(share: float) -> str:
    """A share as a person says it; never 100 % when it is less, never 0 % when it is more.

    Halves are rounded up. Shares that differ by less than a billionth of a percent are the same share, summed in
    another order, and read alike.

    >>> percent(0.874), percent(0.9999), percent(0.0001), percent(1.0)
    ('87 %', 'over 99 %', 'under 1 %', '100 %')
    >>> percent(0.135), percent(0.13499999999999998), percent(0.125)
    ('14 %', '14 %', '13 %')
    """
    share = round(float(share), 12)
    if 0.995 <= share < 1:
        return "over 99 %"
    if 0 < share < 0.005:
        return "under 1 %"
    if not math.isfinite(share):
        return f"{share} %"
    return f"{Decimal(repr(share)).scaleb(2).quantize(Decimal(1), ROUND_HALF_UP)} %"
