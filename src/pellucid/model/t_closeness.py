"""t-closeness: every group looks like the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from pellucid.model import worst_case
from pellucid.model.distances import equal, hierarchical, ordered
from pellucid.model.exact import Direction, Rational, at_most
from pellucid.model.figures import Figures
from pellucid.model.groups import Counts, Groups
from pellucid.model.model import PrivacyModel, Sizes
from pellucid.schema import Kind
from pellucid.table import Attribute


class TCloseness(PrivacyModel):
    """The sensitive values of every group are distributed as in the whole table, up to t.

    Definition: the earth mover's distance between the frequencies in the group and in the table is at most t. What
    moving a row from one value to another costs is the ``distance``:

    - ``equal``: 1 between any two values; this is the total variation;
    - ``ordered``: the difference of their ranks over the largest difference, for numbers, dates and ordered values. A
      rank counts the values that occur in the table; a null ranks below all of them;
    - ``hierarchical``: the height of their nearest common ancestor over the height of the taxonomy; a null that the
      taxonomy does not name stands directly below the root.

    >>> TCloseness(t=0.25).check_counts(np.array([[1, 1], [3, 1]]), np.array([2, 2])).tolist()
    [True, True]
    >>> TCloseness(t=0.24).check_counts(np.array([[1, 1], [3, 1]]), np.array([2, 2])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "t-closeness"
    summary: ClassVar[str] = "the sensitive values of every group are distributed as in the table, up to t"
    reference: ClassVar[str] = "N. Li, T. Li, Venkatasubramanian: t-closeness. ICDE 2007."
    place: ClassVar[int] = 120
    directions: ClassVar[Mapping[str, Direction]] = {"t": "smallest"}
    variants: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "t-closeness": {"distance": "equal"},
        "ordered t-closeness": {"distance": "ordered"},
        "hierarchical t-closeness": {"distance": "hierarchical"},
    }
    examples: ClassVar[Mapping[str, str]] = {"t": "0.2"}

    t: Rational = Field(ge=0, le=1, description="the largest distance between a group and the table")
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal", description="what moving a row from one value to another costs"
    )

    def unfit(self, groups: Groups) -> str | None:
        """Why the distance is not defined on the column."""
        attribute = groups.attribute
        if self.distance == "ordered" and attribute.kind is Kind.CATEGORY:
            return (
                f'the values of {attribute.name!r} have no order; give the column kind = "ordered" and its order, '
                "or use t-closeness with the equal distance"
            )
        if self.distance == "hierarchical" and attribute.chains is None and attribute.taxonomy is None:
            return f"{attribute.name!r} has no taxonomy; give it one, or use t-closeness with the equal distance"
        return None

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The distances."""
        return {"t": {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}[self.distance](groups)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> str:
        """The distance as what is learnt."""
        if self.distance == "equal":
            return (
                "finding a person's group changes the probability of any set of sensitive values by at most "
                f"{at_most(values['t'])}"
            )
        kind = "their ranks" if self.distance == "ordered" else "the taxonomy"
        return f"every group is within {at_most(values['t'])} of the whole table when values are compared by {kind}"

    @property
    def has_worst_case_size(self) -> bool:
        """Not by a taxonomy."""
        return self.distance != "hierarchical"

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """Choices that are far from the table at sight rule out most sizes before all choices are looked at."""
        of = {"equal": worst_case.equal_sizes, "ordered": worst_case.ordered_sizes}
        table = np.asarray(table_counts, dtype=np.int64)
        fast = of[self.distance](table, self.t) if self.distance in of else None
        return fast or super().worst_case_sizes(table, attribute)

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """By the sets of values that a choice of rows can favour most."""
        if self.distance == "hierarchical":
            return super().worst_case_size(counts, table_counts, attribute=attribute)
        held, table = np.asarray(counts, dtype=np.int64), np.asarray(table_counts, dtype=np.int64)
        farthest = (worst_case.equal if self.distance == "equal" else worst_case.ordered)(held, table)
        return worst_case.first_size(int(held.sum()), lambda size: farthest(size) <= self.t)
