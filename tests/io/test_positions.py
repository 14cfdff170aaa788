"""Positions against exact rational arithmetic."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pellucid.errors import InputError, SchemaError
from pellucid.io.positions import LONGEST, on_line


def exact(value: Any) -> Any:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def check(values: Any, domain: Any = None, dtype: Any = None) -> Any:
    """Positions divided by the width are the exact shares, or the nearest of 2**31 - 1 steps."""
    column = pl.Series("value", sorted(set(values)), dtype=dtype)
    positions, width = on_line(column, domain)
    numbers = [exact(value) for value in column.to_list()]
    low, high = map(exact, domain) if domain else (numbers[0], numbers[-1])
    assert positions.dtype == np.int64
    assert (np.diff(positions) >= 0).all()
    if low == high:
        assert (positions.tolist(), width) == ([0], 0)
        return positions.tolist(), width
    shares = [(number - low) / (high - low) for number in numbers]
    if width < LONGEST:
        assert [Fraction(int(position), width) for position in positions] == shares
    else:
        for position, share in zip(positions.tolist(), shares, strict=True):
            assert abs(position - share * LONGEST) <= Fraction(501, 1000)
    return positions.tolist(), width


@pytest.mark.parametrize(
    ("values", "domain", "positions", "width"),
    [
        ([17, 20], None, [0, 3], 3),
        ([17, 20], (0, 120), [17, 20], 120),
        ([5, 6], (0.5, 10), [45, 55], 95),
        ([0.5, 0.75, 2.0], None, [0, 25, 150], 150),
        ([0.07, 0.14, 0.29], None, [0, 7, 22], 22),
        ([0.1, 0.2, 0.3], None, [0, 1, 2], 2),
        ([100.0, 300.0], (0, 1000), [100, 300], 1000),
        ([Decimal("1.50"), Decimal("2.50")], None, [0, 10], 10),
        ([Decimal("1.50"), Decimal("2.25")], (0, 3), [150, 225], 300),
        ([False, True], None, [0, 1], 1),
        ([0, 2**40, 2**41], None, [0, 2**30, LONGEST], LONGEST),
        ([0, LONGEST], None, [0, LONGEST], LONGEST),
        ([-(2**63), 0, 2**63 - 1], None, [0, 2**30, LONGEST], LONGEST),
        ([-1.7e308, 0.0, 1.7e308], None, [0, 2**30, LONGEST], LONGEST),
        ([1 / 3], None, [0], 0),
    ],
)
def test_numbers_lie_on_the_coarsest_exact_line(values: Any, domain: Any, positions: Any, width: Any) -> None:
    assert check(values, domain) == (positions, width)


def test_a_short_float_counts_as_its_shortest_decimal() -> None:
    assert on_line(pl.Series([0.1, 0.2], dtype=pl.Float32), None)[1] == 1


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20))
def test_any_integers(values: Any) -> None:
    check(values, dtype=pl.Int64)


@given(st.lists(st.decimals(-1000, 1000, places=3), min_size=1, max_size=20))
def test_any_decimals(values: Any) -> None:
    check(values, dtype=pl.Decimal(10, 3))


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=20), st.integers(0, 3))
def test_floats_with_few_digits_are_exact(numbers: Any, digits: Any) -> None:
    values = [number / 10**digits for number in numbers]
    _, width = check([value + 0.0 for value in values])
    assert width == LONGEST or width <= 2 * 10**6


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=20))
def test_any_floats(values: Any) -> None:
    values = [value + 0.0 for value in values]
    assume(max(values) - min(values) > 1e-3)
    check(values)


@pytest.mark.parametrize(
    ("values", "positions", "width"),
    [
        ([dt.date(2020, 1, 1), dt.date(2020, 3, 1)], [0, 60], 60),
        ([dt.datetime(2020, 1, 1, 10), dt.datetime(2020, 1, 3, 10)], [0, 2], 2),
        ([dt.datetime(2020, 1, 1, 10), dt.datetime(2020, 1, 3, 11)], [0, 49], 49),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 1)], [0, 1], 1),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 250_000)], [0, 250], 250),
        ([dt.datetime(1970, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1)], [0, LONGEST], LONGEST),
    ],
)
def test_dates_lie_on_the_coarsest_exact_line(values: Any, positions: Any, width: Any) -> None:
    found, found_width = on_line(pl.Series(values), None)
    assert (found.tolist(), found_width) == (positions, width)


def test_a_domain_of_dates_widens_the_line() -> None:
    domain = (dt.date(2020, 1, 1), dt.date(2020, 12, 31))
    positions, width = on_line(pl.Series([dt.date(2020, 2, 1)]), domain)
    assert (positions.tolist(), width) == ([31], 365)


def test_the_last_day_of_a_domain_of_datetimes_is_inside() -> None:
    domain = (dt.date(2020, 1, 1), dt.date(2020, 12, 31))
    positions, width = on_line(pl.Series([dt.datetime(2020, 12, 31, 12)]), domain)
    assert (positions.tolist(), width) == ([365 * 24 + 12], 366 * 24)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Rome"])
def test_bounds_are_in_the_time_zone_of_the_column(zone: Any) -> None:
    column = pl.Series([dt.datetime(2020, 1, 1, 0)]).dt.replace_time_zone(zone)
    domain = (dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2))
    positions, width = on_line(column, domain)
    assert (positions.tolist(), width) == ([0], 1)
    aware = (dt.datetime(2019, 12, 31, tzinfo=dt.UTC), dt.datetime(2020, 1, 2, tzinfo=dt.UTC))
    assert on_line(column, aware)[1] in (2, 48)


@pytest.mark.parametrize(
    ("column", "domain", "value"),
    [
        (pl.Series("x", [5, 130]), (0, 120), "130"),
        (pl.Series("x", [-1, 5]), (0, 120), "-1"),
        (pl.Series("x", [0.05, 0.5]), (0.1, 1), "0.05"),
        (pl.Series("x", [dt.date(1999, 12, 31)]), (dt.date(2000, 1, 1), dt.date(2020, 1, 1)), "1999-12-31"),
    ],
)
def test_a_value_outside_the_domain_is_an_error(column: Any, domain: Any, value: Any) -> None:
    with pytest.raises(InputError, match=rf"column 'x': {value} lies outside the domain .* widen the domain"):
        on_line(column, domain)


def test_the_ends_of_a_decimal_domain_are_what_a_person_reads() -> None:
    assert on_line(pl.Series([Decimal("0.1")]), (0.1, 0.3))[1] == 2


def test_a_zoned_domain_of_a_column_without_zone_is_an_error() -> None:
    aware = (dt.datetime(2019, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 2, tzinfo=dt.UTC))
    with pytest.raises(SchemaError, match="has no time zone"):
        on_line(pl.Series("x", [dt.datetime(2019, 5, 1)]), aware)
