"""Re-identification risk: how surely somebody is found who is known to be in the table."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import ClassVar

import numpy as np
from pydantic import Field

from pellucid.model.exact import Direction, Rational
from pellucid.model.figures import Figures, Ratios
from pellucid.model.groups import Counts, Groups
from pellucid.model.model import PrivacyModel, WorstGroup
from pellucid.table import Attribute


class MaximumRisk(PrivacyModel):
    """The row of a person known to be in the table is found with probability at most ``risk``.

    Definition: ``1 / |G| <= risk`` for every group: k-anonymity with k = 1 / risk.

    >>> MaximumRisk(risk=0.2).check_counts(np.array([[4, 1], [2, 2]]), np.array([6, 3])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "maximum re-identification risk"
    summary: ClassVar[str] = "the largest probability of finding somebody's row"
    reference: ClassVar[str] = "El Emam: Guide to the de-identification of personal health information. CRC 2013."
    directions: ClassVar[Mapping[str, Direction]] = {"risk": "smallest"}
    examples: ClassVar[Mapping[str, str]] = {"risk": "0.2"}

    risk: Rational = Field(gt=0, le=1, description="the largest probability of finding somebody's row")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """One over the sizes."""
        return {"risk": Ratios(np.ones(len(groups), np.int64), groups.sizes)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> str:
        """The probability."""
        return f"somebody known to be in the table is found with probability at most {values['risk']:.4g}"

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """One over the risk."""
        size = ceil(1 / self.risk)
        return size if size <= int(np.sum(counts)) else None


class TableRisk(PrivacyModel):
    """A risk of the table as a whole: one number for all groups, with the smallest group as evidence."""

    def evidence(self, groups: Groups, parameter: str, group: int) -> WorstGroup | None:
        """The smallest group."""
        return super().evidence(groups, parameter, int(groups.sizes.argmin()))


class AverageRisk(TableRisk):
    """The row of a person known to be in the table is found with probability at most ``risk`` on average.

    Definition: the mean over rows of 1 over the size of the row's group, which is groups over rows, is at most risk.
    """

    name: ClassVar[str] = "average re-identification risk"
    summary: ClassVar[str] = "the mean probability of finding somebody's row"
    reference: ClassVar[str] = "El Emam: Guide to the de-identification of personal health information. CRC 2013."
    directions: ClassVar[Mapping[str, Direction]] = {"risk": "smallest"}
    examples: ClassVar[Mapping[str, str]] = {"risk": "0.05"}

    risk: Rational = Field(gt=0, le=1, description="the mean probability of finding somebody's row")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """Groups over rows."""
        return {"risk": Ratios(np.array([len(groups)]), groups.rows)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> str:
        """The probability."""
        return f"somebody known to be in the table is found with probability {values['risk']:.4g} on average"


class SampleUniqueness(TableRisk):
    """At most a share of the rows is unique in its quasi-identifiers.

    Definition: rows in groups of one, over all rows, are at most ``share``.
    """

    name: ClassVar[str] = "sample uniqueness"
    summary: ClassVar[str] = "the share of rows whose quasi-identifiers occur once"
    reference: ClassVar[str] = "Skinner, Elliot: A measure of disclosure risk for microdata. JRSS B 2002."
    directions: ClassVar[Mapping[str, Direction]] = {"share": "smallest"}
    examples: ClassVar[Mapping[str, str]] = {"share": "0.01"}

    share: Rational = Field(ge=0, le=1, description="the largest share of rows that are unique")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """Groups of one over rows."""
        return {"share": Ratios(np.array([np.count_nonzero(groups.sizes == 1)]), groups.rows)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> str:
        """The share."""
        if values["share"] == 0:
            return "no row is unique in its quasi-identifiers"
        unique = int(np.count_nonzero(groups.sizes == 1))
        rows = f"{unique:,} of {groups.rows:,} rows"
        return f"{rows} are unique in their quasi-identifiers: whoever knows these finds the row"
