"""The grammar of a published cell: how a recoder writes it, and how everybody reads it.

=================== ================================================================================================
``27``              a value as it is, never changed
``[21, 27]``        an interval; ``)`` and ``[`` after the last end, ``(`` and ``]`` before the first leave that end out
``{flu, cold}``     a set
``*``, ``***``      anything
``130**``           first characters, and a star for each that is hidden; a mask has stars anywhere
``>=150``           the end of a capped column, also as an end of an interval; ``<18`` the first of its classes
``... or null``     null besides
=================== ================================================================================================

A value as a **part** of a longer text (a member of a set, an end of an interval, what stands before ``or null``) is in
quotation marks where it could be misread, and a quotation mark in it is doubled: ``{"a, b", c}``, ``"" or null``.
:func:`as_part` writes parts, :func:`unquoted` reads them. Quotation marks count only around a whole part: in
``{"x" y, b}``, which pellucid never writes, the first member is ``"x" y``, with its quotation marks, for a tool that
does not quote means what it says.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import polars as pl

STAR = "*"
OR_NULL = " or null"
CAPPED = (">=", "<=", "<")
INTERVAL = re.compile(r'^([\[(\]])("(?:[^"]|"")*"|[^"]*?), ("(?:[^"]|"")*"|[^"]*?)([\])\[])$')
MASK = re.compile(r"^(?=.*[^*])[^{}\[\]()]*\*[^{}\[\]()]*$")
ONE_STAR = re.compile(r"^[^*{}\[\](),]+\*$")
PREFIX = re.compile(r"^[^*]+\*+$", re.DOTALL)
EVERYTHING = re.compile(r"^\*+$")
QUOTED = re.compile(r'"(?:[^"]|"")*"')
MEMBER = re.compile(r' *("(?:[^"]|"")*"(?=,)|[^,]*),')


class Interval(NamedTuple):
    """Everything from one end to the other; the ends as they are, without quotation marks."""

    low: str
    high: str
    without_low: bool
    without_high: bool


def interval_of(text: str) -> Interval | None:
    """The interval that a text denotes; None when it denotes none.

    >>> interval_of('["a, b", c[')
    Interval(low='a, b', high='c', without_low=False, without_high=True)
    >>> interval_of("{a, b}")
    """
    match = INTERVAL.match(text)
    if match is None:
        return None
    return Interval(unquoted(match[2]), unquoted(match[3]), match[1] != "[", match[4] != "]")


def is_set(text: str) -> bool:
    """Whether a text denotes a set.

    >>> is_set("{a, b}"), is_set("{a"), is_set("{}")
    (True, False, True)
    """
    return text.startswith("{") and text.endswith("}")


def members_of(text: str) -> list[str]:
    """The members of a set; blanks before a member do not count.

    >>> members_of('{flu, "a, b", ""}'), members_of("{1,2}"), members_of("{}"), members_of('{"x" y, b}')
    (['flu', 'a, b', ''], ['1', '2'], [], ['"x" y', 'b'])
    """
    inside = text[1:-1]
    return [unquoted(part[1]) for part in MEMBER.finditer(f"{inside},")] if inside else []


def is_everything(text: str) -> bool:
    """Whether a text is nothing but stars.

    >>> is_everything("*"), is_everything("***"), is_everything("1**"), is_everything("")
    (True, True, False, False)
    """
    return EVERYTHING.match(text) is not None


def without_null(text: str) -> tuple[str, bool]:
    """What stands before ``or null``, and whether that is said.

    >>> without_null("[21, 27] or null"), without_null("27")
    (('[21, 27]', True), ('27', False))
    """
    return text.removesuffix(OR_NULL), text.endswith(OR_NULL)


def is_quoted(part: str) -> bool:
    """Whether a part is in quotation marks.

    >>> is_quoted('""'), is_quoted('"5"" pipe"'), is_quoted('5"'), is_quoted('"a" b"')
    (True, True, False, False)
    """
    return QUOTED.fullmatch(part) is not None


def unquoted(part: str) -> str:
    """The value that a part stands for.

    >>> unquoted('"5"" pipe"'), unquoted('""'), unquoted("flu")
    ('5" pipe', '', 'flu')
    """
    return part[1:-1].replace('""', '"') if is_quoted(part) else part


def general(texts: pl.Series) -> pl.Series:
    """For each text whether it is written like what a recoder makes of several values: ``*``, a set, an interval, null.

    >>> general(pl.Series(["*", "[1", "{", "a or null", "a*", None])).to_list()
    [True, True, True, True, False, None]
    """
    return (texts == STAR) | texts.str.contains(r"^[\[{]") | texts.str.ends_with(OR_NULL)


def is_general(text: str) -> bool:
    """The same of one text.

    >>> is_general("*"), is_general("a or null"), is_general("a*")
    (True, True, False)
    """
    return text == STAR or text.endswith(OR_NULL) or text.startswith(("{", "["))


def is_value_or_null(text: str) -> bool:
    """Whether a text is a value with null beside it: what stands before ``or null`` is quoted where it reads otherwise.

    >>> is_value_or_null("a or null"), is_value_or_null('"*" or null'), is_value_or_null("[1, 2] or null")
    (True, True, False)
    """
    bare, nulls = without_null(text)
    return nulls and not is_general(bare)


def as_part(texts: pl.Series, marks: str) -> pl.Series:
    """Texts as parts of a longer one, in which these ``marks`` have a meaning.

    Quoted is text with a mark or a quotation mark in it, empty text, text with blanks around it, and text that reads
    like a generalisation.

    >>> print(*as_part(pl.Series(["a", "a, b", '5" pipe', "", "*", " b"]), ","))
    a "a, b" "5"" pipe" "" "*" " b"
    """
    odd = texts.str.contains_any([*marks, '"']) | (texts.str.strip_chars() != texts) | (texts == "") | general(texts)
    quoted = '"' + texts.str.replace_all('"', '""', literal=True) + '"'
    return pl.select(pl.when(odd).then(quoted).otherwise(texts)).to_series().rename(texts.name)
