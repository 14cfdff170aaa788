"""How large a release is beside the table that it was made of, both as text: nobody wants gigabytes unannounced."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.recode.lazy_frames import BoxedRows, MadeWhenAsked
from pellucid.anonymize.recode.published import texts_of
from pellucid.core.schema import OF_GROUP, Role
from pellucid.core.table import Attribute, Codes, Table, frequencies
from pellucid.io.csv_lines import Column
from pellucid.messages import Message, Term
from pellucid.runtime.parallel import results

TOO_LARGE = 10  # times the table
SMALL = 1 << 20  # bytes that nobody minds
PIECE = 1 << 16  # rows measured at a time
SHORT = (pl.Boolean, pl.Float32, pl.Float64, pl.Decimal, pl.Date, pl.Datetime)
LONGEST = 48  # bytes that no value of these types has as text


class LargeReleaseWarning(UserWarning):
    """The release is many times as large as the table; the message names the column and a way out."""


def warn_of_size(table: Table, frames: Mapping[str, pl.DataFrame], threads: int = 1) -> None:
    """Say before anything is written that it will be more than ten times as large as what was read."""
    boxes = frames.boxes if isinstance(frames, MadeWhenAsked) else None
    published = [] if boxes is not None else [column for frame in frames.values() for column in frame.get_columns()]
    columns = {} if boxes is None else {column.values.name: boxed_bytes(boxes, column) for column in boxes.columns}
    # nearly always bounds are enough, and no number has to be written out to know that
    most = results([partial(most_bytes, column) for column in published], threads)
    if sum(columns.values()) + sum(most) <= max(TOO_LARGE * least_bytes(table), SMALL):
        return
    columns |= {column.name: text_bytes(column) for column in published}
    whole, read = sum(columns.values()), table_bytes(table)
    if whole <= max(TOO_LARGE * read, SMALL):
        return
    name = max(columns, key=columns.__getitem__)
    warnings.warn(
        Message(
            "the release has about {whole} and its columns in the table {read}; {most} of it is {column!r}: publish "
            "smaller sets ({LARGEST_SET}), give the column a taxonomy, or use {anatomy}",
            whole=_amount(whole),
            read=_amount(read),
            most=_amount(columns[name]),
            column=name,
            anatomy=Term("recode", "recode='anatomy'", "anatomy"),
        ),
        LargeReleaseWarning,
        stacklevel=3,
    )


def boxed_bytes(boxes: BoxedRows, column: Column) -> int:
    """As many bytes as :func:`text_bytes` says of a column of all rows, each of whose values is measured once."""
    texts = column.values if column.values.dtype == pl.String else column.values.cast(pl.String)
    lengths = texts.str.len_bytes().fill_null(0).to_numpy().astype(np.int64)
    return int(((lengths + 1) * boxes.counts(column)).sum())


def text_bytes(column: pl.Series) -> int:
    """How many bytes a column has as text, with a separator behind each value; in pieces, so that no copy exists.

    >>> text_bytes(pl.Series(["ab", None, "c"])), text_bytes(pl.Series([10, 7]))
    (6, 5)
    """
    pieces = (chunk.slice(a, PIECE) for chunk in column.get_chunks() for a in range(0, len(chunk), PIECE))
    texts = (piece if piece.dtype == pl.String else piece.cast(pl.String) for piece in pieces)
    return len(column) + sum(int(some.str.len_bytes().cast(pl.Int64).sum()) for some in texts)


def most_bytes(column: pl.Series) -> int:
    """No fewer than :func:`text_bytes`, and for numbers and dates without making texts of them.

    >>> most_bytes(pl.Series(["ab", None, "c"])), most_bytes(pl.Series([10, 7]))
    (6, 6)
    """
    if column.dtype == pl.String:
        return text_bytes(column)
    if column.dtype.is_integer():
        return len(column) * (1 + max(len(str(end)) for end in (column.min(), column.max())))
    return len(column) * (1 + LONGEST) if column.dtype in SHORT else text_bytes(column)


def table_bytes(table: Table) -> int:
    """The same for the columns of a table that a release has."""
    return sum(
        int((frequencies(codes, len(attribute)) * _text_lengths(attribute)).sum()) + len(codes)
        for attribute, codes in _of_release(table)
    )


def least_bytes(table: Table) -> int:
    """No more than :func:`table_bytes`, by the shortest value of each column.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi="age", sensitive="disease")
    >>> least_bytes(table), table_bytes(table)
    (56, 92)
    """
    return sum(len(codes) * (1 + int(_text_lengths(attribute).min())) for attribute, codes in _of_release(table))


def _of_release(table: Table) -> list[tuple[Attribute, Codes]]:
    columns = zip(table.attributes, table.codes, strict=True)
    return [column for column in columns if column[0].role in (*OF_GROUP, Role.SENSITIVE)]


def _text_lengths(attribute: Attribute) -> NDArray[np.int64]:
    return texts_of(attribute).str.len_bytes().fill_null(0).to_numpy().astype(np.int64)


def _amount(size: int) -> str:
    """A number of bytes for a person.

    >>> _amount(642_000), _amount(2_500_000_000)
    ('642 kB', '2.5 GB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{max(1, size // 1000)} kB"
