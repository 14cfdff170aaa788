"""How much a packed file may unpack to: counted as it is unpacked, because what a file says of itself may be false.

The limit comes from the memory that is free. What unpacks to more than a hundredfold is suspicious and gets less. Where
somebody said a limit (``max_unpacked``, in megabytes), that one holds.
"""

from __future__ import annotations

import gzip
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from pellucid.errors import InputError
from pellucid.io.damaged import damaged
from pellucid.io.text_form import said_form
from pellucid.text.figures import size_in_words

MEGABYTE = 1_000_000
TEXT, WORKBOOK = 4, 16  # bytes of memory that reading takes for a byte of the content
UNSUSPICIOUS = 128 * MEGABYTE  # so much may come out of a file of any size
USUAL_RATIO = 100
PIECE = 1 << 20
COUNTED = 3_000_000  # rows that are counted of a file which does not say how many it has
VALUE, OBJECT, CELL = 8, 40, 32  # bytes that a value takes at least: in a column, as an object of Python, in a sheet
ZSTD_BLOCK = 1 << 17  # the most that a block unpacks to
OVERLAP = 1 << 9  # bytes of a piece of XML that are looked at once more, with the next one
FAR = re.compile(rb"r=[\"']([A-Z]{2,3}(?=\d)|[A-Z]?(?=\d{5}))(\d{1,7})[\"']")  # without white space
NEAR = 9_999, 26  # rows and columns that a sheet may have without a look at its cells
ROW_TAG = b"<table:table-row"
CELL_TAG = re.compile(rb"<table:(?:covered-)?table-cell")
VALUE_IN = re.compile(rb"value|<text:")
LONGEST_ROW = 1 << 24
SHORTEST_CELL = len("<table:table-cell/>")
TIMES = re.compile(rb'table:number-(?:rows|columns)-repeated="(\d{1,9})"')

_cap: ContextVar[list[int]] = ContextVar("_cap", default=[])  # noqa: B039  (never changed)


class TooLarge(InputError):
    """More than a file may unpack to, or an upload may bring."""


def room(packed: int | None = None, share: int = TEXT) -> int:
    """So many bytes may come out of a file; ``packed`` is its size where the ratio is to be usual."""
    said = said_form().max_unpacked
    if said is not None:
        return said * MEGABYTE
    usual = [] if packed is None else [max(UNSUSPICIOUS, USUAL_RATIO * packed)]
    return min([free_memory() // share, *usual, *_cap.get()])


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """While it lasts, no file may unpack to more, however much memory there is; 0: without such a limit."""
    before = _cap.set([size] if size else [])
    try:
        yield
    finally:
        _cap.reset(before)


def free_memory() -> int:
    """The bytes of memory that this process may still take, as far as the system tells; 4 GB where it does not."""
    found = []
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found.append(int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) << 10)
    with suppress(OSError, ValueError):  # of a container
        most, used = (int(Path("/sys/fs/cgroup", f"memory.{name}").read_text("ascii")) for name in ("max", "current"))
        found.append(most - used)
    with suppress(ImportError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_DATA)[0]
        found += [soft] if soft != resource.RLIM_INFINITY else []
    return max(min(found, default=4000 * MEGABYTE), 0)


def refuse_above(name: str, unpacked: int, most: int) -> None:
    """Raise when so many bytes are more than may be."""
    if unpacked > most:
        raise TooLarge(
            "{name} unpacks to more than {most}, which may not fit into memory; remove columns that nobody needs, or "
            "say {MAX_UNPACKED} if it is meant to be so large",
            name=name,
            most=size_in_words(most),
        )


def refuse_unpacked(path: Path, unpacked: int, values: int, packed: int | None = None) -> None:
    """Raise when columns that say so much of themselves are too much: bytes without packing, or values."""
    refuse_above(path.name, unpacked, room(packed or path.stat().st_size))
    refuse_above(path.name, values * VALUE, room())


def gunzipped(path: Path) -> bytes:
    """What a gzip file unpacks to. Past a size it is only counted, and unpacked again when it is not too much."""
    kept: list[bytes] = []
    unpacked = 0
    for piece in counted_pieces(path):
        unpacked += len(piece)
        kept.append(piece) if unpacked <= UNSUSPICIOUS else kept.clear()
    return b"".join(kept if unpacked <= UNSUSPICIOUS else counted_pieces(path))


def counted_pieces(path: Path, name: str = "") -> Iterator[bytes]:
    """The content of a gzip file piece by piece, until it is too much."""
    most, unpacked = room(path.stat().st_size), 0
    with gzip.open(path) as file:
        while piece := file.read(PIECE):
            unpacked += len(piece)
            refuse_above(name or path.name, unpacked, most)
            yield piece


def check_zstd(path: Path) -> None:
    """Refuse a zstd file whose blocks may unpack to too much: no block is more than 128 kB, and writers fill them."""
    content = memoryview(path.read_bytes())
    most, unpacked, at = room(len(content)), 0, 0
    with suppress(struct.error, IndexError):  # reading it says what is wrong
        while at < len(content):
            (magic,) = struct.unpack_from("<I", content, at)
            if magic >> 4 == 0x184D2A5:  # a frame to skip
                at += 8 + int(struct.unpack_from("<I", content, at + 4)[0])
                continue
            about = content[at + 4]
            single, sized = about >> 5 & 1, about >> 6
            at += 5 + (not single) + (0, 1, 2, 4)[about & 3] + ((1 if single else 0), 2, 4, 8)[sized]
            last = 0
            while not last:
                head = int.from_bytes(content[at : at + 3], "little")
                last, kind, size = head & 1, head >> 1 & 3, head >> 3
                if at + 3 > len(content):
                    return
                at += 3 + (1 if kind == 1 else size)
                unpacked += size if kind < 2 else ZSTD_BLOCK
                refuse_above(path.name, unpacked, most)
            at += 4 * (about >> 2 & 1)


def check_workbook(path: Path) -> None:
    """Refuse a workbook whose parts unpack to too much, or whose cells lie so far apart that the sheet is too large."""
    most, unpacked = room(path.stat().st_size, WORKBOOK), 0
    cells = room(share=1) // CELL
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as file:
                    for size in _looked_through(entry.filename, file, cells, path.name):
                        unpacked += size
                        refuse_above(path.name, unpacked, most)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, zlib.error, EOFError):
        raise damaged(path, "a part of it cannot be unpacked") from None


def _looked_through(part: str, file: IO[bytes], cells: int, name: str) -> Iterator[int]:
    """How large each piece of a part is, while the cells of a sheet are looked for."""
    sheet: _Sheet | None = None
    if part == "content.xml":
        sheet = _OpenSheet()
    elif part.endswith(".xml") and "/worksheets/" in part:
        sheet = _Sheet()
    rest = b""
    while piece := file.read(PIECE):
        yield len(piece)
        if sheet is not None:
            rest = sheet.look(rest + piece)
            refuse_above(name, sheet.cells * CELL, cells * CELL)
    if sheet is not None:
        sheet.look(rest + ROW_TAG)
        refuse_above(name, sheet.cells * CELL, cells * CELL)


class _Sheet:
    """How far the cells of a sheet of Excel reach: what lies between the first and the last is in memory as well."""

    def __init__(self) -> None:
        self.rows, self.columns = NEAR

    @property
    def cells(self) -> int:
        """How many cells that makes."""
        return self.rows * self.columns

    def look(self, text: bytes) -> bytes:
        """Look at a piece; gives the end of it that may belong to the next one."""
        found = FAR.findall(text.translate(None, b" \t\r\n"))
        self.rows = max(self.rows, max((int(row) for _, row in found), default=0))
        widest = max((letters for letters, _ in found), key=lambda letters: (len(letters), letters), default=b"")
        self.columns = max(self.columns, sum(26**place * (at - 64) for place, at in enumerate(reversed(widest))))
        return text[-OVERLAP:]


class _OpenSheet(_Sheet):
    """The same of LibreOffice, where rows and cells say how often they are repeated; empty ones count up to a value."""

    def __init__(self) -> None:
        super().__init__()
        self.row = 0

    def look(self, text: bytes) -> bytes:
        """Look at the rows of a piece; gives the one that it ends in."""
        *rows, rest = text.split(ROW_TAG)
        if len(rest) > LONGEST_ROW:
            rows, rest = [*rows, rest], b""
        if b"repeated" in text or b"</table:table>" in text:
            for row in filter(None, rows):
                self._look_at(row)
        elif rows:  # what is there is at least so long
            self.row += len(rows)
            self.rows, self.columns = max(self.rows, self.row), max(self.columns, max(map(len, rows)) // SHORTEST_CELL)
        return ROW_TAG + rest if rows else rest

    def _look_at(self, row: bytes) -> None:
        attributes, *cells = CELL_TAG.split(row)
        self.row += _times(attributes)
        filled = [at for at, cell in enumerate(cells, 1) if VALUE_IN.search(cell)]
        if filled:
            width = sum(_times(cell) for cell in cells[: filled[-1]])
            self.rows, self.columns = max(self.rows, self.row), max(self.columns, width)
        if b"</table:table>" in row:
            self.row = 0


def _times(attributes: bytes) -> int:
    found = TIMES.search(attributes)
    return int(found[1]) if found else 1
