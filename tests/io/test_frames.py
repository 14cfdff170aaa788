"""Frames of every library come in by value and are left alone."""

import datetime as dt
from decimal import Decimal
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from pellucid.core.schema import Column, Kind, Schema
from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read
from pellucid.io.codes import plain

COLUMNS = {"age": [30, 21, 30], "zip": ["a", None, "b"], "name": ["x", "y", "z"]}


def duckdb_relation(columns: Any) -> Any:
    return duckdb.from_arrow(pa.table(columns))


MAKERS = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "pyarrow": pa.table,
    "duckdb": duckdb_relation,
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
}


@pytest.mark.parametrize(("library", "make"), MAKERS.items())
def test_every_library_comes_in_with_its_name(library: str, make: Any) -> None:
    frame, native = load(make(COLUMNS), columns=["zip", "age"])
    assert frame.to_dict(as_series=False) == {"zip": ["a", None, "b"], "age": [30, 21, 30]}
    assert native == {"lazy": "polars", "narwhals": "polars"}.get(library, library)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_an_unknown_column_is_named_with_the_nearest_one(make: Any) -> None:
    with pytest.raises(SchemaError, match=r"no column 'agee'; did you mean 'age'\?"):
        load(make(COLUMNS), columns=["agee"])


def test_the_tables_of_all_libraries_are_equal() -> None:
    tables = [read(make(COLUMNS), quasi=["age", "zip"], sensitive="name") for make in MAKERS.values()]
    for table in tables:
        assert [codes.tolist() for codes in table.codes] == [[1, 0, 1], [1, 0, 2], [0, 1, 2]]
        assert [attribute.values.to_list() for attribute in table.attributes] == [
            [21, 30],
            [None, "a", "b"],
            ["x", "y", "z"],
        ]


@pytest.mark.parametrize(
    ("series", "values"),
    [
        (pd.Series([1.5, np.nan, 2]), [1.5, None, 2.0]),
        (pd.Series([1, None, 3], dtype="Int64"), [1, None, 3]),
        (pd.Series([True, None, False], dtype="boolean"), [True, None, False]),
        (pd.Series([1.5, None, 3], dtype="Float64"), [1.5, None, 3.0]),
        (pd.Series([True, None, False], dtype=object), [True, None, False]),
        (pd.Series(["a", None, "b"]), ["a", None, "b"]),
        (pd.Series(["a", None, np.nan], dtype=object), ["a", None, None]),
        (pd.Series(["a", pd.NA, "b"], dtype="string"), ["a", None, "b"]),
        (pd.Series([1, None, 2], dtype="int64[pyarrow]"), [1, None, 2]),
        (pd.Series(["a", None, "b"], dtype=pd.CategoricalDtype(["a", "b", "never"])), ["a", None, "b"]),
        (pd.Series([1, None, 2], dtype=pd.CategoricalDtype([1, 2, 99])), [1, None, 2]),
        (pd.Series([pd.Timestamp("2024-01-31 10:00"), pd.NaT]), [dt.datetime(2024, 1, 31, 10), None]),
        (pd.Series([pd.Timestamp("2024-01-31", tz="UTC"), pd.NaT]), [dt.datetime(2024, 1, 31, tzinfo=dt.UTC), None]),
        (pd.Series([dt.date(2024, 1, 31), None], dtype=object), [dt.date(2024, 1, 31), None]),
        (pd.Series([Decimal("1.50"), None], dtype=object), [Decimal("1.50"), None]),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, pd.Series) else "",
)
def test_pandas_types_keep_their_values(series: Any, values: Any) -> None:
    frame, _ = load(pd.DataFrame({"value": series}))
    assert plain(frame["value"]).to_list() == values


def test_a_pandas_index_is_ignored_and_may_repeat() -> None:
    frame = pd.DataFrame({"age": [1, 2, 3]}, index=pd.Index([7, 7, 9], name="person"))
    assert load(frame)[0].to_dict(as_series=False) == {"age": [1, 2, 3]}


def test_pandas_column_numbers_are_named_by_their_text() -> None:
    assert load(pd.DataFrame([[1, 2]]), columns=["1"])[0].rows() == [(2,)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_callers_frame_is_not_changed(make: Any) -> None:
    columns = {"age": [30, None, 21], "zip": ["b", "a", None]}
    frame, untouched = make(columns), make(columns)
    read(frame, quasi="age", sensitive="zip")
    assert frame.equals(untouched)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pd.DataFrame([[1, 2]], columns=["age", "age"]),
        lambda: pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["age", "age"]),
        lambda: duckdb.sql("select 1 as age, 2 as age"),
    ],
    ids=["pandas", "pyarrow", "duckdb"],
)
def test_duplicate_columns_are_an_error(make: Any) -> None:
    with pytest.raises(InputError, match="column 'age' occurs 2 times; column names must differ"):
        load(make(), columns=["age"])


@pytest.mark.parametrize(
    "values",
    [pd.Series([1, "a", None], dtype=object), pd.Series([1j, 2j, 3j]), pd.Series([2**70, 1, 2], dtype=object)],
    ids=["mixed", "complex", "huge"],
)
def test_a_column_that_cannot_be_read_is_named(values: Any) -> None:
    with pytest.raises(InputError, match=r"column 'odd' cannot be read \(.*\); give all its values one type") as error:
        load(pd.DataFrame({"age": [1, 2, 3], "odd": values}))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("source", [{"age": [1]}, [1, 2], 7, None])
def test_what_is_not_a_table_is_an_error(source: Any) -> None:
    with pytest.raises(InputError, match="is not a table; give a path, or a pandas, Polars, PyArrow or DuckDB table"):
        load(source)


def categorical(values: Any, categories: Any, ordered: bool = True) -> Any:
    column = pd.Series(values, dtype=pd.CategoricalDtype(categories, ordered=ordered))
    return pd.DataFrame({"x": column, "s": [str(i) for i in range(len(values))]})


@pytest.mark.parametrize("wrap", [lambda frame: frame, nw.from_native], ids=["pandas", "narwhals"])
def test_an_ordered_categorical_keeps_its_order(wrap: Any) -> None:
    frame = categorical(["mid", "low", None, "high"], ["low", "mid", "never", "high"])
    attribute = read(wrap(frame), quasi="x", sensitive="s").attributes[0]
    assert attribute.kind is Kind.ORDERED
    assert attribute.values.to_list() == [None, "low", "mid", "high"]
    assert (attribute.positions.tolist(), attribute.width) == ([-1, 0, 1, 3], 3)


def test_an_ordered_categorical_of_numbers_keeps_its_order() -> None:
    attribute = read(categorical([1, 2, 3], [3, 1, 2]), quasi="x", sensitive="s").attributes[0]
    assert (attribute.kind, attribute.values.to_list()) == (Kind.ORDERED, [3, 1, 2])


def test_what_the_schema_says_of_an_ordered_categorical_comes_first() -> None:
    frame = categorical(["b", "a", "c"], ["b", "a", "c"])
    for column, kind, values in [
        (Column(role="quasi", kind="category"), Kind.CATEGORY, ["a", "b", "c"]),
        (Column(role="quasi", kind="ordered", order=["c", "a", "b"]), Kind.ORDERED, ["c", "a", "b"]),
        (Column(role="quasi", taxonomy={"tree": {"*": ["a", "c", "b"]}}), Kind.CATEGORY, ["a", "c", "b"]),
        (Column(role="quasi", missing=["b"]), Kind.ORDERED, [None, "a", "c"]),
    ]:
        schema = Schema(columns={"x": column, "s": Column(role="sensitive")})
        attribute = read(frame, schema=schema).attributes[0]
        assert (attribute.kind, attribute.values.to_list()) == (kind, values)


def test_the_order_of_a_categorical_leaves_the_callers_schema_alone() -> None:
    schema = Schema.of(quasi="x", sensitive="s")
    read(categorical(["b", "a"], ["b", "a"]), schema=schema)
    assert schema == Schema.of(quasi="x", sensitive="s")


def test_a_categorical_without_order_and_an_enum_are_categories() -> None:
    enum = pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), "s": ["0", "1"]})
    for frame in (categorical(["b", "a"], ["b", "a"], ordered=False), enum):
        attribute = read(frame, quasi="x", sensitive="s").attributes[0]
        assert (attribute.kind, attribute.values.to_list()) == (Kind.CATEGORY, ["a", "b"])


def test_the_intervals_of_pandas_cut_are_ordered_text() -> None:
    frame = pd.DataFrame({"x": pd.cut(pd.Series([5, 105, 15]), [0, 10, 20, 110]), "s": list("abc")})
    attribute = read(frame, quasi="x", sensitive="s").attributes[0]
    assert (attribute.kind, attribute.values.to_list()) == (Kind.ORDERED, ["(0, 10]", "(10, 20]", "(20, 110]"])
