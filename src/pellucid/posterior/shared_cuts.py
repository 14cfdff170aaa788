"""Groups that tell about each other: a cut through several of them was tried before the one that parted them.

A method that tries another cut after a refused one leaves a trace above its groups as well. The refused cut ran through
groups that were published in the end, so that one of its sides failed is news about all of these groups together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import BUDGET, Impossible, OverBudget, Vector, multinomial, vectors_of
from pellucid.posterior.shape import Arrangements, Shape, met_by

Matrix = tuple[Vector, ...]  # one row of counts by value for each part
LISTED = 100_000  # arrangements of all groups together that are tried


@dataclass(frozen=True)
class SharedCut:
    """A refused cut: which parts are on its left and right, and the counts of whole groups on either side.

    ``side[part]`` is 1 on the left, 0 on the right and -1 for parts that the cut does not concern; parts are numbered
    through all groups. ``left`` and ``right`` count, by value, the rows of groups that lie on one side altogether.
    """

    side: tuple[int, ...]
    left: Vector
    right: Vector


@dataclass(frozen=True)
class JointGroups:
    """Some groups, each with the sizes of its parts and its counts by value, and the cuts that were refused."""

    sizes: tuple[tuple[int, ...], ...]
    counts: tuple[Vector, ...]
    cuts: tuple[SharedCut, ...]
    model: PrivacyModel
    table_counts: tuple[tuple[Any, int], ...]

    @property
    def column(self) -> SensitiveColumn:
        """All values, those of no group as well."""
        attribute = getattr(self.table_counts, "attribute", None)
        return SensitiveColumn([value for value, _ in self.table_counts], [n for _, n in self.table_counts], attribute)

    def refused(self, arrangements: Arrangements) -> NDArray[np.bool_]:
        """Whether every cut has a side that fails, for each arrangement of all parts and values."""
        column = self.column
        refused = np.ones(len(arrangements), dtype=bool)
        for cut in self.cuts:
            side = np.array(cut.side)
            fine = np.ones(len(arrangements), dtype=bool)
            for which, fixed in ((1, cut.left), (0, cut.right)):
                rows = arrangements[:, side == which].sum(axis=1) + np.array(fixed, dtype=np.int64)
                fine &= met_by(self.model, column, self.table_counts, rows)
            refused &= ~fine
        return refused


@dataclass(frozen=True)
class Tied(Shape):
    """One group of a :class:`JointGroups`, number ``place`` of it."""

    sizes: tuple[int, ...]
    joint: JointGroups
    place: int

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:  # noqa: ARG002
        """Not a matter of this group alone."""
        raise ModelError(
            "what is known of this group depends on other groups, which were cut after a refused cut through all of "
            "them",
            "facts about its people are not combined with that",
        )

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """All arrangements of all groups of the joint."""
        code = {value: number for number, (value, _) in enumerate(self.joint.table_counts)}
        of_group = joint_shares(self.joint, min(budget, LISTED))[self.place]
        return [
            {value: share[code[value]] if exact else float(share[code[value]]) for value in column.values}
            for share in of_group
        ]

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """The refusals, here and above."""
        cuts, more = len(self.joint.cuts), len(self.joint.sizes) - 1
        others = "1 other" if more == 1 else f"{more} others"
        return Message(
            "{cuts} {cuts_were} refused, of this group or of a larger one that held it and {others}; on "
            "the side of this person are {names}; had both sides of a cut satisfied {label}, it would "
            "have been made, so whatever would make both satisfy it is excluded",
            cuts=cuts,
            cuts_were="cut was" if cuts == 1 else "cuts were",
            others=others,
            names=names[part],
            label=self.joint.model.label,
        )


def joint_shares(joint: JointGroups, budget: int = LISTED) -> list[list[list[Fraction]]]:
    """For each group and part the share of each value, given that every cut was refused."""
    shares = _found_shares(joint, budget)
    if isinstance(shares, ModelError):
        raise shares.with_traceback(None)
    return shares


@lru_cache(maxsize=4096)
def _found_shares(joint: JointGroups, budget: int) -> list[list[list[Fraction]]] | ModelError:
    """The shares, or why there are none: every group of a joint asks again, and neither is looked for twice."""
    try:
        return _counted_shares(joint, _listed_matrices(joint, budget))
    except ModelError as why:
        return why.with_traceback(None)


def _counted_shares(joint: JointGroups, matrices: list[list[Any]]) -> list[list[list[Fraction]]]:
    places = np.indices([len(of_group) for of_group in matrices]).reshape(len(matrices), -1)
    arrangements = np.concatenate(
        [np.array(of_group, dtype=np.int64)[where] for of_group, where in zip(matrices, places, strict=True)], axis=1
    )
    kept = joint.refused(arrangements)
    mass = _masses(joint, matrices, places[:, kept])
    total = int(mass.sum())
    if not total:
        raise Impossible("no arrangement of these groups makes every cut fail", "not all of them can have been refused")
    rows = iter((arrangements[kept].astype(mass.dtype) * mass[:, None, None]).sum(axis=0))
    return [[[Fraction(int(n), total * size) for n in next(rows)] for size in sizes] for sizes in joint.sizes]


def _masses(joint: JointGroups, matrices: list[list[Any]], places: NDArray[np.int64]) -> NDArray[Any]:
    """How many arrangements each choice of matrices stands for; in machine words where the largest sum fits."""
    all_arrangements = prod(multinomial(counts) for counts in joint.counts)
    words = np.int64 if all_arrangements * sum(map(sum, joint.counts)) < 2**63 else object
    mass = np.ones(places.shape[1], dtype=words)
    for of_group, where in zip(matrices, places, strict=True):
        mass = mass * np.array([prod(multinomial(row) for row in matrix) for matrix in of_group], dtype=words)[where]
    return mass


def _listed_matrices(joint: JointGroups, budget: int) -> list[list[Any]]:
    """For each group every matrix of counts by part and value; raise where there are too many together."""
    lists: list[list[Any]] = []
    for sizes, counts in zip(joint.sizes, joint.counts, strict=True):
        if prod(prod(min(c, n) + 1 for c in counts if c) for n in sizes[:-1]) > 20 * budget:
            raise _too_many(joint, budget)
        lists.append(list(_matrices(sizes, counts)))
        if prod(map(len, lists)) > budget:
            raise _too_many(joint, budget)
    return lists


def _too_many(joint: JointGroups, budget: int) -> OverBudget:
    return OverBudget(
        "{sizes} groups that tell about each other have more than {budget:,} arrangements",
        "{SAMPLE_OR_MORE_BUDGET}",
        sizes=len(joint.sizes),
        budget=budget,
    )


def _matrices(sizes: Sequence[int], counts: Sequence[int]) -> Iterator[Matrix]:
    """Every way to give each part a number of rows of each value."""
    if len(sizes) == 1:
        yield (tuple(counts),)
        return
    for row in vectors_of(sizes[0], counts):
        rest = [c - r for c, r in zip(counts, row, strict=True)]
        for others in _matrices(sizes[1:], rest):
            yield (row, *others)
