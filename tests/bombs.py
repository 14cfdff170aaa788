"""Files that are small and unpack to much: every packed format that is read, with honest and with false headers."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from workbooks import write_ods, write_xlsx

MB = 1 << 20
ROW = b"30,Rome,flu\n"
HEAD = b"age,town,illness\n"
CELLS = '<c r="A2"><v>1</v></c>'
SHEET = "xl/worksheets/sheet1.xml"
PLAIN = {"people": [["age", "town", "illness"], [30, "Rome", "flu"], [31, "Oslo", "cold"]]}


def packed(megabytes: int, piece: bytes = ROW) -> bytes:
    """So many megabytes of the same as one gzip member."""
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=9, mtime=0) as out:
        out.write(HEAD)
        block = piece * (MB // len(piece))
        for _ in range(megabytes):
            out.write(block)
    return file.getvalue()


def gzip_plain(path: Path) -> None:
    path.write_bytes(packed(700))


def gzip_members(path: Path) -> None:
    path.write_bytes(packed(0) + packed(30) * 23)


def gzip_that_lies(path: Path) -> None:
    """Its last bytes say that it has ten bytes."""
    path.write_bytes(packed(700)[:-4] + struct.pack("<I", 10))


def gzip_within_gzip(path: Path) -> None:
    """A file of which nothing is a table, and which unpacks to zeros."""
    path.write_bytes(packed(700, bytes(64)))


def _zstd_frames(path: Path, frames: int, blocks: int, claimed: int | None) -> None:
    """Blocks of one byte that is repeated 131,072 times: four bytes each."""
    head = b"\x28\xb5\x2f\xfd" + (b"\x00\x58" if claimed is None else b"\xa4" + struct.pack("<I", claimed))
    if claimed is not None:
        head = b"\x28\xb5\x2f\xfd" + b"\x80\x58" + struct.pack("<I", claimed)
    size = 1 << 17
    block = struct.pack("<I", size << 3 | 1 << 1)[:3] + b"\n"
    last = struct.pack("<I", size << 3 | 1 << 1 | 1)[:3] + b"\n"
    path.write_bytes((head + block * (blocks - 1) + last) * frames)


def zstd_runs(path: Path) -> None:
    _zstd_frames(path, 1, 6_000, None)


def zstd_frames(path: Path) -> None:
    _zstd_frames(path, 6_000, 1, None)


def zstd_that_lies(path: Path) -> None:
    _zstd_frames(path, 1, 6_000, 10)


def zstd_text(path: Path) -> None:
    with path.open("wb") as file, pa.CompressedOutputStream(file, "zstd") as out:
        out.write(HEAD)
        for _ in range(700):
            out.write(ROW * (MB // len(ROW)))


def _book(path: Path, parts: dict[str, Iterator[bytes]]) -> None:
    """A workbook with other parts; each comes in pieces."""
    small = path.with_name("small.xlsx")
    write_xlsx(small, PLAIN)
    with zipfile.ZipFile(small) as book, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name in book.namelist():
            if name not in parts:
                out.writestr(name, book.read(name))
        for name, pieces in parts.items():
            with out.open(name, "w", force_zip64=True) as part:
                for piece in pieces:
                    part.write(piece)
    small.unlink()


def _sheet(pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield b'<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    yield from pieces
    yield b"</sheetData></worksheet>"


def _rows(megabytes: int) -> Iterator[bytes]:
    row = b'<row><c t="inlineStr"><is><t>x</t></is></c><c><v>1</v></c><c><v>1</v></c></row>'
    for _ in range(megabytes):
        yield row * (MB // len(row))


def workbook_rows(path: Path) -> None:
    """The one that took 14 GB."""
    _book(path, {SHEET: _sheet(_rows(500))})


def workbook_spaces(path: Path) -> None:
    _book(path, {SHEET: _sheet(b" " * MB for _ in range(500))})


def workbook_one_text(path: Path) -> None:
    text = [b'<row r="1"><c r="A1" t="inlineStr"><is><t>', *[b"x" * MB] * 500, b"</t></is></c></row>"]
    _book(path, {SHEET: _sheet(iter(text))})


def workbook_strings(path: Path) -> None:
    start = b'<?xml version="1.0"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    item = b"<si><t>x</t></si>"
    _book(path, {"xl/sharedStrings.xml": iter([start, *[item * (MB // len(item))] * 500, b"</sst>"])})


def workbook_that_lies(path: Path) -> None:
    """Its directory says that every part has ten bytes."""
    workbook_rows(path)
    content = bytearray(path.read_bytes())
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        content[at + 24 : at + 28] = struct.pack("<I", 10)
        at = content.find(b"PK\x01\x02", at + 4)
    path.write_bytes(bytes(content))


def workbook_sparse(path: Path) -> None:
    """Two cells, as far from each other as they can be."""
    cells = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    _book(path, {SHEET: _sheet(iter([cells]))})


def workbook_sparse_backwards(path: Path) -> None:
    """The same, with a row that says of itself that it is the first, in other words of XML."""
    cells = b'<row r="1"><c r\n= \'XFD1048576\'><v>1</v></c><c r="A1"><v>1</v></c></row>'
    _book(path, {SHEET: _sheet(iter([cells]))})


def workbook_shared_part(path: Path) -> None:
    """A thousand names for one part."""
    _book(path, {"xl/media/a.bin": (bytes(MB) for _ in range(100))})
    with zipfile.ZipFile(path) as book:
        info, directory = book.getinfo("xl/media/a.bin"), book.start_dir
    content = path.read_bytes()
    entries = []
    for number in range(1000):
        name = f"xl/media/{number:05}.bin".encode()
        entries.append(
            struct.pack(
                "<4s6H3I5H2I", b"PK\x01\x02", 45, 45, 0, 8, 0, 33, info.CRC, info.compress_size, info.file_size,
                len(name), 0, 0, 0, 0, 0, info.header_offset,
            ) + name
        )  # fmt: skip
    old = content[directory : content.rfind(b"PK\x05\x06")]
    listed, count = old + b"".join(entries), len(entries) + old.count(b"PK\x01\x02")
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(listed), directory, 0)
    path.write_bytes(content[:directory] + listed + end)


def _ods(path: Path, rows: Iterator[bytes]) -> None:
    small = path.with_name("small.ods")
    write_ods(small, {"people": [["age", "town"]]})
    with zipfile.ZipFile(small) as book, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name in book.namelist():
            if name != "content.xml":
                out.writestr(name, book.read(name))
        before, after = book.read("content.xml").split(b"</table:table>")
        with out.open("content.xml", "w", force_zip64=True) as part:
            part.write(before)
            for piece in rows:
                part.write(piece)
            part.write(b"</table:table>" + after)
    small.unlink()


ODS_CELL = b'<table:table-cell office:value-type="float" office:value="1"/>'


def ods_rows(path: Path) -> None:
    row = b"<table:table-row>" + ODS_CELL * 2 + b"</table:table-row>"
    _ods(path, (row * (MB // len(row)) for _ in range(500)))


def ods_repeated(path: Path) -> None:
    """One row that says to be a million rows of 16,384 cells."""
    cell = ODS_CELL.replace(b"<table:table-cell", b'<table:table-cell table:number-columns-repeated="16384"')
    _ods(path, iter([b'<table:table-row table:number-rows-repeated="1048576">' + cell + b"</table:table-row>"]))


def ods_sparse(path: Path) -> None:
    """A cell far to the right, and one far below."""
    empty = b'<table:table-row><table:table-cell table:number-columns-repeated="16383"/>' + ODS_CELL
    below = b'<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
    last = b"<table:table-row>" + ODS_CELL + b"</table:table-row>"
    _ods(path, iter([empty + b"</table:table-row>", below, last]))


def _parquet(path: Path, codec: str) -> None:
    table = pa.table({"age": [30], "illness": ["x" * (20 * MB)]})
    level = 1 if codec != "snappy" else None
    with pa.parquet.ParquetWriter(
        path, table.schema, compression=codec, compression_level=level, use_dictionary=False, write_statistics=False
    ) as out:
        for _ in range(25):
            out.write_table(table)


def parquet_zstd(path: Path) -> None:
    _parquet(path, "zstd")


def parquet_gzip(path: Path) -> None:
    _parquet(path, "gzip")


def parquet_brotli(path: Path) -> None:
    _parquet(path, "brotli")


def parquet_runs(path: Path) -> None:
    """Sixty million rows, all alike."""
    rows = pa.table({"age": pa.nulls(10_000_000, pa.int32()), "town": pa.nulls(10_000_000, pa.string())})
    with pa.parquet.ParquetWriter(path, rows.schema, compression="zstd") as out:
        for _ in range(6):
            out.write_table(rows)


def parquet_parts(path: Path) -> None:
    """A folder of which no file is large."""
    path.mkdir()
    table = pa.table({"age": [30], "illness": ["x" * (25 * MB)]})
    pa.parquet.write_table(table, path / "part-0.parquet", compression="zstd", use_dictionary=False)
    for number in range(1, 20):
        (path / f"part-{number}.parquet").write_bytes((path / "part-0.parquet").read_bytes())


def _arrow(path: Path, codec: str, *, stream: bool = False) -> None:
    table = pa.table({"age": [30], "illness": ["x" * (40 * MB)]})
    options = pa.ipc.IpcWriteOptions(compression=codec)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with path.open("wb") as file, make(file, table.schema, options=options) as out:
        for _ in range(15):
            out.write_table(table)


def arrow_zstd(path: Path) -> None:
    _arrow(path, "zstd")


def arrow_lz4(path: Path) -> None:
    _arrow(path, "lz4")


def arrow_stream(path: Path) -> None:
    _arrow(path, "zstd", stream=True)


def arrow_nulls(path: Path) -> None:
    """Rows that have no bytes at all."""
    batch = pa.record_batch({"age": pa.nulls(12_345_678)})
    with path.open("wb") as file, pa.ipc.new_file(file, batch.schema) as out:
        out.write_batch(batch)
    path.write_bytes(path.read_bytes().replace(struct.pack("<q", 12_345_678), struct.pack("<q", 1 << 40)))


def _sav_header(cases: int, compression: int, magic: bytes = b"$FL2") -> bytes:
    head = magic + b"@(#) SPSS DATA FILE".ljust(60) + struct.pack("<iiiii", 2, 1, compression, 0, cases)
    head += struct.pack("<d", 100.0) + b"01 Jan 2100:00:00" + b" " * 64 + b"\0" * 3
    variable = struct.pack("<6i", 2, 0, 0, 0, 5 << 16 | 8 << 8, 5 << 16 | 8 << 8) + b"AGE     "
    return head + variable + struct.pack("<ii", 999, 0)


def _zsav(path: Path, cases: int, claimed: int) -> None:
    """The same, packed once more, in blocks of a megabyte of bytes, each of which is a value."""
    header = _sav_header(cases, 2, b"$FL3")
    blocks, step = cases // MB, MB
    squeezed = zlib.compress(b"\x83" * step, 9)
    start = len(header)
    trailer = start + 24 + len(squeezed) * blocks
    listed = b"".join(
        struct.pack("<qqii", start + number * step, start + 24 + number * len(squeezed), step, len(squeezed))
        for number in range(blocks)
    )
    content = header[:80] + struct.pack("<i", claimed) + header[84:] if claimed != cases else header
    tail = struct.pack("<qqii", -100, 0, step, blocks) + listed
    path.write_bytes(content + struct.pack("<qqq", start, trailer, len(tail)) + squeezed * blocks + tail)


def zsav(path: Path) -> None:
    _zsav(path, 500 * MB, 500 * MB)


def zsav_that_does_not_say(path: Path) -> None:
    """Files of some programs have -1 for the number of rows."""
    _zsav(path, 500 * MB, -1)


BOMBS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "gzip": ("people.csv.gz", gzip_plain),
    "gzip of many members": ("people.csv.gz", gzip_members),
    "gzip that lies": ("people.csv.gz", gzip_that_lies),
    "gzip of zeros": ("people.csv.gz", gzip_within_gzip),
    "zstd of runs": ("people.csv.zst", zstd_runs),
    "zstd of many frames": ("people.csv.zst", zstd_frames),
    "zstd that lies": ("people.csv.zst", zstd_that_lies),
    "zstd": ("people.csv.zst", zstd_text),
    "workbook": ("people.xlsx", workbook_rows),
    "workbook with macros": ("people.xlsm", workbook_rows),
    "workbook of spaces": ("people.xlsx", workbook_spaces),
    "workbook of one text": ("people.xlsx", workbook_one_text),
    "workbook of strings": ("people.xlsx", workbook_strings),
    "workbook that lies": ("people.xlsx", workbook_that_lies),
    "workbook with two cells": ("people.xlsx", workbook_sparse),
    "workbook with a false row": ("people.xlsx", workbook_sparse_backwards),
    "workbook with a shared part": ("people.xlsx", workbook_shared_part),
    "OpenDocument": ("people.ods", ods_rows),
    "OpenDocument, repeated": ("people.ods", ods_repeated),
    "OpenDocument with two cells": ("people.ods", ods_sparse),
    "Parquet, zstd": ("people.parquet", parquet_zstd),
    "Parquet, gzip": ("people.parquet", parquet_gzip),
    "Parquet, brotli": ("people.parquet", parquet_brotli),
    "Parquet of runs": ("people.parquet", parquet_runs),
    "Parquet in parts": ("people.parquet", parquet_parts),
    "Arrow, zstd": ("people.arrow", arrow_zstd),
    "Arrow, lz4": ("people.arrow", arrow_lz4),
    "Arrow, stream": ("people.arrows", arrow_stream),
    "Arrow of nulls": ("people.arrow", arrow_nulls),
    "zsav": ("people.zsav", zsav),
    "zsav that does not say": ("people.zsav", zsav_that_does_not_say),
}
