"""Groups that were cut by an order of rows that nobody knows: who of equal rows went left is summed over too.

Where several ways to make the groups differ in what they tell, nothing is shown of them (:class:`Unsettled`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.errors import ModelError
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import BUDGET, OverBudget
from pellucid.posterior.mcmc import Web
from pellucid.posterior.shape import Arrangements, Shape


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
        raise OverBudget("{rows} rows in an order that nobody knows are not counted but sampled", rows=self.web.rows)

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:
        """The refusals, for all orders that fit."""
        return Message(
            "every cut that was tried of this group, or of a larger one that held it, was refused, so one side of "
            "each violates {label}; in the orders of rows and arrangements of values that fit, this is how "
            "often {value!r} is among {names}",
            label=self.model.label,
            value=value,
            names=names[part],
        )


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

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """What is missing."""
        return Message(
            "the rows were ordered by coins, several ways of cutting lead to these groups, and what they tell together "
            "is not known; give the identifier that ordered the rows"
        )
