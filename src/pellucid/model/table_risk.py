"""Risks of the table as a whole: how surely people in it are found on average, and how many rows are alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.errors import ModelError
from pellucid.messages import Message
from pellucid.model.exact import Direction, Rational, at_most
from pellucid.model.figures import Figures, Ratios
from pellucid.model.groups import Counts, Groups
from pellucid.model.model import PrivacyModel, WorstGroup
from pellucid.table import Attribute


class TableRisk(PrivacyModel):
    """A risk of the table as a whole: one number for all groups, with the smallest group as evidence."""

    by_group: ClassVar[bool] = False

    def evidence(self, groups: Groups, parameter: str, group: int) -> WorstGroup | None:
        """The smallest group."""
        return super().evidence(groups, parameter, int(groups.sizes.argmin()))

    def check_counts(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> NDArray[np.bool_]:
        """None: one group alone neither satisfies nor breaks it."""
        raise ModelError(f"{self.label} is about a table, not about one group", "use k-anonymity for groups")


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

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The probability."""
        risk = at_most(values["risk"])
        return Message(
            "somebody known to be in the table is found with probability at most {risk} on average", risk=risk
        )


class SampleUniqueness(TableRisk):
    """At most a share of the rows is unique in its quasi-identifiers.

    Definition: rows in groups of one, over all rows, are at most ``share``.
    """

    name: ClassVar[str] = "sample uniqueness"
    summary: ClassVar[str] = "the share of rows whose quasi-identifiers occur once"
    reference: ClassVar[str] = "Skinner, Elliot: A measure of disclosure risk for microdata. JRSS B 2002."
    place: ClassVar[int] = 40
    directions: ClassVar[Mapping[str, Direction]] = {"share": "smallest"}
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "sizes"
    examples: ClassVar[Mapping[str, str]] = {"share": "0.01"}

    share: Rational = Field(ge=0, le=1, description="the largest share of rows that are unique")

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """Groups of one over rows."""
        return {"share": Ratios(np.array([groups.tally.alone]), groups.tally.rows)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The share."""
        if values["share"] == 0:
            return Message("no row is unique in its quasi-identifiers")
        unique = groups.tally.alone
        rows = f"{unique:,} of {groups.tally.rows:,} rows"
        are = "is unique in its" if unique == 1 else "are unique in their"
        return Message("{rows} {are} quasi-identifiers: whoever knows these finds the row", rows=rows, are=are)
