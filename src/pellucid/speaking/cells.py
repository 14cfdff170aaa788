"""Cells of a table, its own and published ones, as people of a language write numbers and dates.

For reading only: what is downloaded has 3.5 and 1980-12-31, whoever reads the page. A cell is rewritten as a whole or
not at all: a name beside numbers, such as ``BMI 18.5 and more``, stays what the steward called it.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

from pellucid.speaking.forms import Forms

CellKind = Literal["number", "date"]
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_TIME = r"[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
_DATE = rf"\d{{4}}(?:-\d\d(?:-\d\d(?:{_TIME})?)?)?"


def _cell_of(value: str) -> re.Pattern[str]:
    """A value, an interval, a set, or values of which one is somebody's; perhaps null besides."""
    one = rf"(?:(?:>=|<=|<|>)?{value}|null)"
    return re.compile(rf"[\[({{\]]?{one}(?:(?:, | or ){one})*[\])}}\[]?(?: or null)?(?: or \d+ more)?")


_CELLS: dict[CellKind, re.Pattern[str]] = {"number": _cell_of(_NUMBER), "date": _cell_of(_DATE)}
_FRACTION = re.compile(r"(?<=\d)\.(?=\d)")
_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)(?!\d)")
_MONTH = re.compile(r"\b(\d{4})-(\d\d)(?![-\d])")


def cell_in(forms: Forms, text: str, kind: CellKind) -> str:
    """A cell of a column of numbers or of dates; where decimals follow a comma, a semicolon stands between values.

    >>> german = Forms(".", ",", dates="%d.%m.%Y", parts="%m.%Y")
    >>> [cell_in(german, text, "number") for text in ("3.5", "[3.5, 7]", "[21, 27]", "{1.5, 2} or null", "BMI 18.5 up")]
    ['3,5', '[3,5; 7]', '[21, 27]', '{1,5; 2} or null', 'BMI 18.5 up']
    >>> [cell_in(german, text, "date") for text in ("1980-12-31", "[1980-12, 1981-03]", "1980", "1980-02-31")]
    ['31.12.1980', '[12.1980, 03.1981]', '1980', '1980-02-31']
    >>> cell_in(Forms(), "[1980-12-31, 1981-01-01]", "date"), cell_in(Forms(), "3.5", "number")
    ('[1980-12-31, 1981-01-01]', '3.5')
    """
    if not _CELLS[kind].fullmatch(text):
        return text
    if kind == "date":
        text = _DAY.sub(lambda found: _day(forms.dates, found), text)
        return _MONTH.sub(lambda found: _day(forms.parts, found), text)
    if forms.decimal == "." or not _FRACTION.search(text):
        return text
    apart = text.replace(", ", "; ") if forms.decimal == "," else text
    return _FRACTION.sub(forms.decimal, apart)


def _day(form: str, found: re.Match[str]) -> str:
    """A date, or a month of it; what is none stays."""
    try:
        return date(*(int(part) for part in (*found.groups(), "1")[:3])).strftime(form)
    except ValueError:
        return found[0]
