"""r-robustness: knowing how values depend on quasi-identifiers does not help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from pellucid.model.adversary import AdversaryModel
from pellucid.model.exact import Direction


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
