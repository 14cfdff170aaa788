"""Exact numbers: parameters as people write them, and signs of expressions that floats cannot decide.

A decimal such as 0.2 means two tenths, not the binary number nearest to it. A sum of integer multiples of logarithms of
integers is zero exactly when every prime cancels; where it is not zero, enough decimal digits show its sign.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from pellucid.messages import Message
from pellucid.text.figures import unit_fraction

Exact = int | Fraction | float  # a float is infinity only
MOST_DIGITS = 300  # what a float can still hold
Direction = Literal["largest", "smallest"]


def exact(value: object) -> Fraction:
    """The number a person reads: a float counts as the shortest decimal that denotes it, and text may be ``1/3``.

    >>> exact(0.2), exact("1/3"), exact(5)
    (Fraction(1, 5), Fraction(1, 3), Fraction(5, 1))
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | Fraction | str):
        raise ValueError("must be a number")
    try:
        return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)
    except (ValueError, ArithmeticError):
        raise ValueError("must be a finite number such as 0.2 or 1/3") from None


def parameter(value: object) -> Fraction:
    """The number, unless it is larger or finer than any use: 1e999999999 would fill the memory."""
    try:
        if isinstance(value, str) and "/" not in value and abs(Decimal(value.strip()).adjusted()) > MOST_DIGITS:
            raise ValueError(f"must be below 1e{MOST_DIGITS}")
    except ArithmeticError:
        raise ValueError("must be a finite number such as 0.2 or 1/3") from None
    number = exact(value)
    if abs(number) >= 10**MOST_DIGITS:
        raise ValueError(f"must be below 1e{MOST_DIGITS}")
    return number


Rational = Annotated[
    Fraction,
    BeforeValidator(parameter),
    PlainSerializer(lambda value: plain(value), return_type=int | float | str),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^[0-9]+/[0-9]+$"}]}),
]
"""A parameter that is taken exactly."""


def plain(value: Exact) -> int | float | str:
    """An int where it is one, a float where its decimals are exact, else text such as ``1/3``.

    >>> plain(Fraction(4, 2)), plain(Fraction(1, 5)), plain(Fraction(1, 3))
    (2, 0.2, '1/3')
    """
    if isinstance(value, float):
        return value
    if Fraction(value).denominator == 1:
        return int(value)
    nearest = float(value)
    return nearest if Fraction(repr(nearest)) == value else str(value)


def safe_number(value: Exact, direction: Direction) -> int | float:
    """The nearest number that is still on the safe side: not above a largest level, not below a smallest one.

    >>> safe_number(Fraction(2, 3), "largest"), safe_number(Fraction(2, 3), "smallest")
    (0.6666666666666666, 0.6666666666666667)
    >>> safe_number(Fraction(1, 5), "largest"), safe_number(Fraction(1, 5), "smallest")
    (0.2, 0.2)
    """
    if isinstance(value, float) or Fraction(value).denominator == 1:
        return value if isinstance(value, float) else int(value)
    number = float(value)
    away = -math.inf if direction == "largest" else math.inf
    while (Fraction(repr(number)) > value) if direction == "largest" else (Fraction(repr(number)) < value):
        number = math.nextafter(number, away)
    return number


@lru_cache(maxsize=2**16)
def prime_factors(number: int) -> tuple[tuple[int, int], ...]:
    """The primes of a positive integer with their exponents.

    >>> prime_factors(360)
    ((2, 3), (3, 2), (5, 1))
    """
    found = []
    prime = 2
    while prime * prime <= number:
        exponent = 0
        while number % prime == 0:
            number //= prime
            exponent += 1
        if exponent:
            found.append((prime, exponent))
        prime += 1 if prime == 2 else 2
    return (*found, (number, 1)) if number > 1 else tuple(found)


def sign_of_logs(terms: Iterable[tuple[int, int]], ratio: Fraction = Fraction(1), factor: int = 0) -> int:
    """The sign of the sum of ``factor * ln(number)`` over (factor, number), plus ``factor * ln(ratio)``; exact.

    Numbers are positive integers small enough to factor; the ratio may have any size. Logarithms of coprime integers
    above 1 are independent over the rationals (unique factorisation), so the sum is zero exactly when the coefficient
    of every prime is, and of what remains of the ratio; otherwise more digits must show a sign in the end.

    >>> sign_of_logs([(2, 6), (-2, 2), (-2, 3)]), sign_of_logs([(1, 10**9 + 1), (-1, 10**9)])
    (0, 1)
    >>> sign_of_logs([(3, 6)], Fraction(6), -3), sign_of_logs([(3, 6)], Fraction("6.00000000000000000000001"), -3)
    (0, -1)
    """
    factors = _coprime_factors(terms, ratio, factor)
    if not factors:
        return 0
    digits = 30
    while True:
        context = Context(prec=digits)
        total = magnitude = Decimal(0)
        for base, times in factors.items():
            term = context.multiply(Decimal(times), context.ln(Decimal(base)))
            total, magnitude = context.add(total, term), context.add(magnitude, abs(term))
        # every operation is off by at most one unit in its last digit
        if abs(total) > magnitude.scaleb(2 - digits) * (3 * len(factors)):
            return 1 if total > 0 else -1
        digits *= 2


def _coprime_factors(terms: Iterable[tuple[int, int]], ratio: Fraction, factor: int) -> dict[int, int]:
    """The same sum over coprime integers above 1, each with its factor, which is not 0."""
    factors: Counter[int] = Counter()
    for times, number in terms:
        for prime, exponent in prime_factors(number):
            factors[prime] += times * exponent
    for times, number in ((factor, ratio.numerator), (-factor, ratio.denominator)):
        rest = number
        for prime in list(factors):
            while rest % prime == 0:
                factors[prime] += times
                rest //= prime
        if rest > 1:
            factors[rest] += times
    return {base: times for base, times in factors.items() if times}


def compare_exponential(exponent: Fraction, value: Fraction) -> int:
    """The sign of ``e**exponent - value``, exact: e to a rational power other than 0 is never rational (Lindemann).

    >>> compare_exponential(Fraction(0), Fraction(1)), compare_exponential(Fraction("0.6931471805599453"), Fraction(2))
    (0, -1)
    """
    if exponent == 0 or value <= 0:
        return (value < 1) - (value > 1) if exponent == 0 else 1
    logarithms = math.log(value.numerator), math.log(value.denominator)
    apart = float(exponent) - (logarithms[0] - logarithms[1])
    if abs(apart) > 1e-9 * (1 + abs(float(exponent)) + max(logarithms)):  # far beyond the error of a few floats
        return 1 if apart > 0 else -1
    digits = 30
    while True:
        context = Context(prec=digits)
        power = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
        logarithm = context.subtract(context.ln(Decimal(value.numerator)), context.ln(Decimal(value.denominator)))
        scale = max(abs(power), context.ln(Decimal(max(value.numerator, value.denominator, 2))))
        difference = context.subtract(power, logarithm)
        if abs(difference) > scale.scaleb(2 - digits):
            return 1 if difference > 0 else -1
        digits *= 2


def some_rows(least: float, unit: str = "row") -> Message:
    """So many rows or more, in words.

    >>> some_rows(1), some_rows(3)
    ('at least 1 row', 'at least 3 rows')
    """
    return Message("at least {least} {unit}{s}", least=least, unit=unit, s="s" if least != 1 else "")


def at_most(value: float) -> str:
    """Four digits, rounded up: a sentence that says "at most" stays true. Integers stay as they are, and so does 1/3.

    >>> at_most(0.21991), at_most(0.25), at_most(1 / 3), at_most(123456), at_most(float("inf"))
    ('0.22', '0.25', '1/3', '123456', 'inf')
    """
    return unit_fraction(value) or _rounded(value, ROUND_CEILING)


def at_least(value: float) -> str:
    """Four digits, rounded down.

    >>> at_least(0.21999)
    '0.2199'
    """
    return _rounded(value, ROUND_FLOOR)


def _rounded(value: float, rounding: str) -> str:
    if isinstance(value, int) or not math.isfinite(value):
        return str(value)
    return f"{Context(prec=4, rounding=rounding).create_decimal(repr(float(value))).normalize():f}"
