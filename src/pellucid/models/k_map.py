"""k-map: nobody stands out of the population."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from pellucid.errors import ModelError
from pellucid.messages import Message
from pellucid.models.exact import Direction
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Groups
from pellucid.models.model import PrivacyModel, Verdict

NO_POPULATION = Message(
    "needs a population to compare with; pass {POPULATION}, a table of everyone who might be in the release"
)


class KMap(PrivacyModel):
    """Every row of the release is like at least k people of the population from which the table was drawn.

    Definition: the population has at least k people with the quasi-identifiers of each group. Weaker than k-anonymity
    when the attacker does not know who is in the table, of no use when they do. The population's quasi-identifiers are
    compared after they are recoded like the release. Without a population, the weights of a survey estimate it: a group
    stands for as many people as its rows' weights add up to.
    """

    name: ClassVar[str] = "k-map"
    summary: ClassVar[str] = "every row is like at least k people of the population"
    reference: ClassVar[str] = "Sweeney: Computational disclosure control. PhD thesis, MIT 2001."
    place: ClassVar[int] = 50
    directions: ClassVar[Mapping[str, Direction]] = {"k": "largest"}
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "population"
    examples: ClassVar[Mapping[str, str]] = {"k": "5"}

    k: int = Field(ge=1, description="the least number of people in the population who share a group's values")

    @property
    def asks_nothing(self) -> bool:
        """With k = 1 a row may be alone."""
        return self.k == 1

    def unfit(self, groups: Groups) -> str | None:
        """Without a population there is nothing to compare with."""
        return NO_POPULATION if groups.population is None else None

    def check(self, groups: Groups) -> Verdict:
        """Whether the population has k people for every row; an estimate of how many it has shows nothing."""
        if groups.estimated:
            raise ModelError(
                "{label}: the weights only estimate how many people of the population look alike, which shows "
                "nothing; levels tell the estimate, and a population given with {POPULATION} decides",
                label=self.label,
            )
        return super().check(groups)

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The sizes in the population."""
        assert groups.population is not None
        return {"k": Ratios(groups.population, 1)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """How many people fit a row."""
        if values["k"] == 0:
            return Message("some rows are like nobody in the population, so the population table is not the right one")
        people = "1 person" if values["k"] == 1 else f"at least {values['k']} people"
        if groups.estimated:
            return Message(
                "estimated by the weights: no group's rows stand for fewer than about {values:,} people; the "
                "population may have fewer who are like a row, and even nobody else",
                values=values["k"],
            )
        return Message(
            "whoever does not know who is in the table finds {people} of the population for every row", people=people
        )
