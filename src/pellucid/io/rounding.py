"""Rounding before grouping: values become multiples, where their class begins, or the first day of a part of a date.

Each value is rounded by itself, by what the schema says, so nothing of other rows shows, but for **quantiles**: where
these classes begin is a function of the column, which others may know, and so it is public and the recipe tells it. Of
n rows that are not null, class j of q begins at the value of row j * n / q of the sorted ones; a class of fewer than
three people is one with the class before it, and the first begins at a value that three people have or are below.
Where a column says which rows belong together, clusters are counted instead, each once, at its lowest value. What looks
at the column afterwards (its cap, its taxonomy, groups, attacks, figures) sees the rounded values alone. A multiple is
the nearest one, the upper of two that are equally near. A class is told by where it begins; the first one has all that
lies below the second. What is published of a class is what it covers
(:func:`pellucid.anonymize.recode.published.classes_of`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema.rounding import Quantiles, Rounding

FEWEST = 3  # people of a class that the data tell

EVERY = {"month": "1mo", "quarter": "1q", "year": "1y"}


def rounded(values: pl.Series, rounding: Rounding) -> pl.Series:
    """Values of a column, none of them null, rounded.

    >>> rounded(pl.Series([2, 3, 7]), 5).to_list(), rounded(pl.Series([1.25, 0.1]), 0.5).to_list()
    ([0, 5, 5], [1.5, 0.0])
    >>> rounded(pl.Series([3, 18, 40]), (0, 18, 30)).to_list()
    [0, 18, 30]
    """
    if isinstance(rounding, Quantiles):
        assert rounding.begin is not None  # the table was counted
        rounding = rounding.begin
    if isinstance(rounding, str):
        days = values if values.dtype == pl.Date else values.dt.date()
        return days.dt.truncate(EVERY[rounding])
    if isinstance(rounding, tuple):
        mixed = any(isinstance(begin, float) for begin in rounding)  # [0, 1.5, 4] are all reals
        begins = pl.Series(values.name, [float(begin) for begin in rounding] if mixed else list(rounding))  # type: ignore[arg-type]
        days = values.dt.date() if isinstance(values.dtype, pl.Datetime) else values
        place = begins.search_sorted(days.cast(begins.dtype) if begins.dtype == pl.Date else days, side="right")
        return begins.gather((place.cast(pl.Int64) - 1).clip(lower_bound=0))
    return _multiples(values, rounding)


def begins_of(values: pl.Series, times: NDArray[np.int64], parts: int) -> list[Any]:
    """Where so many classes by quantiles begin; ``values`` are distinct and ascending, each in so many rows.

    >>> begins_of(pl.Series([1, 2, 3, 4, 5, 6, 7, 8]), np.ones(8, np.int64), 2)
    [3, 5]
    >>> begins_of(pl.Series([1, 2, 9]), np.array([4, 1, 4]), 3)  # one person alone is no class
    [1, 9]
    """
    below = np.append(0, np.cumsum(times))  # how many rows lie below each value, and all
    rows = int(below[-1])
    wanted = [j * rows // parts for j in range(1, parts)]
    places = np.unique(np.searchsorted(below, wanted, side="right") - 1).tolist()  # the values of these rows
    kept: list[int] = []
    for place in places:
        if below[place] - (below[kept[-1]] if kept else 0) >= FEWEST and rows - below[place] >= FEWEST:
            kept.append(place)
    if not kept:
        return []
    first = int(np.argmax(below[1:] >= FEWEST))
    return values.gather([first, *kept]).to_list()


def _multiples(values: pl.Series, step: float) -> pl.Series:
    if isinstance(step, int) and values.dtype.is_integer():
        whole = (values if values.dtype == pl.UInt64 else values.cast(pl.Int64)).to_numpy()
        times, rest = np.divmod(whole, np.array(step, whole.dtype))
        return pl.Series(values.name, (times + (rest >= step - rest)) * step)  # twice the rest might be too large
    places = max(0, -int(Decimal(str(step)).as_tuple().exponent))
    near = np.floor(values.cast(pl.Float64).to_numpy() / step + 0.5) * step
    if places == 0 and np.abs(near).max(initial=0) < 2**53:
        return pl.Series(values.name, near.astype(np.int64))
    return pl.Series(values.name, np.round(near, places) + 0.0)  # and no -0.0
