"""How a text file is cut into fields: its delimiter and its header, as somebody said or from its head."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterable, Iterator
from itertools import islice

import polars as pl

from pellucid.core.schema import TextForm
from pellucid.errors import InputError
from pellucid.io.headers import DATA_AS_HEADER, data_in_header
from pellucid.io.sheet_layout import BELOW, NOTE_WIDTH, without_sums
from pellucid.io.textbytes import HEAD_BYTES, Bytes
from pellucid.messages import Term
from pellucid.messages.terms import file_key
from pellucid.runtime.records import record

DELIMITERS = (",", ";", "\t", "|", "^", "~")
UNUSUAL = "!#$%&*+/:=@\\\x01\x1f"  # separators that are told with the refusal, not taken by themselves
SNIFFED_RECORDS = 100
MOST_ALIKE = 0.75  # of the records below a title, which are as wide as the first
SUMMED_BYTES = 1 << 27  # spreadsheets, of which sums are, end before
TAIL_BYTES = 1 << 16  # at the end of a file, where sums are


class NotUtf8(Exception):
    """The bytes are not UTF-8 after all; a signal for who reads the file, never seen by a user."""


@record()
class Layout:
    """How a file is cut into fields."""

    delimiter: str
    header: list[str]
    header_lines: int
    body: int  # offset of the first byte after the header
    said: bool = False  # whether somebody said what the first line is
    title: str = ""  # what stands above the header


class Lines:
    r"""The lines of a text, as often as they are asked for, and no more of them than are looked at.

    >>> list(Lines("age,sex\n30,m"))
    ['age,sex\n', '30,m\n']
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __iter__(self) -> Iterator[str]:
        start, end = 0, self.text.find("\n") + 1  # nothing but a newline ends a line
        while end > 0:
            yield self.text[start:end]
            start, end = end, self.text.find("\n", end) + 1
        yield self.text[start:] + "\n"


def _head_lines(data: Bytes) -> Lines:
    """The first lines of a file, whole."""
    head = data[:HEAD_BYTES].tobytes()
    if len(head) < len(data):
        head = head[: head.rfind(b"\n") + 1]
    try:
        return Lines(head.decode())
    except UnicodeDecodeError:
        raise NotUtf8 from None


def sniff(data: Bytes, name: str, form: TextForm) -> Layout:
    """Delimiter and header, as somebody said or from the head of the file."""
    lines = _head_lines(data)
    above = {mark: _lines_above(lines, mark, form) for mark in ([form.separator] if form.separator else DELIMITERS)}
    delimiter = max(above, key=lambda mark: fit(islice(lines, above[mark], None), mark))
    begins = above[delimiter]
    title = next(filter(None, (line.strip(f'"{delimiter} \t\r\n') for line in islice(lines, begins))), "")
    reader = csv.reader(islice(lines, begins, None), delimiter=delimiter)
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise InputError(f"{name}, line 1: {error}; save the file with ordinary line ends and quotes") from None
    if form.header_row is not None and not header:
        told = "{name} has no header in row {row}; {HEADER_ROW} is one of the first {rows} rows"
        raise InputError(told, name=name, row=form.header_row, rows=len(lines.text.splitlines()))
    if not any(header):
        raise InputError("{name}, line 1 is blank; the first line must name the columns", name=name)
    if form.separator is None and len(header) == 1:
        _refuse_unusual(lines, name)
    if form.header is False:
        return Layout(delimiter, [f"column_{at}" for at in range(1, len(header) + 1)], 0, 0, said=True)
    read = begins + reader.line_num
    body = min(sum(len(line.encode()) for line in islice(lines, read)), len(data))
    said = form.header is True or form.header_row is not None
    return Layout(delimiter, header, read, body, said=said, title="" if form.header_row else title)


def _lines_above(lines: Lines, delimiter: str, form: TextForm) -> int:
    r"""How many lines stand above the header: titles and blank ones, of which a wide table has the first cell at most.

    >>> survey = Lines("Survey 2024\n\nage;town;cost\n30;Rome;1\n31;Oslo;2\n")
    >>> [_lines_above(survey, mark, TextForm()) for mark in ";,"]
    [2, 0]
    """
    if form.header is False or form.header_row is not None:
        return (form.header_row or 1) - 1
    reader = csv.reader(lines, delimiter=delimiter)
    ends = [0]
    records: list[list[str]] = []
    with contextlib.suppress(csv.Error):
        for record in islice(reader, SNIFFED_RECORDS):
            records.append(record)
            ends.append(reader.line_num)
    above = next((at for at, record in enumerate(records) if any(record[1:])), 0)
    widths = [len(record) for record in records[above:] if record]
    wide = len(widths) > 1 and widths[0] >= NOTE_WIDTH and MOST_ALIKE * len(widths) <= widths.count(widths[0])
    return ends[above] if wide else 0


def _cells(line: bytes, layout: Layout) -> list[str]:
    """The cells of a line without quotation marks, at least as many as the header has."""
    cells = line.decode(errors="replace").split(layout.delimiter)
    return [*map(str.strip, cells), *[""] * (len(layout.header) - len(cells))]


def without_sums_below(data: Bytes, layout: Layout) -> tuple[Bytes, tuple[str, ...]]:
    r"""A text without sums and notes at its end, and what these begin with; what occurs above as well is none.

    >>> import numpy as np
    >>> costs = np.frombuffer(b"age;town\n30;Rome\n31;Oslo\n;\nTotal;2\n", np.uint8)
    >>> kept, left_out = without_sums_below(costs, Layout(";", ["age", "town"], 1, 9))
    >>> kept.tobytes()[9:], left_out
    (b'30;Rome\n31;Oslo', ('Total',))
    """
    width = len(layout.header)
    tail = data[max(layout.body, len(data) - TAIL_BYTES) :].tobytes()
    lines = tail.rstrip(b"\r\n").split(b"\n")
    if width < 2 or b'"' in tail or (len(tail) == TAIL_BYTES and len(lines) <= BELOW):
        return data, ()
    rows = [_cells(line, layout)[:width] for line in lines[-BELOW:]]

    def up_to(end: int) -> Bytes:
        cut = len(tail.rstrip(b"\r\n")) - sum(len(line) + 1 for line in lines[len(lines) - len(rows) + end :])
        return data[: len(data) - len(tail) + cut]

    end, left_out = without_sums(rows, lambda end: _as_texts(up_to(end), layout))
    while left_out and end > 1 and not any(rows[end - 1]):
        end -= 1
    kept = up_to(end)
    above = [cells for cells in islice(records_of(_head_lines(kept), layout.delimiter), SNIFFED_RECORDS) if any(cells)]
    again = {next(filter(None, cells)).strip() for cells in above[1:]}
    if not left_out or again.intersection(left_out):
        return data, ()
    return kept, left_out


def _as_texts(data: Bytes, layout: Layout) -> pl.DataFrame:
    """The columns of a text before it is checked, as texts; none where it is too large for sums, or cannot be read."""
    schema = {f"column_{at}": pl.String for at in range(len(layout.header))}
    with contextlib.suppress(pl.exceptions.PolarsError):
        if len(data) <= SUMMED_BYTES:
            return pl.read_csv(
                data[layout.body :].tobytes(),
                has_header=False,
                schema=schema,
                separator=layout.delimiter,
                encoding="utf8-lossy",
            )
    return pl.DataFrame(schema=schema)


def _refuse_unusual(lines: Iterable[str], name: str) -> None:
    """A table of one column where another character splits every line alike is separated by that character."""
    records = [line for line in islice(lines, SNIFFED_RECORDS) if line.strip()]
    for mark in UNUSUAL:
        times = {line.count(mark) for line in records}
        if len(records) > 1 and len(times) == 1 and times != {0}:
            text = mark if mark.isprintable() else repr(mark)[1:-1]
            raise InputError(
                "{name} has one column, and {text!r} splits every line of it alike; say {separator}, or {comma} if it "
                "has one column",
                name=name,
                text=text,
                separator=file_key("separator", text),
                comma=Term("separator", 'separator = ","', ","),
            )


def refuse_data_as_header(data: Bytes, layout: Layout, name: str) -> None:
    """Refuse to take the first row for a header, unless somebody said what it is."""
    if layout.said:
        return
    records = list(islice(records_of(_head_lines(data), layout.delimiter), SNIFFED_RECORDS + 1))
    datum = data_in_header(layout.header, records[1:])
    if datum is not None:
        raise InputError(DATA_AS_HEADER, where=name, datum=datum)


def records_of(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The records of some lines, up to a quotation mark that is never closed."""
    with contextlib.suppress(csv.Error):
        yield from csv.reader(lines, delimiter=delimiter)


def fit(lines: Iterable[str], delimiter: str) -> tuple[bool, float, int]:
    """How well a delimiter fits: it splits the header, most records have as many fields, and these are many."""
    widths: list[int] = []
    with contextlib.suppress(csv.Error):  # a quotation mark that is never closed: what came before tells enough
        widths.extend(len(record) for record in islice(csv.reader(lines, delimiter=delimiter), SNIFFED_RECORDS))
    if not widths:
        return (False, 0.0, 0)
    return (widths[0] > 1, widths.count(widths[0]) / len(widths), widths[0])
