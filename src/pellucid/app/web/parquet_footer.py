"""What a Parquet file says about itself at its end, read without unpacking anything: how large its content is.

The footer is a structure of Thrift's compact protocol: numbered fields, numbers in groups of seven bits. Only the
sizes are looked at; https://parquet.apache.org/docs/file-format/metadata/ has the numbers of the fields.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

MAGIC = b"PAR1"
LONGEST = 64_000_000  # bytes of a footer that are read
DEEPEST = 32  # a footer nests structures about six times
ROW_GROUPS, COLUMNS, METADATA = 4, 1, 3  # of the file, of a group, of a column's piece
VALUES, UNPACKED = 5, 6  # of the metadata of a column's piece
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
INTEGERS = (4, 5, 6)


def unpacked_size(path: Path) -> int | None:
    """How many bytes all columns have when they are unpacked, one for each value at least; None if nobody can tell.

    The file may lie about it, as any file may about anything: this is the first of two lines of defence.
    """
    with path.open("rb") as file:
        file.seek(0, 2)
        end = file.tell()
        if end < 12:
            return None
        file.seek(end - 8)
        length, magic = struct.unpack("<I4s", file.read(8))
        if magic != MAGIC or length > min(end - 8, LONGEST):
            return None
        file.seek(end - 8 - length)
        footer = file.read(length)
    try:
        groups = _Reader(footer).structure(0)[ROW_GROUPS]
        pieces = [piece[METADATA] for group in groups for piece in group[COLUMNS]]
        return sum(max(int(piece[VALUES]), int(piece[UNPACKED]), 0) for piece in pieces)
    except (IndexError, KeyError, TypeError, ValueError):
        return None


class _Reader:
    """A walk through the bytes of a footer; raises what a lookup raises when they make no sense."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def structure(self, depth: int) -> dict[int, Any]:
        """The fields of a structure by their number."""
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self.byte()) != 0:
            step, kind = head >> 4, head & 15
            number = number + step if step else self.integer()
            # whether a field is true stands in its head
            fields[number] = kind == TRUE if kind in (TRUE, FALSE) else self.value(kind, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        """A value of a kind; texts are skipped."""
        if kind in (TRUE, FALSE, BYTE):
            return self.byte()
        if kind in INTEGERS:
            return self.integer()
        if kind == DOUBLE:
            return self.skip(8)
        if kind == BINARY:
            return self.skip(self.number())
        if kind in (LIST, SET):
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.number()
            if count > len(self.content):  # each takes a byte at least
                raise ValueError("longer than the footer")
            return [self.value(head & 15, depth + 1) for _ in range(count)]
        if kind == STRUCT:
            return self.structure(depth + 1)
        raise ValueError(f"no field of a footer has the kind {kind}")

    def byte(self) -> int:
        """The next byte."""
        self.at += 1
        return self.content[self.at - 1]

    def skip(self, count: int) -> None:
        """Go on without looking."""
        self.at += count
        if self.at > len(self.content):
            raise IndexError("the footer is cut short")

    def number(self) -> int:
        """A number without a sign."""
        found = shift = 0
        while (part := self.byte()) & 128 and shift < 64:
            found |= (part & 127) << shift
            shift += 7
        return found | part << shift

    def integer(self) -> int:
        """A number with a sign, which is its last bit."""
        found = self.number()
        return found >> 1 ^ -(found & 1)
