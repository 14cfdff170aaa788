"""What was published as one value that can be compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.release import Release
from pellucid.io import load

LARGEST = 2**62  # a number that tells rows apart stays below
FEW = 200  # so many rows are sorted as they are: attacks that try worlds compare thousands of small releases


class Fingerprint(bytes):
    """What was published, by somebody who knows already how to compare it."""


def fingerprint(made: Any) -> bytes:
    """What was published as one value: equal for the same rows in any order, and columns in any order.

    >>> fingerprint(pl.DataFrame({"a": [1, 2]})) == fingerprint(pl.DataFrame({"a": [2, 1]}))
    True
    """
    if isinstance(made, Fingerprint):
        return made
    if isinstance(made, Release):
        made = made.public.frames
    tables = made if isinstance(made, Mapping) else {"data": made}
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(tables):
        frame = load(tables[name])[0]
        digest.update(f"{name}\x00{sorted(frame.columns)}\x00{frame.height}\x00".encode())
        parts = _few_rows_in_any_order(frame) if frame.height <= FEW else _rows_in_any_order(frame)
        for part in parts:
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    return digest.digest()


def _few_rows_in_any_order(frame: pl.DataFrame) -> Iterator[bytes]:
    """The texts of each row, and the rows in order."""
    texts = (frame[name].cast(pl.String).to_list() for name in sorted(frame.columns))
    yield from (row.encode() for row in sorted(map(repr, zip(*texts, strict=True))))


def _rows_in_any_order(frame: pl.DataFrame) -> Iterator[bytes | memoryview]:
    """The texts of each column, which rows of them occur, and how often.

    A row is the number that its texts' places in their columns make, read as digits; before that number grows too
    large, the numbers that occur are told and counted through. So a million rows take some bytes each, and no text is
    sorted but the different ones.
    """
    rows, most = np.zeros(frame.height, np.int64), 1
    for name in sorted(frame.columns):
        texts, places = _places(frame[name].cast(pl.String))
        yield texts.to_frame().write_csv(include_header=False).encode()
        if most > LARGEST // (len(texts) + 1):
            occurring, rows = np.unique(rows, return_inverse=True)
            yield occurring.tobytes()
            most = len(occurring)
        rows *= len(texts) + 1
        rows += places
        most *= len(texts) + 1
        del places
    rows.sort()
    new = np.ones(len(rows), bool)
    np.not_equal(rows[1:], rows[:-1], out=new[1:])
    first = np.flatnonzero(new)
    yield rows[first].view(np.uint8).data
    yield np.diff(first, append=len(rows)).view(np.uint8).data


def _places(column: pl.Series) -> tuple[pl.Series, NDArray[np.uint32]]:
    """The different texts in order, and where each row's stands there; null comes after them."""
    texts = column.drop_nulls().unique().sort()
    places = column.cast(pl.Enum(texts)).to_physical().cast(pl.UInt32).fill_null(len(texts))
    return texts, places.to_numpy()
