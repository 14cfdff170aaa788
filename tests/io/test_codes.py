"""Codes equal their definition: the rank of the value among the distinct values, nulls first."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.io import codes as codes_module
from pellucid.io.codes import coded


def plain_codes(values: Any) -> Any:
    """The definition. Text is compared by code point, which is how Python compares it."""
    distinct = sorted({value for value in values if value is not None})
    first = int(None in values)
    code = {value: i + first for i, value in enumerate(distinct)} | {None: 0}
    return distinct, [code[value] for value in values], bool(first)


def check(column: Any) -> None:
    values, codes, has_null = coded(column)
    assert codes.dtype == np.int32
    assert (values.to_list(), codes.tolist(), has_null) == plain_codes(column.to_list())
    assert values.dtype == column.dtype


def shuffled(values: Any, *, nulls: bool = False, repeat: Any = 3) -> Any:
    random = np.random.default_rng(3)
    rows = list(values) * repeat + [None] * (5 if nulls else 0)
    return [rows[i] for i in random.permutation(len(rows))]


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([3, -5, 0, 7], pl.Int64),
        ([-128, 127, 0], pl.Int8),
        ([0, 255], pl.UInt8),
        ([-(2**15), 2**15 - 1], pl.Int16),
        ([7, 2**16 - 1], pl.UInt16),
        ([-(2**31), 5 - 2**31], pl.Int32),
        ([2**32 - 1, 2**32 - 9], pl.UInt32),
        ([-(2**63), 2**63 - 1, 0], pl.Int64),
        ([0, 2**64 - 1, 2**63], pl.UInt64),
        ([2**63 + 4, 2**63, 2**63 + 1], pl.UInt64),
        ([2**63, 2**63 - 1], pl.UInt64),
        ([2**63 - 1, 2**63 - 2], pl.Int64),
        ([2**100, -(2**100), 5], pl.Int128),
        ([0.5, -1.5, 1e300, 5e-324], pl.Float64),
        ([0.1, 2.5], pl.Float32),
        ([True, False], pl.Boolean),
        ([True], pl.Boolean),
        ([Decimal("1.50"), Decimal("-2.25"), Decimal("10.00")], pl.Decimal(10, 2)),
        ([Decimal("12345678901234567890123456789.5"), Decimal("0.5")], pl.Decimal(38, 1)),
        ([dt.date(1969, 12, 31), dt.date(2024, 2, 29)], pl.Date),
        ([dt.datetime(1969, 1, 1, 5), dt.datetime(2024, 2, 29, 0, 0, 0, 1)], pl.Datetime("us")),
        (["b", "a", "", "é", "z", "Z", "\U0001f600", "\ufffd", "a\x00b"], pl.String),
        (["a text that is longer than twelve bytes", "another such text, also long"], pl.String),
    ],
    ids=str,
)
def test_codes_are_ranks_whatever_the_type(values: Any, dtype: Any, nulls: bool) -> None:
    check(pl.Series("value", shuffled(values, nulls=nulls), dtype=dtype))


@pytest.mark.parametrize("nulls", [False, True])
def test_zoned_datetimes_are_ranked_and_keep_their_zone(nulls: bool) -> None:
    naive = pl.Series("value", shuffled([dt.datetime(2024, 3, 31, 1), dt.datetime(2024, 1, 1)], nulls=nulls))
    check(naive.dt.replace_time_zone("Europe/Rome"))


@pytest.mark.parametrize("way", ["table", "hash", "sort"])
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("chunks", [1, 3])
def test_every_way_gives_the_same_codes_on_large_columns(way: str, nulls: bool, chunks: Any) -> None:
    random = np.random.default_rng(5)
    rows = codes_module.CHUNK_ROWS + 70_000  # more than one piece
    step, distinct = {"table": (1, 300), "hash": (10**12 + 39, 5_000), "sort": (10**9 + 7, rows)}[way]
    numbers = random.integers(0, distinct, rows) * step - 10**12
    column = pl.Series("value", numbers)
    if nulls:
        column = column.set(pl.Series(random.random(rows) < 0.1), None)
    column = pl.concat([column.slice(i * rows // chunks, rows // chunks + 1) for i in range(chunks)]).head(rows)
    expected = np.unique(column.drop_nulls().to_numpy(), return_inverse=True)
    values, codes, has_null = coded(column)
    assert has_null is nulls
    assert values.to_list() == expected[0].tolist()
    present = column.is_not_null().to_numpy()
    assert (codes[present] == expected[1] + nulls).all()
    assert (codes[~present] == 0).all()


@pytest.mark.parametrize("distinct", [50, 150_000], ids=["few", "nearly all distinct"])
def test_long_columns_of_text_are_ranked(distinct: Any) -> None:
    random = np.random.default_rng(5)
    numbers = random.permutation(np.arange(150_000) % distinct)
    column = pl.Series("value", [f"text {number:07d}" for number in numbers])
    values, codes, _ = coded(column)
    assert (codes == numbers).all()
    assert values.to_list() == [f"text {number:07d}" for number in range(distinct)]


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("late", [None, "a", "e", ""], ids=["no other text", "one first", "one last", "empty text"])
def test_a_handful_of_texts_is_ranked_and_a_text_that_comes_late_is_not_lost(nulls: bool, late: str | None) -> None:
    random = np.random.default_rng(3)
    texts = np.array(["b", "a text of more than twelve bytes", "d"])[random.integers(0, 3, 300_000)].astype(object)
    if nulls:
        texts[random.random(len(texts)) < 0.2] = None
    texts[-1] = late if late is not None else texts[-1]
    column = pl.Series("value", texts.tolist(), dtype=pl.String)
    check(column)
    check(pl.concat([column[:7], column[7:200_000], column[200_000:]], rechunk=False))


def test_not_a_number_is_null_and_minus_zero_is_zero() -> None:
    values, codes, has_null = coded(pl.Series([float("nan"), -0.0, 0.0, None, 1.0]))
    assert (values.to_list(), codes.tolist(), has_null) == ([0.0, 1.0], [0, 1, 1, 0, 2], True)
    assert str(values[0]) == "0.0"


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
@pytest.mark.parametrize("first", [0.0, -0.0])
def test_minus_zero_is_zero_in_long_columns_too(dtype: Any, first: Any) -> None:
    values, codes, _ = coded(pl.Series([first, -0.0, 0.0, 2.5] * 100, dtype=dtype))
    assert [str(value) for value in values.to_list()] == ["0.0", "2.5"]
    assert codes[:4].tolist() == [0, 0, 0, 1]
    assert values.dtype == dtype


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["never", "b", "a"])])
def test_a_categorical_is_its_text_and_nothing_else(dtype: Any) -> None:
    values, codes, _ = coded(pl.Series(["b", None, "a"], dtype=dtype))
    assert values.dtype == pl.String
    assert (values.to_list(), codes.tolist()) == (["a", "b"], [2, 0, 1])


def test_a_column_of_nulls_has_one_code() -> None:
    for column in (pl.Series([None, None]), pl.Series([None, None], dtype=pl.Int64), pl.Series([float("nan")] * 2)):
        values, codes, has_null = coded(column)
        assert (values.to_list(), codes.tolist(), has_null) == ([], [0, 0], True)


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), min_size=1))
def test_codes_of_any_integers(values: Any) -> None:
    check(pl.Series("value", values, dtype=pl.Int64))


@given(st.lists(st.none() | st.text(max_size=20), min_size=1))
def test_codes_of_any_text(values: Any) -> None:
    check(pl.Series("value", values, dtype=pl.String))


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["z", "unused", "b", "a", "ä"])])
def test_a_categorical_is_read_as_its_text_in_order_of_the_text(dtype: Any, nulls: bool) -> None:
    texts = shuffled(["b", "ä", "z", "a"], nulls=nulls)
    values, codes, has_null = coded(pl.Series("c", texts, dtype=dtype))
    assert (values.to_list(), codes.tolist(), has_null) == plain_codes(texts)
    assert (values.dtype, values.name) == (pl.String, "c")
