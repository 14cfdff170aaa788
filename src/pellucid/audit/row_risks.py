"""How likely each row of a release is found, and its household: what sums and maxima over all rows are made of.

**In the table**: who is known to be in it is found with one over the rows that look the same. **In the population**:
somebody of whom that is not known, with one over the people who look the same; these are counted where the population
is given, and else estimated (Benedetti and Franconi, :mod:`pellucid.models.population_uniqueness`).

**Of a household**: that at least one of its rows is found, 1 - (1 - r1)(1 - r2)..., as if finding one had nothing to do
with finding another. Who is found leads to the others, so each row of a household has the same risk. sdcMicro calls it
hierarchical risk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.audit.wildcards import Matches
from pellucid.core.table import Codes

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HouseholdRisk:
    """How likely somebody of a row's household is found: of the row of highest risk, and the mean over all rows.

    ``estimated`` unless the people who look the same were counted in a population.
    """

    column: str
    households: int
    highest: float
    mean: float
    estimated: bool


@dataclass(frozen=True, slots=True, eq=False)
class RowRisks:
    """For each row how many rows look the same and how many people do, and how likely it is found (see the module).

    Of two tables it is about the rows of the quasi-identifiers. Where nobody said how large the population is,
    ``people_alike`` and ``risk`` are None; where no column says which
    rows belong together, ``household_risk`` is. A row that is in no group, because it is suppressed and exempt, or that
    nobody of the population is like, has NaN. ``matches`` is the view in which null and ``*`` match every value, where
    there are such cells.

    >>> risks = RowRisks(np.array([1, 2, 2]), np.array([4.0, 9.0, 9.0]), np.array([0.5, 0.2, 0.2]), None, True)
    >>> risks.frame["risk_in_table"].to_list()
    [1.0, 0.5, 0.5]
    """

    rows_alike: Longs  # 0 for a row that is in no group
    people_alike: Floats | None
    risk: Floats | None
    household_risk: Floats | None
    estimated: bool
    matches: Matches | None = None

    @property
    def risk_in_table(self) -> Floats:
        """One over the rows that look the same."""
        risk = np.full(len(self.rows_alike), np.nan)
        np.divide(1.0, self.rows_alike, where=self.rows_alike > 0, out=risk)
        return risk

    @property
    def frame(self) -> pl.DataFrame:
        """A line for each row, in the order of the release; what is not known of any row has no column."""
        columns = {
            "row": np.arange(len(self.rows_alike)),
            "rows_alike": self.rows_alike,
            "risk_in_table": self.risk_in_table,
            "people_alike": self.people_alike,
            "risk": self.risk,
            "household_risk": self.household_risk,
            "rows_matched": None if self.matches is None else self.matches.rows,
            "people_matched": None if self.matches is None else self.matches.people,
        }
        return pl.DataFrame({name: values for name, values in columns.items() if values is not None}).fill_nan(None)


def of_households(risk: Floats, households: Codes) -> Floats:
    """For each row how likely one of its household's rows is found; NaN counts as never.

    >>> of_households(np.array([0.5, 0.5, 0.2, 1.0, 0.3]), np.array([0, 0, 1, 2, 2])).round(3).tolist()
    [0.75, 0.75, 0.2, 1.0, 1.0]
    """
    with np.errstate(divide="ignore"):  # who is found for certain
        missed = np.log1p(-np.nan_to_num(risk))
    together: Floats = -np.expm1(np.bincount(households, weights=missed))[households]
    return together
