"""How large a release is beside the table that it was made of, both as text: nobody wants gigabytes unannounced."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
import polars as pl

from pellucid.recode.published import texts_of
from pellucid.schema import Role
from pellucid.table import Table, frequencies

TOO_LARGE = 10  # times the table
SMALL = 1 << 20  # bytes that nobody minds


class LargeReleaseWarning(UserWarning):
    """The release is many times as large as the table; the message names the column and a way out."""


def warn_of_size(table: Table, frames: Mapping[str, pl.DataFrame]) -> None:
    """Say before anything is written that it will be more than ten times as large as what was read."""
    columns = {column.name: text_bytes(column) for frame in frames.values() for column in frame.get_columns()}
    whole, read = sum(columns.values()), table_bytes(table)
    if whole <= max(TOO_LARGE * read, SMALL):
        return
    name = max(columns, key=lambda one: columns[one])
    warnings.warn(
        f"the release has about {_amount(whole)} and the table {_amount(read)}; {_amount(columns[name])} of it is "
        f"{name!r}: publish smaller sets (--largest-set, in Python largest_set=), give the column a taxonomy, or use "
        "--recode anatomy",
        LargeReleaseWarning,
        stacklevel=3,
    )


def text_bytes(column: pl.Series) -> int:
    """How many bytes a column has as text, with a separator behind each value.

    >>> text_bytes(pl.Series(["ab", None, "c"])), text_bytes(pl.Series([10, 7]))
    (6, 5)
    """
    texts = column if column.dtype == pl.String else column.cast(pl.String)
    return int(texts.str.len_bytes().cast(pl.Int64).sum()) + len(column)


def table_bytes(table: Table) -> int:
    """The same for the columns of a table that a release has."""
    total = 0
    for attribute, codes in zip(table.attributes, table.codes, strict=True):
        if attribute.role in (Role.QUASI, Role.CARRY, Role.SENSITIVE):
            lengths = texts_of(attribute).str.len_bytes().fill_null(0).to_numpy().astype(np.int64)
            total += int((frequencies(codes, len(attribute)) * lengths).sum()) + len(codes)
    return total


def _amount(size: int) -> str:
    """A number of bytes for a person.

    >>> _amount(642_000), _amount(2_500_000_000)
    ('642 kB', '2.5 GB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{max(1, size // 1000)} kB"
