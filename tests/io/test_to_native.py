"""What goes out is rows and nothing else, in the library that came in."""

import datetime as dt
import gc
import io
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from pellucid.io import load, rows_only, to_native

SECRET = "a name that nobody may see, and long"
COLUMNS = {
    "age": [1, None, 3],
    "size": [1, 2, 3],
    "text": ["a", None, "a text that is longer than twelve bytes"],
    "share": [1.5, None, 2.0],
    "ok": [True, None, False],
    "fine": [True, False, True],
    "day": [dt.date(2024, 1, 31), None, dt.date(1999, 1, 1)],
    "time": [dt.datetime(2024, 1, 31, 1), None, dt.datetime(1999, 1, 1)],
    "price": [Decimal("1.50"), None, Decimal("2.25")],
    "nothing": [None, None, None],
}


def arrow_bytes(frame: pl.DataFrame) -> Any:
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("native", ["polars", "pandas", "pyarrow", "duckdb"])
def test_the_rows_survive_the_way_out_and_in_again(native: str) -> None:
    frame = pl.DataFrame(COLUMNS)
    out = to_native(frame, native)
    gc.collect()
    back, library = load(out)
    assert library == native
    dates = back.with_columns(pl.col("day").cast(pl.Date))  # pandas has no dates, only datetimes
    assert dates.to_dict(as_series=False) == COLUMNS


def test_a_pandas_frame_has_a_plain_index_and_nullable_types_where_it_needs_them() -> None:
    out = to_native(pl.DataFrame(COLUMNS), "pandas")
    assert isinstance(out, pd.DataFrame)
    assert out.index.equals(pd.RangeIndex(3))
    assert isinstance(out.index, pd.RangeIndex)
    assert out.index.name is None
    assert out.attrs == {}
    assert str(out["size"].dtype) == "int64"
    assert str(out["age"].dtype) == "Int64"
    assert str(out["ok"].dtype) == "boolean"
    assert str(out["fine"].dtype) == "bool"


def test_large_integers_with_nulls_stay_exact_in_pandas() -> None:
    out = to_native(pl.DataFrame({"n": [2**53 + 1, None]}), "pandas")
    assert out["n"][0] == 2**53 + 1


def test_an_arrow_table_has_no_metadata() -> None:
    out = to_native(pl.DataFrame(COLUMNS), "pyarrow")
    assert isinstance(out, pa.Table)
    assert out.schema.metadata is None
    assert all(field.metadata is None for field in out.schema)


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["a", "b", SECRET])])
def test_unused_categories_stay_behind(dtype: Any) -> None:
    frame = pl.DataFrame({"x": pl.Series(["a", SECRET, "b"], dtype=dtype)}).filter(pl.col("x") != SECRET)
    assert rows_only(frame).schema == {"x": pl.String}
    assert to_native(frame, "pandas")["x"].dtype == pd.Series(["a"]).dtype  # text, whatever this pandas calls it
    assert not pa.types.is_dictionary(to_native(frame, "pyarrow").schema.field("x").type)


def test_unknown_libraries_are_refused() -> None:
    with pytest.raises(ValueError, match="'spark' is not one of polars, pandas, pyarrow, duckdb"):
        to_native(pl.DataFrame({"x": [1]}), "spark")


MARK = 0x4141414141414141
LONG = ["another text that is long", "a third text of some length"]


def hidden_below_null(column: Any) -> Any:
    """The column with its first value replaced by null, as an expression does it: the value stays in memory."""
    frame = column.alias("x").to_frame()
    return frame.select(pl.when(pl.int_range(pl.len()) > 0).then(pl.col("x")).alias("x"))


@pytest.mark.parametrize(
    ("frame", "mark"),
    [
        (hidden_below_null(pl.Series([MARK, 3])), b"AAAAAAAA"),
        (hidden_below_null(pl.Series(np.array([MARK, 3]).view(np.float64))), b"AAAAAAAA"),
        (hidden_below_null(pl.Series([MARK, 3]).cast(pl.Datetime("ns"))), b"AAAAAAAA"),
        (hidden_below_null(pl.Series([0x41414141, 3], dtype=pl.Int32).cast(pl.Date)), b"AAAA"),
        (hidden_below_null(pl.Series([Decimal(MARK), Decimal(3)])), b"AAAAAAAA"),
        (hidden_below_null(pl.Series(["SECRET", "b"])), b"SECRET"),
        (hidden_below_null(pl.Series([SECRET, "b"])), SECRET.encode()),
        (hidden_below_null(pl.Series([SECRET] + ["another text that is long"] * 20)), SECRET.encode()),
        (pl.DataFrame({"x": [*LONG, SECRET]}).filter(pl.col("x") != SECRET), SECRET.encode()),
        (pl.Series("x", [SECRET, *LONG]).gather([1, 2] * 20).to_frame(), SECRET.encode()),
    ],
    ids=["int", "float", "datetime", "date", "decimal", "short text", "long text", "repeated text", "filtered",
         "gathered"],
)  # fmt: skip
def test_what_lies_below_nulls_and_behind_filters_stays_behind(frame: pl.DataFrame, mark: Any) -> None:
    assert mark in arrow_bytes(frame), "the frame no longer hides anything: this test shows nothing"
    cleaned = rows_only(frame)
    assert cleaned.equals(frame)
    assert mark not in arrow_bytes(cleaned)
    buffers = [bytes(b) for chunk in to_native(frame, "pyarrow")["x"].chunks for b in chunk.buffers() if b is not None]
    assert mark not in b"".join(buffers)


def test_the_rows_of_a_large_column_with_nulls_are_kept() -> None:
    random = np.random.default_rng(0)
    book = pl.Series("x", [f"[a long interval from {i} to {i + 1}]" for i in range(100)])
    column = book.gather(random.integers(0, 100, 10_000)).set(pl.Series(random.random(10_000) < 0.1), None)
    assert rows_only(column.to_frame()).equals(column.to_frame())
