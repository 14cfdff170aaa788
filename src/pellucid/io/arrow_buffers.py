"""Arrow files whose buffers do not lie in them, found before a library relies on what they say.

A record batch says of every buffer where it begins and how long it is. Polars makes room for that length before it
reads, and where the system has not so much it ends the whole program, which nobody can catch: one damaged byte is
enough. Each buffer lies in the body of its batch and each body in the file, so damage shows. Only the descriptions of
batches are read here, some bytes for each buffer.

Reference: https://arrow.apache.org/docs/format/Columnar.html, the files Message.fbs and File.fbs; FlatBuffers'
internals (https://flatbuffers.dev/internals).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pellucid.io.damaged import ContradictoryFile, damaged
from pellucid.io.unpacking import refuse_unpacked
from pellucid.runtime.records import record

MAGIC = b"ARROW1"
CONTINUED = 0xFFFFFFFF  # stands before the length of a message
DICTIONARY, BATCH = 2, 3  # kinds of messages that have a body
UNCOMPRESSED = -1  # the length that a buffer has which is not packed among others that are
DESCRIBED = 16  # bytes that describe a buffer
MOST_PACKED = 1 << 16  # no packing that Arrow has makes more bytes of one


def refuse_loose_buffers(path: Path) -> None:
    """Raise when a buffer of an Arrow file or stream does not lie in it, or when all unpack to too much."""
    unpacked = values = 0
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            room = len(content)  # for what describes buffers: no list is read again and again
            for start in _messages(content):
                buffers, size, cells = _check_message(content, start)
                room, unpacked, values = room - DESCRIBED * buffers, unpacked + size, values + cells
                if room < 0:
                    raise ContradictoryFile("its batches overlap")
                refuse_unpacked(path, unpacked, values)
    except (ContradictoryFile, IndexError, struct.error) as wrong:
        problem = str(wrong) if isinstance(wrong, ContradictoryFile) else "what it says of its batches cannot be read"
        raise damaged(path, problem) from None
    except (OSError, ValueError):  # nothing that can be mapped, a pipe or an empty file: reading it says so
        return


@record()
class FlatTable:
    """A table of FlatBuffers: fields at distances that another table lists; a field that is not there is None."""

    content: Any
    at: int

    def place(self, field: int) -> int | None:
        """Where a field is."""
        listed = self.at - _number(self.content, "<i", self.at)
        entry = 4 + 2 * field
        if entry + 2 > _number(self.content, "<H", listed):
            return None
        distance = _number(self.content, "<H", listed + entry)
        return self.at + distance if distance else None

    def number(self, field: int, form: str) -> int:
        """A number; 0 where it is not there."""
        place = self.place(field)
        return 0 if place is None else _number(self.content, form, place)

    def table(self, field: int) -> FlatTable | None:
        """A table inside of this one."""
        place = self.place(field)
        return None if place is None else FlatTable(self.content, place + _number(self.content, "<I", place))

    def structures(self, field: int, form: str) -> Iterator[tuple[int, ...]]:
        """A list of structures of fixed length."""
        place = self.place(field)
        if place is None:
            return
        start = place + _number(self.content, "<I", place)
        length, size = _number(self.content, "<I", start), struct.calcsize(form)
        if start + 4 + length * size > len(self.content):
            raise ContradictoryFile("a list is longer than the file")
        for position in range(length):
            yield struct.unpack_from(form, self.content, start + 4 + position * size)


def _number(content: Any, form: str, at: int) -> int:
    if not 0 <= at <= len(content) - struct.calcsize(form):
        raise ContradictoryFile("it refers to bytes that it does not have")
    return int(struct.unpack_from(form, content, at)[0])


def _messages(content: Any) -> Iterator[int]:
    """Where messages begin that may have a body: as the footer of a file lists them, or one after the other."""
    if content[: len(MAGIC)] != MAGIC:
        yield from _streamed(content)
        return
    end = len(content) - len(MAGIC) - 4
    length = _number(content, "<i", end)
    if content[-len(MAGIC) :] != MAGIC or not 0 < length <= end:
        raise ContradictoryFile("it has no footer")
    footer = FlatTable(content, end - length + _number(content, "<I", end - length))
    for listed in (2, 3):  # dictionaries and record batches
        for start, _, _ in footer.structures(listed, "<qi4xq"):
            yield start


def _streamed(content: Any) -> Iterator[int]:
    at = 0
    while at < len(content):
        start, length = _prefix(content, at)
        if length == 0:  # the end, as the writer of a stream says it
            return
        yield at
        body = FlatTable(content, start + _number(content, "<I", start)).number(3, "<q")
        if body < 0:
            raise ContradictoryFile("a batch is longer than the file")
        at = start + length + body


def _prefix(content: Any, at: int) -> tuple[int, int]:
    """Where the description of a message begins, and how long it is; the oldest writers begin with the length."""
    first = _number(content, "<I", at)
    start = at + 8 if first == CONTINUED else at + 4
    length = _number(content, "<I", start - 4)
    if start + length > len(content):
        raise ContradictoryFile("a batch is longer than the file")
    return start, length


def _check_within(offset: int, length: int, size: int) -> None:
    if offset < 0 or length < 0 or offset + length > size:
        raise ContradictoryFile("a buffer is longer than its batch")


def _batch_of(message: FlatTable) -> FlatTable | None:
    """The batch that a message brings, of rows or of a dictionary; None of any other message."""
    batch = message.table(2) if message.number(1, "<B") in (DICTIONARY, BATCH) else None
    if batch is not None and message.number(1, "<B") == DICTIONARY:
        batch = batch.table(1)
    return batch


def _check_message(content: Any, at: int) -> tuple[int, int, int]:
    """Check the buffers of a message: how many they are, how many bytes they become, and how many values it claims."""
    start, length = _prefix(content, at)
    if length == 0:
        raise ContradictoryFile("a batch has no description")
    message = FlatTable(content, start + _number(content, "<I", start))
    batch = _batch_of(message)
    if batch is None:
        return 0, 0, 0
    body, size = start + length, message.number(3, "<q")
    if size < 0 or body + size > len(content):
        raise ContradictoryFile("a batch is longer than the file")
    packed = batch.place(3) is not None
    buffers, unpacked = list(batch.structures(2, "<qq")), 0
    for offset, buffer in buffers:
        _check_within(offset, buffer, size)
        unpacked += _check_packed(content, body + offset, buffer) if packed and buffer else buffer
    claimed = sum(rows for rows, _ in batch.structures(1, "<qq"))
    if claimed < 0:
        raise ContradictoryFile("a column has fewer values than none")
    return len(buffers), unpacked, claimed


def _check_packed(content: Any, at: int, length: int) -> int:
    """A packed buffer begins with the length that it will have."""
    unpacked = _number(content, "<q", at)
    if unpacked < UNCOMPRESSED or unpacked > MOST_PACKED * length:
        raise ContradictoryFile("a packed buffer cannot have the length that it says")
    return length if unpacked == UNCOMPRESSED else unpacked
