"""Files of statistics programs, read by pyreadstat: SPSS (.sav, .zsav), Stata (.dta), SAS (.sas7bdat, .xpt).

- Labels of values become categories: where every value that occurs has a label, the column has the labels. Where some
  have none (a scale of 1 to 10 whose ends are labelled) it keeps its numbers. Two values with one label stay two:
  ``other (8)``, ``other (9)``.
- What the file declares as missing, and an empty text, is null.
- Whole numbers are integers, which SPSS and SAS do not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.errors import InputError, first_line
from pellucid.io.columns import choose
from pellucid.io.damaged import damaged
from pellucid.io.spreadsheets import without_fractions
from pellucid.io.text_form import said_form
from pellucid.io.unpacking import COUNTED, OBJECT, refuse_above, room
from pellucid.runtime.records import record
from pellucid.text.values import label_of

SAS = bytes(12) + b"\xc2\xea\x81\x60"
TRANSPORT = "SAS transport"
FORMATS: dict[str, tuple[tuple[bytes, ...], str]] = {
    "SPSS": ((b"$FL2", b"$FL3"), "read_sav"),
    "Stata": ((b"<stata_dta>",), "read_dta"),
    "SAS": ((SAS,), "read_sas7bdat"),
    TRANSPORT: ((b"HEADER RECORD***",), "read_xport"),
}
OLD_STATA = range(0x69, 0x74)  # the first byte of a .dta before version 13


def statistics_format(path: Path, start: bytes) -> str | None:
    """Which program wrote a file that begins like this; None where it is none of these."""
    for name, (marks, _) in FORMATS.items():
        if start.startswith(marks):
            return name
    old = path.suffix.lower() == ".dta" and len(start) > 1 and start[0] in OLD_STATA and start[1] in (1, 2)
    return "Stata" if old else None


def read_statistics(path: Path, program: str, wanted: list[str] | None = None, *, rows: int = 0) -> pl.DataFrame:
    """The wanted columns of a file of SPSS, Stata or SAS; all of them when None. ``rows``: only so many, if not 0."""
    reader, raised = _reader(path, program)
    try:
        _, about = reader(path, metadataonly=True)
        columns = choose(list(about.column_names), wanted, path.name)
        refuse_many_rows(path, about, reader, len(columns), rows)
        values_of, about = reader(path, usecols=columns, row_limit=rows)
        labels: Mapping[str, Mapping[Any, str]] = about.variable_value_labels
        return pl.DataFrame([_series(name, values_of[name], labels.get(name, {})) for name in columns])
    except raised as error:
        raise damaged(path, first_line(error)) from None


def refuse_many_rows(path: Path, about: Any, reader: Callable[..., Any], columns: int, rows: int) -> None:
    """Raise when so many columns have more values than memory holds, as the file says or as its rows are counted."""
    most = room() // (OBJECT * max(columns, 1))
    said = about.number_rows if about.number_rows is not None else -1
    if said < 0 and not rows and about.column_names:
        most = most if said_form().max_unpacked else min(most, COUNTED)
        said = len(reader(path, usecols=about.column_names[:1], row_limit=most + 1)[0][about.column_names[0]])
    refuse_above(path.name, min(said, rows or said) * columns * OBJECT, most * columns * OBJECT)


def _program_of(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return statistics_format(path, file.read(64))
    except OSError:  # no file: a table that comes with the package, or a database
        return None


def _about(path: Path) -> Any:
    """What such a file says of itself, without its rows; None of other files."""
    program = _program_of(path)
    if program is None:
        return None
    reader, raised = _reader(path, program)
    try:
        return reader(path, metadataonly=True)[1]
    except raised as error:
        raise damaged(path, first_line(error)) from None


def column_labels(path: Path) -> dict[str, str]:
    """What a file of SPSS, Stata or SAS calls its columns in words, beside their names; nothing of other files."""
    about = _about(path)
    if about is None:
        return {}
    labels = about.column_names_to_labels
    return {name: label.strip() for name, label in labels.items() if label and label.strip() != name}


def value_labels(path: Path) -> dict[str, dict[str, str]]:
    """What such a file calls values of a column, where the column keeps its values; values as texts, in their order.

    A dictionary of the whole study: it may list values that no row has.
    """
    about = _about(path)
    if about is None:
        return {}
    found = {}
    for name, labels in about.variable_value_labels.items():
        values = sorted(labels, key=lambda value: (isinstance(value, str), value))
        found[name] = {_as_text(value): labels[value].strip() for value in values if labels[value].strip()}
    return found


@record()
class DeclaredMissing:
    """A code that a file declares as missing: what the file calls it, and how many rows have it."""

    code: str
    label: str
    rows: int


def declared_missing(path: Path) -> dict[str, list[DeclaredMissing]]:
    """The codes of each column that the file declares as missing and that rows have, which are read as null alike.

    Refused and not known are two codes and one null. Nothing of other files, nor of SAS transport files, which have no
    such codes.
    """
    program = _program_of(path)
    if program is None or program == TRANSPORT:
        return {}
    reader, raised = _reader(path, program)
    try:
        columns = None
        if program == "SPSS":  # which says it without its rows
            columns = list(reader(path, metadataonly=True, user_missing=True)[1].missing_ranges)
            if not columns:
                return {}
        values_of, about = reader(path, usecols=columns, user_missing=True)
    except raised as error:
        raise damaged(path, first_line(error)) from None
    found = {}
    for name, ranges in {**about.missing_ranges, **about.missing_user_values}.items():
        times = Counter(value for value in values_of[name] if value is not None and _is_among(value, ranges))
        labels = about.variable_value_labels.get(name, {})
        codes = sorted(times, key=lambda value: (isinstance(value, str), value))
        if codes:
            found[name] = [_declared(value, labels.get(value, ""), times[value]) for value in codes]
    return found


def _is_among(value: Any, ranges: list[Any]) -> bool:
    """Whether a value is one of the codes, or lies in one of the ranges, that are declared as missing."""
    ends = [(one["lo"], one["hi"]) if isinstance(one, dict) else (one, one) for one in ranges]
    return any(isinstance(value, str) == isinstance(low, str) and low <= value <= high for low, high in ends)


def _declared(value: Any, label: str, rows: int) -> DeclaredMissing:
    return DeclaredMissing(_as_text(value), label.strip(), rows)


def _as_text(value: Any) -> str:
    return label_of(int(value) if isinstance(value, float) and value.is_integer() else value)


def shape_of(path: Path, program: str, most: int) -> tuple[int, int]:
    """Rows and columns of such a file as it says itself; where it does not, rows are counted until there are too many.

    ``most`` is how many cells there may be: of a file that does not say how many rows it has, the first column is read
    as far as one row more than that.
    """
    reader, raised = _reader(path, program)
    try:
        _, about = reader(path, metadataonly=True)
        columns = len(about.column_names)
        if about.number_rows is not None and about.number_rows >= 0:
            return int(about.number_rows), columns
        first = about.column_names[:1]
        values_of, _ = reader(path, usecols=first, row_limit=most // max(columns, 1) + 1)
        return len(values_of[first[0]]) if first else 0, columns
    except raised as error:
        raise damaged(path, first_line(error)) from None


def _reader(path: Path, program: str) -> tuple[Callable[..., Any], tuple[type[Exception], ...]]:
    """What reads a file of the program, and what it raises at one that is damaged."""
    try:
        import pyreadstat
    except ImportError:
        raise InputError(
            f"{path.name} is a file of {program}, which needs pyreadstat; pip install 'pellucid[statistics]', "
            "or save it as CSV"
        ) from None
    raised = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, OverflowError, UnicodeError)
    encoding = said_form().encoding  # mostly the file says it
    return partial(getattr(pyreadstat, FORMATS[program][1]), encoding=encoding, output_format="dict"), raised


def _series(name: str, values: list[Any], labels: Mapping[Any, str]) -> pl.Series:
    """One column, with its labels where all values that occur have one."""
    try:
        series = pl.Series(name, values)
    except (TypeError, pl.exceptions.PolarsError):  # a mixture, as of numbers and the letters of Stata's missing values
        series = pl.Series(name, [None if value is None else label_of(value) for value in values], dtype=pl.String)
    if series.dtype == pl.String:
        series = series.set(series == "", None)
    elif series.dtype == pl.Null:
        series = series.cast(pl.String)
    occurring = series.drop_nulls().unique().to_list()
    if occurring and labels and all(value in labels for value in occurring):
        return series.replace_strict(_distinct(occurring, labels), return_dtype=pl.String)
    return without_fractions(series)


def _distinct(values: list[Any], labels: Mapping[Any, str]) -> dict[Any, str]:
    """A text for each value: its label, and the value where another one has the same.

    >>> _distinct([1.0, 8.0, 9.0], {1.0: "yes", 8.0: "other", 9.0: "other"})
    {1.0: 'yes', 8.0: 'other (8)', 9.0: 'other (9)'}
    """
    times = Counter(labels[value].strip() for value in values)
    texts: dict[Any, str] = {}
    for value in values:
        label = labels[value].strip()
        texts[value] = label if label and times[label] == 1 else f"{label} ({_as_text(value)})".strip()
    return texts
