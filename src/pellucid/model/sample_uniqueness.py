"""Sample uniqueness: how many rows are alone with their quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from pellucid.model.exact import Direction, Rational
from pellucid.model.figures import Figures, Ratios
from pellucid.model.groups import Groups
from pellucid.model.table_risk import TableRisk


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

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> str:
        """The share."""
        if values["share"] == 0:
            return "no row is unique in its quasi-identifiers"
        unique = groups.tally.alone
        rows = f"{unique:,} of {groups.tally.rows:,} rows"
        are = "is unique in its" if unique == 1 else "are unique in their"
        return f"{rows} {are} quasi-identifiers: whoever knows these finds the row"
