"""A group that was not cut further because every cut that was tried was refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.posterior.column import SensitiveColumn, by_value
from pellucid.posterior.exclusion import BUDGET
from pellucid.posterior.refusal.one_cut import refused_cut
from pellucid.posterior.refusal.several_cuts import refused_cuts
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.posterior.shape import Arrangements, ModelShape, met_by
from pellucid.posterior.weighted import weighted_shares


@dataclass(frozen=True)
class Refused(ModelShape):
    """Cuts that were tried and refused, each because one of its sides would have violated the model.

    The parts are the cells into which the cuts together divide the group; ``left[cut][part]`` says whether a part is
    on the left side of a cut.
    """

    sizes: tuple[int, ...]
    left: tuple[tuple[bool, ...], ...]
    model: PrivacyModel
    table_counts: tuple[tuple[Any, int], ...]

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:
        """1 where every cut has a side that violates the model."""
        refused = np.ones(len(arrangements), dtype=bool)
        for cut in self.left:
            side = np.array(cut)
            fine = met_by(self.model, column, self.table_counts, arrangements[:, side].sum(axis=1))
            fine &= met_by(self.model, column, self.table_counts, arrangements[:, ~side].sum(axis=1))
            refused &= ~fine
        return [int(bad) for bad in refused.tolist()]

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """Engine E4 for one cut, the same by cells for several; other models by counting what the cells may hold."""
        counts = dict(zip(column.values, column.counts, strict=True))
        limits = SideLimits.of(self.model)
        if len(self.left) == 1 and self.left[0] == (True, False):
            return self._by_one_cut(column, counts, limits, exact=exact)
        if limits is not None:
            by_cell = refused_cuts(self.sizes, self.left, counts, limits, budget=budget)
            return [{v: share if exact else float(share) for v, share in cell.items()} for cell in by_cell]
        return self._by_counting(column, exact=exact, budget=budget)

    def _by_one_cut(
        self, column: SensitiveColumn, counts: dict[Any, int], limits: SideLimits | None, *, exact: bool
    ) -> list[dict[Any, Any]]:
        a, b = self.sizes
        if limits is not None:
            return refused_cut((a, b), counts, self.model, exact)
        table = counts
        if not self.symmetric:
            known = by_value(self.table_counts)
            table = known if set(counts) <= set(known) else dict.fromkeys(column.values, 0) | known
        whole = SensitiveColumn.of(table)
        of_group = dict.fromkeys(whole.values, 0) | counts
        by_side = refused_cut((a, b), of_group, self.model, exact, table_counts=table, attribute=whole.attribute)
        return [{value: side[value] for value in column.values} for side in by_side]

    def _by_counting(self, column: SensitiveColumn, *, exact: bool, budget: int) -> list[dict[Any, Any]]:
        """What the cells may hold, of a model that comes down to no limits."""
        parts = [part for part, size in enumerate(self.sizes) for _ in range(size)]
        even = [Fraction(1)] * len(column.counts)
        shares, _ = weighted_shares(self, column, parts, [even] * len(parts), budget=budget)
        of_part = dict(zip(parts, shares, strict=True))
        empty = [Fraction(0)] * len(column.counts)
        return [column.named(of_part.get(part, empty), exact=exact) for part in range(len(self.sizes))]

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """The refusal."""
        cuts = "a cut" if len(self.left) == 1 else f"each of {len(self.left)} cuts"
        return Message(
            "{cuts} of this group was refused, with {names} on one side; had both sides satisfied "
            "{label}, the cut would have been made, so whatever would make both satisfy it is excluded",
            cuts=cuts,
            names=names[part],
            label=self.model.label,
        )
