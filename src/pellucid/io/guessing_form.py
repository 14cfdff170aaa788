"""How a file seems to write its table: what is guessed from its head, for a person to confirm or to change.

Whoever reads without asking anybody is stricter (:mod:`pellucid.io.delimited`): it refuses what may be meant otherwise.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Literal

import polars as pl

from pellucid.core.schema import TextForm
from pellucid.io.files import is_text, read_file
from pellucid.io.headers import data_in_header
from pellucid.io.inference import has_decimal_commas
from pellucid.io.layout import DELIMITERS, SNIFFED_RECORDS, UNUSUAL, fit, records_of
from pellucid.io.spreadsheets import is_spreadsheet, read_spreadsheet, sheets_of
from pellucid.io.statistics_files import read_statistics, statistics_format
from pellucid.io.text_form import written_as
from pellucid.io.textbytes import GZIP, wide_encoding
from pellucid.text.values import label_of

HEAD = 1 << 18  # bytes that a guess and a preview look at
SEEN = 100  # rows of a sheet
SEEN_OF_TYPED = 10_000  # rows of a file of a statistics program


def guessed_form(path: Path) -> tuple[TextForm, list[str]]:
    """How a file writes its table as far as its head tells, and the sheets that it has; of a typed file only commas."""
    with path.open("rb") as file:
        start = file.read(16)
    if is_spreadsheet(path, start):
        sheets = sheets_of(path)
        sheet = sheets[0] if sheets else None
        with written_as(TextForm(sheet=sheet, header=True)):
            frame = read_spreadsheet(path)
        rows = [["" if value is None else label_of(value) for value in row] for row in frame.head(SEEN).rows()]
        header = data_in_header(frame.columns, rows) is None
        return TextForm(sheet=sheet, header=header, decimal=_decimal_of(frame)), sheets
    return (of_text(head_bytes(path)), []) if is_text(path) else (_of_typed(path, start), [])


def _of_typed(path: Path, start: bytes) -> TextForm:
    """What a file that has types says of itself all but one thing: whether texts in it are numbers with commas."""
    program = statistics_format(path, start)
    frame = read_file(path) if program is None else read_statistics(path, program, rows=SEEN_OF_TYPED)
    return TextForm(decimal=",") if _decimal_of(frame) == "," else TextForm()


def _decimal_of(frame: pl.DataFrame) -> Literal[",", "."]:
    return "," if any(map(has_decimal_commas, frame)) else "."


def head_bytes(path: Path) -> bytes:
    """The first lines of a text file, unpacked: about so much as a person looks at."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    with gzip.open(path, "rb") if packed else path.open("rb") as file:
        head = file.read(HEAD)
        whole = not file.read(1)
    return head if whole or b"\n" not in head else head[: head.rfind(b"\n") + 1]


def of_text(head: bytes) -> TextForm:
    r"""The form of a text that begins like this.

    >>> of_text("39;2,5\n50;7,25\n38;1\n".encode()).model_dump(exclude_none=True)
    {'separator': ';', 'header': False, 'encoding': 'utf-8', 'decimal': ','}
    """
    encoding = _encoding(head)
    lines = [f"{line}\n" for line in head.decode(encoding, "replace").removeprefix("\ufeff").split("\n")]
    separator = max(DELIMITERS, key=lambda candidate: fit(lines, candidate))
    if not fit(lines, separator)[0]:
        separator = next((mark for mark in UNUSUAL if _splits_alike(lines, mark)), separator)
    records = list(islice(records_of(lines, separator), SNIFFED_RECORDS + 1)) or [[]]
    header = data_in_header(records[0], records[1:]) is None
    decimal = "," if _has_decimal_comma(records[1:] if header else records) else "."
    return TextForm.model_validate({"separator": separator, "header": header, "encoding": encoding, "decimal": decimal})


def _encoding(head: bytes) -> str:
    wide = wide_encoding(head)
    if wide is not None:
        return wide
    try:
        head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:  # else the head ends in the middle of a letter
            return "cp1252"
    return "utf-8"


def _splits_alike(lines: Sequence[str], mark: str) -> bool:
    records = [line for line in islice(lines, SNIFFED_RECORDS) if line.strip()]
    times = {line.count(mark) for line in records}
    return len(records) > 1 and len(times) == 1 and times != {0}


def _has_decimal_comma(records: Sequence[Sequence[str]]) -> bool:
    width = len(records[0]) if records else 0
    full = [record for record in records if len(record) == width]
    columns = ([record[at] or None for record in full] for at in range(width))
    with_comma = (
        column for column in columns if any("," in value for value in column if value)
    )  # a look at each is dear
    return any(has_decimal_commas(pl.Series(column, dtype=pl.String)) for column in with_comma)
