"""What cuts at the median tell: those that were tried and refused, found again from the groups and quasi-identifiers.

The tree of cuts is found again from the top. A cut that leaves every published group on one side has sides whose counts
are published, so whether it was made is known. A cut through a group was not made: it was refused, which tells about
all groups that it runs through, together. A cut that fails whatever the values are tells nothing.

Rows of equal code are divided by the row order. Without an identifier it is drawn from coins: then a cut has *tied*
rows, of which so many went left, and who they were is as unknown as the values. Several trees may then lead to the same
groups, and what they tell is a sum over all of them; it is told only where the tree is the only one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, combinations
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.likelihoods import ShapeCollector, Sides, extent, members_of, order_of
from pellucid.anonymize.disclosure.median_cut_shapes import CutTeller, MedianCut, counts_of
from pellucid.anonymize.grouping import Grouping
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.models import Groups, PrivacyModel
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.posterior.shape import Likelihood
from pellucid.posterior.unordered import Unsettled

MOST_NODES = 20_000  # of the tree that are looked at before giving up
MOST_CHOICES = 12  # groups of equal rows among which those that went left are chosen


@dataclass(frozen=True, eq=False)
class _Halves:
    """A cut as far as codes decide it: the rows that surely go left, the tied ones, and how many of those go left."""

    left: Sides
    tied: Sides
    room: int


@dataclass(frozen=True, eq=False)
class MedianTree:
    """The cuts of a release: refused ones, and made ones that the order had a part in."""

    refused: list[MedianCut]
    made: list[MedianCut]


def told_by_cuts(
    people: Table, grouping: Grouping, published: Groups, model: PrivacyModel, *, strict: bool, retry: bool
) -> Likelihood | None:
    """What a method tells that cuts at the median and, with ``retry``, tries the next attribute after a refused cut.

    None when no tree of cuts leads to these groups. Where the order is not known, everybody is :class:`Unsettled`
    unless exactly one tree does, and all of them were looked at.
    """
    finder = _Finder(people, grouping, published, model, strict, retry)
    tree, ways = finder.found()
    if finder.leaves_open(ways):
        return unsettled(grouping, len(people))
    if not ways:
        return None
    key = an_order(len(people), tree.made) if finder.unknown else np.asarray(finder.order, dtype=np.int64)
    if key is None:
        return None  # no order makes these cuts
    if finder.limits is None and any(cut.tied.any() for cut in tree.refused):
        return unsettled(grouping, len(people))  # no engine sums over orders for a model that is more than limits
    cuts = [settled(cut, key) for cut in tree.refused]
    return CutTeller(people, grouping, published, model, cuts, tree.made, key).told()


def unsettled(grouping: Grouping, rows: int) -> Likelihood:
    """Nothing is shown about anybody in a group."""
    telling = ShapeCollector(len(grouping), rows)
    for group, members in members_of(grouping):
        telling.group(group, Unsettled((len(members),)), members)
    return replace(telling.likelihood(), assumes_order=False)


@dataclass(eq=False)
class _Finder:
    """Finds the tree again."""

    people: Table
    grouping: Grouping
    published: Groups
    model: PrivacyModel
    strict: bool
    retry: bool

    def __post_init__(self) -> None:
        self.order = order_of(self.people, self.grouping)
        self.unknown = self.people.order is None and not self.strict
        self.limits = SideLimits.of(self.model)
        self.looked_at = 0
        self.looked_at_all = True

    def found(self) -> tuple[MedianTree, int]:
        """A tree that leads to these groups, and how many do: 0, 1, or 2 for several."""
        tree = MedianTree([], [])
        if not len(self.grouping):
            return tree, 1
        return tree, self._grown(np.sort(self.grouping.members), tree)

    def leaves_open(self, ways: int) -> bool:
        """Whether the order is not known, and several trees lead to these groups or not all were looked at."""
        return self.unknown and (ways > 1 or not self.looked_at_all)

    def _may_look_on(self) -> bool:
        """Count one more node; False beyond the most. Of an unknown order nothing is told unless all were looked at."""
        self.looked_at += 1
        if self.looked_at > MOST_NODES:
            self.looked_at_all = False
        return self.looked_at_all or not (self.unknown or self.looked_at > MOST_NODES)

    def _grown(self, rows: Codes, tree: MedianTree) -> int:
        """Depth first, all cuts that may have been made; the first that leads to the groups is noted in the tree."""
        if not self._may_look_on():
            return 0
        labels = self.grouping.labels[rows]
        tried, halves = self._tried(rows), list[_Halves]()
        if (labels == labels[0]).all():
            tree.refused.extend(self._refused_among(rows, tried))
            return 1
        ways = 0
        for number, left in self._candidates(labels, tried, halves):
            marks = len(tree.refused), len(tree.made)
            before = self._running_through(labels, halves[:number])
            tree.refused.extend(self._refused_among(rows, before))
            if halves[number].tied.any():
                tree.made.append(MedianCut(rows, left, halves[number].tied))
            ways_here = self._grown(rows[left], tree)
            if ways_here:
                ways_here *= self._grown(rows[~left], tree)
            if ways or not ways_here:
                del tree.refused[marks[0] :], tree.made[marks[1] :]
            ways += ways_here
            if ways > 1:
                return 2
        return ways

    def _refused_among(self, rows: Codes, tried: Iterable[_Halves]) -> list[MedianCut]:
        """The cuts that were refused, of those that were tried."""
        return [cut for halves in tried if (cut := self._refused(rows, halves)) is not None]

    def _tried(self, rows: Codes) -> Iterator[_Halves]:
        """The cuts that are tried of some rows, widest attribute first."""
        quasi = self.people.having(Role.QUASI)
        columns = [self.people.codes[i][rows] for i in quasi]
        widths = [extent(self.people.attributes[i], codes) for i, codes in zip(quasi, columns, strict=True)]
        size = len(rows)
        nobody = np.zeros(size, dtype=bool)
        for place in sorted(range(len(quasi)), key=lambda i: (-widths[i], i)):
            if widths[place] == 0:
                return
            codes = columns[place]
            if self.strict:
                left = codes < np.partition(codes, size // 2)[size // 2]
                if not left.any():
                    continue
                yield _Halves(left, nobody, 0)
            else:
                half = (size + 1) // 2
                middle = np.partition(codes, half - 1)[half - 1]
                lower, tied = codes < middle, codes == middle
                room = half - int(lower.sum())
                if room == int(tied.sum()):
                    yield _Halves(lower | tied, nobody, 0)
                elif self.unknown:
                    yield _Halves(lower, tied, room)
                else:
                    left = lower.copy()
                    equal = np.flatnonzero(tied)
                    left[equal[np.argsort(self.order[rows[equal]], kind="stable")[:room]]] = True
                    yield _Halves(left, nobody, 0)
            if not self.retry:
                return

    def _candidates(self, labels: Codes, tried: Iterator[_Halves], halves: list[_Halves]) -> list[tuple[int, Sides]]:
        """The cuts that may have parted these groups, the likeliest first; ``halves`` gets those that were tried.

        The method numbers its groups from left to right, so where we have its own numbers the groups on the left come
        first; among other numbers it is chance that they do. Then come cuts that leave no choice of who went left.
        """
        ranked = []
        for number, one in enumerate(tried):
            halves.append(one)
            options = list(self._along_groups(labels, one))
            for left in options:
                from_left = int(labels[left].max()) < int(labels[~left].min())
                ranked.append((not from_left, len(options) > 1, number, left))
            if options and not one.tied.any():
                break  # both sides satisfy the model, so this cut was made and no other was tried
        return [(number, left) for _, _, number, left in sorted(ranked, key=lambda one: one[:3])]

    def _along_groups(self, labels: Codes, cut: _Halves) -> Iterator[Sides]:
        """The ways in which a cut leaves every group on one side, and both sides satisfy the model."""
        groups, place = np.unique(labels, return_inverse=True)
        left = np.bincount(place, cut.left, len(groups)) > 0
        tied = np.bincount(place, cut.tied, len(groups)).astype(np.int64)
        right = np.bincount(place, ~cut.left & ~cut.tied, len(groups)) > 0
        if (left & right).any():
            return
        free = np.flatnonzero(~left & ~right)
        need = cut.room - int(tied[left].sum())
        if len(free) > MOST_CHOICES and 0 < need < int(tied[free].sum()):
            self.looked_at_all = False
        for some in _adding_up(tied[free].tolist(), need):
            goes = left.copy()
            goes[free[list(some)]] = True
            if self._both_satisfy(groups[goes], groups[~goes]):
                yield goes[place]

    def _running_through(self, labels: Codes, halves: Sequence[_Halves]) -> list[_Halves]:
        return [cut for cut in halves if self._runs_through(labels, cut)]

    @staticmethod
    def _runs_through(labels: Codes, cut: _Halves) -> bool:
        """Whether a cut divides some group, or would in most orders."""
        return bool(cut.tied.any()) or len(np.intersect1d(labels[cut.left], labels[~cut.left])) > 0

    def _refused(self, rows: Codes, cut: _Halves) -> MedianCut | None:
        """The cut; None when it fails whatever the values are."""
        if self.limits is not None:
            counts = dict(zip(self._values, self._counts(np.unique(self.grouping.labels[rows])).tolist(), strict=True))
            size = int(cut.left.sum()) + cut.room
            if any(self.limits.cannot_pass(side, counts) for side in (size, len(rows) - size)):
                return None
        return MedianCut(rows, cut.left, cut.tied, cut.room)

    @cached_property
    def _values(self) -> list[Any]:
        return list(self.published.attribute.values.to_list())

    def _counts(self, groups: Iterable[int]) -> NDArray[np.int64]:
        return counts_of(self.published, groups)

    def _both_satisfy(self, left: Iterable[int], right: Iterable[int]) -> bool:
        sides = np.stack([self._counts(left), self._counts(right)])
        if not sides.sum(axis=1).all():
            return False
        met = self.model.check_counts(sides, self.published.table_counts, attribute=self.published.attribute)
        return bool(met.all())


def settled(cut: MedianCut, key: NDArray[np.int64]) -> MedianCut:
    """The cut with its tied rows on the sides to which this order sends them."""
    if not cut.tied.any():
        return cut
    left = cut.left.copy()
    equal = np.flatnonzero(cut.tied)
    left[equal[np.argsort(key[cut.rows[equal]], kind="stable")[: cut.room]]] = True
    return MedianCut(cut.rows, left, cut.tied, cut.room)


def _adding_up(sizes: Sequence[int], need: int) -> Iterator[tuple[int, ...]]:
    """Which of these numbers add up to what is needed: the first ones if they do, and of few numbers all choices."""
    if need < 0 or need > sum(sizes):
        return
    first = _first_ones(sizes, need)
    if first is not None:
        yield first
    if 0 < need < sum(sizes) and len(sizes) <= MOST_CHOICES:
        yield from (some for some in _every_choice(sizes, need) if some != first)


def _first_ones(sizes: Sequence[int], need: int) -> tuple[int, ...] | None:
    """The first of these numbers, if they add up to what is needed."""
    sums = list(accumulate(sizes, initial=0))
    return tuple(range(sums.index(need))) if need in sums else None


def _every_choice(sizes: Sequence[int], need: int) -> Iterator[tuple[int, ...]]:
    """Every choice of some of these numbers, not all, that add up to what is needed."""
    for number in range(1, len(sizes)):
        for some in combinations(range(len(sizes)), number):
            if sum(sizes[i] for i in some) == need:
                yield some


def _waiting(rows: int, made: Sequence[MedianCut]) -> tuple[NDArray[np.int64], list[list[int]]]:
    """For how many others each row, and then each cut, waits, and who waits for it.

    A cut waits for the tied rows to its left, and those to its right wait for the cut.
    """
    waits = np.zeros(rows + len(made), np.int64)
    after: list[list[int]] = [[] for _ in range(rows + len(made))]
    for number, cut in enumerate(made, start=rows):
        before, behind = cut.rows[cut.tied & cut.left].tolist(), cut.rows[cut.tied & ~cut.left].tolist()
        waits[number] += len(before)
        for row in before:
            after[row].append(number)
        after[number] = behind
        waits[behind] += 1
    return waits, after


def an_order(rows: int, made: Sequence[MedianCut]) -> NDArray[np.int64] | None:
    """Places of rows in an order that makes these cuts: tied rows that went left before those that went right.

    None when the cuts contradict each other.
    """
    waits, after = _waiting(rows, made)
    draw = Random(0)  # any order will do: the walk goes on from it
    ready = [(draw.random(), node) for node in np.flatnonzero(waits == 0).tolist()]
    heapq.heapify(ready)
    key = np.full(rows, -1, np.int64)
    place = 0
    while ready:
        _, node = heapq.heappop(ready)
        if node < rows:
            key[node] = place
            place += 1
        for other in after[node]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, (draw.random() if other < rows else -1.0, other))
    return key if place == rows else None
