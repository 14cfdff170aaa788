"""The bytes of a text file as UTF-8, whatever their compression and encoding.

UTF-8 with or without a byte order mark, UTF-16 and UTF-32 by their mark, UTF-16 by its zero bytes. Bytes that are not
UTF-8 are read as Windows-1252 (which contains Latin-1's letters) when they are valid there, with the warning
:class:`EncodingGuessed`; otherwise they are an error that names the line. gzip and zstd are decompressed in memory.
"""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import InputError, first_line
from pellucid.io.unpacking import check_zstd, gunzipped
from pellucid.messages import Message

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
UTF8_MARK = b"\xef\xbb\xbf"
TABLES = "a table: CSV, Excel, LibreOffice, SPSS, Stata, SAS, Parquet or Arrow"
DOCUMENTS = {b"%PDF": "a PDF", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"GIF8": "a picture"}
USES = {"a PDF": "printing", "a picture": "looking at"}
HEAD_BYTES = 1 << 20

Bytes: TypeAlias = NDArray[np.uint8]


class EncodingGuessed(UserWarning):
    """A file is not UTF-8; its text was read as Windows-1252. Look at the accents in the result."""


def raw_bytes(path: Path) -> Bytes:
    """The bytes of the file: mapped into memory, or in memory when they come from a pipe or were compressed."""
    if not path.is_file():
        return np.frombuffer(path.read_bytes(), dtype=np.uint8)
    if path.stat().st_size == 0:
        return np.empty(0, dtype=np.uint8)
    raw: Bytes = np.memmap(path, dtype=np.uint8, mode="r")
    start = raw[:4].tobytes()
    try:
        if start.startswith(GZIP):
            return np.frombuffer(gunzipped(path), dtype=np.uint8)
        if start.startswith(ZSTD):
            check_zstd(path)
            return np.frombuffer(_decompress_zstd(path), dtype=np.uint8)
    except (OSError, EOFError, zlib.error, pl.exceptions.PolarsError) as error:
        reason = first_line(error)
        raise InputError(
            "{path} cannot be decompressed ({reason}); compress it again", path=path.name, reason=reason
        ) from None
    return raw


def _decompress_zstd(path: Path) -> bytes:
    """Through polars, which brings the decompressor: the file as lines, joined again."""
    lines = pl.read_lines(path, glob=False).to_series()
    return b"" if lines.is_empty() else str(lines.str.join("\n").item()).encode() + b"\n"


def refuse_document(head: bytes, name: str) -> None:
    """Raise for a file that is known by its first bytes and holds no table, whatever it is called.

    >>> refuse_document(b"%PDF-1.7 ...", "report.csv")
    Traceback (most recent call last):
    ...
    pellucid.errors.InputError: report.csv is a PDF, which is for printing and holds no table; give a table: ...
    """
    for begins, what in DOCUMENTS.items():
        if head.startswith(begins):
            raise InputError(
                "{name} is {what}, which is for {uses} and holds no table; give {tables}",
                name=name,
                what=what,
                uses=USES[what],
                tables=TABLES,
            )


def as_utf8(raw: Bytes, name: str) -> Bytes:
    """The bytes in UTF-8 without a mark as far as the head tells: the same memory unless they had to be decoded."""
    head = raw[:HEAD_BYTES].tobytes()
    encoding = wide_encoding(head)
    if encoding is not None:
        try:
            return np.frombuffer(raw.tobytes().decode(encoding).encode(), dtype=np.uint8)
        except UnicodeDecodeError as error:
            raise InputError(
                f"{name} starts as {encoding.upper()} but byte {error.start} is not ({error.reason}); save it as UTF-8"
            ) from None
    refuse_document(head, name)
    if b"\x00" in head:
        raise InputError("{name} is not text (it has a zero byte); give {tables}", name=name, tables=TABLES)
    return raw[len(UTF8_MARK) :] if head.startswith(UTF8_MARK) else raw


def decoded(raw: Bytes, encoding: str, name: str) -> Bytes:
    """The bytes in UTF-8, from the encoding that somebody said they have."""
    try:
        text = raw.tobytes().decode(encoding)
    except UnicodeDecodeError as error:
        data = raw.tobytes()
        raise InputError(
            "{name}, {where} is not {encoding}; say {ANOTHER_ENCODING}, or leave it out",
            name=name,
            where=_where(data, error.start),
            encoding=encoding,
        ) from None
    return np.frombuffer(text.removeprefix("\ufeff").encode(), dtype=np.uint8)


def is_utf8(data: Bytes) -> bool:
    """Whether all of it is UTF-8."""
    try:
        data.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def from_windows_1252(raw: Bytes, name: str) -> Bytes:
    """Bytes that are not UTF-8 as UTF-8, read as Windows-1252 with a warning, or an error."""
    data = raw.tobytes()
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}, {_where(data, error.start)} is valid neither in UTF-8 nor in Windows-1252; "
            "save the file as UTF-8 (iconv -f <its encoding> -t UTF-8)"
        ) from None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        warnings.warn(
            f"{name}, {_where(data, error.start)} is not UTF-8; the file was read as Windows-1252. "
            "Check its accented letters, or save it as UTF-8",
            EncodingGuessed,
            stacklevel=2,
        )
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _where(data: bytes, at: int) -> Message:
    return Message("line {count}: byte 0x{data:02x}", count=data.count(10, 0, at) + 1, data=data[at])


def wide_encoding(head: bytes) -> str | None:
    """UTF-32 or UTF-16 by the mark, or UTF-16 by the zero bytes beside ASCII letters."""
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    even, odd = head[0:1000:2], head[1:1000:2]
    if odd.count(0) > 0.6 * len(odd) and 0 not in even:
        return "utf-16-le"
    if even.count(0) > 0.6 * len(even) and 0 not in odd:
        return "utf-16-be"
    return None
