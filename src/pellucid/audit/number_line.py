"""Numbers as people write them, in their exact order: 9007199254740993 is not 9007199254740992, and 1.0 is 1."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import polars as pl
from numpy.typing import NDArray

NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf(?:inity)?)", re.IGNORECASE)


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

    def equal(self, number: Decimal) -> NDArray[np.bool_]:
        """Which of them are this number."""
        return self.between(number, number)

    def between(
        self, low: Decimal, high: Decimal, *, without_low: bool = False, without_high: bool = False
    ) -> NDArray[np.bool_]:
        """Which of them lie from one number to another, both included unless it is said otherwise."""
        first = (bisect_right if without_low else bisect_left)(self._numbers, low)
        end = (bisect_left if without_high else bisect_right)(self._numbers, high)
        inside: NDArray[np.bool_] = (self._ranks >= first) & (self._ranks < end)
        return inside
