"""A value as a part of a longer text: a member of a set, an end of an interval, or what stands before ``or null``.

There a text that could be misread is in quotation marks, and a quotation mark in it is doubled: ``{"a, b", c}``,
``"" or null``. :func:`pellucid.recode.sets.part_texts` writes parts, this file reads them.
"""

from __future__ import annotations

import re

QUOTED = re.compile(r'"(?:[^"]|"")*"')
MEMBER = re.compile(r' *("(?:[^"]|"")*"(?=,)|[^,]*),')


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


def members_of(text: str) -> list[str]:
    """The members of a set; blanks before a member do not count.

    >>> members_of('{flu, "a, b", ""}'), members_of("{1,2}"), members_of("{}")
    (['flu', 'a, b', ''], ['1', '2'], [])
    """
    inside = text[1:-1]
    return [unquoted(part[1]) for part in MEMBER.finditer(f"{inside},")] if inside else []
