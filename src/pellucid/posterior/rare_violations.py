"""Arrangements in which some class violates a model, drawn where hardly any does: nothing is dropped in vain.

A class that violates such a model has many rows of few values: some values, as many as the model says, have at least
so many rows of the class together. One of these events, a class and a set of values, is drawn by its probability, which
is a tail of a hypergeometric distribution; then the rows of the class given the event, which are dropped unless the
class violates the model, then all other rows. An arrangement that several events lead to is met by each of them, and is
kept with one over their number. What is kept has every arrangement with a violation equally likely.

Of too little entropy (:class:`UnevenClass`) there is one event for each class. The entropy of n rows is too
small when the sum of ``k ln k`` over its values, k rows each, is above ``n ln n - n ln l``. The sum is taken in steps,
each value's rounded up, so that no class with too little entropy is missed; how likely it is to reach the bound follows
value by value, and so does a choice of rows that reaches it.

Reference: R. Karp, M. Luby, N. Madras: Monte-Carlo approximation algorithms for enumeration problems. Journal of
Algorithms 10, 1989 (the union of events).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil, comb, exp, floor, lgamma, log

import numpy as np
from numpy.typing import NDArray

from pellucid.models import PrivacyModel
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.recursive_diversity import RecursiveDiversity
from pellucid.posterior.column import SensitiveColumn

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Violates = Callable[[Longs], NDArray[np.bool_]]  # which classes, one row of counts each, violate the model
MOST_SETS = 1_500  # of values
RARE = 0.5  # a violation is rare where all events together are less likely than this
STEPS = 400  # in which sums of an entropy are taken
MOST_WORK = 200_000_000  # steps, rows and values of a class
SLIGHTLY = 1e-9  # by which a sum may be off


@dataclass(frozen=True, eq=False)
class Violations:
    """The events without one of which no class violates the model.

    ``sets[a, value]`` marks the values of set a; class i has at least ``least[i]`` rows of them; ``chance[i, a]`` is
    the probability of that.
    """

    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    sets: NDArray[np.bool_]
    least: Longs
    chance: Floats

    @classmethod
    def of(cls, model: PrivacyModel, sizes: Sequence[int], column: SensitiveColumn) -> Violations | None:
        """The events of a model for which they are known; None of others."""
        if not isinstance(model, DistinctLDiversity | RecursiveDiversity) or model.sensitive is not None:
            return None
        values = model.l - 1
        if values < 1 or comb(len(column.counts), values) > MOST_SETS:
            return None
        return cls._with(tuple(sizes), tuple(column.counts), values, [_least(model, size) for size in sizes])

    @classmethod
    def _with(cls, sizes: tuple[int, ...], counts: tuple[int, ...], values: int, least: Sequence[int]) -> Violations:
        """The events of sets of so many values."""
        chosen = list(combinations(range(len(counts)), min(values, len(counts))))
        sets = np.zeros((len(chosen), len(counts)), np.bool_)
        for number, some in enumerate(chosen):
            sets[number, list(some)] = True
        rows_of = (sets @ np.array(counts, np.int64)).tolist()
        tails = [[float(_tail(sum(counts), k, n, t).sum()) for k in rows_of] for n, t in zip(sizes, least, strict=True)]
        return cls(sizes, counts, sets, np.array(least, np.int64), np.array(tails))

    @property
    def together(self) -> float:
        """The sum of all chances: no smaller than the probability of a violation."""
        return float(self.chance.sum())

    @property
    def rare(self) -> bool:
        """Whether arrangements that are drawn without looking hardly ever violate."""
        return 0 < self.together < RARE

    def draw(self, number: int, random: np.random.Generator, violates: Violates) -> Longs:
        """Arrangements in which a class violates, each equally likely; fewer than so many where others are met."""
        events = random.choice(self.chance.size, number, p=(self.chance / self.together).ravel())
        of_class, of_set = events // len(self.sets), events % len(self.sets)
        own = self._own(of_class, of_set, random)
        bad = violates(own)
        arrangements = around(own[bad], of_class[bad], self.sizes, self.counts, random)
        of_sets = arrangements.astype(np.float64) @ self.sets.T.astype(np.float64)  # counts, which floats hold exactly
        leading = (of_sets >= self.least[None, :, None]).sum(axis=2)
        return once(arrangements, leading, violates, random)

    def _own(self, of_class: Longs, of_set: Longs, random: np.random.Generator) -> Longs:
        """The values of the class of each event, in which it holds."""
        every = np.tile(np.array(self.counts, np.int64), (len(of_class), 1))
        inside = self.sets[of_set]
        rows = self._rows_of_sets(of_class, of_set, random)
        own = taken(np.where(inside, every, 0), rows, random)
        return own + taken(np.where(inside, 0, every), np.array(self.sizes, np.int64)[of_class] - rows, random)

    def _rows_of_sets(self, of_class: Longs, of_set: Longs, random: np.random.Generator) -> Longs:
        """How many rows of its set the class of each event has."""
        rows = np.zeros(len(of_class), np.int64)
        rows_of = self.sets @ np.array(self.counts, np.int64)
        for event in np.unique(of_class * len(self.sets) + of_set).tolist():
            part, some = divmod(event, len(self.sets))
            here = (of_class == part) & (of_set == some)
            least = int(self.least[part])
            tail = _tail(sum(self.counts), int(rows_of[some]), self.sizes[part], least)
            rows[here] = least + random.choice(len(tail), int(here.sum()), p=tail / tail.sum())
        return rows


def once(arrangements: Longs, leading: Longs, violates: Violates, random: np.random.Generator) -> Longs:
    """Each arrangement with one over the number of events that lead to it.

    ``leading[arrangement, class]`` counts those of a class, if it violates.
    """
    some = leading > 0
    bad = np.zeros(some.shape, np.bool_)
    bad[some] = violates(arrangements[some])
    kept: Longs = arrangements[random.random(len(arrangements)) * (leading * bad).sum(axis=1) < 1]
    return kept


def taken(left: Longs, size: Longs, random: np.random.Generator) -> Longs:
    """So many rows of what is left of each value, one line for each arrangement; all rows are equally likely.

    >>> taken(np.array([[2, 0, 1]]), np.array([3]), np.random.default_rng(0)).tolist()
    [[2, 0, 1]]
    """
    drawn = np.zeros_like(left)
    wanted, rest = size.copy(), left.sum(axis=1)
    for value in range(left.shape[1]):
        rest = rest - left[:, value]
        drawn[:, value] = random.hypergeometric(left[:, value], rest, wanted)
        wanted = wanted - drawn[:, value]
    return drawn


def around(
    own: Longs, of_class: Longs, sizes: Sequence[int], counts: Sequence[int], random: np.random.Generator
) -> Longs:
    """Arrangements in which one class has its ``own`` values, and the others any of what is left."""
    arrangements = np.zeros((len(own), len(sizes), len(counts)), np.int64)
    arrangements[np.arange(len(own)), of_class] = own
    left = np.array(counts, np.int64) - own
    for part, size in enumerate(sizes):
        here = taken(left, np.where(of_class == part, 0, size), random)
        arrangements[:, part] += here
        left -= here
    return arrangements


def _least(model: DistinctLDiversity | RecursiveDiversity, size: int) -> int:
    """How many rows the most frequent l - 1 values have at least in a class of this size that violates."""
    if isinstance(model, DistinctLDiversity):  # all of them
        return size
    return ceil(size * model.c / (1 + model.c))  # r1 >= c (n - those), and r1 is at most those


def _tail(rows: int, having: int, size: int, least: int) -> Floats:
    """The probabilities that of ``size`` rows drawn from ``rows``, ``least`` and more have one of ``having`` values."""
    first, last = max(least, size - (rows - having)), min(size, having)
    if last < least:
        return np.zeros(0)
    every = _ways(rows, size)
    logs = [_ways(having, k) + _ways(rows - having, size - k) - every for k in range(first, last + 1)]
    return np.append(np.zeros(first - least), np.exp(logs))


def _ways(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


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
