"""Groups of which nothing is shown, because several ways to make them differ in what they tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.errors import ModelError
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import BUDGET, OverBudget
from pellucid.posterior.shape import Arrangements, Shape


@dataclass(frozen=True)
class Unsettled(Shape):
    """A group that an order which nobody knows may have made in several ways: no figure below 1 is safe.

    What each way tells is a matter of all rows and of all orders together, and counting along one of the ways
    understates what somebody learns who counts along all of them.
    """

    sizes: tuple[int, ...]

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:  # noqa: ARG002
        """Not known."""
        raise ModelError(
            "the rows of this group were ordered by coins, and several ways of cutting lead to these groups",
            "facts about its people are not combined with that: give the identifier that ordered the rows",
        )

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:  # noqa: ARG002
        """Not known, whatever the budget."""
        raise OverBudget("several ways of cutting lead to these groups, in orders that nobody knows")

    def reason(self, part: int, value: Any, names: Sequence[str]) -> str:  # noqa: ARG002
        """What is missing."""
        return (
            "the rows were ordered by coins, several ways of cutting lead to these groups, and what they tell together "
            "is not known; give the identifier that ordered the rows"
        )
