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

from pellucid.group.grouping import Grouping
from pellucid.group.likelihoods import ShapeCollector, Sides, extent, members_of, order_of, plain, refused, whole_counts
from pellucid.model import Groups, PrivacyModel
from pellucid.posterior.refusal.one_cut import SideLimits
from pellucid.posterior.shape import Likelihood
from pellucid.posterior.shared_cuts import JointGroups, SharedCut, Tied
from pellucid.posterior.unordered import Loose
from pellucid.posterior.unsettled import Unsettled
from pellucid.posterior.walking import Web
from pellucid.schema import Role
from pellucid.table import Codes, Table

MOST_NODES = 20_000  # of the tree that are looked at before giving up
MOST_CELLS = 4_000_000  # rows times cuts of groups whose order is walked through
MOST_CHOICES = 12  # groups of equal rows among which those that went left are chosen


@dataclass(frozen=True, eq=False)
class MedianCut:
    """A cut of some rows: who went left, and who was sent to either side by an order that nobody knows."""

    rows: Codes
    left: Sides
    tied: Sides
    room: int = 0  # how many of the tied rows went left


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
    if finder.unknown and (ways > 1 or not finder.looked_at_all):
        return unsettled(grouping, len(people))
    if not ways:
        return None
    key = np.asarray(finder.order, dtype=np.int64)
    if finder.unknown:
        some = an_order(len(people), tree.made)
        if some is None:
            return None  # no order makes these cuts
        key = some
    if finder.limits is None and any(cut.tied.any() for cut in tree.refused):
        return unsettled(grouping, len(people))  # no engine sums over orders for a model that is more than limits
    cuts = [settled(cut, key) for cut in tree.refused]
    return _Teller(people, grouping, published, model, cuts, tree.made, key).told()


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

    def _grown(self, rows: Codes, tree: MedianTree) -> int:
        """Depth first, all cuts that may have been made; the first that leads to the groups is noted in the tree."""
        self.looked_at += 1
        if self.looked_at > MOST_NODES:
            self.looked_at_all = False
        if not self.looked_at_all and (self.unknown or self.looked_at > MOST_NODES):
            return 0  # where the order is not known, nothing is told unless all trees were looked at
        labels = self.grouping.labels[rows]
        tried, halves = self._tried(rows), list[_Halves]()
        if (labels == labels[0]).all():
            tree.refused.extend([cut for one in tried if (cut := self._refused(rows, one)) is not None])
            return 1
        ways = 0
        for number, left in self._candidates(labels, tried, halves):
            marks = len(tree.refused), len(tree.made)
            before = [one for one in halves[:number] if self._runs_through(labels, one)]
            tree.refused.extend([cut for one in before if (cut := self._refused(rows, one)) is not None])
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

    def _tried(self, rows: Codes) -> Iterator[_Halves]:
        """The cuts that are tried of some rows, widest attribute first."""
        quasi = self.people.having(Role.QUASI)
        held = [self.people.codes[i][rows] for i in quasi]
        widths = [extent(self.people.attributes[i], codes) for i, codes in zip(quasi, held, strict=True)]
        size = len(rows)
        nobody = np.zeros(size, dtype=bool)
        for place in sorted(range(len(quasi)), key=lambda i: (-widths[i], i)):
            if widths[place] == 0:
                return
            codes = held[place]
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
        found = []
        for number, one in enumerate(tried):
            halves.append(one)
            options = list(self._along_groups(labels, one))
            for left in options:
                from_left = int(labels[left].max()) < int(labels[~left].min())
                found.append((not from_left, len(options) > 1, number, left))
            if options and not one.tied.any():
                break  # both sides satisfy the model, so this cut was made and no other was tried
        return [(number, left) for _, _, number, left in sorted(found, key=lambda one: one[:3])]

    def _along_groups(self, labels: Codes, one: _Halves) -> Iterator[Sides]:
        """The ways in which a cut leaves every group on one side, and both sides satisfy the model."""
        groups, place = np.unique(labels, return_inverse=True)
        left = np.bincount(place, one.left, len(groups)) > 0
        tied = np.bincount(place, one.tied, len(groups)).astype(np.int64)
        right = np.bincount(place, ~one.left & ~one.tied, len(groups)) > 0
        if (left & right).any():
            return
        free = np.flatnonzero(~left & ~right)
        need = one.room - int(tied[left].sum())
        if len(free) > MOST_CHOICES and 0 < need < int(tied[free].sum()):
            self.looked_at_all = False
        for some in _adding_up(tied[free].tolist(), need):
            goes = left.copy()
            goes[free[list(some)]] = True
            if self._both_satisfy(groups[goes], groups[~goes]):
                yield goes[place]

    @staticmethod
    def _runs_through(labels: Codes, one: _Halves) -> bool:
        """Whether a cut divides some group, or would in most orders."""
        return bool(one.tied.any()) or len(np.intersect1d(labels[one.left], labels[~one.left])) > 0

    def _refused(self, rows: Codes, one: _Halves) -> MedianCut | None:
        """The cut; None when it fails whatever the values are."""
        if self.limits is not None:
            counts = dict(zip(self._values, self._counts(np.unique(self.grouping.labels[rows])).tolist(), strict=True))
            size = int(one.left.sum()) + one.room
            if any(self.limits.cannot_pass(side, counts) for side in (size, len(rows) - size)):
                return None
        return MedianCut(rows, one.left, one.tied, one.room)

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
    first = (
        tuple(range(list(accumulate(sizes, initial=0)).index(need))) if need in accumulate(sizes, initial=0) else None
    )
    if first is not None:
        yield first
    if 0 < need < sum(sizes) and len(sizes) <= MOST_CHOICES:
        for number in range(1, len(sizes)):
            for some in combinations(range(len(sizes)), number):
                if some != first and sum(sizes[i] for i in some) == need:
                    yield some


def counts_of(published: Groups, groups: Iterable[int]) -> NDArray[np.int64]:
    """The sensitive counts of some groups together."""
    counts = np.zeros(len(published.table_counts), np.int64)
    for group in groups:
        part = slice(int(published.starts[group]), int(published.starts[group + 1]))
        counts[published.codes[part]] += published.counts[part]
    return counts


def an_order(rows: int, made: Sequence[MedianCut]) -> NDArray[np.int64] | None:
    """Places of rows in an order that makes these cuts: tied rows that went left before those that went right.

    None when the cuts contradict each other.
    """
    waits = np.zeros(rows + len(made), np.int64)  # for how many others a row, or a cut, waits
    after: list[list[int]] = [[] for _ in range(rows + len(made))]
    for number, cut in enumerate(made, start=rows):
        before, behind = cut.rows[cut.tied & cut.left].tolist(), cut.rows[cut.tied & ~cut.left].tolist()
        waits[number] += len(before)
        for row in before:
            after[row].append(number)
        after[number] = behind
        waits[behind] += 1
    draw = Random(0)  # any order will do: the walk goes on from it
    ready = [(draw.random(), one) for one in np.flatnonzero(waits == 0).tolist()]
    heapq.heapify(ready)
    key = np.full(rows, -1, np.int64)
    place = 0
    while ready:
        _, one = heapq.heappop(ready)
        if one < rows:
            key[one] = place
            place += 1
        for other in after[one]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, (draw.random() if other < rows else -1.0, other))
    return key if place == rows else None


def _joined(groups: int, tied: Iterable[NDArray[np.int32]]) -> list[int]:
    """The component of each group, when some are tied together."""
    joined = list(range(groups))

    def root(group: int) -> int:
        while joined[group] != group:
            joined[group] = joined[joined[group]]
            group = joined[group]
        return group

    for some in tied:
        for group in some[1:].tolist():
            joined[root(group)] = root(int(some[0]))
    return [root(group) for group in range(groups)]


@dataclass(eq=False)
class _Teller:
    """Turns refused cuts into shapes: groups that share a cut tell together, the others by themselves."""

    people: Table
    grouping: Grouping
    published: Groups
    model: PrivacyModel
    cuts: Sequence[MedianCut]
    made: Sequence[MedianCut]
    key: NDArray[np.int64]

    def told(self) -> Likelihood:
        """One shape for each group."""
        self.whole = whole_counts(self.published)
        telling = ShapeCollector(len(self.grouping), len(self.people))
        for groups, numbers in self._components():
            cuts = [self.cuts[number] for number in numbers]
            if not cuts:
                plain(telling, groups[0], self._members(groups[0]))
            elif any(cut.tied.any() for cut in cuts):
                self._loosely(telling, groups, cuts)
            elif len(groups) == 1 and all(len(cut.rows) == len(self._members(groups[0])) for cut in cuts):
                shape, parts = refused([cut.left for cut in cuts], self.model, self.whole)
                telling.group(groups[0], shape, cuts[0].rows, parts)
            else:
                self._jointly(telling, groups, cuts)
        return replace(telling.likelihood(), assumes_order=False)

    def _members(self, group: int) -> Codes:
        return self.grouping.members[self.grouping.starts[group] : self.grouping.starts[group + 1]]

    def _concerned(self, cut: MedianCut) -> NDArray[np.int32]:
        """The groups that a cut runs through, or may run through in another order."""
        labels = self.grouping.labels[cut.rows]
        return np.union1d(np.intersect1d(labels[cut.left], labels[~cut.left]), labels[cut.tied])

    def _components(self) -> Iterator[tuple[list[int], list[int]]]:
        """Groups that tell together, and the numbers of their refused cuts.

        A refused cut ties the groups that it runs through. Where the order had a part in a refusal, made cuts tie
        groups too: what they say of the order of one group's rows depends on that of the others.
        """
        concerned = [self._concerned(cut) for cut in self.cuts]
        by_refusal = _joined(len(self.grouping), concerned)
        by_made = [np.unique(self.grouping.labels[cut.rows[cut.tied]]) for cut in self.made]
        by_order = _joined(len(self.grouping), [*concerned, *by_made])
        loose = {by_order[int(groups[0])] for groups, cut in zip(concerned, self.cuts, strict=True) if cut.tied.any()}
        root = [
            (one, True) if one in loose else (other, False) for one, other in zip(by_order, by_refusal, strict=True)
        ]
        members: dict[tuple[int, bool], list[int]] = {}
        for group in range(len(self.grouping)):
            members.setdefault(root[group], []).append(group)
        cuts_of: dict[tuple[int, bool], list[int]] = {}
        for number, groups in enumerate(concerned):
            cuts_of.setdefault(root[int(groups[0])], []).append(number)
        for one, groups_of in members.items():
            yield groups_of, cuts_of.get(one, [])

    def _sides(self, cuts: Sequence[MedianCut], members: Codes, *, tied: bool) -> NDArray[np.int8]:
        """[cut, member]: 1 on the left, 0 on the right, 2 tied if that is asked, -1 not concerned."""
        place = np.full(self.grouping.rows, -1, np.int64)
        place[members] = np.arange(len(members))
        side = np.full((len(cuts), len(members)), -1, np.int8)
        for number, cut in enumerate(cuts):
            at = place[cut.rows]
            here = at >= 0
            side[number, at[here]] = (np.where(cut.tied, 2, cut.left) if tied else cut.left)[here]
        return side

    def _others(self, cut: MedianCut, groups: Sequence[int]) -> list[tuple[int, ...]]:
        """The counts of groups that lie on one side of a cut altogether: left, and right."""
        labels = self.grouping.labels[cut.rows]
        apart = [np.setdiff1d(np.unique(labels[which]), groups) for which in (cut.left, ~cut.left)]
        return [tuple(counts_of(self.published, some).tolist()) for some in apart]

    def _jointly(self, telling: ShapeCollector, groups: Sequence[int], cuts: Sequence[MedianCut]) -> None:
        """Groups that tell together: rows that no cut tells apart are a part."""
        sizes, sides, parts_of = [], [], []
        for group in groups:
            side = self._sides(cuts, self._members(group), tied=False)
            cells, parts, of_cell = np.unique(side, axis=1, return_inverse=True, return_counts=True)
            sizes.append(tuple(of_cell.tolist()))
            sides.append(cells)
            parts_of.append(parts.ravel())
        of_parts = np.concatenate(sides, axis=1)
        made = [SharedCut(tuple(of_parts[i].tolist()), *self._others(cut, groups)) for i, cut in enumerate(cuts)]
        counts = tuple(tuple(counts_of(self.published, [group]).tolist()) for group in groups)
        joint = JointGroups(tuple(sizes), counts, tuple(made), self.model, self.whole)
        for place, (group, parts) in enumerate(zip(groups, parts_of, strict=True)):
            telling.group(group, Tied(sizes[place], joint, place), self._members(group), parts)

    def _loosely(self, telling: ShapeCollector, groups: Sequence[int], refused_cuts: Sequence[MedianCut]) -> None:
        """The same where the order decided some sides: rows are told apart by what every order leaves them."""
        limits = SideLimits.of(self.model)
        assert limits is not None  # the caller has seen to that
        members = np.concatenate([self._members(group) for group in groups])
        inside = np.zeros(self.grouping.rows, dtype=bool)
        inside[members] = True
        made = [cut for cut in self.made if inside[cut.rows[cut.tied]].any()]
        cuts = [*refused_cuts, *made]
        if len(members) * len(cuts) > MOST_CELLS:
            for group in groups:
                telling.group(group, Unsettled((len(self._members(group)),)), self._members(group))
            return
        pattern, side = (self._sides(cuts, members, tied=tied) for tied in (True, False))
        # a made cut has the same side for all of a group; what matters of it is whom the order sent there
        pattern[len(refused_cuts) :] = np.where(pattern[len(refused_cuts) :] == 2, 2, 0)
        places, part_sizes, parts_of = [], [], []
        first = 0
        for group in groups:
            mine = slice(first, first + len(self._members(group)))
            first = mine.stop
            _, parts, sizes = np.unique(pattern[:, mine], axis=1, return_inverse=True, return_counts=True)
            places.append(mine.start + np.argsort(parts.ravel(), kind="stable"))
            part_sizes.append(tuple(sizes.tolist()))
            parts_of.append(parts.ravel())
        line = np.concatenate(places)
        fixed, of_sides = [], []
        for cut in cuts:
            assert not (cut.tied & ~inside[cut.rows]).any()  # the order of all tied rows is walked through
            fixed.append(self._others(cut, groups))
            of_sides.append((int(cut.left.sum()), int((~cut.left).sum())))
        web = Web(
            tuple(size for sizes in part_sizes for size in sizes),
            tuple(map(sum, part_sizes)),
            np.array([counts_of(self.published, [group]) for group in groups], dtype=np.int64),
            np.ascontiguousarray(np.where(side < 0, -1, 1 - side)[:, line].T.astype(np.int32)),
            np.array(fixed, dtype=np.int64),
            np.array(of_sides, dtype=np.int64),
            limits,
            tuple(value for value, _ in self.whole),
            tied=np.ascontiguousarray((pattern[:, line] == 2).T.astype(np.uint8)),
            key=self.key[members[line]].copy(),
            made=np.array([0] * len(refused_cuts) + [1] * len(made), dtype=np.uint8),
        )
        number = 0
        for of_parts, group, parts in zip(part_sizes, groups, parts_of, strict=True):
            telling.group(group, Loose(of_parts, web, number, self.model), self._members(group), parts)
            number += len(of_parts)
