"""Maximum re-identification risk: how surely somebody known to be in the table is found."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message, People
from pellucid.models.exact import Direction, Rational, at_most
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel
from pellucid.models.threshold import Threshold


class MaximumRisk(PrivacyModel):
    """The row of a person known to be in the table is found with probability at most ``risk``.

    Definition: ``1 / |G| <= risk`` for every group: k-anonymity with k = 1 / risk.

    >>> MaximumRisk(risk=0.2).check_counts(np.array([[4, 1], [2, 2]]), np.array([6, 3])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "maximum re-identification risk"
    summary: ClassVar[str] = "the largest probability of finding somebody's row"
    reference: ClassVar[str] = "El Emam: Guide to the de-identification of personal health information. CRC 2013."
    place: ClassVar[int] = 20
    directions: ClassVar[Mapping[str, Direction]] = {"risk": "smallest"}
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "sizes"
    examples: ClassVar[Mapping[str, str]] = {"risk": "0.2"}

    risk: Rational = Field(gt=0, le=1, description="the largest probability of finding somebody's row")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """One over the sizes."""
        return {"risk": Ratios(np.ones(len(groups), np.int64), groups.sizes)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The probability."""
        return Message(
            "{somebody} known to be in the table is found with probability at most {at_most}",
            somebody=People("somebody"),
            at_most=at_most(values["risk"]),
        )

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """One over the risk."""
        return Threshold(rows=ceil(1 / self.risk))

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """One over the risk."""
        size = ceil(1 / self.risk)
        return size if size <= int(np.sum(counts)) else None
