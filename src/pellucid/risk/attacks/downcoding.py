"""Downcoding: a release that generalises no more than it must tells what it was generalised from.

**Claim.** For a k-anonymous release of hierarchical boxes that no method could have refined, bounds on how many rows of
each box stand in each narrower box. Every true table keeps them (they are sound); for a release of one box they are
also the best possible ones. The sensitive values and any other table are not looked at.

**Story.** Two rows say "north or south" and k is 2. If both were from the north, the release would say "north", which
hides two people as well and tells more; the method wanted to tell as much as it could. So one is from the north and one
from the south, as certainly as if it had been published.

**Definition.** A *box* has a node of each attribute's tree; rows with the same box form a class of at least k rows. A
release is *minimal* when no rows' boxes, of one class or several, can be narrowed such that every class has k rows or
none. For each class of n rows, an occupancy says how many rows stand in each cell, where a cell is what lies in the
same narrower boxes. It is dropped when the class could have been refined:

- n - d >= k and a narrower box holds at least d rows of the class, where d is 1 for a box that is published anyway, and
  otherwise k less what other classes can surely add (the certain occupancy, as far as they keep k rows themselves);
- or all n rows could leave, to one narrower box that takes at least d of them and to published narrower boxes. (Leaving
  to several new boxes needs n >= 2k and k rows in one of them, which the first case has already.)

What all remaining occupancies have in common is *certain*: a least and a largest number of rows in each narrower box.
Certain numbers make d smaller elsewhere; this is repeated until nothing changes. Refinements in which several classes
give rows to several new boxes at once are not considered, so that for several classes more may follow than is found.
The figure is the share of the rows that are certainly in a narrower box, by the attribute that tells most.

**Example.**

>>> from pellucid.risk.attacks.generalisation_nodes import NodeTree
>>> region = NodeTree.of({"*": ["north", "south"]})
>>> downcode([region], [("*",)], [2], k=2)[0].at_least
{('north',): 1, ('south',): 1}
>>> downcode([region], [("*",)], [3], k=2)[0].at_least  # one and two, or two and one
{('north',): 1, ('south',): 1}

**Citation.** Cohen: Attacks on deidentification's defenses, USENIX Security 2022. There, data from a known distribution
are downcoded with high probability; here only what holds for every table.

**Baseline.** 0: what is published says of no row that it is in a narrower box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product
from math import comb

import numpy as np

from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.messages.terms import in_python
from pellucid.models.k_anonymity import KAnonymity
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, counted, number_of_people
from pellucid.risk.attacks.generalisation_nodes import (
    Box,
    NodeTree,
    boxes_of,
    merged,
    narrower,
    require_a_row_for_everybody,
    within,
)
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import SILENT, Progress

BUDGET = 20_000  # occupancies of a class that are tried
MANY = 2_000  # boxes that are compared with each other
DOWNCODING = About(
    "downcoding",
    "Two rows say 'north or south', and groups of two suffice. If both were from the north, the release would have "
    "said so, for it tells as much as it may. So one is from the north and one from the south.",
    "Cohen: Attacks on deidentification's defenses. USENIX Security 2022.",
    "share of the rows that are certainly in a narrower box than the published one",
    "what is published",
)
Occupancy = tuple[int, ...]  # rows in each cell


@dataclass(frozen=True, eq=False)
class Downcoded:
    """What follows for the rows of one box: in each narrower box at least and at most so many of them.

    ``tried`` is False for a class with too many occupancies, of which nothing is said.
    """

    box: Box
    rows: int
    at_least: Mapping[Box, int]
    at_most: Mapping[Box, int]
    tried: bool = True

    def certain(self, trees: Sequence[NodeTree]) -> int:
        """How many rows are certainly in a narrower box, by the attribute that tells most."""
        by_attribute = [
            sum(
                self.at_least.get((*self.box[:i], child, *self.box[i + 1 :]), 0) for child in tree.children[self.box[i]]
            )
            for i, tree in enumerate(trees)
        ]
        return max(by_attribute, default=0)


def downcode(
    trees: Sequence[NodeTree], boxes: Sequence[Box], rows: Sequence[int], *, k: int, budget: int = BUDGET
) -> list[Downcoded]:
    """What a minimal k-anonymous release tells about the rows of each of its boxes, which are all different."""
    _check(trees, boxes, rows, k)
    classes = [_Class(trees, box, n, _targets(trees, box, boxes)) for box, n in zip(boxes, rows, strict=True)]
    possible: list[list[Occupancy] | None] = [
        list(of_box.occupancies()) if of_box.number <= budget else None for of_box in classes
    ]
    while True:
        left = _not_refinable(classes, possible, set(boxes), k)
        if left == possible:
            return [of_box.told(occupancies) for of_box, occupancies in zip(classes, left, strict=True)]
        possible = left


def _not_refinable(
    classes: Sequence[_Class], possible: Sequence[list[Occupancy] | None], published: set[Box], k: int
) -> list[list[Occupancy] | None]:
    """Of the occupancies of each class those with which it could not have been refined, whatever the others give."""
    gifts = [
        of_box.gifts(occupancies, k) if occupancies is not None else {}
        for of_box, occupancies in zip(classes, possible, strict=True)
    ]
    left: list[list[Occupancy] | None] = []
    for number, (of_box, occupancies) in enumerate(zip(classes, possible, strict=True)):
        if occupancies is None:
            left.append(None)
            continue
        others = [*gifts[:number], *gifts[number + 1 :]]
        needs = {target: 1 if target in published else _lacking(target, others, k) for target in of_box.targets}
        fine = [occupancy for occupancy in occupancies if not of_box.refinable(occupancy, needs, published, k)]
        if not fine:
            raise AttackError(
                f"the release is not minimal: whatever the {of_box.rows} rows of {' x '.join(of_box.box)} are, they "
                f"could have been refined with k = {k}, so downcoding tells nothing",
                "check k",
            )
        left.append(fine)
    return left


def _lacking(target: Box, gifts: Sequence[Mapping[Box, int]], k: int) -> int:
    """How many rows a box needs from a class, where others give it so many."""
    return max(1, k - sum(gift.get(target, 0) for gift in gifts))


def downcoding(
    evidence: Evidence, *, k: int | None = None, budget: int = BUDGET, progress: Progress = SILENT
) -> Finding:
    """What downcoding tells about a release of hierarchical boxes; exposed is who is in a box that it narrows.

    ``k`` is that of the release's k-anonymity when it is not given. A release that could have been refined raises:
    the attack then has nothing to stand on, which says nothing about other attacks.
    """
    people = number_of_people(evidence)
    k = _k_of(evidence) if k is None else k
    require_a_row_for_everybody(evidence)
    progress.stage("downcoding", 0)
    trees, of_group, members = boxes_of(evidence)
    boxes, place = merged(of_group)
    content: list[list[Box]] = [[] for _ in boxes]
    for number, own in zip(place.tolist(), members, strict=True):
        content[number] += own
    require_minimal(trees, boxes, content, k)
    downcoded = downcode(trees, boxes, [len(own) for own in content], k=k, budget=budget)
    tried = [box for box in downcoded if box.tried]
    if not tried:
        raise AttackError(
            "every box has more than {budget:,} ways to be filled",
            "{MORE_BUDGET_OF_ATTACK}, or attack a part",
            budget=budget,
        )
    certain = np.array([box.certain(trees) for box in downcoded], np.int64)
    narrowed = np.isin(place, np.flatnonzero(certain))
    labels = evidence.grouping.labels
    exposed = np.flatnonzero((labels >= 0) & narrowed[labels])
    sentence = (
        f"{counted(int(certain.sum()), 'row is', 'rows are')} certainly in a narrower box than the published one, "
        f"because a release that tells as much as k = {k} allows would otherwise have been another one."
    )
    if len(tried) < len(downcoded):
        sentence += f" {counted(len(downcoded) - len(tried), 'box was', 'boxes were')} too large to try."
    return DOWNCODING.finding(
        certain.sum() / people, 0.0, exposed, sentence, k=k, boxes=len(boxes), tried=len(tried), certain=certain.sum()
    )


def require_minimal(trees: Sequence[NodeTree], boxes: Sequence[Box], content: Sequence[Sequence[Box]], k: int) -> None:
    """Raise when the true rows of some box could have been refined."""
    published = set(boxes)
    for alone in (True, False):  # most releases are refinable without looking at other boxes, which is quick to see
        if not alone and len(boxes) > MANY:
            raise AttackError(
                f"{len(boxes):,} boxes are compared with each other, and {MANY:,} are the most", "attack a part"
            )
        for box, own in zip(boxes, content, strict=True):
            if len(own) < k:
                raise AttackError(f"the box {' x '.join(box)} has {len(own)} rows, fewer than k = {k}", "check k")
            targets = narrower(trees, box) if alone else _targets(trees, box, boxes)
            exact = _Class(trees, box, len(own), targets)
            needs = {target: 1 if target in published else k for target in targets}
            if exact.refinable(exact.occupancy_of(own), needs, published, k):
                raise AttackError(
                    f"the release is not minimal: the {len(own)} rows of {' x '.join(box)} could have been refined "
                    f"with k = {k}, so downcoding has nothing to stand on"
                )


def _k_of(evidence: Evidence) -> int:
    if isinstance(evidence.model, KAnonymity):
        return evidence.model.k
    raise AttackError(
        "downcoding is of minimal k-anonymous releases",
        Message("{way}", way=in_python("give the k that the release satisfies as k=")),
    )


def _check(trees: Sequence[NodeTree], boxes: Sequence[Box], rows: Sequence[int], k: int) -> None:
    if k < 2:
        raise AttackError("k = {k}: with less than 2 nothing has to be generalised", k=k)
    if len(set(boxes)) < len(boxes) or len(boxes) != len(rows):
        raise AttackError("give every box once, with the number of its rows")
    for box, n in zip(boxes, rows, strict=True):
        unknown = [node for tree, node in zip(trees, box, strict=True) if node not in tree.children]
        if unknown or n < k:
            raise AttackError(f"the box {' x '.join(box)} has {n} rows and k is {k}", f"unknown nodes: {unknown}")


def _targets(trees: Sequence[NodeTree], box: Box, boxes: Sequence[Box]) -> list[Box]:
    """The narrower boxes that matter: one step below this box, or published, or one step below another box."""
    targets = dict.fromkeys(narrower(trees, box))
    for other in boxes:
        for target in (other, *narrower(trees, other)):
            if target != box and within(trees, target, box):
                targets.setdefault(target)
    return list(targets)


@dataclass(frozen=True, eq=False)
class _Class:
    """The rows of one box. A cell has the leaves that lie in the same targets; ``cells[i]`` numbers these targets."""

    trees: Sequence[NodeTree]
    box: Box
    rows: int
    targets: Sequence[Box]

    @cached_property
    def cells(self) -> list[frozenset[int]]:
        return sorted({self.cell(leaf) for leaf in self._leaves()}, key=sorted)

    def _leaves(self) -> Iterator[Box]:
        def below(tree: NodeTree, node: str) -> list[str]:
            children = tree.children[node]
            return [leaf for child in children for leaf in below(tree, child)] if children else [node]

        return product(*(below(tree, node) for tree, node in zip(self.trees, self.box, strict=True)))

    def cell(self, leaf: Box) -> frozenset[int]:
        return frozenset(i for i, target in enumerate(self.targets) if within(self.trees, leaf, target))

    @property
    def number(self) -> int:
        """How many occupancies there are; no enumeration where the leaves alone are too many."""
        leaves = int(np.prod([float(t.leaves[n]) for t, n in zip(self.trees, self.box, strict=True)]))
        if leaves > 100_000:
            return leaves
        return comb(self.rows + len(self.cells) - 1, self.rows)

    def occupancies(self) -> Iterator[Occupancy]:
        cells = len(self.cells)
        for bars in combinations(range(self.rows + cells - 1), cells - 1):
            ends = (-1, *bars, self.rows + cells - 1)
            yield tuple(b - a - 1 for a, b in pairwise(ends))

    def occupancy_of(self, content: Sequence[Box]) -> Counter[frozenset[int]]:
        """The occupancy of known rows, by cell; found without listing the cells."""
        return Counter(map(self.cell, content))

    def _by_cell(self, occupancy: Occupancy | Counter[frozenset[int]]) -> list[tuple[frozenset[int], int]]:
        if isinstance(occupancy, Counter):
            return list(occupancy.items())
        return [(cell, n) for cell, n in zip(self.cells, occupancy, strict=True) if n]

    def inside(self, occupancy: Occupancy, target: int) -> int:
        """How many rows stand in a target."""
        return sum(n for cell, n in zip(self.cells, occupancy, strict=True) if target in cell)

    def refinable(
        self, occupancy: Occupancy | Counter[frozenset[int]], needs: Mapping[Box, int], published: set[Box], k: int
    ) -> bool:
        """Whether rows with this occupancy could have been narrowed."""
        filled = self._by_cell(occupancy)
        inside = _rows_inside(filled)
        enough = {target for target, n in inside.items() if n >= needs[self.targets[target]]}
        if any(self.rows - needs[self.targets[target]] >= k for target in enough):
            return True
        free = {target for target in inside if self.targets[target] in published}
        return _all_could_leave(filled, free, enough - free)

    def gifts(self, left: Sequence[Occupancy], k: int) -> dict[Box, int]:
        """How many rows this class could surely give to each target and keep k."""
        spare = self.rows - k
        rows_of = (
            {t: min(spare, min(self.inside(o, i) for o in left)) for i, t in enumerate(self.targets)} if spare else {}
        )
        return {target: n for target, n in rows_of.items() if n}

    def told(self, left: Sequence[Occupancy] | None) -> Downcoded:
        if left is None:
            return Downcoded(self.box, self.rows, {}, {}, tried=False)
        numbers = {t: [self.inside(o, i) for o in left] for i, t in enumerate(self.targets)}
        return Downcoded(
            self.box,
            self.rows,
            {t: min(n) for t, n in numbers.items() if min(n)},
            {t: max(n) for t, n in numbers.items()},
        )


def _rows_inside(filled: Sequence[tuple[frozenset[int], int]]) -> Counter[int]:
    """How many rows stand in each target, of cells with their rows."""
    inside: Counter[int] = Counter()
    for cell, n in filled:
        for target in cell:
            inside[target] += n
    return inside


def _all_could_leave(filled: Sequence[tuple[frozenset[int], int]], free: set[int], new: set[int]) -> bool:
    """Whether all rows could leave to targets that are free to take any, and to one new target at most."""
    outside = [cell for cell, _ in filled if not cell & free]
    return not outside or any(all(target in cell for cell in outside) for target in new)


ATTACKS = (ClassicAttack(100, DOWNCODING, lambda evidence, _: downcoding(evidence)),)
