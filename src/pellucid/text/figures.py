"""Figures as people say them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

MOST_PARTS = 1_000  # a smaller part reads better as a decimal


def figure(value: float | int | None) -> str:
    """A figure for a person: whole numbers as they are, others with four digits.

    >>> figure(90000), figure(0.123456), figure(12345.6), figure(None)
    ('90,000', '0.1235', '12,346', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if 1000 <= abs(value) < math.inf else f"{value:.4g}"


def percent(share: float) -> str:
    """A share as a person says it; never 100 % when it is less, never 0 % when it is more.

    Halves are rounded up. Shares that differ by less than a billionth of a percent are the same share, summed in
    another order, and read alike.

    >>> percent(0.874), percent(0.9999), percent(0.005), percent(1.0)
    ('87 %', 'over 99 %', 'under 1 %', '100 %')
    >>> percent(0.135), percent(0.13499999999999998), percent(0.125)
    ('14 %', '14 %', '13 %')
    """
    share = round(float(share), 12)
    if 0.995 <= share < 1:
        return "over 99 %"
    if 0 < share <= 0.005:
        return "under 1 %"
    if not math.isfinite(share):
        return f"{share} %"
    return f"{Decimal(repr(share)).scaleb(2).quantize(Decimal(1), ROUND_HALF_UP)} %"


def in_powers(number: int) -> str:
    """A whole number of any size with two digits, of which a float holds none beyond 1.8e308.

    >>> in_powers(3_000_000), in_powers(2**5000)
    ('3.0e+06', '1e+1505')
    """
    if number < 10**300:
        return f"{number:.1e}"
    return f"1e+{int((number.bit_length() - 1) * math.log10(2))}"


def size_in_words(size: int) -> str:
    """A number of bytes for a person.

    >>> size_in_words(500_000_000), size_in_words(20_000)
    ('500 MB', '20 kB')
    """
    return f"{size / 1_000_000:,.0f} MB" if size >= 1_000_000 else f"{max(size // 1000, 1):,} kB"


def counted(number: int, thing: str, things: str | None = None) -> str:
    """A number and what is counted, one or several of it.

    >>> counted(1, "group"), counted(1_200, "group"), counted(3, "person", "people")
    ('1 group', '1,200 groups', '3 people')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def against(share: float, limit: Fraction | None) -> str:
    """A share in percent with as many digits as tell it from a limit, where it is more or less than that.

    >>> [against(share, Fraction(1, 6)) for share in (0.1668, 1 / 6, 0.4, 0.1666)]
    ['16.68 %', '17 %', '40 %', '16.66 %']
    """
    text = percent(share)
    if limit is None or abs(share - limit) <= 1e-9 * limit or text != percent(float(limit)):
        return text
    digits = next(n for n in range(1, 12) if f"{100 * share:.{n}f}" != f"{100 * float(limit):.{n}f}")
    return f"{100 * share:.{digits}f} %"


def probability(value: float) -> str:
    """A probability with four digits; one over a whole number as that, so that 1/6 never reads as more than it is.

    >>> probability(1 / 3), probability(1 / 6), probability(0.25), probability(0.3337), probability(1)
    ('1/3', '1/6', '0.25', '0.3337', '1')
    >>> probability(0.99999)
    'over 0.9999'
    """
    text = f"{value:.4g}"
    if text == "1" and value < 1 - 1e-9:  # never certain when it is less
        return "over 0.9999"
    return unit_fraction(value, rounding=1e-9) or text


def unit_fraction(value: float, *, rounding: float = 1e-14) -> str:
    """``1/n`` for what is that but for ``rounding``, where four digits cannot write it; empty otherwise.

    >>> unit_fraction(1 / 3), unit_fraction(1 / 4), unit_fraction(0.3334)
    ('1/3', '', '')
    """
    if not 1 / MOST_PARTS <= value < 1:
        return ""
    parts = round(1 / value)
    if abs(float(value) * parts - 1) > rounding or Fraction(f"{float(value):.4g}") * parts == 1:
        return ""
    return f"1/{parts}"
