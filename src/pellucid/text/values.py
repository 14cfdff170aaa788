"""How a value is written, and how a message lists some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal

import numpy as np

ANY = "any but null"  # in place of values: each that a person may have, and not that there is none
SHOWN = 10  # a message lists so many values and counts the rest


def label_of(value: object) -> str:
    """The text of a value, as the CSV writer prints it.

    >>> [label_of(value) for value in (17, 17.0, 0.00001, 2e-7, True, date(2024, 3, 5), "x")]
    ['17', '17.0', '0.00001', '2e-7', 'true', '2024-03-05', 'x']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, np.floating):
        return _float(float(str(value)))  # the shortest text in the value's own precision
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        offset = value.strftime("%z")
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + offset
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def _float(value: float) -> str:
    """Python writes 1e-05 and 2e-07 where the CSV writer has 0.00001 and 2e-7; everything else agrees."""
    text = repr(value)
    mantissa, mark, exponent = text.partition("e-")
    if not mark:
        return text
    return format(Decimal(text), "f") if int(exponent) <= 5 else f"{mantissa}e-{int(exponent)}"


def text_of(value: object) -> str | None:
    """A value as text; a null stays one."""
    return None if value is None else label_of(value)


def in_quotes(value: object) -> str:
    """A value of a column in a sentence: texts in quotes, so that a text that reads null is told from a null.

    >>> in_quotes("null"), in_quotes(None)
    ("'null'", 'null')
    """
    return "null" if value is None else repr(value) if value != ANY else ANY


def cell_text(value: object) -> str:
    """A value as a cell of a table has it."""
    return "null" if value is None else label_of(value)


def shortened(text: str, most: int) -> str:
    """A text that is no longer than this.

    >>> shortened("abcdef", 5), shortened("abcde", 5)
    ('ab...', 'abcde')
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def begun(text: str) -> str:
    """A sentence with a capital first letter."""
    return text[:1].upper() + text[1:]


def listed(values: Iterable[str]) -> str:
    """The first ten values in quotes, and how many more there are.

    >>> listed(["a", "b"])
    "'a', 'b'"
    >>> listed(str(n) for n in range(12))
    "'0', '1', '2', '3', '4', '5', '6', '7', '8', '9' and 2 more"
    """
    quoted = [repr(value) for value in values]
    first = ", ".join(quoted[:SHOWN])
    return first if len(quoted) <= SHOWN else f"{first} and {len(quoted) - SHOWN} more"


def few(names: Sequence[str], most: int = 6) -> str:
    """Some names, and how many more there are.

    >>> few(["a", "b"]), few(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    if len(names) <= most:
        return ", ".join(names)
    more = len(names) - most
    return f"{', '.join(names[:most])} and {more:,} more"


def joined_by_and(names: Sequence[str]) -> str:
    """Names, or other words, one after the other in a sentence.

    >>> joined_by_and([]), joined_by_and(["ill"]), joined_by_and(["ill", "pay"]), joined_by_and(["ill", "pay", "job"])
    ('', 'ill', 'ill and pay', 'ill, pay and job')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
