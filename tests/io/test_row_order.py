"""The order of rows is the order of their identifiers, in their own type.

The order of a file's rows must not decide anything: not the type of a column, and so not the released bytes.
"""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.errors import InputError
from pellucid.io.delimited import SAMPLED_ROWS, read_delimited
from pellucid.io.row_order import row_order


@pytest.mark.parametrize(
    "identifiers",
    [
        [10, 9, 100, -5],
        [2**40, 3, -(2**62)],
        ["10", "9", "100", "é", "z", "\U0001f600", "\ufffd"],
        ["the first of two long names", "a second one that is long"],
        [2.5, -1.0, 10.0],
        [Decimal("10.5"), Decimal("9.5")],
        [dt.date(2024, 1, 1), dt.date(1960, 1, 1)],
        [dt.datetime(2024, 1, 1, 5), dt.datetime(2024, 1, 1, 4)],
    ],
    ids=str,
)
def test_the_order_is_that_of_the_values(identifiers: Any) -> None:
    order = row_order(pl.Series("id", identifiers))
    assert order.dtype == np.int64
    assert order.tolist() == [sorted(identifiers).index(value) for value in identifiers]


@pytest.mark.parametrize("first", [2**63 - 2, 2**63, 2**64 - 5])
def test_unsigned_identifiers_that_no_signed_number_holds_are_ranked(first: int) -> None:
    identifiers = pl.Series("id", [first + i for i in (3, 0, 4, 2, 1)], dtype=pl.UInt64)
    assert row_order(identifiers).tolist() == [3, 0, 4, 2, 1]
    with pytest.raises(InputError, match=f"{first} occurs 2 times"):
        row_order(pl.Series("id", [first, first + 1, first], dtype=pl.UInt64))


def test_large_tables_are_ranked() -> None:
    numbers = np.random.default_rng(1).permutation(1_200_000)
    assert (row_order(pl.Series("id", numbers)) == numbers).all()
    assert (row_order(pl.Series("id", numbers * 10**9)) == numbers).all()


def test_the_order_does_not_depend_on_chunks() -> None:
    parts = [pl.Series("id", ["c", "a"]), pl.Series("id", ["b"])]
    assert row_order(pl.concat(parts, rechunk=False)).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("identifiers", "value"),
    [([1, 2, 1], "1"), ([10**15, 5, 10**15], "1000000000000000"), (["b", "a", "b"], "'b'"), ([1.5, 1.5], "1.5")],
)
def test_a_duplicate_is_named_with_the_way_out(identifiers: Any, value: Any) -> None:
    message = rf"identifier 'id': {value} occurs 2 times; .* choose another identifier, or leave it out"
    with pytest.raises(InputError, match=message):
        row_order(pl.Series("id", identifiers))


def test_many_duplicates_are_counted() -> None:
    with pytest.raises(InputError, match=r"identifier 'id': 'a' occurs 3 times, as do 1 others"):
        row_order(pl.Series("id", ["b", "a", "b", "a", "a", "c"]))


@pytest.mark.parametrize("identifiers", [[1, None, 2], ["a", None, None], [1.0, float("nan")]])
def test_a_null_identifier_is_an_error(identifiers: Any) -> None:
    with pytest.raises(InputError, match=r"identifier 'id' is null in \d of \d rows"):
        row_order(pl.Series("id", identifiers))


CASES = {
    "integers": (lambda i: str(i), ["+5", " 5", '" 7"', "007", "1e3", "5.", "99999999999999999999", "x"]),
    "reals": (lambda i: f"{i}.25", ["+5", "+1.5", " 1.5", "01.5", "1e400", "1.5f"]),
    "dates": (lambda i: f"2024-01-{i % 28 + 1:02}", ["2024-1-5", "24-01-05", "2024-02-31", "2024-01-31 "]),
    "times": (lambda i: f"2024-01-{i % 28 + 1:02} 10:00:00", ["2024-01-05 1:02:03", "2024-01-05 01:02:03.1234567"]),
    "booleans": (lambda i: ["true", "false"][i % 2], ["TRUE", "t", "1"]),
}


@pytest.mark.parametrize(("kind", "odd"), [(kind, odd) for kind, (_, odds) in CASES.items() for odd in odds])
@pytest.mark.parametrize("quoted", [False, True])
def test_an_odd_value_makes_the_same_column_wherever_it_stands(
    kind: str, odd: str, quoted: bool, tmp_path: Path
) -> None:
    usual = [CASES[kind][0](i) for i in range(SAMPLED_ROWS + 50)]
    files = {}
    for place in (0, len(usual) // 2, len(usual)):
        values = [*usual[:place], odd, *usual[place:]]
        path = tmp_path / f"{place}.csv"
        note = '"a, b"' if quoted else "ab"
        path.write_text("x,note\n" + "".join(f"{value},{note}\n" for value in values))
        files[place] = read_delimited(path)["x"]
    assert len({str(column.dtype) for column in files.values()}) == 1
    assert len({str(sorted(column.cast(str).to_list())) for column in files.values()}) == 1
