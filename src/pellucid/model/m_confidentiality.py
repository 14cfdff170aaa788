"""m-confidentiality: knowing that a method changes little does not help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from pellucid.model.adversary import AdversaryModel
from pellucid.model.exact import Direction


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
