"""Transparent l-diversity: knowing the algorithm does not help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from pellucid.model.adversary import AdversaryModel
from pellucid.model.exact import Direction


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
