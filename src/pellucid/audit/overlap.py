"""How likely somebody of a population is in the table, where the people whom groups cover overlap.

Every way to give each row a person of its own whom it covers is as likely as any other. When nobody is covered by two
groups, everybody covered by a group of n rows and N people is in the table with probability n / N. Otherwise counting
the ways is out of reach (a permanent), but comparing them is not. Take a person p whom m rows cover. Where p is in the
table, the row that is p's could have gone to any person of its group who has no row: to at least u and at most v
people. Where p is not, each of the m rows could have been p's. The one leads back to the other, so

    m / (m + v)  <=  probability that p is in the table  <=  m / (m + u).

In a group g of n rows and N people, v is N - n, and u is v less the rows of other groups that may be about people of g;
for p the largest v and the smallest u of the groups that cover p count. Without overlaps u = v = N - n, and both sides
are n / N.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from pellucid.models.groups import Presence

Integers = NDArray[np.int64]
Walk = Callable[[], Iterator[tuple[int, Integers]]]  # each group, and the places of the people whom it covers


def presence(walk: Walk, sizes: Integers, people: Integers, covered: Integers) -> Presence:
    """For each group the person most likely and the one least likely in the table.

    ``sizes`` are the rows of groups, ``people`` how many people there are at each place of the population, and
    ``covered`` how many people each group covers.
    """
    groups = np.zeros(len(people), np.int64)
    rows = np.zeros(len(people), np.int64)
    kinds = np.zeros(len(people), np.uint64)  # equal for places that the same groups cover
    marks = _marks(len(sizes))
    for group, places in walk():
        groups[places] += 1
        rows[places] += sizes[group]
        kinds[places] += marks[group]
    fewest = np.full(len(people), np.iinfo(np.int64).max)
    most = np.zeros(len(people), np.int64)
    for group, places in walk():
        free = covered[group] - sizes[group]
        others = _rows_beside(group, places, sizes, rows, kinds, people[places][groups[places] > 1])
        fewest[places] = np.minimum(fewest[places], max(free - others, 0))
        most[places] = np.maximum(most[places], free)
    high, low = np.zeros((len(sizes), 2), np.int64), np.ones((len(sizes), 2), np.int64)
    for group, places in walk():
        if len(places) == 0:
            continue
        # floats tell quotients of integers below 2**26 apart
        likely = places[np.argmax(rows[places] / (rows[places] + fewest[places]))]
        unlikely = places[np.argmin(rows[places] / (rows[places] + most[places]))]
        high[group] = rows[likely], rows[likely] + fewest[likely]
        low[group] = rows[unlikely], rows[unlikely] + most[unlikely]
    return Presence(high, low)


def _rows_beside(
    group: int, places: Integers, sizes: Integers, rows: Integers, kinds: NDArray[np.uint64], shared: Integers
) -> int:
    """At most so many rows of other groups may be about people whom this group covers.

    They are rows of groups that share a place with it (a group that shares two kinds of places counts twice), and no
    more than there are people to share.
    """
    _, first = np.unique(kinds[places], return_index=True)
    beside = int((rows[places[first]] - sizes[group]).sum())
    return min(beside, int(shared.sum()), int(sizes.sum() - sizes[group]))


def _marks(groups: int) -> NDArray[np.uint64]:
    """A number of 64 bits for each group, such that sums over different sets of groups differ (SplitMix64)."""
    mixed = np.arange(1, groups + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
