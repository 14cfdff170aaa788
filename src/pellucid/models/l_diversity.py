"""l-diversity by frequency: nobody's sensitive value is named with probability above 1/l."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.exact import Direction
from pellucid.models.figures import Figures, WholeRatios
from pellucid.models.groups import Counts, Groups
from pellucid.models.sensitive import DiversityModel, largest_protected
from pellucid.models.threshold import Threshold


class LDiversity(DiversityModel):
    """In every group, no sensitive value is carried by more than one row in l.

    Definition: ``count * l <= |G|`` for every group G and every protected value. The frequency in the group is what
    somebody believes who knows the quasi-identifiers but not how the groups were made, so it is at most 1/l. A group
    without a protected value satisfies every l.

    >>> LDiversity(l=2).check_counts(np.array([[2, 2, 0], [3, 1, 1]]), np.array([5, 3, 1])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "l-diversity"
    summary: ClassVar[str] = "no sensitive value is carried by more than one row in l of a group"
    reference: ClassVar[str] = "Xiao, Tao: Anatomy. VLDB 2006; Wong et al.: (alpha,k)-anonymity. KDD 2006."
    place: ClassVar[int] = 70
    directions: ClassVar[Mapping[str, Direction]] = {"l": "largest"}
    examples: ClassVar[Mapping[str, str]] = {"l": "3"}

    l: int = Field(ge=1, description="the inverse of the share of rows that one sensitive value may have in a group")

    @property
    def asks_nothing(self) -> bool:
        """With l = 1 a group may have a single value."""
        return self.l == 1

    @property
    def largest_share(self) -> Fraction | None:
        """One row in l."""
        return Fraction(1, self.l)

    def check_counts(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> NDArray[np.bool_]:
        """Which groups satisfy the model; where every value is protected, from the dense counts as they are."""
        held = np.asarray(counts, dtype=np.int64)
        sizes = held.sum(axis=-1) if held.ndim in (1, 2) else np.zeros(1)
        if self.sensitive is not None or not held.size or not np.all(sizes):  # what is refused is refused there
            return super().check_counts(counts, table_counts, attribute=attribute)
        met: NDArray[np.bool_] = held.max(axis=-1) <= sizes // self.l
        return met

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The size over the largest count, rounded down, since l is an integer; the highest share is the worst."""
        viewed, protected = self.viewed(groups)
        largest = largest_protected(viewed, protected)
        return {"l": WholeRatios(groups.sizes, largest)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The frequency as a probability."""
        if values["l"] == 1:
            if (largest_protected(*self.viewed(groups)) == groups.sizes).any():
                return Message("in some group all rows agree: {who} is known", who=self.who(groups))
            return Message(
                "in some group most rows agree: {who} is named with probability above 1/2", who=self.who(groups)
            )
        if values["l"] == np.inf:
            return Message("no row is protected: {who} never occurs in a group", who=self.who(groups))
        bound = f"with probability at most 1/{values['l']}"
        return Message("whoever {KNOWS_QUASI_ALONE} names {who} {bound}", who=self.who(groups), bound=bound)

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """``l`` times the largest protected count."""
        return Threshold(above=self.l if self.l > 1 else 0, **self.protecting(attribute))

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """``l`` times the largest protected count; one row is enough when l = 1 or nothing is protected."""
        held, protected = self.viewed_counts(counts, attribute)
        largest = int(held[protected].max(initial=0))
        size = self.l * largest if self.l > 1 and largest else 1
        return size if size <= int(np.sum(counts)) else None
