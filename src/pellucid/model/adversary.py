"""Models about what an adversary who knows the method believes; groups alone cannot answer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pellucid.advice import GIVE_TABLE, POPULATION, Advice
from pellucid.model.figures import Figures
from pellucid.model.groups import Groups
from pellucid.model.model import PrivacyModel


class AdversaryModel(PrivacyModel):
    """A model that needs an adversary: the same groups may satisfy it or not, depending on how they were made.

    ``knows`` is what the adversary knows of the method; None when the adversary knows distributions instead.
    """

    knows: ClassVar[Literal["minimality", "algorithm"] | None] = None
    LACKING: ClassVar[Advice] = Advice(
        f"it depends on what an adversary believes, which groups alone do not tell; {GIVE_TABLE} or its "
        f"people as {POPULATION}"
    )

    def unfit(self, groups: Groups) -> str | None:
        """Always: no adversary has come with the groups."""
        return self.LACKING

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """None: see :meth:`unfit`."""
        raise NotImplementedError

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> str:
        """None: see :meth:`unfit`."""
        raise NotImplementedError
