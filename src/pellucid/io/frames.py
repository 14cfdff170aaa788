"""Frames of other libraries become polars frames; the caller's object is only read.

pandas, Polars (eager and lazy), PyArrow tables and DuckDB relations. A pandas index is ignored: it is not a column, and
a release must not carry one. Only the wanted columns are taken over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import polars as pl

from pellucid.errors import InputError, first_line
from pellucid.io.columns import choose
from pellucid.spark.frames import is_distributed
from pellucid.text.values import label_of

CONVERSION_ERRORS = (ValueError, TypeError, NotImplementedError, ArithmeticError, pl.exceptions.PolarsError)


def read_frame(source: Any, wanted: list[str] | None = None) -> tuple[pl.DataFrame, str]:
    """The wanted columns of a frame and the name of its library: polars, pandas, pyarrow or duckdb.

    >>> read_frame(pl.LazyFrame({"age": [30], "name": ["Ann"]}), ["age"])[0].columns
    ['age']
    """
    source = unwrapped(source)
    if isinstance(source, pl.DataFrame):
        return source.select(choose(source.columns, wanted, "the frame")), "polars"
    if isinstance(source, pl.LazyFrame):
        columns = choose(source.collect_schema().names(), wanted, "the frame")
        return source.select(columns).collect(), "polars"
    import narwhals as nw
    from narwhals import dependencies as libraries

    if libraries.is_pandas_dataframe(source):
        return _from_pandas(source, wanted), "pandas"
    if libraries.is_pyarrow_table(source):
        columns = choose(source.column_names, wanted, "the table")
        return pl.DataFrame([_column(pl.from_arrow, source[name], name) for name in columns]), "pyarrow"
    if libraries.is_duckdb_relation(source):
        columns = choose(source.columns, wanted, "the relation")
        frame = nw.from_native(source).select(*columns).collect("polars").to_native()
        return frame, "duckdb"
    if is_distributed(source):
        raise InputError(
            "a Spark DataFrame is not read into memory; pellucid.publish, levels, verify and measure take it as it is; "
            "for anything else write it to Parquet and give the path"
        )
    kind = f"{type(source).__module__.partition('.')[0]}.{type(source).__qualname__}"
    raise InputError("{kind} is not a table; give a path, or a pandas, Polars, PyArrow or DuckDB table", kind=kind)


def unwrapped(source: Any) -> Any:
    """What is inside a frame of narwhals, anything else as it is; whoever has such a frame has imported narwhals."""
    narwhals = sys.modules.get("narwhals")
    return source if narwhals is None else narwhals.to_native(source, pass_through=True)


def orders_of(source: Any, wanted: list[str]) -> dict[str, tuple[str, ...]]:
    """The orders that a pandas frame declares: the categories, upward, of each wanted column that is ordered."""
    source, pandas = unwrapped(source), sys.modules.get("pandas")
    if pandas is None or not isinstance(source, pandas.DataFrame):
        return {}
    dtypes = {str(name): dtype for name, dtype in zip(source.columns, source.dtypes, strict=True)}
    return {
        name: tuple(map(label_of, dtypes[name].categories))
        for name in wanted
        if getattr(dtypes[name], "ordered", False) and len(dtypes[name].categories)
    }


def _from_pandas(source: Any, wanted: list[str] | None) -> pl.DataFrame:
    """Column by column, so that an error can name the column. Column names that are no text count as their text."""
    available = [str(name) for name in source.columns]
    columns = choose(available, wanted, "the frame")
    return pl.DataFrame(
        [_column(pl.from_pandas, _with_text(source.iloc[:, available.index(name)]), name) for name in columns]
    )


def _with_text(column: Any) -> Any:
    """Categories that are intervals, as pandas.cut makes them, are their text: ``(0, 10]``."""
    categories = getattr(column.dtype, "categories", None)
    if categories is None or not str(categories.dtype).startswith("interval"):
        return column
    return column.cat.rename_categories(map(str, categories))


def _column(convert: Callable[[Any], Any], column: Any, name: str) -> pl.Series:
    try:
        return pl.Series(name, convert(column))
    except ImportError as error:
        raise InputError(f"column {name!r} needs pyarrow ({error}); pip install pyarrow") from None
    except CONVERSION_ERRORS as error:
        reason = first_line(error)
        raise InputError(
            "column {name!r} cannot be read ({reason}); give all its values one type: numbers, text, booleans or dates",
            name=name,
            reason=reason,
        ) from None
