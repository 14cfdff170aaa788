"""The warning about large releases: bounds that spare the measuring, and the measuring itself."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
import pytest

from pellucid.recode.size import most_bytes, text_bytes

COLUMNS = [
    pl.Series([], dtype=pl.Int64),
    pl.Series([None, None], dtype=pl.Int8),
    pl.Series([-(2**63), 5, None]),
    pl.Series([2**64 - 1], dtype=pl.UInt64),
    pl.Series([-1.7976931348623157e308, -2.2250738585072014e-308, None]),
    pl.Series([True, False, None]),
    pl.Series([date(9999, 12, 31), None]),
    pl.Series([datetime(2024, 1, 31, 1, 2, 3, 456789, tzinfo=UTC)]).dt.cast_time_unit("ns"),
    pl.Series([Decimal("-" + "9" * 30 + ".12345678")]),
    pl.Series(["é", "", None, "a text that does not fit beside its length"]),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.dtype))
def test_the_bound_is_never_below_what_is_measured(column: pl.Series) -> None:
    written = column.cast(pl.String).fill_null("").to_list()
    assert text_bytes(column) == sum(len(text.encode()) + 1 for text in written)
    assert most_bytes(column) >= text_bytes(column)


def test_columns_in_pieces_are_measured_whole() -> None:
    column = pl.Series(["ab", "c"] * 100_000)
    assert text_bytes(pl.concat([column, column], rechunk=False)) == 2 * text_bytes(column) == 1_000_000
