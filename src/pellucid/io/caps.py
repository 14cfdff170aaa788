"""Caps: where a column ends, so that the heaviest person's weight is not the end of an interval.

What lies beyond an end becomes that end before anything else looks at the column, so that groups, extents and figures
are those of the capped column, and the end is published as ``<=40`` or ``>=150``: it stands for itself and for whatever
lies beyond (:func:`pellucid.anonymize.recode.published.texts_of`).

A cap in percent becomes one in values. Of n rows that are not null, ``percent = [1, 99]`` gives as the upper end the
largest value that at least 1 % of the rows, and at least three, have or exceed; the lower end is the same from below.
The ends are a function of the column alone, which others may know, and so they are public: the recipe tells them. Where
the share is less than a person, nothing would be capped, and that is refused. Where a column says which rows belong
together, these are counted, once each (:class:`pellucid.io.encode.Tally`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Cap, Schema, place_of
from pellucid.errors import SchemaError
from pellucid.io.codes import Coded, coded

FEWEST = 3  # people at or beyond an end that the data tell


Counts = tuple[NDArray[np.int64], NDArray[np.int64]]  # of each value, as counted from below and from above


def capped(book: Coded, counts: Counts, schema: Schema, name: str) -> tuple[Coded, Cap | None]:
    """The column within its cap, and the cap in values; ``counts`` are of each code, null among them."""
    cap = schema.columns[name].cap
    if cap is None or book.values.is_empty():
        return book, cap
    shares = cap.measured
    if cap.percent is not None:
        shares = cap.percent
        below, above = (times[int(book.has_null) :] for times in counts)
        cap = in_values(cap.percent, book.values, (below, above), schema, name)
    values, ends = _in_one_type(book.values, cap)
    inside = values.to_frame("value").select(pl.col("value").clip(ends.get("low"), ends.get("high")))
    distinct, codes, _ = coded(inside.to_series())
    if book.has_null:
        codes = np.concatenate((np.zeros(1, np.int32), codes + np.int32(1)))
    return Coded(distinct.alias(name), codes[book.codes], book.has_null), Cap(**ends, measured=shares)


def _in_one_type(values: pl.Series, cap: Cap) -> tuple[pl.Series, dict[str, Any]]:
    """The values, in a type that holds the ends of the cap too, and those ends in it."""
    given = {"low": _in_type(cap.low, values), "high": _in_type(cap.high, values)}
    known = {key: end for key, end in given.items() if end is not None}
    wide = next((end.dtype for end in known.values() if end.dtype != values.dtype), None)
    values = values if wide is None else values.cast(wide)
    return values, {key: end.cast(values.dtype).item() for key, end in known.items()}


def _reaching(values: pl.Series, times: NDArray[np.int64], rows: int) -> Any:
    """The value with which so many rows are reached, from the first one on; the last one where they never are."""
    reached = np.cumsum(times) >= rows
    return values[int(np.argmax(reached)) if reached.any() else len(values) - 1]


def in_values(percent: tuple[float, float], values: pl.Series, counts: Counts, schema: Schema, name: str) -> Cap:
    """The ends that shares of the rows give; ``values`` are distinct and ascending, each in so many rows.

    >>> values, schema = pl.Series(range(200)), Schema.of(quasi="kg", sensitive="ill")
    >>> cap = in_values((2, 98), values, (np.ones(200, np.int64), np.ones(200, np.int64)), schema, "kg")
    >>> cap.low, cap.high
    (3, 196)
    """
    below, above = counts
    rows = int(below.sum())
    shares = Fraction(str(percent[0])) / 100, 1 - Fraction(str(percent[1])) / 100
    ends: dict[str, Any] = {}
    for end, share, ascending in (("low", shares[0], True), ("high", shares[1], False)):
        if share == 0:
            continue
        if share * rows < 1:
            raise SchemaError(
                "{place_of}{share:g} % of {rows:,} rows is less than one person, so "
                "that nothing would be capped; use a larger share, or values as in cap = {{high = 150}}",
                place_of=place_of(schema, name, "cap"),
                share=float(100 * share),
                rows=rows,
            )
        beyond = max(math.ceil(share * rows), FEWEST)
        ends[end] = _reaching(values, below, beyond) if ascending else _reaching(values[::-1], above[::-1], beyond)
    both = "low" in ends and "high" in ends
    if not ends or (both and not ends["low"] < ends["high"]):
        raise SchemaError(
            "{place_of}percent = [{percent:g}, {percent_2:g}] of this column leaves no two "
            "values; use smaller shares, or take the cap out",
            place_of=place_of(schema, name, "cap"),
            percent=percent[0],
            percent_2=percent[1],
        )
    return Cap(**ends)


def _in_type(end: Any, values: pl.Series) -> pl.Series | None:
    """An end in the type of the column, or in a wider one: 150.5 among integers makes reals of them."""
    if end is None:
        return None
    given = pl.Series([end])
    if values.dtype.is_temporal():
        return _instant(given, values)
    try:
        same = given.cast(values.dtype)
    except pl.exceptions.PolarsError:
        return given.cast(pl.Float64)
    return same if same.cast(pl.Float64).item() == float(end) else given.cast(pl.Float64)


def _instant(end: pl.Series, values: pl.Series) -> pl.Series:
    """A day or a time as the column has them; a day is its first moment."""
    zone = getattr(values.dtype, "time_zone", None)
    if zone is not None and getattr(end.dtype, "time_zone", None) is None:
        return end.cast(pl.Datetime("us")).dt.replace_time_zone(zone).cast(values.dtype)
    return end.cast(values.dtype)
