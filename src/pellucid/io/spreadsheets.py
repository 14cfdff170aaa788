"""Spreadsheets: a sheet of Excel (.xlsx, .xlsm, .xlsb, .xls) or LibreOffice (.ods) as a table, read by fastexcel.

- The sheet is the first one, or the one that somebody named (``--sheet``, ``[file] sheet``); a workbook with several
  sheets that have rows is refused without a name, because nobody can see which one was meant.
- A header in one line or two names the columns, below titles; sums and notes below the table are no people
  (:mod:`pellucid.io.sheet_layout`). What is not the first line, and what is left out, is told.
- Cells have types of their own. A column of one type keeps it: whole numbers and midnights are integers and dates,
  because a spreadsheet knows neither. Where types are mixed the column is text, for every row and not for a sample.
- A row without any value is no row; a cell with an error (#N/A) is null, and so is an empty text, as in a text file.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pellucid.errors import InputError, first_line
from pellucid.io.columns import choose, may_lack_a_header
from pellucid.io.headers import DATA_AS_HEADER, data_in_header
from pellucid.io.inference import narrow
from pellucid.io.sheet_layout import (
    BELOW,
    SEEN_ROWS,
    SheetTable,
    find_header,
    names_of,
    tell_what_was_found,
    without_sums,
)
from pellucid.io.text_form import said_form
from pellucid.io.unpacking import check_workbook
from pellucid.messages.terms import file_key
from pellucid.text.suggestions import meant
from pellucid.text.values import label_of, listed

if TYPE_CHECKING:
    from fastexcel import ExcelReader

ZIP = b"PK\x03\x04"
OLD = b"\xd0\xcf\x11\xe0"  # of .xls, and of everything else that Office wrote then
MARKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
WHOLE = 2.0**53  # beyond it a float does not tell one integer from the next
INSTALL = "needs fastexcel; pip install 'pellucid[excel]', or save the sheet as CSV"


def is_spreadsheet(path: Path, start: bytes) -> bool:
    """Whether a file that begins like this is a workbook; any other zip archive is an error."""
    if start.startswith(OLD):
        return True
    if not start.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            if any(name in MARKS for name in archive.namelist()):
                return True
    except (zipfile.BadZipFile, OSError, ValueError):
        if path.suffix.lower() in (".xlsx", ".xlsm", ".xlsb", ".ods"):
            raise InputError("{path} is damaged or incomplete; save the workbook again", path=path.name) from None
    raise InputError("{path} is a zip archive; unpack it, and give the table in it", path=path.name)


def _numbered(width: int) -> list[str]:
    return [f"column_{at}" for at in range(1, width + 1)]


def read_spreadsheet(
    path: Path, wanted: list[str] | None = None, missing: Mapping[str, Sequence[str]] | None = None
) -> pl.DataFrame:
    """The wanted columns of a sheet; all of them when None. ``missing`` names texts that are null, column by column."""
    book = _opened(path)
    form = said_form()
    sheet = _sheet(book, path.name, form.sheet)
    where = path.name if len(book.sheet_names) == 1 else f"{path.name}, sheet {sheet!r}"
    head = _texts_of(_loaded(book, sheet, path, header_row=None, skip_rows=0, n_rows=SEEN_ROWS, dtypes="string"))
    if not any(map(any, head)):
        raise InputError("{where} is empty; a table needs a header line and at least one row", where=where)
    if form.header is False:
        (frame, left_out), table = _rows_below(book, sheet, path, None), None
        names = _numbered(frame.width)
    else:
        table = _header_in(head, form.header_row, where)
        frame, left_out = _rows_below(book, sheet, path, table.last)
        names = [*names_of(head, table), *[""] * frame.width][: frame.width]
    if form.header is None and form.header_row is None and may_lack_a_header(names, wanted):
        _refuse_data_as_header(names, frame, where)
    some = [at for at, name in enumerate(names) if name or frame[:, at].null_count() < frame.height]
    columns = choose([names[at] for at in some], wanted, where)
    if frame.height == 0:
        raise InputError("{where} has a header but no rows; a table needs at least one row", where=where)
    tell_what_was_found(table, left_out, where, said=form.header_row is not None)
    marks = missing or {}
    return pl.DataFrame([_settled(frame[:, names.index(name)].alias(name), marks.get(name, ())) for name in columns])


def _rows_below(
    book: ExcelReader, sheet: str, path: Path, header_row: int | None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows below a header, and which sums and notes below them are left out.

    The header is skipped as any row above it: a library that is told where it is drops empty columns before it, and
    every name would stand above the values of another column.
    """
    below = {} if header_row is None else {"skip_rows": header_row + 1}
    frame = _typed(book, sheet, path, header_row=None, **below)
    rows, left_out = _without_sums(frame)
    if left_out:
        frame = _typed(book, sheet, path, header_row=None, n_rows=rows, **below)
    return _without_empty_rows(frame), left_out


def _header_in(head: list[list[str]], said: int | None, where: str) -> SheetTable:
    """The rows that name the columns."""
    if said is not None and said > len(head):
        told = "{where} has no header in row {row}; {HEADER_ROW} is one of the first {rows} rows"
        raise InputError(told, where=where, row=said, rows=len(head))
    return find_header(head, said)


def _texts_of(frame: pl.DataFrame) -> list[list[str]]:
    return [["" if cell is None else " ".join(label_of(cell).split()) for cell in row] for row in frame.rows()]


def _without_sums(frame: pl.DataFrame) -> tuple[int, tuple[str, ...]]:
    """How many rows are left without sums and notes at the end, and what those begin with."""
    below = frame.tail(BELOW)
    first = frame.height - below.height
    kept, left_out = without_sums(_texts_of(below), lambda end: frame.head(first + end))
    return first + kept, left_out


def _without_empty_rows(frame: pl.DataFrame) -> pl.DataFrame:
    if not frame.height:
        return frame
    filled = frame.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    return frame if filled.all() else frame.filter(filled)


def _opened(path: Path) -> ExcelReader:
    try:
        import fastexcel
    except ImportError:
        raise InputError("{path} is a spreadsheet, which {install}", path=path.name, install=INSTALL) from None
    if zipfile.is_zipfile(path):
        check_workbook(path)
    logging.getLogger("fastexcel").addHandler(logging.NullHandler())  # its guesses are for those who ask for logs
    try:
        return fastexcel.read_excel(path)
    except fastexcel.FastExcelError as error:
        raise _damaged(path, error) from None


def _sheet(book: ExcelReader, name: str, asked: str | None) -> str:
    """The sheet that was asked for, or the only one that has something in it."""
    sheets = book.sheet_names
    if asked is not None:
        if asked not in sheets:
            raise InputError(f"{name} has no sheet {asked!r}{meant(asked, sheets)}; its sheets: {listed(sheets)}")
        return asked
    filled = [sheet for sheet in sheets if _has_cells(book, sheet)] if len(sheets) > 1 else sheets
    if len(filled) > 1:
        raise InputError(
            "{name} has {sheets} sheets with values: {listed}; say which is meant with {first}",
            name=name,
            sheets=len(filled),
            listed=listed(filled),
            first=file_key("sheet", filled[0]),
        )
    if not sheets:
        raise InputError("{name} has no sheet; a table needs a header line and at least one row", name=name)
    return (filled or sheets)[0]


def sheets_of(path: Path) -> list[str]:
    """The names of the sheets of a workbook that have something in them."""
    book = _opened(path)
    return [sheet for sheet in book.sheet_names if _has_cells(book, sheet)]


def _has_cells(book: ExcelReader, sheet: str) -> bool:
    import fastexcel

    try:
        return book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars().width > 0
    except fastexcel.FastExcelError:  # a sheet that is a chart
        return False


def _loaded(book: ExcelReader, sheet: str, path: Path, **how: Any) -> pl.DataFrame:
    import fastexcel

    try:
        # None: the type of a column is that of all its rows; otherwise what comes late and differs would become null.
        frame: pl.DataFrame = book.load_sheet(sheet, schema_sample_rows=None, **how).to_polars()
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError) as error:
        raise _damaged(path, error) from None
    return frame


def _typed(book: ExcelReader, sheet: str, path: Path, **how: Any) -> pl.DataFrame:
    """A sheet in the types of its cells; with true or false among its numbers, which are read as 1 and 0, text."""
    frame = _loaded(book, sheet, path, **how)
    doubtful = [
        at for at, column in enumerate(frame) if column.dtype.is_numeric() and ((column == 0) | (column == 1)).any()
    ]
    if doubtful:
        texts = _loaded(book, sheet, path, use_columns=doubtful, dtypes="string", **how)
        for at, column in zip(doubtful, texts, strict=True):
            if column.is_in(["true", "false"]).any():
                frame.replace_column(at, column)
    return frame.with_columns(pl.col(pl.String).replace("", None))


def _damaged(path: Path, error: Exception) -> InputError:
    message = first_line(error)
    return InputError(
        f"{path.name} cannot be read as a spreadsheet ({message}); save it again without a password, or as CSV"
    )


def _refuse_data_as_header(names: list[str], frame: pl.DataFrame, where: str) -> None:
    rows = [["" if value is None else label_of(value) for value in row] for row in frame.head(SEEN_ROWS).rows()]
    datum = data_in_header(names, rows)
    if datum is not None:
        raise InputError(
            DATA_AS_HEADER,
            where=where,
            datum=datum,
        )


def _settled(values: pl.Series, missing: Sequence[str]) -> pl.Series:
    """A column as it is meant: integers and dates, which a spreadsheet has as floats and midnights."""
    if values.dtype == pl.String:
        if missing:  # what is left may be numbers or dates, as in a text file
            return narrow(values.set(values.is_in(list(missing)), None))
        return values
    return without_fractions(values)


def without_fractions(values: pl.Series) -> pl.Series:
    """Floats that are whole numbers as integers, times that are midnights as dates; anything else as it is.

    >>> without_fractions(pl.Series([30.0, None])).to_list(), without_fractions(pl.Series([1.5])).to_list()
    ([30, None], [1.5])
    """
    if values.dtype.is_float():
        present = values.drop_nulls()
        if bool((present.is_finite() & (present.abs() < WHOLE) & (present == present.floor())).all()):
            return values.cast(pl.Int64)
    if isinstance(values.dtype, pl.Datetime):
        days = values.cast(pl.Date)
        return days if bool((days.cast(values.dtype) == values).all()) else values.cast(pl.Datetime("us"))
    return values
