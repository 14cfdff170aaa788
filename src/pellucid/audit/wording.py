"""A level in words: short, and rounded to the side on which it still holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from pellucid.models import models
from pellucid.models.model import Level, Verdict
from pellucid.text.figures import unit_fraction


def level_words(answer: Level | Verdict) -> str:
    """The level for a person: short, and rounded to the side on which it still holds.

    >>> from fractions import Fraction
    >>> level_words(Level("t-closeness", 0.6666666666666667, Fraction(2, 3), None, "", {"t": Fraction(2, 3)}))
    '0.6667'
    >>> level_words(Level("k-map", 3, 3, None, "", {"k": 3}, estimated=True))
    '3, estimated'
    """
    if answer.level is None:
        return "none"
    directions = models()[answer.model].directions
    main = next(iter(directions))
    parameters: Mapping[str, Any] = answer.parameters if isinstance(answer, Level) else answer.reached
    texts = {
        name: short(answer.level if name == main else value, directions.get(name)) for name, value in parameters.items()
    }
    if answer.strict and texts.get(main, "infinite") != "infinite":
        texts[main] = ("> " if directions[main] == "smallest" else "< ") + texts[main]
    words = next(iter(texts.values())) if len(texts) == 1 else ", ".join(map(" ".join, texts.items()))
    return f"{words}, estimated" if isinstance(answer, Level) and answer.estimated else words


def short(value: Any, direction: str | None) -> str:
    """Four significant digits, rounded to the safe side; 1/3 as that, which is safe and not more than it is.

    >>> short(0.30502, "smallest"), short(3.99999, "largest"), short(17, "largest"), short(float("inf"), "smallest")
    ('0.3051', '3.999', '17', 'infinite')
    >>> short(1 / 3, "smallest"), short(0.25, "smallest")
    ('1/3', '0.25')
    """
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    if isinstance(value, float) and math.isinf(value):
        return "infinite"
    if direction == "smallest" and unit_fraction(value):
        return unit_fraction(value)
    rounding = {"largest": ROUND_FLOOR, "smallest": ROUND_CEILING}.get(direction or "", ROUND_HALF_EVEN)
    rounded = _four_digits(value, rounding)
    return f"{rounded.normalize():f}" if rounded else "0"


def _four_digits(value: Any, rounding: str) -> Decimal:
    context = Context(prec=4, rounding=rounding)
    if isinstance(value, float):
        return context.plus(Decimal(repr(value)))
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))
