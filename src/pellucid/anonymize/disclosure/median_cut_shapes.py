"""What refused cuts at the median tell: groups that share a cut tell together, the others by themselves.

Rows of equal code are divided by the row order. Where nobody knows it, a cut has *tied* rows, of which so many went
left; rows are then told apart by what every order leaves them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.likelihoods import ShapeCollector, Sides, plain, refused, whole_counts
from pellucid.anonymize.grouping import Grouping
from pellucid.core.table import Codes, Table
from pellucid.models import Groups, PrivacyModel
from pellucid.posterior.mcmc import Web
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.posterior.shape import Likelihood
from pellucid.posterior.shared_cuts import JointGroups, SharedCut, Tied
from pellucid.posterior.unordered import Loose, Unsettled

MOST_CELLS = 4_000_000  # rows times cuts of groups whose order is walked through


@dataclass(frozen=True, eq=False)
class MedianCut:
    """A cut of some rows: who went left, and who was sent to either side by an order that nobody knows."""

    rows: Codes
    left: Sides
    tied: Sides
    room: int = 0  # how many of the tied rows went left


def counts_of(published: Groups, groups: Iterable[int]) -> NDArray[np.int64]:
    """The sensitive counts of some groups together."""
    counts = np.zeros(len(published.table_counts), np.int64)
    for group in groups:
        part = slice(int(published.starts[group]), int(published.starts[group + 1]))
        counts[published.codes[part]] += published.counts[part]
    return counts


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


@dataclass(frozen=True, eq=False)
class _Parts:
    """The rows of a group that no order of rows tells apart: how many of each part, which part a row is of."""

    sizes: tuple[int, ...]
    of_row: NDArray[np.int64]
    line: NDArray[np.int64]  # the rows, part after part, by their place among the rows of all groups

    @classmethod
    def of(cls, pattern: NDArray[Any], rows: slice) -> _Parts:
        _, parts, sizes = np.unique(pattern[:, rows], axis=1, return_inverse=True, return_counts=True)
        return cls(tuple(sizes.tolist()), parts.ravel(), rows.start + np.argsort(parts.ravel(), kind="stable"))


@dataclass(eq=False)
class CutTeller:
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
        members = np.concatenate([self._members(group) for group in groups])
        inside = np.zeros(self.grouping.rows, dtype=bool)
        inside[members] = True
        made = [cut for cut in self.made if inside[cut.rows[cut.tied]].any()]
        cuts = [*refused_cuts, *made]
        if len(members) * len(cuts) > MOST_CELLS:
            for group in groups:
                telling.group(group, Unsettled((len(self._members(group)),)), self._members(group))
            return
        for cut in cuts:
            assert not (cut.tied & ~inside[cut.rows]).any()  # the order of all tied rows is walked through
        pattern = self._sides(cuts, members, tied=True)
        # a made cut has the same side for all of a group; what matters of it is whom the order sent there
        pattern[len(refused_cuts) :] = np.where(pattern[len(refused_cuts) :] == 2, 2, 0)
        parts = [_Parts.of(pattern, rows) for rows in self._places(groups)]
        web = self._web(groups, members, cuts, pattern, parts)
        web = replace(web, made=np.array([0] * len(refused_cuts) + [1] * len(made), dtype=np.uint8))
        number = 0
        for group, of_group in zip(groups, parts, strict=True):
            shape = Loose(of_group.sizes, web, number, self.model)
            telling.group(group, shape, self._members(group), of_group.of_row)
            number += len(of_group.sizes)

    def _web(
        self,
        groups: Sequence[int],
        members: NDArray[Any],
        cuts: Sequence[MedianCut],
        pattern: NDArray[Any],
        parts: Sequence[_Parts],
    ) -> Web:
        """What is walked through: the rows of all groups, part after part, with their sides of each cut."""
        limits = SideLimits.of(self.model)
        assert limits is not None  # the caller has seen to that
        line = np.concatenate([of_group.line for of_group in parts])
        side = self._sides(cuts, members, tied=False)
        return Web(
            tuple(size for of_group in parts for size in of_group.sizes),
            tuple(sum(of_group.sizes) for of_group in parts),
            np.array([counts_of(self.published, [group]) for group in groups], dtype=np.int64),
            np.ascontiguousarray(np.where(side < 0, -1, 1 - side)[:, line].T.astype(np.int32)),
            np.array([self._others(cut, groups) for cut in cuts], dtype=np.int64),
            np.array([(int(cut.left.sum()), int((~cut.left).sum())) for cut in cuts], dtype=np.int64),
            limits,
            tuple(value for value, _ in self.whole),
            tied=np.ascontiguousarray((pattern[:, line] == 2).T.astype(np.uint8)),
            key=self.key[members[line]].copy(),
        )

    def _places(self, groups: Sequence[int]) -> Iterator[slice]:
        """Where the rows of each group are when the groups' rows stand one after the other."""
        ends = [0, *accumulate(len(self._members(group)) for group in groups)]
        return (slice(first, last) for first, last in pairwise(ends))
