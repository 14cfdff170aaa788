"""Enhanced beta-likeness: as beta-likeness, and frequent values gain less."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.beta_likeness import largest_gains
from pellucid.models.exact import Direction, Rational, at_most, compare_exponential
from pellucid.models.figures import MARGIN, Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import Level, PrivacyModel, Sizes
from pellucid.models.worst_case import first_size


class EnhancedBetaLikeness(PrivacyModel):
    """Finding a person's group raises no value's probability by more than beta or -ln q times what it was.

    Definition: ``(p - q) / q <= min(beta, -ln q)`` for every group and every value that is more frequent in it (p) than
    in the table (q). The second bound keeps a frequent value from becoming certain; it does not depend on beta, so
    there are tables that satisfy no beta at all: the level is then None.

    >>> EnhancedBetaLikeness(beta=2).check_counts(np.array([[3, 1], [4, 0]]), np.array([2, 2])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "enhanced beta-likeness"
    summary: ClassVar[str] = "as beta-likeness, and by no more than -ln q for a value of frequency q in the table"
    reference: ClassVar[str] = "Cao, Karras: Publishing microdata with a robust privacy guarantee. VLDB 2012."
    place: ClassVar[int] = 160
    directions: ClassVar[Mapping[str, Direction]] = {"beta": "smallest"}
    examples: ClassVar[Mapping[str, str]] = {"beta": "1"}

    beta: Rational = Field(ge=0, description="the largest relative gain of a value's probability")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The largest relative gain; infinite in a group where some value gains more than -ln q."""
        gains = largest_gains(groups)
        beyond = np.zeros(len(groups), dtype=bool)
        beyond[groups.groups_of_entries[_beyond(groups)]] = True
        return {"beta": Ratios(gains.above, np.where(beyond, 0, gains.below))}

    def _level(self, groups: Groups, figures: Mapping[str, Figures], worst: Mapping[str, int]) -> Level:
        """As for every model, but None where no beta holds."""
        level = super()._level(groups, figures, worst)
        return replace(level, level=None, exact=None, parameters={}) if level.level == math.inf else level

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The gain as a factor."""
        if values["beta"] == math.inf:
            return Message("no beta holds: in some group a value gains more than -ln q, whatever beta is")
        return Message(
            "finding a person's group makes no sensitive value more than "
            "{at_most} times as probable, and frequent values gain less",
            at_most=at_most(1 + values["beta"]),
        )

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """Every value in full must stay within both bounds."""
        rows, whole = int(np.sum(counts)), int(np.sum(table_counts))
        values = [(int(c), Fraction(int(q), whole)) for c, q in zip(counts, table_counts, strict=True) if c]

        def passes(size: int) -> bool:
            gains = [(Fraction(min(count, size), size) / share - 1, share) for count, share in values]
            return all(gain <= self.beta and within(gain, share) for gain, share in gains)

        return first_size(rows, passes)

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """A value may have a share of up to ``q * (1 + min(beta, -ln q))``; floats divide where they are sure."""
        whole = int(np.sum(table_counts))
        share = np.asarray(table_counts) / whole
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = share * (1 + np.minimum(float(self.beta), -np.log(share)))
        bound[np.asarray(table_counts) == whole] = np.inf  # the only value cannot gain
        exactly = super().worst_case_sizes(table_counts, attribute)

        def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
            needed = counts / bound[codes]
            if (np.abs(needed - np.rint(needed)) <= MARGIN * needed).any():
                return exactly(codes, counts, most)
            return max(1, int(np.ceil(needed.max())))

        return size_of


def within(gain: Fraction, share: Fraction) -> bool:
    """Whether a gain is at most -ln of the share: ``e**gain <= 1 / share``, never an equation unless both are 1."""
    return gain <= 0 or compare_exponential(gain, 1 / share) <= 0


def _beyond(groups: Groups) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The entries of values that gain more than -ln q; floats decide where they are sure."""
    table, rows = groups.table_counts[groups.codes], groups.table_rows
    sizes = groups.sizes[groups.groups_of_entries]
    share = table / rows
    gains = groups.counts / sizes / share - 1
    excess = gains + np.log(share)
    beyond = (excess > 0) & (gains > 0)
    for entry in np.flatnonzero((np.abs(excess) <= MARGIN * (1 + gains)) & (gains > -MARGIN)).tolist():
        exact_share = Fraction(int(table[entry]), rows)
        gain = Fraction(int(groups.counts[entry]), int(sizes[entry])) / exact_share - 1
        beyond[entry] = not within(gain, exact_share)
    return np.flatnonzero(beyond)
