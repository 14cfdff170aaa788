"""A group that was not cut further because every cut that was tried was refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pellucid.model import PrivacyModel
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import BUDGET
from pellucid.posterior.refused_cut import refused_cut
from pellucid.posterior.shape import Arrangements, Shape, blind
from pellucid.posterior.weighted import weighted_shares


@dataclass(frozen=True)
class Refused(Shape):
    """Cuts that were tried and refused, each because one of its sides would have violated the model.

    The parts are the cells into which the cuts together divide the group; ``left[cut][part]`` says whether a part is
    on the left side of a cut.
    """

    sizes: tuple[int, ...]
    left: tuple[tuple[bool, ...], ...]
    model: PrivacyModel
    table_counts: tuple[tuple[Any, int], ...]

    @property
    def symmetric(self) -> bool:
        """As the model is."""
        return blind(self.model)

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:
        """1 where every cut has a side that violates the model."""
        table = np.array(column.vector(dict(self.table_counts)), dtype=np.int64)
        refused = np.ones(len(arrangements), dtype=bool)
        for cut in self.left:
            side = np.array(cut)
            fine = column.satisfied(self.model, arrangements[:, side].sum(axis=1), table)
            fine &= column.satisfied(self.model, arrangements[:, ~side].sum(axis=1), table)
            refused &= ~fine
        return [int(bad) for bad in refused.tolist()]

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """Engine E4 for one cut; several cuts by counting what the cells may hold."""
        if len(self.left) == 1 and self.left[0] == (True, False):
            a, b = self.sizes
            return refused_cut(
                (a, b),
                dict(zip(column.values, column.counts, strict=True)),
                self.model,
                exact,
                table_counts=dict(self.table_counts),
                attribute=column.attribute,
            )
        parts = [part for part, size in enumerate(self.sizes) for _ in range(size)]
        even = [Fraction(1)] * len(column.counts)
        found, _ = weighted_shares(self, column, parts, [even] * len(parts), budget=budget)
        of_part = dict(zip(parts, found, strict=True))
        empty = [Fraction(0)] * len(column.counts)
        return [column.named(of_part.get(part, empty), exact=exact) for part in range(len(self.sizes))]

    def reason(self, part: int, value: Any, names: Sequence[str]) -> str:
        """The refusal."""
        cuts = "a cut" if len(self.left) == 1 else f"each of {len(self.left)} cuts"
        return (
            f"{cuts} of this group was refused, so one side of it violates {self.model.label}; that makes {value!r} "
            f"likelier among {names[part]}"
        )
