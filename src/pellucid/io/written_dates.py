"""Dates as people write them: 31.12.1980, 12/31/1980, 1980/12/31, with or without a time of day.

ISO dates need none of this (:mod:`pellucid.io.inference`). Elsewhere the order of day and month is the schema's
(``date_order = "dmy"``), or the one that the values leave: a number above 12 is a day. Between dots the day comes
first, unless a value says otherwise. What may be read in two ways is not guessed: 01/02/2024 is January to some.
"""

from __future__ import annotations

import re
from calendar import monthrange
from typing import Literal

import polars as pl

from pellucid.messages import Message
from pellucid.runtime.records import record

CLOCK = r"(?:[ T]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?)?$"
YEAR_LAST = re.compile(r"^([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})" + CLOCK)
YEAR_FIRST = re.compile(r"^([0-9]{4})([./-])([0-9]{1,2})\2([0-9]{1,2})" + CLOCK)
_DAY = "(0?[1-9]|[12][0-9]|3[01])"
_NUMBERS = "|".join(
    f"[0-9]{{4}}{mark}{_DAY}{mark}{_DAY}|{_DAY}{mark}{_DAY}{mark}([0-9]{{4}}|[0-9]{{2}})|[0-9]{{2}}{mark}{_DAY}{mark}{_DAY}"
    for mark in ("-", "/", "[.]")
)
# A day, and perhaps a time; neither an internet address (10.11.12.13) nor a social security number (123-45-6789).
LIKE_DAYS = rf"^\s*({_NUMBERS})([^0-9./-]|$)"


@record()
class NoDate:
    """A text that is no date, or not told to be which; and what is wrong with it."""

    value: str
    kind: Literal["no date", "in another order", "ambiguous"]
    message: Message


def _as_date(text: str) -> re.Match[str] | None:
    return YEAR_FIRST.match(text.strip()) or YEAR_LAST.match(text.strip())


def is_a_date_in_some_order(text: str) -> bool:
    """Whether a text with the year last is a date if the day, or the month, is first.

    >>> is_a_date_in_some_order("01.31.2000"), is_a_date_in_some_order("31.02.2000"), is_a_date_in_some_order("soon")
    (True, False, False)
    """
    match = YEAR_LAST.match(text.strip())
    if match is None:
        return False
    one, other, year = int(match[1]), int(match[3]), int(match[4])
    return any(
        year > 0 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]
        for day, month in ((one, other), (other, one))
    )


def written_dates(texts: pl.Series, order: str | None) -> tuple[pl.Series | None, NoDate | None]:
    """The dates that distinct texts stand for, or None and one that is none.

    >>> written_dates(pl.Series(["31.12.1980", "1.2.1990"]), None)[0].to_list()
    [datetime.date(1980, 12, 31), datetime.date(1990, 2, 1)]
    >>> written_dates(pl.Series(["01/02/1990"]), "mdy")[0].to_list()
    [datetime.date(1990, 1, 2)]
    >>> written_dates(pl.Series(["01/02/1990"]), None)[1].message.problem
    "the day and the month of '01/02/1990' can be told apart in no row"
    """
    parts: list[re.Match[str]] = []
    for text in texts.to_list():
        date = _as_date(text)
        if date is None:
            return None, NoDate(text, "no date", Message("{value!r} is not a date", value=text))
        parts.append(date)
    last = [date for date in parts if date.re is YEAR_LAST]
    if order == "ymd" and last:
        told = Message('{value!r} does not begin with a year as date_order = "ymd" says', value=last[0][0])
        return None, NoDate(last[0][0], "in another order", told)
    if order is None and last:
        order = _order_of(last)
        if order is None:
            told = Message("the day and the month of {value!r} can be told apart in no row", value=last[0][0])
            so = 'say which is first with date_order = "dmy" or "mdy"'
            return None, NoDate(last[0][0], "ambiguous", Message.of(told, so))
    return _as_series(texts, parts, order)


def _as_series(
    texts: pl.Series, parts: list[re.Match[str]], order: str | None
) -> tuple[pl.Series | None, NoDate | None]:
    """The dates of these parts, or None and which of the texts is none."""
    made = [_iso(date, "ymd" if date.re is YEAR_FIRST else order or "dmy") for date in parts]
    dates = pl.Series(texts.name, made).str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="us", strict=False)
    if dates.null_count():
        wrong = str(texts.filter(dates.is_null()).first())
        how = Message(' when it is read as date_order = "{order}"', order=order) if order else ""
        told = Message("{value!r} is not a date{how}", value=wrong, how=how)
        return None, NoDate(wrong, "in another order" if order in ("dmy", "mdy") else "no date", told)
    timed = any(date[5] is not None for date in parts)
    return (dates if timed else dates.cast(pl.Date)), None


def order_of_dates(texts: pl.Series) -> str | None:
    """The order in which a column of text writes its dates; None when it has others than dates, or it is not told.

    >>> order_of_dates(pl.Series(["31.12.1980", None])), order_of_dates(pl.Series(["01/02/1990"]))
    ('dmy', None)
    >>> order_of_dates(pl.Series(["12/31/1990"])), order_of_dates(pl.Series(["1990/12/31"]))
    ('mdy', 'ymd')
    """
    distinct = texts.drop_nulls().unique()
    if distinct.is_empty() or written_dates(distinct, None)[0] is None:
        return None
    last = [match for text in distinct.to_list() if (match := YEAR_LAST.match(text.strip()))]
    return _order_of(last) if last else "ymd"


def _order_of(matches: list[re.Match[str]]) -> str | None:
    """Which comes first, as far as the values tell."""
    first, second = (max(int(match[group]) for match in matches) for group in (1, 3))
    if second > 12 and first <= 12:
        return "mdy"
    if first > 12 or all(match[2] == "." for match in matches):
        return "dmy"
    return None


def _iso(match: re.Match[str], order: str) -> str:
    numbers = {"ymd": (1, 3, 4), "dmy": (4, 3, 1), "mdy": (4, 1, 3)}[order]
    year, month, day = (int(match[group]) for group in numbers)
    hour, minute, second = (int(match[group] or 0) for group in (5, 6, 7))
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
