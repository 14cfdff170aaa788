"""What a browser sends: small forms in memory, files streamed to disk. Both stop at a limit.

A file that is too large is not kept, but what is still on its way is read and thrown away for a while: a browser whose
upload is cut off shows its own error and never our message.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import parse_qsl

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from pellucid.errors import InputError
from pellucid.io.textbytes import GZIP, ZSTD
from pellucid.io.unpacking import TooLarge, at_most, counted_pieces
from pellucid.text.figures import size_in_words
from pellucid.web.settings import IDLE_SECONDS, MEGABYTE

MAX_FORM = 8 * MEGABYTE
UNPACKED = 4  # a compressed table may be so many times as large as an upload may be
LONGEST_NAME = 100  # characters of a file name that are shown
LONGEST_HEADER = 4096  # bytes of a line that describes a part: the file's name and little else
PATIENCE = 20.0  # seconds for throwing away the rest of an upload that was refused
ARRIVING = "arriving-"  # how the name of a file begins that is not whole yet; who empties the folder spares it
TEXTS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
TYPED = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")
ENDINGS = (*TEXTS, *TYPED, ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PROJECT = re.compile(rb"^\[project\]\s*$", re.MULTILINE)
OF_PROJECT = re.compile(rb"^\[(?:method|schema\..*)\]\s*$", re.MULTILINE)
ITS_TABLE = re.compile(rb'^table = "([^"\\\r\n]{1,200})"\s*$', re.MULTILINE)
SEEN = 1 << 16  # bytes in which a project says that it is one


def table_of_project(path: Path) -> str | None:
    """Of which table a file is a project, as its head says ("" where it does not); None of a file that is none."""
    with path.open("rb") as file:
        head = file.read(SEEN)
    begun = PROJECT.search(head)
    if begun is None or not OF_PROJECT.search(head):
        return None
    named = ITS_TABLE.search(head, begun.end())
    return named[1].decode("utf-8", "replace") if named else ""


class Stalled(InputError):
    """Nothing arrived for long."""


async def unless_stalled(stream: AsyncIterator[bytes], patience: float) -> AsyncIterator[bytes]:
    """What arrives, as long as it goes on arriving."""
    while True:
        try:
            async with asyncio.timeout(patience):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Stalled("the upload stood still for too long and was deleted; send the file once more") from None
        yield chunk


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a plain form; of a field that is there twice, the last."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            await _throw_away(request.stream())
            raise TooLarge("this form is larger than {max_form} MB; nothing was changed", max_form=MAX_FORM // MEGABYTE)
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True))
    except UnicodeDecodeError:
        raise InputError("this form is not UTF-8; send it from the page itself") from None


class Upload:
    """A form with at most one file: the fields, and the file under a name of ours.

    After ``with`` the file is gone, on every way out, unless it was handed over to somebody who deletes it.
    """

    def __init__(
        self,
        folder: Path,
        stem: str,
        limit: int,
        endings: tuple[str, ...] = ENDINGS,
        *,
        patience: float = IDLE_SECONDS,
    ) -> None:
        self.folder, self.stem, self.limit, self.endings = folder, stem, limit, endings
        self.patience = patience  # seconds in which something must arrive: personal data does not lie here for longer
        self.fields: dict[str, str] = {}
        self.name = ""  # as the steward knows it; shown and never used as a path
        self.path: Path | None = None
        self._handed_over = False
        self._received = 0
        self._file: Any = None
        self._header, self._headers = b"", {}  # type: ignore[var-annotated]
        self._value = b""
        self._field = ""
        self._part_name = b""
        self._ending = ""

    def __enter__(self) -> Upload:
        return self

    def __exit__(self, *_what: object) -> None:
        if not self._handed_over:
            self._remove()

    def hand_over(self) -> None:
        """Somebody else deletes the file when it is not needed any more."""
        self._handed_over = True

    def take_text(self, text: str, ending: str, name: str) -> None:
        """What was written into a field, as if it had come as a file."""
        self.name, self.path = name, self.folder / f"{self.stem}{ending}"
        self.path.touch(mode=0o600)
        self.path.write_text(text, encoding="utf-8")

    async def receive(self, request: Request) -> Upload:
        """Read the request; raise :class:`InputError` when it is too large, and leave nothing behind."""
        _, options = parse_options_header(request.headers.get("content-type", ""))
        boundary = options.get(b"boundary")
        if not boundary:
            raise InputError("no file came with this form; choose a file first")
        stream = request.stream()
        try:
            self._refuse_above(int(request.headers.get("content-length") or 0) - MEGABYTE)
            parser = self._parser(boundary)
            async for chunk in unless_stalled(stream, self.patience):
                if chunk:
                    parser.write(chunk)
            parser.finalize()
            await run_in_threadpool(self._check_unpacked)
            self._arrive()
        except FormParserError as wrong:
            self._remove()
            await _throw_away(stream)
            if "header size" in str(wrong):
                raise InputError(
                    f"the file's name is longer than {LONGEST_HEADER:,} bytes; rename the file, then send it once more"
                ) from None
            raise InputError("the upload was cut short; send the file once more") from None
        except Stalled:
            self._remove()
            raise
        except InputError:
            self._remove()
            await _throw_away(stream)
            raise
        except BaseException:  # the browser went away
            self._remove()
            raise
        return self

    def _parser(self, boundary: bytes) -> MultipartParser:
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._on_header,
                "on_header_value": self._on_value,
                "on_header_end": self._on_header_end,
                "on_headers_finished": self._on_headers,
                "on_part_data": self._on_data,
                "on_part_end": self._end,
            },
            max_header_size=LONGEST_HEADER,
        )

    def _refuse_above(self, size: int) -> None:
        if size > self.limit:
            raise TooLarge(
                f"this file is larger than the limit of {size_in_words(self.limit)}; remove columns that nobody needs, "
                "save it as Parquet, or have pellucid started with the file itself, which has no limit"
            )

    def _begin(self) -> None:
        self._headers, self._header, self._part_name, self._value = {}, b"", b"", b""

    def _on_header(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._part_name += data[start:end]

    def _on_header_end(self) -> None:
        self._headers[self._header.lower()] = self._part_name
        self._header, self._part_name = b"", b""

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._field = options.get(b"name", b"").decode("utf-8", "replace")
        given = options.get(b"filename")
        self._file = None
        if given is not None and self.path is None and given:
            name = given.decode("utf-8", "replace")
            self.name = shown_name(name)
            self._ending = ending_of(shown_name(name, len(name)), self.endings)
            self.path = self.folder / f"{ARRIVING}{self.stem}{self._ending}"
            self.path.touch(mode=0o600)
            self._file = self.path.open("wb")

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is None:
            self._value += data[start:end]
            if len(self._value) > MAX_FORM:
                raise TooLarge("a field of this form is too long; nothing was changed")
            return
        self._received += end - start
        self._refuse_above(self._received)
        self._file.write(data[start:end])

    def _end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        else:
            self.fields[self._field] = self._value.decode("utf-8", "replace")

    def _remove(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path = None

    def _arrive(self) -> None:
        """The file is whole: give it its name."""
        if self.path is not None:
            self.path = self.path.replace(self.folder / f"{self.stem}{self._ending}")

    def _check_unpacked(self) -> None:
        if self.path is None:
            return
        with self.path.open("rb") as file:
            start = file.read(4)
        if start.startswith(GZIP):
            _check_gzip(self.path, self.name, UNPACKED * self.limit)
        elif start.startswith(ZSTD):
            raise InputError("{name} is compressed with zstd; decompress it first, or use gzip", name=self.name)


def _check_gzip(path: Path, name: str, limit: int) -> None:
    try:
        with at_most(limit):
            deque(counted_pieces(path, name), maxlen=0)
    except (OSError, EOFError, zlib.error):
        raise InputError("this file cannot be decompressed; compress it again") from None


def beside_upload(path: Path) -> Path:
    """Where the worker writes what it took from an upload while it reads it; it goes with the upload."""
    return path.with_name(f".{path.name}")


async def _throw_away(stream: AsyncIterator[bytes]) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            async for _ in stream:
                pass
    except Exception:
        return


def shown_name(given: str, longest: int = LONGEST_NAME) -> str:
    r"""The last part of a file name as something to show: no folders, no control characters, not too long.

    >>> shown_name("../../etc/pass\nwd"), shown_name("C:\\data\\patients.csv"), shown_name("..")
    ('passwd', 'patients.csv', 'table')
    """
    last = PurePath(given.replace("\\", "/")).name
    plain = "".join(character for character in last if character.isprintable()).strip()
    if not plain.strip(". "):
        return "table"
    return plain if len(plain) <= longest else f"{plain[: longest - 11]}…{plain[-10:]}"


def ending_of(name: str, endings: tuple[str, ...]) -> str:
    """The ending of a name if it is one that we know, else none: then the first bytes tell what it is.

    >>> ending_of("Patients.CSV.GZ", ENDINGS), ending_of("x.exe", ENDINGS)
    ('.csv.gz', '')
    """
    lower = re.sub(r"\s+", "", name.lower())
    return max((ending for ending in endings if lower.endswith(ending)), key=len, default="")
