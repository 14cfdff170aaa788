"""OptGen: the best of all global recodings, for tables small enough to try every one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.method import DiversityMethod, Guarantee, single_sensitive
from pellucid.core.coins import Coins
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Table
from pellucid.errors import MethodError
from pellucid.messages import Message
from pellucid.runtime.progress import SILENT, Progress

MOST_VECTORS = 12


class OptGen(DiversityMethod):
    """No value above one row in l of a group, so 1/l bounds the guess of somebody who does not know the method.

    **Definition.** Among all partitions of the rows in which (1) rows with equal quasi-identifiers are together, (2) no
    value has more than one row in l of a group, and (3) no two groups' boxes meet, the one with the least sum of
    squared group sizes. A box is what is published of a group: the interval of a number, date or ordered value, the
    nearest common ancestor in a taxonomy, the set of values of any other category, and null beside it. Ties: distinct
    vectors are ordered by their codes and groups by their first vector; the first group in which two partitions differ
    decides, for the one that holds the earliest vector of those in which these groups differ. Tables of at most 12
    distinct vectors.

    **What its decisions look at.** Which groups would be diverse, so the sensitive values themselves: that a better
    partition was not taken tells that it would have broken the bound, up to certainty. It is here for study.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> OptGen(l=2).group(table, Coins.from_seed(1)).labels.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]

    Reference: X. Xiao, Y. Tao, N. Koudas. Transparent anonymization: thwarting adversaries who know the algorithm.
    ACM TODS 35(2), 2010, figure 2.
    """

    name: ClassVar[str] = "opt-gen"
    summary: ClassVar[str] = "tries every global recoding of a tiny table and takes the finest (for study)"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "OptGen tries every way to recode a tiny table as a whole, with everybody who looks alike treated alike, and "
        "takes the one with the smallest groups in which no sensitive value is too frequent. It is the usual example "
        "of why the best table is not the safest: whoever knows that it is the best can tell what stood in the way of "
        "better ones. Use it to study that, not to publish."
    )
    reference: ClassVar[str] = "Xiao, Tao, Koudas: Transparent anonymization, TODS 2010, figure 2"
    attack: ClassVar[str] = (
        "the minimality attack: that a finer partition was not taken tells that a sensitive value stood in its way"
    )

    def group(
        self,
        table: Table,
        coins: Coins,  # noqa: ARG002
        *,
        threads: int | None = None,  # noqa: ARG002
        progress: Progress = SILENT,
    ) -> Grouping:
        """Decide the groups of a table."""
        column = single_sensitive(table, "OptGen")
        self.check(table)
        progress.stage("grouping", len(table))
        quasi = table.having(Role.QUASI)
        vectors, number = np.unique(np.stack([table.codes[i] for i in quasi], axis=1), axis=0, return_inverse=True)
        number = number.reshape(-1)
        if len(vectors) > MOST_VECTORS:
            raise MethodError(
                "opt-gen tries every partition, and the table has {vectors:,} different vectors of quasi-identifiers",
                "at most {most_vectors} can be tried; use soft-cut, or fewer or coarser columns",
                vectors=len(vectors),
                most_vectors=MOST_VECTORS,
            )
        counts = np.zeros((len(vectors), len(table.attributes[column])), np.int64)
        np.add.at(counts, (number, table.codes[column]), 1)
        blocks = Blocks.of([table.attributes[i] for i in quasi], vectors, counts, self.l)
        best = blocks.finest()
        labels = np.empty(len(vectors), np.int32)
        for group, block in enumerate(best):
            labels[[v for v in range(len(vectors)) if block >> (len(vectors) - 1 - v) & 1]] = group
        progress.advance(len(table))
        return Grouping.from_labels(labels[number])

    def sentence(self, table: Table) -> Message:
        """What is promised, and what is not."""
        name = table.attributes[single_sensitive(table, "OptGen")].name
        if self.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        return Message(
            "Somebody who knows everybody's quasi-identifiers but not the method names any one person's {name} with "
            "probability at most 1/{l}. Somebody who knows the method may be certain of it.",
            name=name,
            l=self.l,
        )


Box = tuple[tuple[int, int, int], ...]  # per attribute: see Axis


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """What a group's codes cover on one attribute, as three numbers: codes from low to high, and others as bits.

    An interval has low and high, and bit 0 where there is a null. A set without order has a bit per code. A node of a
    taxonomy has a bit per code below it; nodes that cover no common code of the table are in different branches.
    """

    attribute: Attribute

    def cover(self, codes: list[int]) -> tuple[int, int, int]:
        """What these codes become."""
        a = self.attribute
        if a.chains is not None:
            return 1, 0, _below_the_common_node(a.chains, codes)
        if a.kind is Kind.CATEGORY:
            return 1, 0, sum(1 << code for code in set(codes))
        known = [code for code in codes if not (a.has_null and code == 0)]
        null = int(len(known) < len(codes))
        return (min(known), max(known), null) if known else (1, 0, null)


def _below_the_common_node(chains: NDArray[np.int32], codes: list[int]) -> int:
    """A bit for each code below the lowest node that these codes have in common."""
    common = next(level for level in chains if len({int(level[code]) for code in codes}) == 1)
    node = int(common[codes[0]])
    below = (chains == node).any(axis=0)
    return sum(1 << int(code) for code in np.flatnonzero(below))


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes share a point: on every attribute they share a value."""
    return all(max(a, c) <= min(b, d) or e & f for (a, b, e), (c, d, f) in zip(one, other, strict=True))


def _vectors_of(block: int, vectors: int) -> list[int]:
    """The vectors whose bits are set: the first one's is the highest."""
    return [v for v in range(vectors) if block >> (vectors - 1 - v) & 1]


def _holds_another(box: Box, points: list[Box], inside: list[int]) -> bool:
    """Whether the box of some vectors holds another one."""
    return any(meet(box, point) for v, point in enumerate(points) if v not in inside)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The groups that a partition may consist of, as sets of vectors in bits: the first vector is the highest bit.

    A group's box may hold no vector of another group, so only sets that fill their box are candidates. ``starting[v]``
    lists those whose first vector is v, in the order in which ties are decided.
    """

    vectors: int
    boxes: dict[int, Box]
    costs: dict[int, int]
    starting: list[list[int]]

    @classmethod
    def of(cls, attributes: list[Attribute], vectors: NDArray[np.int32], counts: NDArray[np.int64], l: int) -> Blocks:
        """Try every set of vectors."""
        m = len(vectors)
        axes = [CodeSpan(attribute) for attribute in attributes]
        points = [tuple(axis.cover([int(code)]) for axis, code in zip(axes, v, strict=True)) for v in vectors]
        boxes, costs = {}, {}
        starting: list[list[int]] = [[] for _ in range(m)]
        for block in range((1 << m) - 1, 0, -1):
            inside = _vectors_of(block, m)
            of_block = counts[inside].sum(axis=0)
            if int(of_block.max()) * l > int(of_block.sum()):
                continue
            box = tuple(axis.cover(vectors[inside, i].tolist()) for i, axis in enumerate(axes))
            if _holds_another(box, points, inside):
                continue
            boxes[block], costs[block] = box, int(of_block.sum()) ** 2
            starting[inside[0]].append(block)
        return cls(m, boxes, costs, starting)

    def choices(self, left: int) -> Iterator[int]:
        """The candidates among the vectors that are left that hold the first of them."""
        first = self.vectors - left.bit_length()
        return (block for block in self.starting[first] if block & ~left == 0)

    def floors(self) -> dict[int, int]:
        """The least cost of any partition of the vectors that are left, whether or not boxes meet."""
        floor = {0: 0}
        for left in range(1, 1 << self.vectors):
            known = [self.costs[block] + floor[left ^ block] for block in self.choices(left) if left ^ block in floor]
            if known:
                floor[left] = min(known)
        return floor

    def finest(self) -> list[int]:
        """The partition with the least sum of squares; the first of them in the order of ties."""
        floor = self.floors()
        best: tuple[int | None, list[int]] = (None, [])

        def extend(left: int, cost: int, taken: list[int]) -> None:
            nonlocal best
            if left == 0:
                best = cost, list(taken)  # found only when it is better than the best before
                return
            for block in self.choices(left):
                rest = floor.get(left ^ block)
                if rest is None or (best[0] is not None and cost + self.costs[block] + rest >= best[0]):
                    continue
                if not any(meet(self.boxes[block], self.boxes[other]) for other in taken):
                    extend(left ^ block, cost + self.costs[block], [*taken, block])

        extend((1 << self.vectors) - 1, 0, [])
        return best[1]
