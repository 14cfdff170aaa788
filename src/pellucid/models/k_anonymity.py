"""k-anonymity: nobody stands out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.exact import Direction
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel
from pellucid.models.threshold import Threshold


class KAnonymity(PrivacyModel):
    """Every group has at least k rows: knowing a person's quasi-identifiers leaves k rows to choose from.

    Definition: ``|G| >= k`` for every group G. Says nothing about sensitive values: k equal ones are known.

    >>> KAnonymity(k=3).check_counts(np.array([[2, 0], [2, 1]]), np.array([4, 1])).tolist()
    [False, True]
    """

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "every row looks like at least k - 1 others"
    reference: ClassVar[str] = "Samarati, Sweeney: Protecting privacy when disclosing information. SRI, 1998."
    place: ClassVar[int] = 10
    directions: ClassVar[Mapping[str, Direction]] = {"k": "largest"}
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "sizes"
    examples: ClassVar[Mapping[str, str]] = {"k": "5"}

    k: int = Field(ge=1, description="the least number of rows that share their quasi-identifiers")

    @property
    def asks_nothing(self) -> bool:
        """With k = 1 a row may be alone."""
        return self.k == 1

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The sizes."""
        return {"k": Ratios(groups.sizes, 1)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """How many rows a person is hidden among."""
        if values["k"] == 1:
            return Message("somebody's quasi-identifiers occur once: whoever knows them finds that person's row")
        return Message(
            "whoever knows a person's quasi-identifiers is left with at least {values} rows to choose from",
            values=values["k"],
        )

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """K rows."""
        return Threshold(rows=self.k)

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """K rows are enough."""
        return self.k if int(np.sum(counts)) >= self.k else None
