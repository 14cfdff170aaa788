"""Per group, the best parameter that the group satisfies: floats propose, exact numbers decide."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.models.exact import Direction, Exact, safe_number
from pellucid.models.groups import Groups

MARGIN = 1e-9  # floats decide only where they are further apart than this; their own errors are far smaller


class Figures(ABC):
    """One number per group, exact, with floats beside it that are off by much less than ``MARGIN``."""

    floats: NDArray[np.float64]

    @abstractmethod
    def exact(self, group: int) -> Exact | None:
        """A group's number when it is rational or infinite, else None."""

    @abstractmethod
    def compare(self, group: int, threshold: Fraction) -> int:
        """The sign of a group's number less the threshold, exactly."""

    @abstractmethod
    def order(self, group: int, other: int) -> int:
        """The sign of one group's number less another's, exactly."""

    def number(self, group: int, direction: Direction) -> int | float:
        """A group's number as an int or a float, rounded to the safe side."""
        value = self.exact(group)
        if value is not None:
            return safe_number(value, direction)
        number = float(self.floats[group])
        while self.compare(group, Fraction(repr(number))) == (-1 if direction == "largest" else 1):
            number = math.nextafter(number, -math.inf if direction == "largest" else math.inf)
        return number

    def worst(self, direction: Direction) -> int:
        """The group whose best parameter is worst; the first of equals."""
        floats = self.floats if direction == "largest" else -self.floats
        lowest = floats.min()
        if not math.isfinite(lowest):
            return int(floats.argmin())
        near = np.flatnonzero(floats <= lowest + MARGIN * (abs(lowest) + 1e-3))
        sign = 1 if direction == "largest" else -1
        kept, _ = self.alike(near)
        worst = int(kept[0])
        for group in kept[1:].tolist():
            if sign * self.order(group, worst) < 0:
                worst = group
        return worst

    @classmethod
    @abstractmethod
    def joined(cls, parts: Sequence[Any]) -> Figures:
        """The figures of all groups from those of consecutive stretches."""

    def alike(self, groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first of the groups that are known to have the same number, ascending, and for each group its place."""
        return groups, np.arange(len(groups))

    def meet(self, threshold: Fraction, direction: Direction, *, strict: bool = False) -> NDArray[np.bool_]:
        """Which groups satisfy the parameter: its number is at least a largest one, at most a smallest one."""
        limit = float(threshold)
        met = self.floats >= limit if direction == "largest" else self.floats <= limit
        unsure = np.abs(self.floats - limit) <= MARGIN * (abs(limit) + 1e-3)
        groups = np.flatnonzero(unsure)
        kept, places = self.alike(groups)
        decided = [self.meets(group, threshold, direction, strict=strict) for group in kept.tolist()]
        met[groups] = np.array(decided, dtype=bool)[places]
        return met

    def meets(self, group: int, threshold: Fraction, direction: Direction, *, strict: bool = False) -> bool:
        """Whether one group satisfies the parameter."""
        sign = self.compare(group, threshold) * (1 if direction == "largest" else -1)
        return sign > 0 if strict else sign >= 0


class Ratios(Figures):
    """Quotients of integers, of 64 bits or Python's; a zero below the line makes infinity."""

    def __init__(self, above: NDArray[Any], below: NDArray[Any] | int) -> None:
        self.above = above
        self.below: NDArray[Any] = np.broadcast_to(np.asarray(below), above.shape)
        finite = self.below != 0
        self.floats: NDArray[np.float64] = np.full(len(above), np.inf)
        self.floats[finite] = (above[finite] / self.below[finite]).astype(np.float64)

    @classmethod
    def joined(cls, parts: Sequence[Ratios]) -> Ratios:
        """One after the other."""
        return cls(np.concatenate([part.above for part in parts]), np.concatenate([part.below for part in parts]))

    def exact(self, group: int) -> Exact:
        """The quotient, as an int where it is one."""
        above, below = int(self.above[group]), int(self.below[group])
        if below == 0:
            return math.inf
        return Fraction(above, below) if above % below else above // below

    def compare(self, group: int, threshold: Fraction) -> int:
        """By cross multiplication."""
        value = self.exact(group)
        return (value > threshold) - (value < threshold)

    def order(self, group: int, other: int) -> int:
        """By cross multiplication."""
        one, two = self.exact(group), self.exact(other)
        return (one > two) - (one < two)

    def meet(self, threshold: Fraction, direction: Direction, *, strict: bool = False) -> NDArray[np.bool_]:
        """In integers when they fit into 64 bits, else as any figure."""
        over, under = threshold.numerator, threshold.denominator
        largest = max(int(np.abs(self.above).max()) * under, int(self.below.max()) * abs(over))
        if largest >= 2**62 or self.above.dtype == object:
            return super().meet(threshold, direction, strict=strict)
        left, right = self.above * under, self.below * over
        if direction == "smallest":
            left, right = right, left
        met = left > right if strict else left >= right
        infinite = self.below == 0
        met[infinite] = direction == "largest"
        return met

    def alike(self, groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """By the quotients in lowest terms."""
        above, below = self.above[groups], self.below[groups]
        if len(groups) < 2 or above.dtype == object:
            return super().alike(groups)
        if int(np.abs(above).max()) * int(below.max()) < 2**62 and (above * below[0] == above[0] * below).all():
            return groups[:1], np.zeros(len(groups), np.int64)  # the usual case: a method stops where it may
        common = np.maximum(np.gcd(above, below), 1)
        return first_of_equal_rows(groups, np.stack((above // common, below // common), axis=1))


class WholeRatios(Ratios):
    """Quotients of integers, rounded down; among groups that round to the same, the smaller quotient is worse."""

    def __init__(self, above: NDArray[Any], below: NDArray[Any]) -> None:
        self.precise: Ratios = Ratios(above, below)
        super().__init__(above // np.maximum(below, 1), (below > 0).astype(np.int64))

    @classmethod
    def joined(cls, parts: Sequence[WholeRatios]) -> WholeRatios:  # type: ignore[override]  # of one kind
        """One after the other."""
        whole = Ratios.joined([part.precise for part in parts])
        return cls(whole.above, whole.below)

    def worst(self, direction: Direction) -> int:
        """By the quotients before they are rounded."""
        return self.precise.worst(direction)


def first_of_equal_rows(
    groups: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first group of each different row, ascending, and for each group its place among them.

    >>> first_of_equal_rows(np.array([4, 5, 6]), np.array([[2, 1], [1, 1], [2, 1]]))
    (array([4, 5]), array([0, 1, 0]))
    """
    if (rows == rows[0]).all():
        return groups[:1], np.zeros(len(groups), np.int64)
    _, first, places = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return groups[first[order]], rank[places.reshape(-1)]


def largest_quotients(groups: Groups, above: NDArray[np.int64], below: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per group the entry with the largest quotient of positive integers.

    The nearest floats of two different quotients a/b and c/d differ when a * d is below 2**53, so floats decide there;
    for larger integers, entries that floats cannot tell apart are compared as fractions.
    """
    quotients = above / below
    largest = np.maximum.reduceat(quotients, groups.starts[:-1])
    owners = groups.groups_of_entries
    near = np.flatnonzero(quotients >= largest[owners] * (1 - 2**-51))
    chosen = np.empty(len(groups), np.int64)
    chosen[owners[near[::-1]]] = near[::-1]
    if int(above.max()) * int(below.max()) >= 2**53:
        for entry in near.tolist():
            best = chosen[owners[entry]]
            if int(above[entry]) * int(below[best]) > int(above[best]) * int(below[entry]):
                chosen[owners[entry]] = entry
    else:
        near = np.flatnonzero(quotients == largest[owners])
        chosen[owners[near[::-1]]] = near[::-1]
    return chosen
