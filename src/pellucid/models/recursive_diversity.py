"""Recursive (c,l)-diversity: the most frequent value is outweighed by the rare ones."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.exact import Direction, Rational, at_most
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.sensitive import DiversityModel, largest_protected
from pellucid.models.threshold import Threshold

SURVEYED = (2, 3, 4, 5)
LISTED = 10  # each l up to here


class RecursiveDiversity(DiversityModel):
    """Even after l - 2 values are ruled out, odds on the most frequent one stay below c to 1.

    Definition, with a group's counts ``r1 >= r2 >= ... >= rm``: ``r1 < c * (r_l + ... + r_m)``. With ``sensitive``,
    every protected count is below c times what is left of the others without their l - 2 largest (this is
    pd-recursive diversity, the other values being the "don't care" set). A group without a protected value satisfies
    every c.

    Two conventions of c are in print. Ours is the original one: c are odds, any positive number, and the inequality is
    strict. Xiao, Tao and Koudas (TODS 2010) write a share c' of the remaining rows instead: ``r1 <= c' * (r1 + r_l +
    ... + r_m)``; their c' is our ``c / (1 + c)``, so c' = 0.75 is c = 3, up to the strictness.

    The level is the infimum of the c that hold at this l: counts 98, 1, 1 need c > 49 at l = 2 and c > 98 at l = 3.

    >>> RecursiveDiversity(c=50, l=2).check_counts(np.array([98, 1, 1]), np.array([98, 1, 1])).item()
    True
    """

    name: ClassVar[str] = "recursive (c,l)-diversity"
    summary: ClassVar[str] = "after l - 2 values are ruled out, odds on the most frequent one are below c"
    reference: ClassVar[str] = "Machanavajjhala et al.: l-diversity. ICDE 2006, TKDD 2007 (pd-recursive: section 4.3)."
    place: ClassVar[int] = 100
    directions: ClassVar[Mapping[str, Direction]] = {"c": "smallest"}
    strict: ClassVar[bool] = True
    examples: ClassVar[Mapping[str, str]] = {"c": "3", "l": "2"}

    c: Rational = Field(gt=0, description="the odds on the most frequent value, which stay below it")
    l: int = Field(ge=1, description="two more than the number of values that may be ruled out")

    @property
    def asks_nothing(self) -> bool:
        """With l = 1 a group may have a single value."""
        return self.l == 1

    @classmethod
    def surveyed(cls, groups: Groups) -> list[Self]:
        """One instance per l from 2 to the distinct values that every group has; of more than 10 of those the last."""
        most = max(2, int(groups.distinct.min()))
        return [cls(c=Fraction(1), l=l) for l in [*range(2, min(most, LISTED) + 1), *[most] * (most > LISTED)]]

    @classmethod
    def surveyable(cls) -> list[Self]:
        """One instance per l from 2 to 5."""
        return [cls(c=Fraction(1), l=l) for l in SURVEYED]

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The odds: the largest protected count over what is left."""
        viewed, protected = self.viewed(groups)
        largest = largest_protected(viewed, protected)
        if self.l == 1:
            return {"c": Ratios(largest, groups.sizes)}
        left = _left(viewed, largest, self.l)
        return {"c": Ratios(largest, np.where(largest > 0, left, 1))}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The odds as a sentence."""
        excluded = {2: "knowing nothing else", 3: "after one value is ruled out"}.get(
            self.l, f"after {self.l - 2} values are ruled out"
        )
        if self.l == 1:
            excluded = "counting the value itself among the rest"
        if values["c"] == np.inf:
            few = "all rows agree" if self.l == 2 else f"there are fewer than {self.l} different values"
            return Message("no c holds at l = {l}: in some group {few}", l=self.l, few=few)
        return Message(
            "{excluded}, the odds on {who} are at most {at_most} to 1; c must be larger",
            excluded=excluded,
            who=self.who(groups),
            at_most=at_most(values["c"]),
        )

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """As :meth:`worst_case_size`; of all protected values, the most frequent one asks for most."""
        over, under = self.c.numerator, self.c.denominator
        above = under if self.l == 1 else over + under
        if self.l == 1 and self.c > 1:
            return Threshold()
        rivals = max(self.l - 2, 0)
        return Threshold(above=above, add=over, below=over, rivals=rivals, **self.protecting(attribute))

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """The first size above a value and its l - 2 largest rivals in full, and that value's count over c."""
        held, protected = self.viewed_counts(counts, attribute)
        size = 1
        for place in np.flatnonzero(protected).tolist():
            count = int(held[place])
            rivals = int(np.delete(held, place)[: max(self.l - 2, 0)].sum())
            if self.l == 1:
                needed = 1 if self.c > 1 else floor(Fraction(count) / self.c) + 1
            else:
                needed = floor(count + rivals + Fraction(count) / self.c) + 1
            size = max(size, needed)
        return size if size <= int(np.sum(counts)) else None

    def _fixed(self) -> dict[str, Any]:
        return {"l": self.l}


def _left(groups: Groups, largest: Counts, l: int) -> Counts:
    """What remains of each group without its most frequent protected value and the l - 2 largest others."""
    first = groups.most_frequent(l - 2)
    last = groups.most_frequent(l - 1) - first  # the count of rank l - 1, or 0 when there are fewer values
    # a value of rank l - 2 or better has all of its rivals among the first l - 1, of which the last one is still to go
    left: Counts = groups.sizes - first - np.minimum(largest, last)
    return left
