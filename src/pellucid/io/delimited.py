"""Delimited text (CSV and its relatives), read by polars' parallel reader and checked where that reader is silent.

- The delimiter is one of ``, ; tab | ^ ~``: the one that splits the head of the file into equally long records. Where
  none does and another character would, the file is refused with that character; :mod:`pellucid.io.text_form` says it.
- The first line is the header. Where it looks like a row of the table (:mod:`pellucid.io.headers`), the file is refused
  unless somebody said that it has a header, or that it has none: columns are then column_1, column_2, ...
- Encoding and compression: :mod:`pellucid.io.textbytes`.
- An empty field is null. A quoted empty field ``""`` is the empty text in a column of text, null in any other column.
  Nothing else is null, unless the schema says so (``missing = ["?", "NA"]``).
- A record with too few or too many fields is an error that names its line. Blank lines at the end are ignored (in a
  file of one column a blank line is a null).
- Types: :mod:`pellucid.io.inference`. They hold for every value of the column, not for its head only.

Only the wanted columns are kept in memory.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import InputError, first_line
from pellucid.io.columns import choose, may_lack_a_header
from pellucid.io.inference import narrow, type_of, with_decimal_comma
from pellucid.io.layout import Layout, NotUtf8, refuse_data_as_header, sniff, without_sums_below
from pellucid.io.numbered import LARGE, Columns, Numbered, Texts, numbered_texts
from pellucid.io.sheet_layout import SheetTable, tell_what_was_found
from pellucid.io.text_form import said_form
from pellucid.io.textbytes import HEAD_BYTES, Bytes, as_utf8, decoded, from_windows_1252, is_utf8, raw_bytes
from pellucid.kernels.delimited import scan
from pellucid.runtime.parallel import run
from pellucid.runtime.records import record

SAMPLED_ROWS = 10_000
NEWLINE = b"\n"
HEADER = b".\n"  # of a file that is made of texts
TEXT = pl.String()
INTEGERS = pl.Int64()


def read_delimited(
    path: Path,
    wanted: list[str] | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
    *,
    verbatim: bool = False,
) -> pl.DataFrame:
    """The wanted columns of a delimited text file; all of them when None.

    The type of a column is inferred without the texts that ``missing`` says are null in it. When ``verbatim``, what
    is written differently stays different, as 1 and 1.0: a column is text, or integers where each has one spelling.
    """
    read = read_columns(path, wanted, missing, verbatim=verbatim)
    return pl.DataFrame(list(read.series.values()))


def read_columns(
    path: Path,
    wanted: list[str] | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
    *,
    verbatim: bool = False,
    numbering: Sequence[str] = (),
) -> Columns:
    """The same; of the columns that are named for ``numbering`` those with few distinct texts come numbered."""
    missing = missing or {}
    raw = raw_bytes(path)
    if len(raw) == 0:
        raise InputError("{path} is empty; a table needs a header line and at least one row", path=path.name)
    read = partial(_read, name=path.name, wanted=wanted, missing=missing, verbatim=verbatim, numbering=numbering)
    encoding = said_form().encoding
    if encoding is not None and encoding != "utf-8":
        data = decoded(raw, encoding, path.name)
        return read(data, data.tobytes())
    data = as_utf8(raw, path.name)
    # Polars reads a file faster than a copy of it; it understands the mark of UTF-8 but no other encoding.
    try:
        return read(data, path if _is_the_file(raw, data) else data.tobytes())
    except NotUtf8:
        if encoding is not None:
            decoded(raw, encoding, path.name)  # raises
        data = from_windows_1252(raw, path.name)
        return read(data, data.tobytes())


def line_of_value(path: Path, column: str, value: str) -> int | None:
    """The first line of a text file with a record that has this text in a column; for a message, and so in no hurry."""
    try:
        texts = read_delimited(path, [column], verbatim=True)[column].cast(TEXT)
        record = texts.index_of(value)
        data = _in_utf8(path)
        layout = sniff(data, path.name, said_form())
    except (InputError, NotUtf8, OSError):  # a file that is read once, such as a pipe
        return None
    if record is None:
        return None
    edge = re.escape(layout.delimiter.encode())
    ends = re.compile(rb'(?<![^%s\n])"(?:[^"]|"")*"|(\n)' % edge)  # a quoted field, or the end of a record
    body = data[layout.body :].tobytes()
    breaks = (found.end() for found in ends.finditer(body) if found[1])
    begins = layout.body + next(islice(breaks, record - 1, None), 0) if record else layout.body
    return int((data[:begins] == 10).sum()) + 1


def _in_utf8(path: Path) -> Bytes:
    """The bytes of a text file as it was read."""
    raw, encoding = raw_bytes(path), said_form().encoding
    if encoding is not None and encoding != "utf-8":
        return decoded(raw, encoding, path.name)
    data = as_utf8(raw, path.name)
    return data if is_utf8(data) else from_windows_1252(raw, path.name)


def _is_the_file(raw: Bytes, data: Bytes) -> bool:
    """Whether the data are the bytes of the mapped file itself, and no copy of them."""
    return isinstance(raw, np.memmap) and len(data) > 0 and np.shares_memory(raw[-1:], data[-1:])


def _read(
    data: Bytes,
    source: Path | bytes,
    *,
    name: str,
    wanted: list[str] | None,
    missing: Mapping[str, Sequence[str]],
    verbatim: bool,
    numbering: Sequence[str],
) -> Columns:
    layout = sniff(data, name, said_form())
    if may_lack_a_header(layout.header, wanted):
        refuse_data_as_header(data, layout, name)
    columns = choose(layout.header, wanted, name)
    if not verbatim:  # a release has no sums, and every row of it counts
        kept, left_out = without_sums_below(data, layout)
        data, source = (kept, kept.tobytes()) if left_out else (data, source)
        line = layout.header_lines - 1
        tell_what_was_found(SheetTable(line, line, (layout.title,) if layout.title else ()), left_out, name, said=False)
    parts, leading_zero = _check(data, layout, name)
    records = sum(part[2] for part in parts)
    if records == 0:
        raise InputError("{name} has a header but no rows; a table needs at least one row", name=name)
    file = _File(data, source, name, layout, records, leading_zero)
    asked = [] if verbatim else [column for column in columns if column in numbering]
    numbered = _numbered(file, parts, asked, missing)
    rest = [column for column in columns if column not in numbered]
    if not rest:
        return Columns({}, numbered, records)
    file = file.of([layout.header.index(column) for column in rest])
    heads = [type_of(column) for column in file.parsed(file.all_text, min(records, SAMPLED_ROWS))]
    series = _typed(file, rest, heads, missing, verbatim=verbatim)
    return Columns(dict(zip(rest, series, strict=True)), numbered, records)


def _numbered(
    file: _File, parts: Sequence[Part], columns: Sequence[str], missing: Mapping[str, Sequence[str]]
) -> dict[str, Numbered]:
    """Those of the columns that can be read from their distinct texts.

    Where the head of a column is of another type than its whole, polars may read a later value that our rule for types
    would not, so that it reads all of them.
    """
    layout = file.layout
    if said_form().decimal == "," or len(layout.header) == 1 or _odd_at_an_end(file.data, layout, parts):
        return {}
    places = {column: layout.header.index(column) for column in columns}
    texts = numbered_texts(file.data, parts, layout.delimiter, len(layout.header), list(places.values()))
    found = {column: texts[at] for column, at in places.items() if at in texts}
    types = {column: type_of(_as_series(of.texts)) for column, of in found.items()}
    alike = {column: of for column, of in found.items() if missing.get(column) or _of_one_type(of, types[column])}
    return _from_texts(file, alike, types, missing) if alike else {}


def _odd_at_an_end(data: Bytes, layout: Layout, parts: Sequence[Part]) -> bool:
    """Whether there is something around the records of which polars makes what a text alone does not show.

    It skips the mark of UTF-8 also where a header was put before a file that has one, and takes but one carriage return
    for a part of a line's end.
    """
    begins_marked = data[layout.body : layout.body + len(BOM_UTF8)].tobytes() == BOM_UTF8
    return begins_marked or re.fullmatch(rb"(\r?\n)*", data[parts[-1][1] :].tobytes()) is None


def _of_one_type(column: Texts, whole: pl.DataType | None) -> bool:
    """Whether the head of a column is of the type of the whole."""
    head = column.of_first(SAMPLED_ROWS)
    return len(head) == len(column.texts) or type_of(_as_series(head)) == whole


def _from_texts(
    file: _File,
    texts: Mapping[str, Texts],
    types: Mapping[str, pl.DataType | None],
    missing: Mapping[str, Sequence[str]],
) -> dict[str, Numbered]:
    """Columns read as a file that has each of their texts once."""
    rows = max(len(of.texts) for of in texts.values())
    # the first text again where a column has fewer; something in each line, so that none is blank
    cells = [[*of.texts, *[of.texts[0]] * (rows - len(of.texts))] for of in texts.values()]
    delimiter = file.layout.delimiter
    lines = [delimiter.encode().join([*line, b".\n"]) for line in zip(*cells, strict=True)]
    # a line before them: polars takes what begins as compressed files do for one, and skips the mark of UTF-8
    data = b"".join([HEADER, *lines])
    zeros = [file.leading_zero[file.layout.header.index(column)] for column in texts]
    layout = Layout(delimiter, [*texts, ""], 1, len(HEADER))
    small = _File(np.frombuffer(data, np.uint8), data, file.name, layout, rows, zeros, range(len(texts)))
    series = _typed(small, list(texts), [types[column] for column in texts], missing)
    return {
        column: Numbered(values.head(len(of.texts)), of.stretches)
        for (column, of), values in zip(texts.items(), series, strict=True)
    }


def _as_series(texts: Sequence[bytes]) -> pl.Series:
    """Fields as polars reads text: an empty one is null."""
    try:
        return pl.Series([text.decode() or None for text in texts], dtype=pl.String)
    except UnicodeDecodeError:
        raise NotUtf8 from None


def _typed(
    file: _File,
    columns: Sequence[str],
    heads: Sequence[pl.DataType | None],
    missing: Mapping[str, Sequence[str]],
    *,
    verbatim: bool = False,
) -> list[pl.Series]:
    """The columns of a file, of the types of their heads if all values are."""
    comma, leading_zero = said_form().decimal == ",", file.leading_zero
    asked = {
        at: TEXT if missing.get(column) else _asked_type(head, leading_zero[at], comma=comma)
        for at, column, head in zip(file.positions, columns, heads, strict=True)
    }
    if verbatim:
        asked = _as_spelled(asked, spelled_once=not _has_minus_zero(file.data, file.layout))
    asked, series = file.parsed_as_it_fits(asked)

    def settled(at: int, column: str, text: pl.Series, head: pl.DataType | None) -> pl.Series:
        if verbatim:
            return text
        if comma and asked[at] == TEXT:
            return with_decimal_comma(text.set(text.is_in(list(missing.get(column, ()))), None))
        if missing.get(column):  # neither the head nor the leading zeros tell what the other values are
            return narrow(text.set(text.is_in(list(missing[column])), None))
        return _settle(text, head, leading_zero[at]) if asked[at] == TEXT else text

    return [
        settled(at, column, text, head).alias(column)
        for at, column, text, head in zip(file.positions, columns, series, heads, strict=True)
    ]


def _as_spelled(asked: Mapping[int, pl.DataType], *, spelled_once: bool) -> dict[int, pl.DataType]:
    """The types in which what is written differently stays different: text, or integers with one spelling each."""
    return {at: kind if kind == INTEGERS and spelled_once else TEXT for at, kind in asked.items()}


@record(eq=False)
class _File:
    """A file of which some columns are read: its bytes, what Polars reads them from, and how it is laid out."""

    data: Bytes
    source: Path | bytes
    name: str
    layout: Layout
    records: int
    leading_zero: Sequence[bool]
    positions: Sequence[int] = ()

    def of(self, positions: Sequence[int]) -> _File:
        """The same file, of which other columns are read."""
        return replace(self, positions=positions)

    @property
    def all_text(self) -> dict[int, pl.DataType]:
        """Every column as text, which always fits."""
        return dict.fromkeys(self.positions, TEXT)

    def parsed(self, types: dict[int, pl.DataType], rows: int) -> list[pl.Series]:
        """The first rows, with columns of these types; raise where a value does not fit, or the file cannot be read."""
        try:
            # Polars looks at the whole file also for its first rows, and is spared that.
            head = _first_records(self.data, self.layout, rows) if rows < self.records else None
            series = _parse(self.source if head is None else head, self.layout, types, rows)
            if len(series[0]) != rows:
                raise pl.exceptions.ComputeError(f"{rows} records were read as {len(series[0])} rows")
            return series
        except pl.exceptions.PolarsError as error:
            if not is_utf8(self.data):
                raise NotUtf8 from None
            if types == self.all_text:
                _raise_unreadable(self.data, self.layout, self.name, error)
            raise

    def parsed_as_it_fits(self, types: dict[int, pl.DataType]) -> tuple[dict[int, pl.DataType], list[pl.Series]]:
        """All rows, with columns of these types; all as text where a later value does not fit the head's type."""
        try:
            return types, self.parsed(types, self.records)
        except pl.exceptions.PolarsError:
            return self.all_text, self.parsed(self.all_text, self.records)


def _asked_type(head: pl.DataType | None, leading_zero: bool, *, comma: bool) -> pl.DataType:
    """The type that the reader is asked for, by the type of a column's head.

    A number with a leading zero, plus or blank is a code; dates follow our own rule, stricter than the reader's. Where
    a dot may stand between thousands, polars reads whole numbers alone.
    """
    if head is None or leading_zero:
        return TEXT
    numbers = head == INTEGERS if comma else head.is_numeric()
    return head if numbers or head == pl.Boolean() else TEXT


def _settle(text: pl.Series, head: pl.DataType | None, leading_zero: bool) -> pl.Series:
    """The final form of a column that was read as text, given the type of its head."""
    if head == TEXT or (leading_zero and head is not None and head.is_numeric()):
        return text
    return narrow(text)  # one rule for the head and for the whole column, so that the order of rows does not matter


def _parse(source: Path | bytes, layout: Layout, types: dict[int, pl.DataType], rows: int) -> list[pl.Series]:
    """Polars' reader on the columns at these positions."""
    frame = pl.read_csv(
        source,
        has_header=False,
        skip_lines=layout.header_lines,
        schema={f"column_{at + 1}": types.get(at, TEXT) for at in range(len(layout.header))},
        columns=[f"column_{at + 1}" for at in types],
        separator=layout.delimiter,
        n_rows=rows if rows <= SAMPLED_ROWS else None,
        glob=False,
    ).head(rows)  # polars makes rows of nulls out of blank lines at the end
    return [frame[f"column_{at + 1}"] for at in types]


Part = tuple[int, int, int]  # where some whole records begin and end, and how many they are


def _check(data: Bytes, layout: Layout, name: str) -> tuple[list[Part], list[bool]]:
    """Where the records are and which columns have leading zeros; an error at the first ragged record.

    Two threads take one half each. The second half starts after a newline and assumes that this is no newline inside
    a quoted field; where the first half ends inside a quoted field, one thread starts again from the front.
    """
    width = len(layout.header)
    start, end = layout.body, len(data)
    while width > 1 and end > start and data[end - 1] in b"\r\n":
        end -= 1
    middle = _line_after(data, (start + end) // 2, end)
    leading_zero = np.zeros((2, width), dtype=np.uint8)
    counts = np.zeros((2, 4), dtype=np.int64)

    def look(half: int, first: int, last: int) -> None:
        scan(data, first, last, ord(layout.delimiter), width, leading_zero[half], counts[half])

    run([partial(look, 0, start, middle), partial(look, 1, middle, end)], 2 if end - start >= LARGE else 1)
    if counts[0, 3] or counts[1, 3] or counts[:, 1].max() >= 0:
        leading_zero[:], counts[:], middle = 0, 0, end
        look(0, start, end)
    if counts[0, 1] >= 0 or counts[0, 3]:
        _raise_ragged(data, layout, counts[0], end, name)
    parts = [(start, middle, int(counts[0, 0])), (middle, end, int(counts[1, 0]))]
    return [part for part in parts if part[2]], (leading_zero.max(axis=0) > 0).tolist()


def _line_after(data: Bytes, at: int, end: int) -> int:
    """The start of the first line after this place, or the end."""
    while at < end:
        newlines = np.flatnonzero(data[at : min(at + 65536, end)] == 10)
        if len(newlines):
            return at + int(newlines[0]) + 1
        at += 65536
    return end


def _has_minus_zero(data: Bytes, layout: Layout) -> bool:
    """Whether some field is -0: the one integer without leading zeros that can be written in two ways."""
    edge = re.escape(layout.delimiter.encode()) + rb'\r\n"'
    field = re.compile(rb"[%s]-0(?:[%s]|$)" % (edge, edge))
    start = max(layout.body - 1, 0)
    step = HEAD_BYTES
    pieces = (data[at : at + step + 4].tobytes() for at in range(start, len(data), step))
    # most files have no minus at all, and looking for one byte is fastest
    return any(b"-" in piece and b"-0" in piece and field.search(piece) is not None for piece in pieces)


def _first_records(data: Bytes, layout: Layout, rows: int) -> bytes | None:
    """The file up to the end of so many records; None where finding that end would take more than counting newlines."""
    head = data[: layout.body + HEAD_BYTES]
    newlines = np.flatnonzero(head[layout.body :] == 10)
    if len(newlines) < rows or (head[layout.body :] == 34).any():
        return None
    return head[: layout.body + int(newlines[rows - 1]) + 1].tobytes()


def _raise_unreadable(data: Bytes, layout: Layout, name: str, error: Exception) -> NoReturn:
    """Fields are counted right, yet polars cannot read them as text: a quotation mark in the middle of a field."""
    separator = re.escape(layout.delimiter.encode())
    edge = separator + rb'\r\n"'
    text = data.tobytes()
    stray = re.search(rb'[^%s]"[^%s]' % (edge, edge), text)
    # a mark that was forgotten: the field ends where another was to begin, and what follows is text
    open_ = re.search(rb'(?<![^%s\n])"(?:[^"]|"")*"(?=[^%s\r\n])' % (separator, separator), text)
    if open_ is not None and b"\n" in open_[0] and (stray is None or open_.start() < stray.start()):
        line = text.count(b"\n", 0, open_.start()) + 1
        raise InputError(
            f"{name}, line {line}: the quotation mark that opens a field there is not closed before line "
            f"{line + open_[0].count(NEWLINE)}, where another field begins with one",
            "close it, or double it inside text",
        ) from None
    if stray is None:
        raise InputError(f"{name} cannot be read ({first_line(error)}); save it again as CSV") from None
    line = int((data[: stray.start() + 1] == 10).sum()) + 1
    raise InputError(
        f"{name}, line {line}: a quotation mark inside a field; enclose the field in quotes and double the mark"
    ) from None


def _raise_ragged(data: Bytes, layout: Layout, counts: NDArray[np.int64], end: int, name: str) -> NoReturn:
    _, ragged, fields, open_quote = (int(value) for value in counts)
    if open_quote:
        # The quotation mark that is never closed is the last one of the file.
        last = int(np.flatnonzero(data[:end] == 34)[-1])
        line = int((data[:last] == 10).sum()) + 1
        raise InputError(f"{name}, line {line}: the quotation mark is never closed; close it, or double it inside text")
    line = int((data[:ragged] == 10).sum()) + 1
    width = len(layout.header)
    _refuse_open_in_its_line(data, layout, ragged, end, name, f"{fields} field{'s' * (fields != 1)}")
    if ragged < end and data[ragged] in b"\r\n":
        raise InputError(f"{name}, line {line} is blank, and the header names {width} columns; delete the line")
    raise InputError(
        f"{name}, line {line} has {fields} field{'s' * (fields != 1)} but the header has {width}; "
        f"correct the line, or quote the value that contains {layout.delimiter!r} or a line break"
    )


def _refuse_open_in_its_line(data: Bytes, layout: Layout, ragged: int, end: int, name: str, fields: str) -> None:
    """Raise where a ragged record has a quoted field of several lines: most often its quotation mark was forgotten.

    The field then ends at the next mark of the file, which was to open another one.
    """
    edge = re.escape(layout.delimiter.encode())
    record = data[ragged:end].tobytes()
    for found in re.finditer(rb'(?<![^%s\n])"(?:[^"]|"")*"|\n' % edge, record):
        if found[0] == b"\n":  # where the record ends
            return
        if b"\n" in found[0]:
            opens = int((data[: ragged + found.start()] == 10).sum()) + 1
            closes = opens + found[0].count(b"\n")
            raise InputError(
                f"{name}, line {opens}: the quotation mark that opens a field there is not closed before line "
                f"{closes}, which makes a record of {fields}, and the header has {len(layout.header)}",
                "close it, or double it inside text; if the field is to have several lines, correct the record",
            )
