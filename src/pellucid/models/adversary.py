"""Models about what an adversary who knows the method believes; groups alone cannot answer them.

m-confidentiality: knowing that a method changes little does not help. r-robustness: knowing how values depend on
quasi-identifiers does not. Transparent l-diversity: knowing the algorithm does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from pellucid.messages import Message
from pellucid.models.exact import Direction
from pellucid.models.figures import Figures
from pellucid.models.groups import Groups
from pellucid.models.model import PrivacyModel


class AdversaryModel(PrivacyModel):
    """A model that needs an adversary: the same groups may satisfy it or not, depending on how they were made.

    ``knows`` is what the adversary knows of the method; None when the adversary knows distributions instead.
    """

    knows: ClassVar[Literal["minimality", "algorithm"] | None] = None
    LACKING: ClassVar[Message] = Message(
        "it depends on what an adversary believes, which groups alone do not tell; {GIVE_TABLE} or its "
        "people as {POPULATION}"
    )

    def unfit(self, groups: Groups) -> str | None:
        """Always: no adversary has come with the groups."""
        return self.LACKING

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """None: see :meth:`unfit`."""
        raise NotImplementedError

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """None: see :meth:`unfit`."""
        raise NotImplementedError


class MConfidentiality(AdversaryModel):
    """Nobody's sensitive value is believed with more than 1/m by whoever knows that as little as possible was changed.

    Definition: the credibility of every person and sensitive value is at most 1/m for somebody who knows minimality.
    """

    name: ClassVar[str] = "m-confidentiality"
    summary: ClassVar[str] = "no belief above 1/m by whoever knows that the method changes as little as possible"
    reference: ClassVar[str] = "Wong, Fu, Wang, Pei: Minimality attack. VLDB 2007."
    directions: ClassVar[Mapping[str, Direction]] = {"m": "largest"}
    knows: ClassVar[Literal["minimality", "algorithm"] | None] = "minimality"
    examples: ClassVar[Mapping[str, str]] = {"m": "3"}

    m: int = Field(ge=1, description="the inverse of the largest belief")


class RRobustness(AdversaryModel):
    """Nobody's sensitive value is believed with more than 1/r by whoever knows how values depend on quasi-identifiers.

    Definition: for every person and value the belief of somebody who knows how values are distributed by a
    quasi-identifier (by each single one, or by each set that is named) is at most 1/r.
    """

    name: ClassVar[str] = "r-robustness"
    summary: ClassVar[str] = "no belief above 1/r by whoever knows how values depend on quasi-identifiers"
    reference: ClassVar[str] = "Wong et al.: Worst-case background knowledge by QI-based distributions. 2009."
    directions: ClassVar[Mapping[str, Direction]] = {"r": "largest"}
    examples: ClassVar[Mapping[str, str]] = {"r": "3"}

    r: int = Field(ge=1, description="the inverse of the largest belief")


class TransparentLDiversity(AdversaryModel):
    """Nobody's sensitive value is believed with more than 1/l by whoever knows the algorithm.

    Definition: over all tables that the algorithm turns into this release, weighted by how often it does, every person
    has every sensitive value with probability at most 1/l.
    """

    name: ClassVar[str] = "transparent l-diversity"
    summary: ClassVar[str] = "no belief above 1/l by whoever knows the algorithm"
    reference: ClassVar[str] = "Xiao, Tao, Koudas: Transparent anonymization. TODS 2010."
    directions: ClassVar[Mapping[str, Direction]] = {"l": "largest"}
    knows: ClassVar[Literal["minimality", "algorithm"] | None] = "algorithm"
    examples: ClassVar[Mapping[str, str]] = {"l": "3"}

    l: int = Field(ge=1, description="the inverse of the largest belief")


class Promised(AdversaryModel):
    """What the release promises of each person is kept: the question that ``attack --max-risk promised`` asks.

    Where the promise bounds each person by themselves, as that of strata does, no model of all groups asks so much. It
    is no level that a table reaches, so it stands in no list of models.
    """

    name: ClassVar[str] = "promised"
    summary: ClassVar[str] = "what the release promises of each person is kept"
    reference: ClassVar[str] = "docs/strata.md"
    directions: ClassVar[Mapping[str, Direction]] = {}
    examples: ClassVar[Mapping[str, str]] = {}
    listed: ClassVar[bool] = False
