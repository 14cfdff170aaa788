"""Arrangements in which some class has too little entropy, drawn where hardly any has.

As in :mod:`pellucid.posterior.rare_violations`, with one event for each class. The entropy of a class of n rows is too
small when the sum of ``k ln k`` over its values, k rows each, is above ``n ln n - n ln l``. The sum is taken in steps,
each value's rounded up, so that no class with too little entropy is missed; how likely it is to reach the bound follows
value by value, and so does a choice of rows that reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, floor, lgamma, log

import numpy as np

from pellucid.model import PrivacyModel
from pellucid.model.entropy_l_diversity import EntropyLDiversity
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.rare_violations import RARE, Floats, Longs, Violates, around, once

STEPS = 400  # in which sums are taken
MOST_WORK = 200_000_000  # steps, rows and values of a class
SLIGHTLY = 1e-9  # by which a sum may be off


@dataclass(frozen=True, eq=False)
class UnevenClass:
    """The ways to take a class of ``size`` rows from ``counts`` whose sum of steps is at least ``bound``."""

    size: int
    counts: tuple[int, ...]
    step: float
    bound: int

    @classmethod
    def of(cls, size: int, counts: tuple[int, ...], l: float) -> UnevenClass:
        """The class of a model with this l."""
        most = size * log(size) if size > 1 else 1.0
        step = most / STEPS
        return cls(size, counts, step, max(0, floor((most - size * log(l)) / step - SLIGHTLY)))

    @cached_property
    def steps(self) -> Longs:
        """The steps of a value with so many rows."""
        k = np.arange(self.size + 1, dtype=np.float64)
        return np.ceil(k * np.log(np.maximum(k, 1)) / self.step - SLIGHTLY).astype(np.int64)

    @cached_property
    def weights(self) -> list[Floats]:
        """By value and its rows: in how many ways, as a binomial probability, so that no number is too large."""
        share = self.size / sum(self.counts)
        return [
            np.array([_binomial(count, k, share) for k in range(min(count, self.size) + 1)]) for count in self.counts
        ]

    @cached_property
    def reaching(self) -> list[Floats]:
        """[value][rows, steps]: how likely the values from this one on have so many rows and at least so many steps."""
        last = np.zeros((self.size + 1, self.bound + 1))
        last[0, 0] = 1.0
        ways = [last]
        for weights in reversed(self.weights):
            after, here = ways[-1], np.zeros_like(last)
            for k, weight in enumerate(weights.tolist()):
                here[k:] += weight * after[: self.size + 1 - k, self._open(k)]
            ways.append(here)
        return ways[::-1]

    def _open(self, k: int) -> Longs:
        """The steps that are still asked for, by those asked for before k rows of a value."""
        return np.maximum(0, np.arange(self.bound + 1) - int(self.steps[k]))

    @property
    def chance(self) -> float:
        """The probability of the event."""
        share = self.size / sum(self.counts)
        return float(self.reaching[0][self.size, self.bound]) / _binomial(sum(self.counts), self.size, share)

    def draw(self, number: int, random: np.random.Generator) -> Longs:
        """So many ways to take the class, each by its probability."""
        rows, asked = np.full(number, self.size), np.full(number, self.bound)
        drawn = np.zeros((number, len(self.counts)), np.int64)
        for value, weights in enumerate(self.weights):
            k = np.arange(len(weights))
            left = rows[:, None] - k
            open_ = np.maximum(0, asked[:, None] - self.steps[k])
            chances = np.where(left >= 0, weights * self.reaching[value + 1][np.maximum(left, 0), open_], 0.0)
            below = chances.cumsum(axis=1)
            drawn[:, value] = (below < random.random(number)[:, None] * below[:, -1:]).sum(axis=1)
            rows = rows - drawn[:, value]
            asked = np.maximum(0, asked - self.steps[drawn[:, value]])
        return drawn


@dataclass(frozen=True, eq=False)
class RareEntropies:
    """The events that a class has too little entropy, or nearly so."""

    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    classes: dict[int, UnevenClass]  # by size

    @classmethod
    def of(cls, model: PrivacyModel, sizes: Sequence[int], column: SensitiveColumn) -> RareEntropies | None:
        """The events of entropy l-diversity; None of other models, and where they take too much to count."""
        if not isinstance(model, EntropyLDiversity) or model.sensitive is not None or model.l <= 1:
            return None
        if sum(n * n for n in set(sizes)) * len(column.counts) * STEPS > MOST_WORK:
            return None
        counts = tuple(column.counts)
        return cls(tuple(sizes), counts, {n: UnevenClass.of(n, counts, float(model.l)) for n in set(sizes) - {0}})

    @cached_property
    def chances(self) -> Floats:
        """Of each class."""
        return np.array([self.classes[size].chance if size else 0.0 for size in self.sizes])

    @property
    def rare(self) -> bool:
        """Whether arrangements that are drawn without looking hardly ever violate."""
        return 0 < float(self.chances.sum()) < RARE

    def draw(self, number: int, random: np.random.Generator, violates: Violates) -> Longs:
        """Arrangements in which a class violates, each equally likely; fewer than so many where others are met."""
        of_class = np.sort(random.choice(len(self.sizes), number, p=self.chances / self.chances.sum()))
        drawn = np.bincount(of_class, minlength=len(self.sizes)).tolist()
        own = np.concatenate(
            [self.classes[size].draw(times, random) for size, times in zip(self.sizes, drawn, strict=True) if times]
        )
        bad = violates(own)
        arrangements = around(own[bad], of_class[bad], self.sizes, self.counts, random)
        return once(arrangements, self._leading(arrangements), violates, random)

    def _leading(self, arrangements: Longs) -> Longs:
        """Whether each class has few enough steps left."""
        leading = np.zeros(arrangements.shape[:2], np.int64)
        for part, size in enumerate(self.sizes):
            if size:
                here = self.classes[size]
                leading[:, part] = here.steps[arrangements[:, part]].sum(axis=1) >= here.bound
        return leading


def _binomial(n: int, k: int, share: float) -> float:
    """The probability of k among n, each with this share."""
    if share >= 1:
        return float(k == n)
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(share) + (n - k) * log(1 - share))
