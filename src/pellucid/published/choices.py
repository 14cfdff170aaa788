"""What is published of one column: a few distinct values, and for each what it leaves open.

Every original value has a *tick*, a place among the integers 0 to n - 1: for numbers, dates and ordered values their
position on the column's line, for categories their rank, for categories with a taxonomy their place among its leaves.
A published value is then a list of runs of ticks: an interval is one run, a set several, a name in a tree one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes
from pellucid.runtime.records import record
from pellucid.text.values import label_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@record(eq=False)
class Ticks:
    """The line that a column's values lie on: ``count`` ticks, and the tick of each code (-1 for null), ascending."""

    count: int
    of_code: Integers

    @classmethod
    def of(cls, attribute: Attribute) -> Ticks:
        """The ticks of a column."""
        if attribute.chains is None or attribute.taxonomy is None:
            return cls(attribute.width + 1, attribute.positions)
        null = int(attribute.has_null)
        labels = [label_of(value) for value in attribute.values.slice(null).to_list()]
        ranks = attribute.taxonomy.rank(labels)
        return cls(len(attribute.taxonomy.leaves), np.concatenate((np.full(null, -1, np.int64), ranks)))


@record(eq=False)
class Choices:
    """Distinct published values of a column.

    Choice c covers the ticks ``low[i]`` to ``high[i]`` for i in ``starts[c]`` to ``starts[c + 1] - 1``, and null where
    ``nulls[c]``. ``extent[c]`` is the share of the column that it leaves open: of an interval its width by the range,
    of a name its leaves less one by all leaves less one, of a set its values less one by all values less one.
    ``covered[c]`` of ``domain[c]`` values are possible. ``height[c]`` is how far up its taxonomy it stands, from 0 to
    1; without a taxonomy anything but a value stands at 1. ``counted[c]`` says that the extent counts values, as that
    of a name and of a set does. ``centre[c]`` is the tick of a mean or a median, behind which any value may be, and nan
    where a choice is none; there is none at all where nothing is published so.
    """

    starts: Integers
    low: Integers
    high: Integers
    nulls: NDArray[np.bool_]
    extent: Floats
    covered: Integers
    domain: Integers
    height: Floats
    counted: NDArray[np.bool_]
    centre: Floats | None = None

    def __len__(self) -> int:
        """The number of choices."""
        return len(self.starts) - 1

    @property
    def points(self) -> Integers:
        """How many values a choice is spread over: its ticks, and null as one more."""
        lengths = np.append(0, np.cumsum(self.high - self.low + 1))
        return np.diff(lengths[self.starts]) + self.nulls

    @property
    def single(self) -> NDArray[np.bool_]:
        """Whether a choice is one value."""
        return np.equal(self.covered, 1)

    def weights(self, ticks: Ticks, of_code: NDArray[np.number]) -> NDArray[np.float64]:
        """For each choice the sum of what the original values have that it covers."""
        null = int(len(ticks.of_code) > 0 and ticks.of_code[0] < 0)
        sums = np.append(0.0, np.cumsum(of_code[null:].astype(np.float64)))
        places = ticks.of_code[null:]
        first, last = np.searchsorted(places, self.low, "left"), np.searchsorted(places, self.high, "right")
        runs = np.append(0.0, np.cumsum(sums[last] - sums[first]))
        return np.diff(runs[self.starts]) + (self.nulls * float(of_code[0]) if null else 0.0)

    def covers(self, ticks: Ticks) -> NDArray[np.bool_]:
        """For each original value whether some choice covers it."""
        null = int(len(ticks.of_code) > 0 and ticks.of_code[0] < 0)
        places = ticks.of_code[null:]
        change = np.zeros(len(places) + 1, np.int64)
        np.add.at(change, np.searchsorted(places, self.low, "left"), 1)
        np.add.at(change, np.searchsorted(places, self.high, "right"), -1)
        return np.concatenate((np.full(null, self.nulls.any()), np.cumsum(change)[:-1] > 0))

    def take(self, which: Sequence[int] | NDArray[np.integer]) -> Choices:
        """These choices, in this order."""
        which = np.asarray(which, np.int64)
        lengths = np.diff(self.starts)[which]
        starts = np.append(0, np.cumsum(lengths))
        runs = np.repeat(self.starts[:-1][which] - starts[:-1], lengths) + np.arange(int(starts[-1]))
        return Choices(
            starts,
            self.low[runs],
            self.high[runs],
            self.nulls[which],
            self.extent[which],
            self.covered[which],
            self.domain[which],
            self.height[which],
            self.counted[which],
            None if self.centre is None else self.centre[which],
        )

    @classmethod
    def joined(cls, parts: Sequence[Choices]) -> Choices:
        """The choices of several parts, one after the other."""
        lengths = np.concatenate([np.diff(part.starts) for part in parts])
        rest = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("low", "high", "nulls", "extent", "covered", "domain", "height", "counted")
        )
        centre = None
        if any(part.centre is not None for part in parts):
            known = [np.full(len(part), np.nan) if part.centre is None else part.centre for part in parts]
            centre = np.concatenate(known)
        return replace(cls(np.append(0, np.cumsum(lengths)), *rest), centre=centre)

    @property
    def centred(self) -> bool:
        """Whether some are means or medians."""
        return self.centre is not None and bool(np.isfinite(self.centre).any())

    def as_values(self, ticks: Ticks) -> Choices:
        """Means and medians as values that rows have, at the nearest tick; the others as they are."""
        if self.centre is None or not self.centred:
            return self
        mean = np.isfinite(self.centre)
        at = np.clip(np.rint(np.where(mean, self.centre, 0)), 0, ticks.count - 1).astype(np.int64)
        lengths = np.where(mean, 1, np.diff(self.starts))
        starts = np.append(0, np.cumsum(lengths))
        owner = np.repeat(np.arange(len(self)), lengths)
        run = self.starts[:-1][owner] + np.arange(int(starts[-1])) - starts[:-1][owner]
        run = np.minimum(run, max(len(self.low) - 1, 0))
        low, high = (np.where(mean[owner], at[owner], ends[run]) for ends in (self.low, self.high))
        return replace(self, starts=starts, low=low, high=high)


def domain_of(attribute: Attribute) -> int:
    """How many values a column may have: the leaves of its taxonomy, else the values that occur; null is one."""
    if attribute.taxonomy is None:
        return len(attribute)
    return len(attribute.taxonomy.leaves) + int(attribute.has_null)


def values_as_they_are(attribute: Attribute, codes: Codes | Integers) -> Choices:
    """Values that are published as they are, given by code; null among them."""
    ticks = Ticks.of(attribute).of_code[codes]
    null = ticks < 0
    starts = np.append(0, np.cumsum(~null)).astype(np.int64)
    n = len(codes)
    ones = np.ones(n, np.int64)
    places, none = ticks[~null], np.zeros(n)
    return Choices(starts, places, places, null, none, ones, ones * domain_of(attribute), none, np.zeros(n, np.bool_))


def anything(attribute: Attribute) -> Choices:
    """One choice, ``*``: every value, null included where the column has nulls."""
    domain = np.full(1, domain_of(attribute))
    if attribute.taxonomy is not None:
        return names(attribute, [None])
    if len(attribute) == 1:  # there is nothing else that it could be
        return values_as_they_are(attribute, np.zeros(1, np.int64))
    ticks = Ticks.of(attribute)
    nulls = np.full(1, attribute.has_null)
    return Choices(
        np.array([0, 1]),
        np.zeros(1, np.int64),
        np.full(1, ticks.count - 1),
        nulls,
        np.ones(1),
        domain,
        domain,
        np.ones(1),
        np.zeros(1, np.bool_),
    )


def intervals(
    attribute: Attribute, low: Integers, high: Integers, nulls: NDArray[np.bool_], covered: Integers
) -> Choices:
    """Intervals of ticks, with or without null beside them; a null leaves everything open.

    ``covered`` is how many values of the column each covers, null included; of values that share a tick it may be some.
    """
    ticks = Ticks.of(attribute)
    extent = np.where(nulls, 1.0, (high - low) / max(ticks.count - 1, 1))
    n = len(low)
    domain = np.full(n, len(attribute))
    height = ((high > low) | nulls | (covered > 1)).astype(np.float64)
    by_width = np.zeros(n, np.bool_)
    return Choices(np.arange(n + 1), low, high, nulls.astype(np.bool_), extent, covered, domain, height, by_width)


def sets(attribute: Attribute, number: Integers, code: Integers, count: int) -> Choices:
    """Sets of values, given as (number of the set, code) pairs in ascending order."""
    ticks = Ticks.of(attribute)
    null = ticks.of_code[code] < 0
    nulls = np.zeros(count, np.bool_)
    nulls[number[null]] = True
    covered = np.bincount(number, minlength=count)
    starts, low, high = runs_of(number[~null], ticks.of_code[code][~null], count)
    size = len(attribute)
    extent = (covered - 1) / max(size - 1, 1)
    height = (covered > 1).astype(np.float64)
    return Choices(starts, low, high, nulls, extent, covered, np.full(count, size), height, np.ones(count, np.bool_))


def runs_of(number: Integers, tick: Integers, count: int) -> tuple[Integers, Integers, Integers]:
    """Neighbouring ticks of the same number as one run: where each number's runs start, and their ends.

    >>> [part.tolist() for part in runs_of(np.array([0, 0, 0, 2]), np.array([3, 4, 6, 1]), 3)]
    [[0, 2, 2, 3], [3, 6, 1], [4, 6, 1]]
    """
    if len(tick) == 0:
        return np.zeros(count + 1, np.int64), tick, tick
    apart = (np.diff(tick) > 1) | (np.diff(number) != 0)
    first = np.flatnonzero(np.append(True, apart))
    last = np.append(first[1:] - 1, len(tick) - 1)
    starts = np.append(0, np.cumsum(np.bincount(number[first], minlength=count)))
    return starts, tick[first], tick[last]


def names(attribute: Attribute, labels: Sequence[str | None]) -> Choices:
    """Names in the column's taxonomy, values among them; None is the root, which covers null as well."""
    taxonomy = attribute.taxonomy
    assert taxonomy is not None
    root = taxonomy.path(taxonomy.leaves[0])[-1]
    all_leaves = len(taxonomy.leaves) + int(attribute.has_null)
    ticks = Ticks.of(attribute)
    null = int(attribute.has_null)
    place = None
    if attribute.chains is None:  # the taxonomy of numbers or dates: ticks are positions of the values that occur
        ranks = taxonomy.rank([label_of(value) for value in attribute.values.slice(null).to_list()])
        place = np.full(len(taxonomy.leaves), -1, np.int64)
        place[ranks] = ticks.of_code[null:]
    starts, low, high, nulls, covered, height = [0], [], [], [], [], []
    for label in labels:
        leaves = taxonomy.below(root if label is None else label)
        whole = attribute.has_null and len(leaves) == len(taxonomy.leaves) and label in (None, root)
        mine = leaves if place is None else np.unique(place[leaves][place[leaves] >= 0])
        _, first, last = runs_of(np.zeros(len(mine), np.int64), mine, 1)
        low.append(first)
        high.append(last)
        starts.append(starts[-1] + len(first))
        nulls.append(whole)
        covered.append(len(leaves) + int(whole))
        height.append(taxonomy.level(root if label is None else label) / max(taxonomy.height, 1))
    counts = np.array(covered, np.int64)
    none = np.zeros(0, np.int64)
    return Choices(
        np.array(starts),
        np.concatenate([none, *low]),
        np.concatenate([none, *high]),
        np.array(nulls, np.bool_),
        (counts - 1) / max(all_leaves - 1, 1),
        counts,
        np.full(len(counts), all_leaves),
        np.array(height, np.float64),
        np.ones(len(counts), np.bool_),
    )


def is_line(attribute: Attribute) -> bool:
    """Whether a column's values lie on a line of their own, so that an interval says something."""
    return attribute.kind is not Kind.CATEGORY
