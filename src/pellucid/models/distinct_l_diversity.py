"""Distinct l-diversity: every group mixes l different values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.exact import Direction
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.sensitive import DiversityModel, largest_protected
from pellucid.models.threshold import Threshold


class DistinctLDiversity(DiversityModel):
    """Every group holds at least l different sensitive values: it takes l - 1 facts to single one out.

    Definition: the number of values with a positive count is at least l in every group, or with ``sensitive``, in every
    group that has a protected value. Says nothing about frequencies: 98 of 100 rows may agree.

    >>> DistinctLDiversity(l=2).check_counts(np.array([[9, 1], [3, 0]]), np.array([12, 1])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "distinct l-diversity"
    summary: ClassVar[str] = "every group holds at least l different sensitive values"
    reference: ClassVar[str] = "Machanavajjhala et al.: l-diversity. ICDE 2006, TKDD 2007."
    place: ClassVar[int] = 80
    directions: ClassVar[Mapping[str, Direction]] = {"l": "largest"}
    examples: ClassVar[Mapping[str, str]] = {"l": "3"}

    l: int = Field(ge=1, description="the least number of different sensitive values in a group")

    @property
    def asks_nothing(self) -> bool:
        """With l = 1 a group may have a single value."""
        return self.l == 1

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The number of different values; infinite in a group that has nothing to protect."""
        viewed, protected = self.viewed(groups)
        exposed = largest_protected(viewed, protected) > 0
        return {"l": Ratios(viewed.distinct, exposed.astype(np.int64))}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """How many values are left."""
        if values["l"] == 1:
            return Message(
                "in some group all rows agree: whoever finds a person's group knows {who}", who=self.who(groups)
            )
        if values["l"] == np.inf:
            return Message("no row is protected: {who} never occurs in a group", who=self.who(groups))
        whom = "everyone" if self.sensitive is None else f"everyone in a {self.concerned}"
        return Message(
            "at least {l} different values are possible for {whom}, frequent or rare", l=values["l"], whom=whom
        )

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """One more than the l - 1 most frequent values have together, one of them protected."""
        if self.l == 1:
            return Threshold()
        return Threshold(above=1, add=1, rivals=self.l - 2, **self.protecting(attribute))

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """One more than the l - 1 most frequent values have together, one of them protected."""
        held, protected = self.viewed_counts(counts, attribute)
        if self.l == 1 or not protected.any():
            return 1
        first = int(np.argmax(protected))  # the most frequent protected value
        others = np.delete(held, first)
        size = 1 + int(held[first]) + int(others[: self.l - 2].sum())
        return size if size <= int(np.sum(counts)) else None
