"""Risks of the table as a whole: how surely people in it are found on average, and how many rows are alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from math import ceil
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.messages import Message, People
from pellucid.models.exact import Direction, Rational, at_most
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel, WorstGroup
from pellucid.models.population_uniqueness import population_uniqueness


def _left(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows that are left without the first groups: none, one, two and so on."""
    return np.append(0, np.cumsum(sizes[::-1]))[::-1].astype(np.int64)


def _first(least: int, holds: NDArray[np.bool_]) -> int:
    """The first number from the least on at which it holds, which it does where nothing is left."""
    return least + int(np.argmax(holds[least:]))


class TableRisk(PrivacyModel):
    """A risk of the table as a whole: one number for all groups, with the smallest group as evidence."""

    by_group: ClassVar[bool] = False
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "sizes"

    @property
    def implied_by(self) -> int | None:
        """The least size of every group from which it follows; None where none is known."""
        return None

    @abstractmethod
    def least_withheld(self, sizes: NDArray[np.int64], first: int = 0) -> int:
        """How many of these groups, ascending, and at least ``first``, are left out until the others satisfy it."""

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
    examples: ClassVar[Mapping[str, str]] = {"risk": "0.05"}

    risk: Rational = Field(gt=0, le=1, description="the mean probability of finding somebody's row")

    @property
    def implied_by(self) -> int:
        """Groups of so many rows have no larger risk each."""
        return ceil(1 / self.risk)

    def least_withheld(self, sizes: NDArray[np.int64], first: int = 0) -> int:
        """Of the rows that are left as many groups as the risk allows: leaving the smallest out only lowers it."""
        rows, groups = _left(sizes), np.arange(len(sizes), -1, -1)
        return _first(first, groups * self.risk.denominator <= rows * self.risk.numerator)

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """Groups over rows."""
        return {"risk": Ratios(np.array([groups.tally.groups]), groups.tally.rows)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The probability."""
        risk = at_most(values["risk"])
        return Message(
            "{somebody} known to be in the table is found with probability at most {risk} on average",
            somebody=People("somebody"),
            risk=risk,
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
    examples: ClassVar[Mapping[str, str]] = {"share": "0.01"}

    share: Rational = Field(ge=0, le=1, description="the largest share of rows that are unique")

    @property
    def implied_by(self) -> int:
        """Nobody is alone."""
        return 2

    def least_withheld(self, sizes: NDArray[np.int64], first: int = 0) -> int:
        """Of the rows that are left no larger share is alone."""
        alone = np.maximum(int((sizes == 1).sum()) - np.arange(len(sizes) + 1), 0)
        return _first(first, alone * self.share.denominator <= _left(sizes) * self.share.numerator)

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


class PopulationUniques(TableRisk):
    """At most a share of a population of so many ``people``, of which the table is a sample, is estimated to be unique.

    Definition: the estimate that Dankar's rule believes is at most ``share``: Pitman's where the sample is at most a
    tenth, else the smaller of Zayatz's and the negative binomial one. Where none has an answer, it does not hold.

    >>> from pellucid.models.groups import numbered
    >>> alone = Groups.of_counts(np.ones((35, 1), np.int64), np.array([35]), numbered(1))
    >>> PopulationUniques(share=0.5, people=1000).check(alone).holds
    False
    """

    name: ClassVar[str] = "population uniqueness"
    summary: ClassVar[str] = "the share of people who are estimated to be unique in a population of so many"
    reference: ClassVar[str] = "Dankar et al.: Estimating the re-identification risk of clinical data sets. 2012."
    place: ClassVar[int] = 45
    directions: ClassVar[Mapping[str, Direction]] = {"share": "smallest"}
    examples: ClassVar[Mapping[str, str]] = {"share": "0.01", "people": "100000"}

    share: Rational = Field(ge=0, le=1, description="the largest share of the people that is unique")
    people: int = Field(ge=1, description="how many people the population has")

    @classmethod
    def surveyed(cls, groups: Groups) -> list[Self]:
        """None: ``levels`` tells each estimate by itself."""
        return []

    def unfit(self, groups: Groups) -> str | None:
        """Where not all sizes are at hand, or there are more rows than people."""
        if groups.counted is not None:
            return "it is estimated from the sizes of all groups, which are not at hand here; collect the release"
        if groups.rows > self.people:
            return f"the population is said to have {self.people:,} people, and the table has {groups.rows:,} rows"
        return None

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The estimate, as the fraction that it is as a float."""
        above, below = self._estimate(groups.sizes).as_integer_ratio()
        return {"share": Ratios(np.array([above], object), np.array([below], object))}

    def _estimate(self, sizes: NDArray[np.int64]) -> float:
        believed = population_uniqueness(sizes, self.people).believed
        return 1.0 if believed is None else believed

    def least_withheld(self, sizes: NDArray[np.int64], first: int = 0) -> int:
        """As many as are given, or with them all groups of one row, of one and two, and so on."""
        for gone in [first, *(np.flatnonzero(np.diff(sizes)) + 1).tolist()]:
            if gone >= first and gone < len(sizes) and self._estimate(sizes[gone:]) <= self.share:
                return int(gone)
        return len(sizes)

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The estimate, and by which model."""
        return population_uniqueness(groups.sizes, self.people).meaning

    def _fixed(self) -> dict[str, Any]:
        """The population."""
        return {"people": self.people}
