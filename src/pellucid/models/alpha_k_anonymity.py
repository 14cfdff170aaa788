"""(alpha,k)-anonymity: nobody stands out, and no sensitive value is frequent."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.exact import Direction, Rational, at_most, some_rows
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.sensitive import DiversityModel, largest_protected
from pellucid.models.threshold import Threshold


class AlphaKAnonymity(DiversityModel):
    """Every group has at least k rows, and at most a share alpha of them carries one protected value.

    Definition: ``|G| >= k`` and ``count <= alpha * |G|`` for every group G and every protected value. Both conditions
    have a best parameter of their own, and the level states both: the smallest alpha and the largest k.

    >>> AlphaKAnonymity(alpha=0.5, k=2).check_counts(np.array([[2, 2], [1, 0], [1, 2]]), np.array([4, 4])).tolist()
    [True, False, False]
    """

    name: ClassVar[str] = "(alpha,k)-anonymity"
    summary: ClassVar[str] = "groups of at least k rows in which no sensitive value has a share above alpha"
    reference: ClassVar[str] = "Wong, Li, Fu, Wang: (alpha,k)-anonymity. KDD 2006."
    place: ClassVar[int] = 110
    directions: ClassVar[Mapping[str, Direction]] = {"alpha": "smallest", "k": "largest"}
    examples: ClassVar[Mapping[str, str]] = {"alpha": "0.5", "k": "3"}

    alpha: Rational = Field(ge=0, le=1, description="the largest share of a group that carries one sensitive value")
    k: int = Field(ge=1, description="the least number of rows of a group")

    @property
    def largest_share(self) -> Fraction | None:
        """Alpha; with 0 there are no rows to speak of."""
        return self.alpha or None

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The largest share, and the sizes."""
        viewed, protected = self.viewed(groups)
        return {"alpha": Ratios(largest_protected(viewed, protected), groups.sizes), "k": Ratios(groups.sizes, 1)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The share as a probability."""
        return Message(
            "whoever {KNOWS_QUASI_ALONE} is left with {some_rows} and names {who} with probability at most {at_most}",
            some_rows=some_rows(values["k"]),
            who=self.who(groups),
            at_most=at_most(values["alpha"]),
        )

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """``k`` rows, and the largest protected count over alpha."""
        over, under = self.alpha.numerator, self.alpha.denominator
        if over == 0:
            return None
        above = under if self.alpha < 1 else 0
        return Threshold(rows=self.k, above=above, add=over - 1, below=over, **self.protecting(attribute))

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """``k`` rows, and the largest protected count over alpha; with alpha = 1 any k rows will do."""
        held, protected = self.viewed_counts(counts, attribute)
        largest = int(held[protected].max(initial=0))
        rows = int(np.sum(counts))
        if largest and self.alpha == 0:
            return None
        size = self.k if self.alpha == 1 or not largest else max(self.k, ceil(largest / self.alpha))
        return size if size <= rows else None
