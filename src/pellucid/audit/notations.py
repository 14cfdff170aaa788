"""Ranges of numbers as other tools write them.

===================== ==============================================================================================
``20-29``, ``20 to 29``  everything from 20 to 29; a dash of any length, with or without blanks
``30+``                  30 and above
``>=30``, ``> 30``       30 and above, above 30; ``≥`` too
``<30``, ``<= 30``       below 30, 30 and below; ``≤`` too
``[20-30)``, ``(20,30]`` brackets say which end belongs to it, whatever stands between the ends; ``[20-30[`` likewise
===================== ==============================================================================================

A dash and a plus do not say whether an end belongs to the range. It is taken to. Where two ranges of a column meet at a
number that somebody has (``20-30`` and ``30-40``), nobody can tell in which of them a person of 30 is:
:func:`meeting` finds these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
DASH = r"\s*(?:[-\u2010-\u2015\u2212]|\.\.|\bto\b)\s*"
RANGE = re.compile(rf"^({NUMBER}){DASH}({NUMBER})$")
BRACKETED = re.compile(rf"^([\[(\]])\s*({NUMBER})(?:{DASH}|\s*[,;]\s*)({NUMBER})\s*([\])\[])$")
AND_ABOVE = re.compile(rf"^({NUMBER})\s*\+$")
COMPARED = re.compile(rf"^(<=|>=|<|>|\u2264|\u2265)\s*({NUMBER})$")
INFINITE = Decimal("Infinity")


class Range(NamedTuple):
    """Numbers from one to another; ``loose`` says that the notation leaves open whether the ends belong to it."""

    low: Decimal
    high: Decimal
    without_low: bool = False
    without_high: bool = False
    loose: bool = False


def range_of(text: str) -> Range | None:
    """The range that a text denotes; None when it denotes none.

    >>> [(str(r.low), str(r.high), r.loose) for r in map(range_of, ("20-29", "20 to 29", "30+", "<30", "[20-30)")) if r]
    [('20', '29', True), ('20', '29', True), ('30', 'Infinity', True), ('-Infinity', '30', False), ('20', '30', False)]
    >>> range_of("29-20"), range_of("2024-03-09"), range_of("-5")
    (None, None, None)
    """
    text = text.strip()
    if found := RANGE.match(text):
        return _ascending(Range(Decimal(found[1]), Decimal(found[2]), loose=True))
    if found := BRACKETED.match(text):
        ends = Decimal(found[2]), Decimal(found[3])
        return _ascending(Range(*ends, without_low=found[1] != "[", without_high=found[4] != "]"))
    if found := AND_ABOVE.match(text):
        return Range(Decimal(found[1]), INFINITE, loose=True)
    if found := COMPARED.match(text):
        end, sign = Decimal(found[2]), found[1]
        if sign in ("<", "<=", "\u2264"):
            return Range(-INFINITE, end, without_high=sign == "<")
        return Range(end, INFINITE, without_low=sign == ">")
    return None


def _ascending(found: Range) -> Range | None:
    return found if found.low <= found.high else None


def meeting(texts: Iterable[str]) -> dict[Decimal, tuple[str, str]]:
    """The numbers at which two ranges meet that do not say whose they are, with an example of two such ranges.

    >>> meeting(["20-30", "30-40", "41+"])
    {Decimal('30'): ('20-30', '30-40')}
    """
    ranges = {text: found for text in texts if (found := range_of(text)) is not None}
    begins: dict[Decimal, str] = {}
    for text, found in ranges.items():
        if found.loose or not found.without_low:
            begins.setdefault(found.low, text)
    pairs = {}
    for text, found in ranges.items():
        other = begins.get(found.high)
        if other is None or other == text or found.without_high or not (found.loose or ranges[other].loose):
            continue
        pairs[found.high] = (text, other)
    return pairs
