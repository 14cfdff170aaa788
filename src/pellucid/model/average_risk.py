"""Average re-identification risk: how surely people known to be in the table are found on average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from pellucid.model.exact import Direction, Rational, at_most
from pellucid.model.figures import Figures, Ratios
from pellucid.model.groups import Groups
from pellucid.model.table_risk import TableRisk


class AverageRisk(TableRisk):
    """The row of a person known to be in the table is found with probability at most ``risk`` on average.

    Definition: the mean over rows of 1 over the size of the row's group, which is groups over rows, is at most risk.
    """

    name: ClassVar[str] = "average re-identification risk"
    summary: ClassVar[str] = "the mean probability of finding somebody's row"
    reference: ClassVar[str] = "El Emam: Guide to the de-identification of personal health information. CRC 2013."
    place: ClassVar[int] = 30
    directions: ClassVar[Mapping[str, Direction]] = {"risk": "smallest"}
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "sizes"
    examples: ClassVar[Mapping[str, str]] = {"risk": "0.05"}

    risk: Rational = Field(gt=0, le=1, description="the mean probability of finding somebody's row")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """Groups over rows."""
        return {"risk": Ratios(np.array([groups.tally.groups]), groups.tally.rows)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> str:
        """The probability."""
        risk = at_most(values["risk"])
        return f"somebody known to be in the table is found with probability at most {risk} on average"
