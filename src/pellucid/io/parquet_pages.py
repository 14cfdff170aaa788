"""Parquet files whose parts contradict each other, found before a library relies on them.

A page says itself how many values it has. Polars makes room for that many before it looks at them, and where the system
has not so much it ends the whole program, which nobody can catch: one damaged byte is enough for 2**61 of them. The
footer says the same number once more, so damage shows: the pages of a column add up to what the footer says, and every
row has a value, or a null that counts as one. Only headers are read here, a few bytes for each page.

Reference: https://github.com/apache/parquet-format, file parquet.thrift; Thrift's compact protocol.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pellucid.io.damaged import ContradictoryFile, damaged
from pellucid.runtime.records import record

MAGIC = b"PAR1"
DATA, DATA_2 = 5, 8  # fields of a page's header: what it says of data pages of the first and the second version
DEEPEST = 32  # nesting of headers; files have less than ten levels


@record()
class Unpacked:
    """What the pages of a file become: bytes without packing, and values, of which a run packs any number."""

    size: int
    values: int


def refuse_contradiction(path: Path, columns: Collection[str] | None = None) -> Unpacked:
    """Raise when the pages of these columns (all if None) have more or fewer values than the footer says.

    Gives what the pages unpack to as they say themselves: room is made for so much, and more of it is an error.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _check(content, columns)
    except (ContradictoryFile, IndexError, struct.error, TypeError, AttributeError) as wrong:  # a field of another type
        problem = str(wrong) if isinstance(wrong, ContradictoryFile) else "its footer cannot be read"
        raise damaged(path, problem) from None
    except (OSError, ValueError):  # nothing that can be mapped, a pipe or an empty file: reading it says so
        return Unpacked(0, 0)


def _check(content: Any, columns: Collection[str] | None) -> Unpacked:
    if content[-4:] != MAGIC:  # encrypted, or no Parquet at all
        return Unpacked(0, 0)
    length = struct.unpack("<I", content[-8:-4])[0]
    start = len(content) - 8 - length
    if start < 4:
        raise ContradictoryFile("its footer is longer than the file")
    footer, _ = _struct(content, start)
    groups = footer.get(4, [])
    if sum(group.get(3, 0) for group in groups) != footer.get(3, 0):
        raise ContradictoryFile("its row groups do not make up its rows")
    unpacked = values = 0
    for group in groups:
        for chunk in group.get(1, []):
            metadata = chunk.get(3)
            if isinstance(metadata, Mapping):
                name = metadata.get(3, [b""])[0].decode("utf-8", "replace")
                if columns is None or name in columns:
                    unpacked += _check_column(content, metadata, group.get(3, 0), start)
                    values += metadata.get(5, 0)
    return Unpacked(unpacked, values)


def _first_page(metadata: Mapping[int, Any]) -> int:
    """Where the pages of a column begin: those of its dictionary, if any, or those of its data."""
    return min(
        int(place) for place in (metadata.get(9, 0), metadata.get(11, 0) or metadata.get(9, 0)) if place is not None
    )


def _values_held(header: Mapping[int, Any]) -> int:
    """How many values of the column a page holds: none if it is no page of data."""
    data = header.get(DATA) or header.get(DATA_2)
    return int(data.get(1, -1)) if data else 0


def _check_column(content: Any, metadata: Mapping[int, Any], rows: int, end: int) -> int:
    """Walk from page to page until all values of a column of a row group have been met; how many bytes they become."""
    values, met, unpacked = metadata.get(5, 0), 0, 0
    if rows < 0 or values < rows:
        raise ContradictoryFile("a column has fewer values than rows")
    at = _first_page(metadata)
    while met < values:
        if not 4 <= at < end:
            raise ContradictoryFile("a column has fewer values than it says")
        header, at = _struct(content, at)
        size, in_page = header.get(3, -1), _values_held(header)
        if size < 0 or in_page < 0 or met + in_page > values:
            raise ContradictoryFile("a page has more values than its column")
        met, at, unpacked = met + in_page, at + size, unpacked + max(header.get(2, 0), 0)
    return unpacked


def _struct(content: Any, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """A structure of Thrift's compact protocol, by the numbers of its fields, and where it ends."""
    if depth > DEEPEST:
        raise ContradictoryFile("it is nested too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head = content[at]
        at += 1
        if head == 0:
            return fields, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _zigzag(content, at)
        fields[number], at = _value(content, at, head & 15, depth)


def _value(content: Any, at: int, kind: int, depth: int, *, listed: bool = False) -> tuple[Any, int]:
    if kind in (1, 2):  # in a structure the type is the truth, in a list it is a byte
        return (content[at] == 1, at + 1) if listed else (kind == 1, at)
    if kind == 3:
        return content[at], at + 1
    if kind in (4, 5, 6):
        return _zigzag(content, at)
    if kind == 7:
        return struct.unpack("<d", content[at : at + 8])[0], at + 8
    if kind == 8:
        length, at = _varint(content, at)
        if at + length > len(content):
            raise ContradictoryFile("a text is longer than the file")
        return content[at : at + length], at + length
    if kind in (9, 10):
        return _list(content, at, depth)
    if kind == 12:
        return _struct(content, at, depth + 1)
    raise ContradictoryFile("its headers are not Parquet's")  # maps are in none of them


def _list(content: Any, at: int, depth: int) -> tuple[list[Any], int]:
    if depth > DEEPEST:
        raise ContradictoryFile("it is nested too deeply")
    head = content[at]
    length, at = head >> 4, at + 1
    if length == 15:
        length, at = _varint(content, at)
    if length > len(content):
        raise ContradictoryFile("a list is longer than the file")
    items = []
    for _ in range(length):
        value, at = _value(content, at, head & 15, depth + 1, listed=True)
        items.append(value)
    return items, at


def _varint(content: Any, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = content[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
        if shift > 63:
            raise ContradictoryFile("a number is longer than any")


def _zigzag(content: Any, at: int) -> tuple[int, int]:
    number, at = _varint(content, at)
    return (number >> 1) ^ -(number & 1), at
