"""A group of local recoding: some rows of each class were generalised into it, the others are published as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from operator import truediv
from typing import Any

import numpy as np

from pellucid.kernels import cells as kernel
from pellucid.model import PrivacyModel
from pellucid.model.l_diversity import LDiversity
from pellucid.posterior.column import SensitiveColumn, by_value
from pellucid.posterior.exclusion import BUDGET, Impossible
from pellucid.posterior.merged_classes import credibilities, local_classes
from pellucid.posterior.shape import Arrangements, Shape, blind, met_by

Counts = tuple[tuple[Any, int], ...]
LARGEST = 14  # rows of a group whose values are all different: 2**14 sets of values


@dataclass(frozen=True)
class Generalized(Shape):
    """Rows of several classes in one group, at least one class of which, as a whole, violated the model.

    ``kept[i]`` counts, by value, the rows of class i that were published with the class's own quasi-identifiers.
    """

    sizes: tuple[int, ...]
    kept: tuple[Counts, ...]
    model: PrivacyModel
    table_counts: Counts

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
        counts = dict(zip(column.values, column.counts, strict=True))
        totals = [size + sum(n for _, n in own) for size, own in zip(self.sizes, self.kept, strict=True)]
        code = self._only_protected(column)
        if code is not None:
            return self._of_two_values(column, code, totals, exact=exact)
        if self._all_different(column):
            return self._of_different_values(column, totals, exact=exact)
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

    def _all_different(self, column: SensitiveColumn) -> bool:
        """Whether no two rows have the same value, in a group that is small enough to count every set of values."""
        bound = isinstance(self.model, LDiversity) and self.model.sensitive is None
        return bound and len(column.counts) <= LARGEST and set(column.counts) == {1}

    def _of_different_values(
        self, column: SensitiveColumn, totals: Sequence[int], *, exact: bool
    ) -> list[dict[Any, Any]]:
        """The same where a class may have a value once more, or not."""
        assert isinstance(self.model, LDiversity)
        allowed = []
        for total, kept in zip(totals, self.kept, strict=True):
            own, most = dict(kept), total // self.model.l
            broken = max(own.values(), default=0) > most  # whatever else the class has
            allowed.append([not broken and own.get(value, 0) < most for value in column.values])
        shares = given_too_much(self.sizes, allowed, exact=exact)
        return [dict(zip(column.values, of, strict=True)) for of in shares]

    @staticmethod
    def _here(rows: Fraction, size: int, exact: bool) -> Any:
        return rows / size if exact else float(rows / size)

    def reason(self, part: int, value: Any, names: Sequence[str]) -> str:  # noqa: ARG002
        """The minimality attack."""
        return (
            f"rows of {len(self.sizes)} kinds of people, each with quasi-identifiers of its own, were generalised "
            f"together, and one kind is {names[part]}. This attacker reasons: that is not needed where every kind by "
            f"itself satisfies {self.model.label}, counted with its rows that are published as they are. So at least "
            "one does not, and any other case is excluded"
        )


def given_too_much(sizes: Sequence[int], allowed: Sequence[Sequence[bool]], *, exact: bool = True) -> list[list[Any]]:
    """For each part the chance of each value, given that some row has one that its part was not ``allowed``.

    No two rows have the same value. An arrangement is then a way to give each row one of the values, and those in which
    every class stays within its limits are the ways to give each row a value that its class may have: a permanent of
    zeros and ones. All sums are whole numbers that floats hold exactly, so the result is exact; without ``exact`` it is
    rounded once, to the nearest float.

    Two rows of different parts, and the first may have only the second value: somebody was where they may not be, so
    the first row has the first value.

    >>> given_too_much([1, 1], [[False, True], [True, True]])[0]
    [Fraction(1, 1), Fraction(0, 1)]
    """
    rows = sum(sizes)
    if all(map(all, allowed)):
        raise Impossible("no arrangement of these values violates the model in any class", "nothing forced the merge")
    weights = np.repeat(np.array(allowed, np.float64), sizes, axis=0).ravel()
    sums = np.zeros(1)
    kernel.simply(np.zeros(1, np.int64), rows, np.array([0, rows * rows]), 0.5, weights, sums)
    fine = round(float(sums[0]))  # arrangements in which nobody has too much
    if not fine:
        return [[Fraction(1, rows) if exact else 1 / rows] * rows for _ in sizes]
    having = np.rint(weights.reshape(rows, rows) * sums[0]).astype(
        np.int64
    )  # of them, those in which a row has a value
    every, with_value = factorial(rows), factorial(rows - 1)
    firsts = np.cumsum([0, *sizes[:-1]]).tolist()
    share: Callable[[int, int], Any] = Fraction if exact else truediv  # of whole numbers: rounded once
    return [[share(with_value - count, every - fine) for count in having[first].tolist()] for first in firsts]
