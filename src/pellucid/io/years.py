"""Dates that Python has: the years 1 to 9999. Binary files can hold others, which nobody could be shown."""

from __future__ import annotations

from datetime import date

import polars as pl

FIRST_DAY, LAST_DAY = ((end - date(1970, 1, 1)).days for end in (date.min, date.max))
PARTS_OF_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def beyond_calendar(series: pl.Series) -> bool:
    """Whether a column of dates or datetimes has one that Python has not.

    >>> beyond_calendar(pl.Series([3_000_000], dtype=pl.Int32).cast(pl.Date)), beyond_calendar(pl.Series([date.min]))
    (True, False)
    """
    dtype = series.dtype
    a_day = PARTS_OF_A_DAY[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 1
    margin = int(isinstance(dtype, pl.Datetime) and dtype.time_zone is not None)  # a zone may be a day away
    numbers = series.to_physical()
    low, high = numbers.min(), numbers.max()
    if not isinstance(low, int) or not isinstance(high, int):  # there is no date at all
        return False
    return low < (FIRST_DAY + margin) * a_day or high >= (LAST_DAY + 1 - margin) * a_day
