"""The type of a column of text: one rule, for the head of a file and for a whole column alike.

A column is, in this order, the first of the following that fits *every* value that is not null:

========  ==========================================================================================
integer   ``-12``; fits 64 bits and has no leading zero: 01234 is a code, and as 1234 it would be another one
real      ``1.5``, ``.5``, ``1e-05``, ``nan``, ``inf``; again without a leading zero
boolean   ``true``, ``false`` in any case
date      ``2024-01-31``, ISO only: 01/02/2024 means January to some and February to others
datetime  ``2024-01-31 12:00:00.5`` or with a T; with ``Z`` or an offset it becomes UTC
text      everything else
========  ==========================================================================================

Empty text counts as null, except in a column that is text.
"""

from __future__ import annotations

import polars as pl

INTEGER = r"^-?(0|[1-9][0-9]*)$"
REAL = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$|^(?i:-?inf(inity)?|nan)$"
BOOLEAN = r"^(?i:true|false)$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
DATETIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"
INSTANT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:?[0-9]{2})$"

UTC = pl.Datetime("us", "UTC")
FORMS: tuple[tuple[str, pl.DataType], ...] = (
    (INTEGER, pl.Int64()),
    (REAL, pl.Float64()),
    (BOOLEAN, pl.Boolean()),
    (DATE, pl.Date()),
    (DATETIME, pl.Datetime("us")),
    (INSTANT, UTC),
)


def type_of(text: pl.Series) -> pl.DataType | None:
    """The type that fits every value of a column of text; None when all of them are null.

    >>> type_of(pl.Series(["1", None, "20"])), type_of(pl.Series(["1", "02"])), type_of(pl.Series(["1", "2.5"]))
    (Int64, String, Float64)
    """
    present = text.drop_nulls()
    if present.is_empty():
        return None
    values = present.filter(present != "")
    if values.is_empty():
        return pl.String()
    for form, dtype in FORMS:
        # Most columns are told by their first value; the whole column is matched only against forms that it fits.
        if values.head(1).str.contains(form).all() and values.str.contains(form).all():
            return dtype if _converts(values, dtype) else pl.String()
    return pl.String()


def convert(text: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The values of text as that type; raises a polars error when one does not fit."""
    text = text.set(text == "", None)
    if dtype == pl.Boolean():
        return text.str.to_lowercase() == "true"
    if dtype == pl.Date():
        return text.str.to_date("%Y-%m-%d", strict=True)
    if dtype == UTC:
        plain = text.str.replace("T", " ", literal=True).str.replace("Z", "+00:00", literal=True)
        return plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f%z", time_unit="us", time_zone="UTC", strict=True)
    if isinstance(dtype, pl.Datetime):
        plain = text.str.replace("T", " ", literal=True)
        return plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=True)
    return text.cast(dtype, strict=True)


def narrow(text: pl.Series) -> pl.Series:
    """The column in the type that fits every value; a column of nulls stays text.

    >>> narrow(pl.Series("born", ["1990-05-01", None])).dtype
    Date
    """
    dtype = type_of(text)
    return text if dtype is None or dtype == pl.String() else convert(text, dtype)


def _converts(values: pl.Series, dtype: pl.DataType) -> bool:
    """Whether the values that look right are right: 2024-02-31 and 99999999999999999999 are not."""
    try:
        convert(values, dtype)
    except pl.exceptions.PolarsError:
        return False
    return True
