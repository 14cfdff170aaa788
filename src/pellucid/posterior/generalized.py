"""A group of local recoding: some rows of each class were generalised into it, the others are published as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.column import KeptRows, SensitiveColumn, by_value
from pellucid.posterior.exclusion import BUDGET, posterior_by_limits
from pellucid.posterior.merged_classes import credibilities, local_classes
from pellucid.posterior.shape import Arrangements, Shape, blind, met_by

Counts = tuple[tuple[Any, int], ...]


@dataclass(frozen=True)
class Generalized(Shape):
    """Rows of several classes in one group, at least one class of which, as a whole, violated the model.

    ``kept[i]`` counts, by value, the rows of class i that were published with the class's own quasi-identifiers.
    """

    sizes: tuple[int, ...]
    kept: tuple[Counts, ...]
    model: PrivacyModel
    table_counts: Counts

    @property
    def _kept(self) -> list[KeptRows]:
        """The rows of each class that are published as they are, with their sums."""
        return [own if isinstance(own, KeptRows) else KeptRows(own) for own in self.kept]

    @property
    def _totals(self) -> list[int]:
        """The rows of each class, here and published as they are."""
        return [size + own.total for size, own in zip(self.sizes, self._kept, strict=True)]

    def limits(self, column: SensitiveColumn) -> list[list[int]] | None:
        """What the model allows of each class beside its rows that are published as they are."""
        return column.limits(self.model, self.sizes, self._kept)

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:
        """1 where some class violates."""
        others = [pair for own in self.kept for pair in own] if blind(self.model) else self.table_counts
        known = set(column.values)
        values = [*column.values, *dict.fromkeys(value for value, _ in others if value not in known)]
        whole = SensitiveColumn(values, [0] * len(values))
        wide = np.zeros((len(arrangements), len(self.sizes), len(values)), dtype=np.int64)
        wide[:, :, : len(column.values)] = arrangements
        fine = np.ones(len(arrangements), dtype=bool)
        for part, own in enumerate(self.kept):
            fine &= met_by(self.model, whole, self.table_counts, wide[:, part] + whole.vector(dict(own)))
        return [int(not row) for row in fine.tolist()]

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """E1 for local recoding, of the rows in this group."""
        counts, totals = dict(zip(column.values, column.counts, strict=True)), self._totals
        code = self._only_protected(column)
        if code is not None:
            return self._of_two_values(column, code, totals, exact=exact)
        limits = self.limits(column)
        if limits is not None:
            shares = posterior_by_limits(self.sizes, column.counts, limits, budget=budget)
            return [column.named(of_part, exact=exact) for of_part in shares]
        of_classes = local_classes(
            totals,
            [dict(own) for own in self.kept],
            self.sizes,
            counts,
            self.model,
            table_counts=by_value(self.table_counts),
            exact=True,
            budget=budget,
        )
        return [
            {value: self._here(share[value] * total - dict(own).get(value, 0), size, exact) for value in column.values}
            for share, total, own, size in zip(of_classes, totals, self.kept, self.sizes, strict=True)
        ]

    def _only_protected(self, column: SensitiveColumn) -> int | None:
        """The code of the one value that is protected, where there is one other; None elsewhere."""
        protected = self.model.sensitive or () if isinstance(self.model, LDiversity) else ()
        if len(column.values) != 2 or len(set(protected)) != 1:
            return None
        return next(iter(column.codes(protected)), None)

    def _of_two_values(
        self, column: SensitiveColumn, code: int, totals: Sequence[int], *, exact: bool
    ) -> list[dict[Any, Any]]:
        """The same where one of two values is protected, counted by the closed form."""
        assert isinstance(self.model, LDiversity)
        value, other = column.values[code], column.values[1 - code]
        most = [total // self.model.l - dict(own).get(value, 0) for total, own in zip(totals, self.kept, strict=True)]
        shares = credibilities(self.sizes, column.counts[code], most, exact=exact)
        return [{value: share, other: 1 - share} for share in shares]

    @staticmethod
    def _here(rows: Fraction, size: int, exact: bool) -> Any:
        return rows / size if exact else float(rows / size)

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """The minimality attack."""
        return Message(
            "rows of {sizes} kinds of people, each with quasi-identifiers of its own, were generalised "
            "together, and one kind is {names}. This attacker reasons: that is not needed where every kind by "
            "itself satisfies {label}, counted with its rows that are published as they are. So at least "
            "one does not, and any other case is excluded",
            sizes=len(self.sizes),
            names=names[part],
            label=self.model.label,
        )
