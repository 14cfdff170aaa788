"""Which value somebody guesses who has to name one: one rule for ties, for every engine.

**Definition.** The guess about a person is the first value, in the order in which the column's values are sorted, that
is believed with at least ``1 - TIE`` times the largest belief about that person. So values that are equally likely are
a tie, and the public order of values decides it; beliefs are floats, and neither their rounding nor the order in which
people are given does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

Value = TypeVar("Value")

TIE = 1e-9  # beliefs that are nearer than this share of the largest are equal: the rest is rounding


def best_place(shares: Sequence[float]) -> int:
    """The place of the first of the likeliest values.

    >>> best_place([0.2, 0.4, 0.4]), best_place([0.2, 0.39999999999, 0.4]), best_place([0.2, 0.39, 0.41])
    (1, 1, 2)
    """
    enough = max(shares) * (1 - TIE)
    return next(place for place, share in enumerate(shares) if share >= enough)


def best_guess(posterior: Mapping[Value, float]) -> Value:
    """The same of a posterior, which lists values in their order.

    >>> best_guess({"cold": 0.3, "flu": 0.1 + 0.2, "gout": 0.2})
    'cold'
    """
    return list(posterior)[best_place(list(posterior.values()))]
