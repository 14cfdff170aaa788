"""What is known when no two rows of a group have the same value, and some row lies where its value was too much.

An arrangement is then a way to give each row one of the values, and those in which every class stays within its limits
are the ways to give each row a value that its class may have: a permanent of zeros and ones. All sums are whole numbers
that floats hold exactly, so the result is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial

import numpy as np

from pellucid.kernels import cells as kernel
from pellucid.posterior.exclusion import Impossible

LARGEST = 14  # rows of a group: 2**14 sets of values


def given_too_much(sizes: Sequence[int], allowed: Sequence[Sequence[bool]]) -> list[list[Fraction]]:
    """For each part the chance of each value, given that some row has one that its part was not ``allowed``.

    Two rows of different parts, and the first may have only the second value: somebody was where they may not be, so
    the first row has the first value.

    >>> given_too_much([1, 1], [[False, True], [True, True]])[0]
    [Fraction(1, 1), Fraction(0, 1)]
    """
    rows = sum(sizes)
    if all(map(all, allowed)):
        raise Impossible("no arrangement of these values violates the model in any class", "nothing forced the merge")
    weights = np.repeat(np.array(allowed, np.float64), sizes, axis=0).ravel()
    sums = np.zeros(1)
    kernel.simply(np.zeros(1, np.int64), rows, np.array([0, rows * rows]), 0.5, weights, sums)
    fine = round(float(sums[0]))  # arrangements in which nobody has too much
    if not fine:
        return [[Fraction(1, rows)] * rows for _ in sizes]
    having = np.rint(weights.reshape(rows, rows) * sums[0]).astype(
        np.int64
    )  # of them, those in which a row has a value
    every, with_value = factorial(rows), factorial(rows - 1)
    firsts = np.cumsum([0, *sizes[:-1]]).tolist()
    return [[Fraction(with_value - count, every - fine) for count in having[first].tolist()] for first in firsts]
