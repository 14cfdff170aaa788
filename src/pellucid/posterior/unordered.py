"""Groups that were cut by an order of rows that nobody knows: who of equal rows went left is summed over too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.errors import ModelError
from pellucid.model import PrivacyModel
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import BUDGET, OverBudget
from pellucid.posterior.shape import Arrangements, Shape
from pellucid.posterior.walking import Web


@dataclass(frozen=True)
class Loose(Shape):
    """One group of a :class:`Web`, its parts numbered there from ``first``; rows of a part are alike for every cut."""

    sizes: tuple[int, ...]
    web: Web
    first: int
    model: PrivacyModel

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:  # noqa: ARG002
        """Not a matter of this group alone."""
        raise ModelError(
            "the rows of this group were ordered by coins, so what is known of it depends on how other groups were cut",
            "facts about its people are not combined with that: publish with an identifier",
        )

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:  # noqa: ARG002
        """Sampled, whatever the budget."""
        raise OverBudget(f"{self.web.rows} rows in an order that nobody knows are not counted but sampled")

    def reason(self, part: int, value: Any, names: Sequence[str]) -> str:
        """The refusals, for all orders that fit."""
        return (
            f"every cut that was tried of this group, or of a larger one that held it, was refused, so one side of "
            f"each violates {self.model.label}; in the orders of rows and arrangements of values that fit, this is how "
            f"often {value!r} is among {names[part]}"
        )
