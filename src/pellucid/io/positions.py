"""Where the values of a number or date column lie on an integer line from 0 to ``width``.

The line starts at the lower end of the domain (the schema's, else the smallest value) and ends at the upper end. Its
unit is the coarsest that puts every value, and both ends, on an integer:

- integers and booleans: 1;
- decimals and floats: the largest of 1, 0.1, 0.01, ... ; a float counts as the shortest decimal that denotes it;
- dates: a day; datetimes: the coarsest of day, hour, minute, second, millisecond, microsecond, nanosecond.

When the line would be 2**31 units or longer, or no such unit exists, values are rounded to the nearest of 2**31 - 1
equal steps from one end to the other (halves upwards; in double precision for floats and for numbers beyond 64 bits).
Distinct values may then share a position; their order is kept in every case.

Dates are those that Python has, of the years 1 to 9999. Binary files can hold others, which nobody could be shown.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Bound
from pellucid.errors import InputError, SchemaError

LONGEST = (1 << 31) - 1
WIDE = 1 << 94  # times 2**32 this still fits 127 bits
EXACT_IN_DOUBLE = 1 << 53
NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6}
UNITS = (86_400 * 10**9, 3_600 * 10**9, 60 * 10**9, 10**9, 10**6, 10**3, 1)  # day to nanosecond, in nanoseconds
DAY = UNITS[0]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Domain = tuple[Bound, Bound]
Line = tuple[NDArray[np.int64], int]


def on_line(values: pl.Series, domain: Domain | None) -> Line:
    """The positions of distinct ascending values, and the width of the line.

    >>> on_line(pl.Series([17, 20]), (0, 120))
    (array([17, 20]), 120)
    >>> on_line(pl.Series([0.5, 0.75, 2.0]), None)
    (array([  0,  25, 150]), 150)
    """
    if values.is_empty():
        return np.empty(0, dtype=np.int64), 0
    if values.dtype.is_temporal():
        return _times(values, domain)
    if values.dtype == pl.Float32:
        values = values.cast(pl.String).cast(pl.Float64)  # the shortest decimal of 0.1 is 0.1, not 0.10000000149
    ends = _ends(values, domain)
    return _floats(values, ends) if values.dtype.is_float() else _exact_numbers(values, ends)


def _ends(values: pl.Series, domain: Domain | None) -> tuple[Fraction, Fraction]:
    """Both ends of the line, exactly; every value lies between them."""
    first, last = _fraction(values.first()), _fraction(values.last())
    if domain is None:
        return first, last
    low, high = _fraction(domain[0]), _fraction(domain[1])
    if first < low or last > high:
        _raise_outside(values, values.first() if first < low else values.last(), domain)
    return low, high


def _fraction(value: object) -> Fraction:
    """The number that a person reads: 0.1 is one tenth."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)  # type: ignore[call-overload]


def _raise_outside(values: pl.Series, value: object, domain: Domain) -> None:
    raise InputError(
        f"column {values.name!r}: {value} lies outside the domain [{domain[0]}, {domain[1]}] of the schema; "
        "correct the value or widen the domain"
    )


def _digits(number: Fraction, most: int = 40) -> int:
    """The smallest p such that number * 10**p is an integer, as far as ``most``."""
    return next((p for p in range(most) if (number * 10**p).denominator == 1), most)


def _exact_numbers(values: pl.Series, ends: tuple[Fraction, Fraction]) -> Line:
    """Integers, booleans and decimals: integers of a power of ten."""
    scale = values.dtype.scale if isinstance(values.dtype, pl.Decimal) else 0
    numbers = (values.cast(pl.UInt8) if values.dtype == pl.Boolean else values.to_physical()).cast(pl.Int128)
    while scale > 0 and (numbers % _wide(10)).eq(0).all():
        numbers, scale = numbers // _wide(10), scale - 1
    power = max(scale, _digits(ends[0]), _digits(ends[1]))
    low, high = int(ends[0] * 10**power), int(ends[1] * 10**power)
    if max(abs(low), abs(high)) >= WIDE:
        return _floats(values.cast(pl.Float64), ends)
    return _place(numbers * _wide(10 ** (power - scale)) - _wide(low), high - low)


def _floats(values: pl.Series, ends: tuple[Fraction, Fraction]) -> Line:
    """Floats whose shortest decimals have few digits are integers of a power of ten; others are rounded."""
    numbers = values.to_numpy()
    power = max(_digits(ends[0]), _digits(ends[1]))
    while (
        power <= 300
        and (ends[1] - ends[0]) * 10**power <= LONGEST
        and max(map(abs, ends)) * 10**power < EXACT_IN_DOUBLE
    ):
        scaled = np.rint(numbers * float(10**power))
        # Both numbers are exact in double precision, so their quotient is the double nearest to that decimal.
        if (scaled / float(10**power) == numbers).all():
            low, high = int(ends[0] * 10**power), int(ends[1] * 10**power)
            return scaled.astype(np.int64) - low, high - low
        power += 1
    # Halves, lest the difference of two huge numbers is infinite.
    low_half, high_half = float(ends[0]) / 2, float(ends[1]) / 2
    if low_half == high_half:
        return np.zeros(len(numbers), dtype=np.int64), 0
    share = (numbers / 2 - low_half) / (high_half - low_half)
    return np.floor(share * LONGEST + 0.5).astype(np.int64), LONGEST


def _times(values: pl.Series, domain: Domain | None) -> Line:
    """Dates and datetimes: nanoseconds, then the coarsest unit that fits."""
    unit = NANOSECONDS[values.dtype.time_unit] if isinstance(values.dtype, pl.Datetime) else DAY
    numbers = values.to_physical().cast(pl.Int128) * _wide(unit)
    low, high = int(numbers.first()), int(numbers.last())  # type: ignore[arg-type]  # there are values
    if domain is not None:
        first, last = low, high
        low, high = _instant(domain[0], values), _instant(domain[1], values, upper=True)
        if first < low or last > high:
            _raise_outside(values, values.first() if first < low else values.last(), domain)
    offsets = numbers - _wide(low)
    for unit in UNITS:
        if (high - low) % unit == 0 and (offsets % _wide(unit)).eq(0).all():
            break
    return _place(offsets // _wide(unit), (high - low) // unit)


def _instant(bound: Bound, values: pl.Series, *, upper: bool = False) -> int:
    """A bound in nanoseconds since 1970, in the column's time zone.

    The upper bound 2024-12-31 of a column of datetimes includes that day.
    """
    if not isinstance(bound, date):
        raise SchemaError(f"column {values.name!r} has dates, but its domain ends at the number {bound}; write a date")
    if not isinstance(values.dtype, pl.Datetime):
        return (bound.date() if isinstance(bound, datetime) else bound).toordinal() * DAY - EPOCH.toordinal() * DAY
    if not isinstance(bound, datetime):
        bound = datetime(bound.year, bound.month, bound.day) + timedelta(days=1) * upper
    zone = values.dtype.time_zone
    if bound.tzinfo is None:
        naive = pl.Series([bound], dtype=pl.Datetime("us"))
        return int(naive.dt.replace_time_zone(zone).to_physical().item()) * 1000
    if zone is None:
        raise SchemaError(
            f"column {values.name!r} has no time zone, but its domain ends at {bound}; leave the zone out"
        )
    return (bound - EPOCH) // timedelta(microseconds=1) * 1000


def _place(offsets: pl.Series, width: int) -> Line:
    """Positions of integers between 0 and width: themselves, or rounded to the longest line."""
    if width > LONGEST:
        doubled = offsets * _wide(2 * LONGEST) + _wide(width)
        offsets, width = doubled // _wide(2 * width), LONGEST
    return offsets.cast(pl.Int64).to_numpy(), width


def _wide(number: int) -> pl.Series:
    """A number to calculate with in 128 bits."""
    return pl.Series([number], dtype=pl.Int128)


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
