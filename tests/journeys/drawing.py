"""Values drawn alike on every machine and by every version of Python: only :meth:`random.Random.random` is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from random import Random
from statistics import NormalDist
from typing import TypeVar

T = TypeVar("T")
_BELL = NormalDist()


class Drawn:
    """A stream of values that follow from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def chance(self, share: float) -> bool:
        """True in so large a share of the draws."""
        return self._random.random() < share

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random.random() * (high - low + 1))

    def one_of(self, values: Sequence[T] | Mapping[T, float]) -> T:
        """One of the values, equally likely or by their weights."""
        if not isinstance(values, Mapping):
            return values[int(self._random.random() * len(values))]
        at = self._random.random() * sum(values.values())
        reached = accumulate(values.values())
        return next((value for value, end in zip(values, reached, strict=True) if at < end), next(reversed([*values])))

    def bell(self, mean: float, spread: float) -> float:
        """A normal number."""
        return mean + spread * _BELL.inv_cdf(min(max(self._random.random(), 1e-9), 1 - 1e-9))
