"""delta-presence: nobody knows who is in the table."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.messages import Message
from pellucid.models.exact import Direction, Rational, at_least, at_most, plain
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.k_map import NO_POPULATION
from pellucid.models.model import PrivacyModel, WorstGroup


class DeltaPresence(PrivacyModel):
    """Whoever knows the population believes of each person with probability low to high that they are in the table.

    Definition: every way to give each row a person of its own whom it fits is as likely as any other; everybody in the
    population is then in the table with a probability between ``low`` and ``high``. When nobody fits the rows of two
    groups, this is the share of a group's people who are in the table. When groups overlap, the levels are bounds that
    are not exceeded (``pellucid.audit.overlap``): a model that holds does hold, one that fails may do so narrowly.
    People like no row of the release are known to be absent: when there are some, low can only be 0.

    The level states the largest low and the smallest high. Where counts are given directly (``check_counts``,
    ``worst_case_size``), a group has two: people who are not in the table, and people who are.

    >>> DeltaPresence(low=0.2, high=0.5).check_counts(np.array([[3, 1], [1, 2]]), np.array([4, 3])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "delta-presence"
    summary: ClassVar[str] = "the probability of being in the table lies between low and high for everyone"
    reference: ClassVar[str] = "Nergiz, Atzori, Clifton: Hiding the presence of individuals. SIGMOD 2007."
    place: ClassVar[int] = 60
    directions: ClassVar[Mapping[str, Direction]] = {"high": "smallest", "low": "largest"}
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "population"
    by_group: ClassVar[bool] = False  # people outside every group count as well
    examples: ClassVar[Mapping[str, str]] = {"low": "0", "high": "0.5"}

    low: Rational = Field(ge=0, le=1, description="the least probability that somebody is in the table")
    high: Rational = Field(ge=0, le=1, description="the largest probability that somebody is in the table")

    @model_validator(mode="after")
    def _upward(self) -> DeltaPresence:
        if self.low > self.high:
            raise ModelError(f"{self.name}: low = {plain(self.low)} is above high = {plain(self.high)}", "swap them")
        return self

    def unfit(self, groups: Groups) -> str | None:
        """Without a population that includes the table there is no presence to hide."""
        if groups.population is None or groups.estimated:  # weights say how many, not who
            return NO_POPULATION
        short = np.flatnonzero(groups.population < groups.sizes)
        if len(short):
            group = int(short[0])
            return (
                f"a group has more rows than the population has people like them: {int(groups.sizes[group])} and "
                f"{int(groups.population[group])}; give a population that includes everyone of the table"
            )
        return None

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The share of each group's population that is in the table; people outside every group come last, with 0."""
        assert groups.population is not None
        share = np.stack((groups.sizes, groups.population), axis=1)
        high, low = (share, share) if groups.presence is None else (groups.presence.high, groups.presence.low)
        if groups.absent:
            high, low = (np.append(pairs, [[0, groups.absent]], axis=0) for pairs in (high, low))
        return {"high": Ratios(*high.T), "low": Ratios(*low.T)}

    def evidence(self, groups: Groups, parameter: str, group: int) -> WorstGroup | None:
        """The group, or those outside every group, whose number is -1."""
        if group == len(groups):
            return WorstGroup(-1, 0, {}, groups.absent)
        return super().evidence(groups, parameter, group)

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The probabilities."""
        return Message(
            "whoever knows the population believes of each of its people with probability "
            "{at_least} to {at_most} that they are in the table",
            at_least=at_least(values["low"]),
            at_most=at_most(values["high"]),
        )

    def check_counts(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> NDArray[np.bool_]:
        """Which groups satisfy the model; two counts per group: people not in the table, people in it."""
        pairs = np.asarray(counts, dtype=np.int64).reshape(-1, 2)
        shares = Ratios(pairs[:, 1], pairs.sum(axis=1))
        met = shares.meet(self.low, "largest") & shares.meet(self.high, "smallest")
        return met.reshape(np.shape(counts)[:-1])[()]

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """All members must stay within high, and all others leave low; a bound that always holds asks for nothing."""
        others, members = (int(count) for count in counts)
        size = Fraction(1)
        if members and self.high < 1:
            size = max(size, members / self.high) if self.high else Fraction(others + members + 1)
        if others and self.low > 0:
            size = max(size, others / (1 - self.low)) if self.low < 1 else Fraction(others + members + 1)
        return ceil(size) if size <= others + members else None
