"""From the values of one column to int32 codes in value order, and back.

``coded(column)`` equals ``numpy.unique(values, return_inverse=True)`` with nulls kept apart, and takes the fastest of
five exact ways: a table over the range when integers lie close together, a hash of the distinct values when there are
few, comparing with each of a handful of texts, polars' own dictionary for other text, and sorting when almost every
value is distinct. All but the last work in pieces and need little memory besides the codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.kernels.encode import fill_hash, find_in_hash, look_up, mark_present
from pellucid.runtime.series import series_of

CHUNK_ROWS = 1 << 17
SMALL_RANGE = 1 << 16
SAMPLED_ROWS = 100_000
FEW_TEXTS = 4  # so few texts are faster compared with than looked up
INT64_END = 1 << 63
INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)  # what tables are indexed by


class Coded(NamedTuple):
    """``values[code - has_null]`` is the value of a code; the values are distinct, ascending and not null.

    With ``has_null``, code 0 is null.
    """

    values: pl.Series
    codes: Codes
    has_null: bool


def coded(column: pl.Series) -> Coded:
    """The codes of a column: integers, floats, decimals, booleans, dates, datetimes or text.

    NaN is null, -0.0 is 0.0, and a categorical is its text, whatever other categories it knows.

    >>> values, codes, has_null = coded(pl.Series([30, 10, None, 30]))
    >>> values.to_list(), codes.tolist(), has_null
    ([10, 30], [2, 1, 0, 2], True)
    """
    if _is_categorical(column.dtype) and column.null_count() < len(column):
        return _numbered_codes(column)
    column = plain(column)
    if column.null_count() == len(column):
        return Coded(column.clear(), np.zeros(len(column), dtype=np.int32), len(column) > 0)
    if column.dtype == pl.String:
        return _sorted_codes(column) if _mostly_distinct(column) else _text_codes(column)
    if column.dtype.is_float():
        return _hashed_or_sorted_codes(column, _one_zero(column.drop_nulls().unique().sort()))
    low, high = integer_range(column)
    if not fits_int64(low, high):
        return _sorted_codes(column)
    if high - low < max(SMALL_RANGE, len(column)):
        return _table_codes(column, low, high)
    return _hashed_or_sorted_codes(column, column.drop_nulls().unique().sort())


def _hashed_or_sorted_codes(column: pl.Series, distinct: pl.Series) -> Coded:
    """Whichever is quicker: values that repeat are looked up, others are sorted."""
    return _hashed_codes(column, distinct) if 4 * len(distinct) <= len(column) else _sorted_codes(column)


def plain(column: pl.Series) -> pl.Series:
    """The column without the ways of a library to say the same: NaN for null, a category for its text."""
    if column.dtype == pl.Null or _is_categorical(column.dtype):
        return column.cast(pl.String)
    if column.dtype.is_float() and column.is_nan().any():
        return column.fill_nan(None)
    return column


def _is_categorical(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.Categorical | pl.Enum)


def integer_range(column: pl.Series) -> tuple[int, int]:
    """The smallest and largest value of a column whose values are integers underneath."""
    numbers = column.cast(pl.UInt8) if column.dtype == pl.Boolean else column.to_physical()
    return numbers.min(), numbers.max()  # type: ignore[return-value]  # integers, since not all are null


def fits_int64(low: int, high: int) -> bool:
    """Whether :func:`keys` can hold integers of this range; unsigned ones from 2**63 on it cannot.

    >>> fits_int64(0, 2**63 - 1), fits_int64(2**63, 2**63 + 4)
    (True, False)
    """
    return low >= -INT64_END and high < INT64_END


def keys(column: pl.Series, for_null: int = 0) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.bool_] | None]]:
    """The column as int64 in pieces: (first row, numbers, where it is null). Floats are given by their bits."""
    for first, piece in _pieces(column):
        null = piece.is_null().to_numpy() if piece.null_count() else None
        if piece.dtype.is_float():
            bits = (piece.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0).view(np.int64)
            yield first, bits if null is None else np.where(null, for_null, bits), null
        else:
            numbers = piece.to_physical().cast(pl.Int64)
            yield first, (numbers if null is None else numbers.fill_null(for_null)).to_numpy(), null


def _integers(column: pl.Series, for_null: int) -> Iterator[tuple[int, NDArray[np.integer], NDArray[np.bool_] | None]]:
    """As :func:`keys` for integers, in the column's own type where no value is null: nothing is copied."""
    if column.null_count() or column.to_physical().dtype not in INTEGERS:
        yield from keys(column, for_null)
        return
    for first, piece in _pieces(column.to_physical()):
        yield first, piece.to_numpy(), None


def _pieces(column: pl.Series) -> Iterator[tuple[int, pl.Series]]:
    """The column in pieces that fit the cache: (first row, piece)."""
    first = 0
    for chunk in column.get_chunks():
        for start in range(0, len(chunk), CHUNK_ROWS):
            piece = chunk.slice(start, CHUNK_ROWS)
            yield first, piece
            first += len(piece)


def _table_codes(column: pl.Series, low: int, high: int) -> Coded:
    """Mark which integers of the range occur, number those, look every row up."""
    has_null = column.null_count() > 0
    present = np.zeros(high - low + 1, dtype=np.uint8)
    for _, numbers, _ in _integers(column, low):
        mark_present(numbers, low, present)
    code_of = np.cumsum(present, dtype=np.int32) - np.int32(not has_null)
    codes = np.empty(len(column), dtype=np.int32)
    for first, numbers, null in _integers(column, low):
        piece = codes[first : first + len(numbers)]
        look_up(numbers, low, code_of, piece)
        if null is not None:
            piece[null] = 0
    if isinstance(column.dtype, pl.Decimal):  # polars would read the integer 150 as 150.00, not as 1.50
        return Coded(column.drop_nulls().unique().sort(), codes, has_null)
    return Coded(series_of(np.flatnonzero(present) + low, column.name).cast(column.dtype), codes, has_null)


def _hashed_codes(column: pl.Series, distinct: pl.Series) -> Coded:
    """Put the distinct values into a hash table, look every row up."""
    has_null = column.null_count() > 0
    slots = 1 << (2 * len(distinct) - 1).bit_length()
    slot_keys = np.zeros(slots, dtype=np.int64)
    slot_codes = np.full(slots, -1, dtype=np.int32)
    first_code, some_key = int(has_null), 0
    for first, numbers, _ in keys(distinct):
        fill_hash(numbers, first_code + first, slot_keys, slot_codes)
        some_key = int(numbers[0])
    codes = np.empty(len(column), dtype=np.int32)
    for first, numbers, null in keys(column, for_null=some_key):
        piece = codes[first : first + len(numbers)]
        find_in_hash(numbers, slot_keys, slot_codes, piece)
        if null is not None:
            piece[null] = 0
    return Coded(distinct, codes, has_null)


def _few_texts(column: pl.Series) -> Coded | None:
    """Compare every row with each of the texts that the head has; None when these are many, or not all."""
    texts = column.head(CHUNK_ROWS).drop_nulls().unique().sort()
    if not 0 < len(texts) <= FEW_TEXTS:
        return None
    texts = pl.Series(column.name, texts.to_list())  # in memory of their own
    has_null = column.null_count() > 0
    codes = np.empty(len(column), dtype=np.int32)
    for first, piece in _pieces(column):
        small, matched = np.zeros(len(piece), dtype=np.uint8), piece.null_count()
        for code, text in enumerate(texts, int(has_null)):
            same = piece.eq_missing(pl.Series([text])).to_numpy().view(np.uint8)
            matched += int(np.count_nonzero(same))
            small += same * np.uint8(code)
        if matched < len(piece):
            return None
        codes[first : first + len(piece)] = small
    return Coded(texts, codes, has_null)


def _text_codes(column: pl.Series) -> Coded:
    """Polars numbers the texts as it meets them."""
    few = _few_texts(column)
    return _numbered_codes(column.cast(pl.Categorical)) if few is None else few


def _numbered_codes(numbered: pl.Series) -> Coded:
    """A categorical has numbered its texts in some order; number those that occur again, in order of the texts."""
    has_null = numbered.null_count() > 0
    met = numbered.drop_nulls().unique()
    book = pl.DataFrame({"value": met.cast(pl.String), "number": met.to_physical()}).sort("value")
    numbers = book["number"].to_numpy()
    code_of = np.zeros(int(numbers.max()) + 1, dtype=np.int32)
    code_of[numbers] = np.arange(has_null, len(numbers) + has_null, dtype=np.int32)
    codes = np.empty(len(numbered), dtype=np.int32)
    for first, keys_of_piece, null in _integers(numbered.to_physical(), int(numbers[0])):
        piece = codes[first : first + len(keys_of_piece)]
        look_up(keys_of_piece, 0, code_of, piece)
        if null is not None:
            piece[null] = 0
    return Coded(book["value"].alias(numbered.name), codes, has_null)


def _sorted_codes(column: pl.Series) -> Coded:
    """Sort the rows; a code begins where the value changes."""
    nulls = column.null_count()
    values, rows = sorted_rows(column)
    values, rows_of_values = values.slice(nulls), rows[nulls:]
    changes = np.ones(len(values), dtype=np.bool_)
    changes[1:] = values.slice(1).ne_missing(values.slice(0, len(values) - 1)).to_numpy()
    codes = np.zeros(len(column), dtype=np.int32)
    codes[rows_of_values] = np.cumsum(changes, dtype=np.int32) - np.int32(nulls == 0)
    distinct = values.filter(pl.Series(changes))
    return Coded(_one_zero(distinct) if distinct.dtype.is_float() else distinct, codes, nulls > 0)


def sorted_rows(column: pl.Series) -> tuple[pl.Series, NDArray[np.uint32]]:
    """The column in ascending order, nulls first, and the row of each value. Text is ordered by code point."""
    frame = column.alias("value").to_frame().with_row_index("row").lazy().sort("value", nulls_last=False)
    ordered = frame.collect(engine="streaming")  # five times as fast on text as the default engine
    return ordered["value"].alias(column.name), ordered["row"].to_numpy()


def _mostly_distinct(column: pl.Series) -> bool:
    """Whether sorting is likely to be faster than a dictionary: nine in ten of a sample's values are distinct."""
    step = max(1, len(column) // SAMPLED_ROWS)
    sample = column.gather_every(step)
    return len(column) > SAMPLED_ROWS and 10 * sample.n_unique() > 9 * len(sample)


def _one_zero(floats: pl.Series) -> pl.Series:
    """-0.0 as 0.0. Numpy's sum of the two is 0.0; polars takes the addition of nothing for nothing to do."""
    return pl.Series(floats.name, floats.to_numpy() + np.float32(0))
