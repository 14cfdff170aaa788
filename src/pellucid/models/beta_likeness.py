"""beta-likeness: finding the group makes no sensitive value much more probable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.exact import Direction, Rational, at_most
from pellucid.models.figures import Figures, Ratios, largest_quotients
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel, Sizes
from pellucid.models.threshold import WIDE


class BetaLikeness(PrivacyModel):
    """Finding a person's group raises the probability of no sensitive value by more than beta times what it was.

    Definition (basic beta-likeness): ``(p - q) / q <= beta`` for every group and every value that is more frequent in
    it (p) than in the table (q). Values that become less probable are not looked at.

    >>> BetaLikeness(beta=0.5).check_counts(np.array([[3, 1], [4, 0]]), np.array([2, 2])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "beta-likeness"
    summary: ClassVar[str] = "finding a group raises no value's probability by more than beta times what it was"
    reference: ClassVar[str] = "Cao, Karras: Publishing microdata with a robust privacy guarantee. VLDB 2012."
    place: ClassVar[int] = 150
    directions: ClassVar[Mapping[str, Direction]] = {"beta": "smallest"}
    examples: ClassVar[Mapping[str, str]] = {"beta": "1"}

    beta: Rational = Field(ge=0, description="the largest relative gain of a value's probability")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The largest relative gain."""
        return {"beta": largest_gains(groups)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The gain as a factor."""
        factor = at_most(1 + values["beta"])
        return Message(
            "finding a person's group makes no sensitive value more than {factor} times as probable", factor=factor
        )

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """Every value in full must stay within its share of the table times 1 + beta."""
        rows, whole = int(np.sum(counts)), int(np.sum(table_counts))
        size = 1
        for count, table in zip(np.asarray(counts).tolist(), np.asarray(table_counts).tolist(), strict=True):
            share = Fraction(table, whole) * (1 + self.beta)
            if count and share < 1:
                size = max(size, math.ceil(count / share))
        return size if size <= rows else None

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """Rows per row of each value, in lowest terms where these fit 64 bits."""
        whole = int(np.sum(table_counts))
        different, of_code = np.unique(table_counts, return_inverse=True)
        shares = [Fraction(int(count), whole) * (1 + self.beta) for count in different]
        above = [share.denominator if 0 < share < 1 else 0 for share in shares]
        below = [share.numerator if 0 < share < 1 else 1 for share in shares]
        if max(above + below) >= WIDE:
            return super().worst_case_sizes(table_counts, attribute)
        times, over = np.array(above, np.int64)[of_code], np.array(below, np.int64)[of_code]

        def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
            under = over[codes]
            return max(1, int(((counts * times[codes] + under - 1) // under).max()))

        return size_of


def largest_gains(groups: Groups) -> Ratios:
    """Per group the largest relative gain of a value: ``(p - q) / q``."""
    table = groups.table_counts[groups.codes]
    entry = largest_quotients(groups, groups.counts, table)  # p/q is count/table times what a group's values share
    before = table[entry] * groups.sizes
    return Ratios(groups.counts[entry] * groups.table_rows - before, before)
