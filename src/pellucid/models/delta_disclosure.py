"""delta-disclosure privacy: finding the group changes no probability by a factor of e**delta."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.exact import Direction, Exact, Rational, at_most, compare_exponential
from pellucid.models.figures import Figures, Ratios, largest_quotients
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel, Sizes
from pellucid.models.worst_case import first_size


class DeltaDisclosure(PrivacyModel):
    """Finding a person's group makes no sensitive value e**delta times more or less probable.

    Definition: ``|ln(p/q)| < delta`` for every group and every value of the table, p its frequency in the group and q
    in the table; natural logarithm, strict. A value that a group lacks has p = 0, so its delta is infinite: the model
    asks for every value in every group. The level is the infimum of the delta that hold.

    Decided exactly: e to a rational power is never rational, so enough digits separate it from p/q.

    >>> table = np.array([2, 2])
    >>> DeltaDisclosure(delta=0.7).check_counts(np.array([[1, 1], [3, 1], [2, 0]]), table).tolist()
    [True, True, False]
    """

    name: ClassVar[str] = "delta-disclosure"
    summary: ClassVar[str] = "finding a group changes no value's probability by a factor of e**delta or more"
    reference: ClassVar[str] = "Brickell, Shmatikov: The cost of privacy. KDD 2008."
    place: ClassVar[int] = 140
    directions: ClassVar[Mapping[str, Direction]] = {"delta": "smallest"}
    strict: ClassVar[bool] = True
    examples: ClassVar[Mapping[str, str]] = {"delta": "1"}

    delta: Rational = Field(gt=0, description="the logarithm of the factor that no probability may change by")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The logarithm of the largest factor, up or down."""
        table = groups.table_counts[groups.codes]
        more = largest_quotients(groups, groups.counts, table)
        less = largest_quotients(groups, table, groups.counts)
        rows = groups.table_rows
        up = Ratios(groups.counts[more] * rows, table[more] * groups.sizes)
        down = Ratios(table[less] * groups.sizes, groups.counts[less] * rows)
        whole = groups.distinct == np.count_nonzero(groups.table_counts)
        upward = up.floats >= down.floats
        for group in np.flatnonzero(whole & np.isclose(up.floats, down.floats, rtol=1e-12, atol=0)).tolist():
            upward[group] = up.exact(group) >= down.exact(group)
        above, below = np.where(upward, up.above, down.above), np.where(upward, up.below, down.below)
        return {"delta": Logarithms(Ratios(above, np.where(whole, below, 0)))}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The factor."""
        if values["delta"] == math.inf:
            return Message(
                "no delta holds: some group lacks a value that the table has, so finding the group rules it out"
            )
        factor = math.exp(values["delta"])
        return Message(
            "finding a person's group makes no sensitive value more than {at_most} times more or less probable",
            at_most=at_most(factor),
        )

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """From the most and the fewest rows of every value that a choice of so many can have."""
        rows, whole = int(np.sum(counts)), int(np.sum(table_counts))
        values = [(int(c), Fraction(int(q), whole)) for c, q in zip(counts, table_counts, strict=True) if q]

        def passes(size: int) -> bool:
            most = all(self._below(Fraction(min(c, size), size) / q) for c, q in values)
            return most and all(c + size > rows and self._below(q * size / (c + size - rows)) for c, q in values)

        return first_size(rows, passes)

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """A choice lacks a value unless more rows are chosen than have another one, which rules out most sizes."""
        values = int(np.count_nonzero(table_counts))
        exactly = super().worst_case_sizes(table_counts, attribute)

        def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
            if values == 1:
                return 1
            lacking = len(codes) < values or int(counts.min()) + most <= int(counts.sum())
            return most + 1 if lacking else exactly(codes, counts, most)

        return size_of

    def _below(self, factor: Fraction) -> bool:
        """Whether the logarithm of a factor is below delta."""
        return compare_exponential(self.delta, factor) > 0


class Logarithms(Figures):
    """Natural logarithms of quotients."""

    def __init__(self, ratios: Ratios) -> None:
        self.ratios = ratios
        self.floats: NDArray[np.float64] = np.log(ratios.floats)

    @classmethod
    def joined(cls, parts: Sequence[Logarithms]) -> Logarithms:
        """Of the joined quotients."""
        return cls(Ratios.joined([part.ratios for part in parts]))

    def exact(self, group: int) -> Exact | None:
        """Rational only for 1 and infinity."""
        factor = self.ratios.exact(group)
        return math.inf if factor == math.inf else 0 if factor == 1 else None

    def compare(self, group: int, threshold: Fraction) -> int:
        """By digits of the exponential of the threshold."""
        factor = self.ratios.exact(group)
        return 1 if isinstance(factor, float) else -compare_exponential(threshold, Fraction(factor))

    def order(self, group: int, other: int) -> int:
        """As the quotients."""
        return self.ratios.order(group, other)

    def worst(self, direction: Direction) -> int:
        """As the quotients."""
        return self.ratios.worst(direction)
