"""A polars frame goes out as a frame of the library that the input came from, with nothing in it but its rows.

A frame can carry more than its rows: a categorical knows categories that no row has, a column that was filtered still
holds the memory of the rows that left, and below a null may lie the value that it replaced. An Arrow file would contain
all of it. :func:`rows_only` leaves it behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl

from pellucid.io.codes import coded

INLINE_BYTES = 12  # polars keeps texts up to this length in the row itself, longer ones in memory that columns share


def rows_only(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows in memory that holds nothing else; categoricals become text.

    >>> frame = pl.DataFrame({"city": pl.Series(["Rome", "Oslo"], dtype=pl.Enum(["Rome", "Oslo", "Lima"]))})
    >>> rows_only(frame.head(1)).schema
    Schema([('city', String)])
    """
    return _each(_text_only, values_only(frame))


def values_only(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows with nothing below the nulls; categoricals become text, which may still share its memory.

    Enough for whoever copies the text value by value, and faster than :func:`rows_only`.
    """
    return _each(_values_only, frame)


def _each(change: Callable[[pl.Series], pl.Series], frame: pl.DataFrame) -> pl.DataFrame:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return pl.DataFrame(list(pool.map(change, frame.get_columns())))


def _values_only(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        column = column.cast(pl.String)
    if column.null_count() and column.dtype != pl.Null:
        nothing = "" if column.dtype == pl.String else pl.Series([0]).cast(column.dtype).first()
        column = _null_where(column.is_null(), column.fill_null(nothing))
    return column.rechunk()


def _text_only(column: pl.Series) -> pl.Series:
    """Text in memory of its own; many rows that share few long texts go on sharing them."""
    if column.dtype != pl.String:
        return column
    null = column.is_null()
    if int(column.str.len_bytes().max() or 0) > INLINE_BYTES:  # type: ignore[arg-type]  # a length
        values, codes, has_null = coded(column)
        if 4 * len(values) < len(column):
            own = (values + "").gather(np.maximum(codes - np.int32(has_null), 0))
            return _null_where(null, own) if has_null else own
    own = column.fill_null("") + ""  # appending nothing copies the text
    return _null_where(null, own) if column.null_count() else own


def _null_where(null: pl.Series, filled: pl.Series) -> pl.Series:
    """The column with nulls that have nothing below them but the filling."""
    name = filled.name
    frame = pl.DataFrame({"null": null, "filled": filled})
    return frame.select(pl.when(~pl.col("null")).then(pl.col("filled")).alias(name)).to_series()


def to_native(frame: pl.DataFrame, native: str) -> Any:
    """The rows as a frame of ``polars``, ``pandas``, ``pyarrow`` or ``duckdb``.

    A pandas frame has a plain RangeIndex; where integers or booleans have nulls it uses the nullable types. A DuckDB
    relation belongs to the default connection.
    """
    if native == "polars":
        return rows_only(frame)
    frame = values_only(frame)  # the way to the other libraries copies text value by value
    if native == "pandas":
        return _to_pandas(frame)
    table = frame.to_arrow()
    if native == "pyarrow":
        return table
    if native == "duckdb":
        import duckdb

        return duckdb.from_arrow(table)
    raise ValueError(f"{native!r} is not one of polars, pandas, pyarrow, duckdb")


def _to_pandas(frame: pl.DataFrame) -> Any:
    import pandas as pd  # type: ignore[import-untyped]

    converted = {}
    for column in frame.get_columns():
        if column.null_count() and (column.dtype.is_integer() or column.dtype == pl.Boolean):
            filled = column.fill_null(pl.Series([0]).cast(column.dtype).first()).to_numpy(writable=True)
            array = pd.arrays.BooleanArray if column.dtype == pl.Boolean else pd.arrays.IntegerArray
            converted[column.name] = pd.Series(array(filled, column.is_null().to_numpy(writable=True)))
        else:
            converted[column.name] = column.to_pandas()
    return pd.DataFrame(converted, index=pd.RangeIndex(frame.height), copy=False)
