"""Numbers and ranges of numbers as people and other tools write them, in their exact order.

9007199254740993 is not 9007199254740992, and 1.0 is 1. A range is written

===================== ==============================================================================================
``20-29``, ``20 to 29``  everything from 20 to 29; a dash of any length, with or without blanks
``30+``                  30 and above
``>=30``, ``> 30``       30 and above, above 30; ``≥`` too
``<30``, ``<= 30``       below 30, 30 and below; ``≤`` too
``[20-30)``, ``(20,30]`` brackets say which end belongs to it, whatever stands between the ends; ``[20-30[`` likewise
===================== ==============================================================================================

A dash and a plus do not say whether an end belongs to the range. It is taken to. Where two ranges of a column meet at a
number that somebody has (``20-30`` and ``30-40``, or ``20-30`` and ``30``), nobody can tell in which of them a person
of 30 is: :func:`meeting` finds these. Nor does ``20-29`` say where somebody of 29.5 is: :func:`just_outside`. And
``20,29`` may be two numbers or everything between them: :func:`two_numbers`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf(?:inity)?)", re.IGNORECASE)
PLAIN = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
DASH = r"\s*(?:[-\u2010-\u2015\u2212]|\.\.|\bto\b)\s*"
RANGE = re.compile(rf"^({PLAIN}){DASH}({PLAIN})$")
BRACKETED = re.compile(rf"^([\[(\]])\s*({PLAIN})(?:{DASH}|\s*[,;]\s*)({PLAIN})\s*([\])\[])$")
AND_ABOVE = re.compile(rf"^({PLAIN})\s*\+$")
COMPARED = re.compile(rf"^(<=|>=|<|>|\u2264|\u2265)\s*({PLAIN}(?:[eE][+-]?[0-9]+)?)$")
INFINITE = Decimal("Infinity")


def number_of(text: str) -> Decimal | None:
    """The number that a text denotes, exactly; None when it denotes none.

    >>> number_of("1e3") == 1000, number_of("0.1"), number_of("nan"), number_of("1_000")
    (True, Decimal('0.1'), None, None)
    """
    return Decimal(text) if NUMBER.fullmatch(text) else None


def numbers_in(values: pl.Series) -> list[Decimal | None]:
    """The number of each value of a column of numbers or texts; a float is the shortest decimal that denotes it.

    >>> numbers_in(pl.Series([0.1, None])), numbers_in(pl.Series(["1.50", "x"]))
    ([Decimal('0.1'), None], [Decimal('1.50'), None])
    """
    if values.dtype == pl.Float32:
        values = values.cast(pl.String)
    return [None if value is None else number_of(str(value)) for value in values.to_list()]


class NumberLine:
    """Tells which of some numbers lie where.

    >>> line = NumberLine([Decimal(3), None, Decimal("1.0"), Decimal(2)])
    >>> line.equal(Decimal(1)).tolist(), line.between(Decimal(1), Decimal(3), without_low=True).tolist()
    ([False, False, True, False], [True, False, False, True])
    """

    def __init__(self, numbers: Sequence[Decimal | None]) -> None:
        ascending = sorted((number, i) for i, number in enumerate(numbers) if number is not None)
        self._numbers = [number for number, _ in ascending]
        self._ranks = np.full(len(numbers), -1, np.int64)
        self._ranks[[i for _, i in ascending]] = np.arange(len(ascending))
        self._before = len(numbers) - len(ascending)  # where all that are no numbers stand first
        self._in_order = bool((self._ranks[self._before :] == np.arange(len(ascending))).all())

    def equal(self, number: Decimal) -> NDArray[np.bool_]:
        """Which of them are this number."""
        return self.between(number, number)

    def between(
        self, low: Decimal, high: Decimal, *, without_low: bool = False, without_high: bool = False
    ) -> NDArray[np.bool_]:
        """Which of them lie from one number to another, both included unless it is said otherwise."""
        first, end = self._ends(low, high, without_low=without_low, without_high=without_high)
        inside: NDArray[np.bool_] = (self._ranks >= first) & (self._ranks < end)
        return inside

    def run(self, low: Decimal, high: Decimal, *, without_low: bool, without_high: bool) -> range | None:
        """The places of these, where the numbers are ascending, after what is none; else None.

        >>> NumberLine([None, Decimal(1), Decimal(3)]).run(Decimal(2), Decimal(9), without_low=False, without_high=True)
        range(2, 3)
        """
        if not self._in_order:
            return None
        first, end = self._ends(low, high, without_low=without_low, without_high=without_high)
        return range(self._before + first, self._before + max(first, end))

    def _ends(self, low: Decimal, high: Decimal, *, without_low: bool, without_high: bool) -> tuple[int, int]:
        first = (bisect_right if without_low else bisect_left)(self._numbers, low)
        return first, (bisect_left if without_high else bisect_right)(self._numbers, high)


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
    >>> range_of(">=2e-7")  # as the end of a capped column may be written
    Range(low=Decimal('2E-7'), high=Decimal('Infinity'), without_low=False, without_high=False, loose=False)
    >>> range_of("29-20"), range_of("2024-03-09"), range_of("-5")
    (None, None, None)
    """
    text = text.strip()
    if match := RANGE.match(text):
        return _ascending(Range(Decimal(match[1]), Decimal(match[2]), loose=True))
    if match := BRACKETED.match(text):
        ends = Decimal(match[2]), Decimal(match[3])
        return _ascending(Range(*ends, without_low=match[1] != "[", without_high=match[4] != "]"))
    if match := AND_ABOVE.match(text):
        return Range(Decimal(match[1]), INFINITE, loose=True)
    if match := COMPARED.match(text):
        end, sign = Decimal(match[2]), match[1]
        if sign in ("<", "<=", "\u2264"):
            return Range(-INFINITE, end, without_high=sign == "<")
        return Range(end, INFINITE, without_low=sign == ">")
    return None


def _ascending(ends: Range) -> Range | None:
    return ends if ends.low <= ends.high else None


def _by_beginning(ranges: Mapping[str, Range]) -> dict[Decimal, list[str]]:
    """The ranges that have the number with which they begin, by that number."""
    begins: dict[Decimal, list[str]] = {}
    for text, ends in ranges.items():
        if not ends.without_low:
            begins.setdefault(ends.low, []).append(text)
    return begins


def meeting(texts: Iterable[str]) -> dict[Decimal, tuple[str, str]]:
    """The numbers at which two ranges meet that do not say whose they are, with an example of two such ranges.

    A number by itself is a range from it to it.

    >>> meeting(["20-30", "30-40", "41+"]), meeting(["20-30", "30", "[10, 20)"])
    ({Decimal('30'): ('20-30', '30-40')}, {Decimal('30'): ('20-30', '30')})
    """
    ranges = {text: ends for text in texts if (ends := _range_or_number(text)) is not None}
    begins = _by_beginning(ranges)
    pairs: dict[Decimal, tuple[str, str]] = {}
    for text, ends in ranges.items():
        for other in () if ends.without_high else begins.get(ends.high, ()):
            if other != text and (ends.loose or ranges[other].loose):
                pairs.setdefault(ends.high, (text, other))
    return pairs


def _range_or_number(text: str) -> Range | None:
    number = number_of(text)
    return range_of(text) if number is None else Range(number, number)


def just_outside(text: str) -> list[Range]:
    """The numbers next to the ends of a range that it may have meant to hold: those nearer than its last digit tells.

    >>> [(str(r.low), str(r.high)) for r in just_outside("20-29") + just_outside("1.5-2.0")]
    [('19', '20'), ('29', '30'), ('1.4', '1.5'), ('2.0', '2.1')]
    >>> just_outside("[20, 29]")
    []
    """
    interval = range_of(text)
    if interval is None or not interval.loose:
        return []
    ends = [end for end in (interval.low, interval.high) if end.is_finite()]
    unit = min(Decimal(1).scaleb(int(end.as_tuple().exponent)) for end in ends)
    below = Range(interval.low - unit, interval.low, without_low=True, without_high=True)
    above = Range(interval.high, interval.high + unit, without_low=True, without_high=True)
    return [below, above] if interval.high.is_finite() else [below]


def two_numbers(text: str) -> Range | None:
    """What lies between two numbers with a comma, which may be a set of two or all that is between.

    >>> [found and (str(found.low), str(found.high)) for found in map(two_numbers, ("20,29", "20, 25, 29", "{20, 29}"))]
    [('20', '29'), None, None]
    """
    ends = [number_of(part.strip()) for part in text.split(",")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] >= ends[1]:
        return None
    return Range(ends[0], ends[1], without_low=True, without_high=True)
