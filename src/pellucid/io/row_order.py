"""The order of the rows by their identifier: numbers as numbers, dates as dates, text by code point."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import InputError
from pellucid.io.codes import fits_int64, integer_range, keys, plain, sorted_rows
from pellucid.kernels.encode import mark_present
from pellucid.messages.terms import quoted_key


def row_order(identifier: pl.Series) -> NDArray[np.int64]:
    """The rank of each row's identifier, from 0; identifiers are distinct and never null.

    >>> row_order(pl.Series("id", ["b", "a", "c"]))
    array([1, 0, 2])
    """
    identifier = plain(identifier)
    if identifier.null_count():
        raise InputError(
            "identifier {name!r} is {NULL} in {nulls} of {rows} rows; every row needs one: fill it, drop these rows, "
            "or leave the identifier out",
            name=identifier.name,
            nulls=identifier.null_count(),
            rows=len(identifier),
        )
    if identifier.dtype.is_integer() or identifier.dtype.is_temporal():
        low, high = integer_range(identifier)
        if fits_int64(low, high) and high - low < 4 * len(identifier):
            return _ranks_in_table(identifier, low, high)
    values, rows = sorted_rows(identifier)
    repeated = values.slice(1).eq(values.slice(0, len(values) - 1))
    if repeated.any():
        _raise_duplicate(identifier, values.filter(repeated.extend_constant(False, 1)))
    order = np.empty(len(rows), dtype=np.int64)
    order[rows] = np.arange(len(rows), dtype=np.int64)
    return order


def _ranks_in_table(identifier: pl.Series, low: int, high: int) -> NDArray[np.int64]:
    """Ranks of integers that lie close together: count those below in a table over the range."""
    present = np.zeros(high - low + 1, dtype=np.uint8)
    for _, numbers, _ in keys(identifier):
        mark_present(numbers, low, present)
    if np.count_nonzero(present) < len(identifier):
        _raise_duplicate(identifier, identifier.filter(identifier.is_duplicated()).sort())
    rank_of = np.cumsum(present, dtype=np.int32)
    order = np.empty(len(identifier), dtype=np.int64)
    for first, numbers, _ in keys(identifier):
        order[first : first + len(numbers)] = rank_of[numbers - low]
    order -= 1
    return order


def _raise_duplicate(identifier: pl.Series, repeated: pl.Series) -> NoReturn:
    value = repeated.first()
    times = int((identifier == pl.Series([value], dtype=identifier.dtype)).sum())
    more = repeated.n_unique() - 1
    others = f", as do {more} others" if more else ""
    raise InputError(
        "identifier {identifier!r}: {value!r} occurs {times} times{others}; identifiers must be distinct: "
        "if these are several rows of one person, give it {role}, so that the promise is "
        "about the person; or merge them, choose another identifier, or leave it out",
        identifier=identifier.name,
        value=value,
        times=times,
        others=others,
        role=quoted_key("role", "cluster"),
    )
