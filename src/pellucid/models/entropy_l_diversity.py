"""Entropy l-diversity: every group is as uncertain as l equally frequent values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.kernels import worst_case as kernel
from pellucid.messages import Message
from pellucid.models.exact import Direction, Exact, Rational, at_least, sign_of_logs
from pellucid.models.figures import MARGIN, Figures, first_of_equal_rows
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import Sizes
from pellucid.models.sensitive import DiversityModel, largest_protected


class EntropyLDiversity(DiversityModel):
    """The sensitive values of every group have at least the entropy of l equally frequent values.

    Definition: ``H(G) >= ln l`` with H the entropy of the group's frequencies; l may be any number from 1 on. It is
    decided exactly: the inequality is ``|G|**|G| >= l**|G| * product of count**count``, a comparison of integers, done
    by factoring them. So l equally frequent values reach l, not a little less. With ``sensitive``, it is asked of
    groups that have a protected value; merging such a group with one that has none may lower the level then.

    >>> EntropyLDiversity(l=3).check_counts(np.array([[7, 7, 7], [7, 7, 6]]), np.array([14, 14, 13])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "entropy l-diversity"
    summary: ClassVar[str] = "every group has at least the entropy of l equally frequent sensitive values"
    reference: ClassVar[str] = "Machanavajjhala et al.: l-diversity. ICDE 2006, TKDD 2007."
    place: ClassVar[int] = 90
    directions: ClassVar[Mapping[str, Direction]] = {"l": "largest"}
    examples: ClassVar[Mapping[str, str]] = {"l": "2"}

    l: Rational = Field(ge=1, description="how many equally frequent values would be as uncertain as a group")

    @property
    def asks_nothing(self) -> bool:
        """With l = 1 a group may have a single value."""
        return self.l == 1

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The exponential of the entropy."""
        viewed, protected = self.viewed(groups)
        exposed = None if protected is None else largest_protected(viewed, protected) > 0
        return {"l": Perplexities(viewed, exposed)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The entropy as a number of values."""
        if values["l"] == 1:
            return Message(
                "in some group all rows agree: whoever finds a person's group knows {who}", who=self.who(groups)
            )
        if values["l"] == np.inf:
            return Message("no row is protected: {who} never occurs in a group", who=self.who(groups))
        return Message(
            "every {concerned} is at least as uncertain as {at_least} equally frequent values",
            concerned=self.concerned,
            at_least=at_least(values["l"]),
        )

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """The first size at which the most concentrated choice, largest counts first, has the entropy."""
        if self.sensitive is not None:
            raise ModelError(
                f"{self.label} of some values only has no worst-case size, since mixing two groups that pass may fail",
                "protect all values, or use l-diversity, which takes a set of values",
            )
        held, _ = self.viewed_counts(counts, attribute)
        if not self._passes(held):
            return None
        low, high = 1, int(held.sum())
        filled = np.cumsum(held)
        while low < high:  # passing grows with the size: a multiset averages those with one row less
            middle = (low + high) // 2
            full = int(np.searchsorted(filled, middle, side="right"))
            rest = middle - (int(filled[full - 1]) if full else 0)
            if self._passes(np.append(held[:full], rest) if rest else held[:full]):
                high = middle
            else:
                low = middle + 1
        return low

    @property
    def has_worst_case_size(self) -> bool:
        """Not for a set of values: mixing two groups that pass may fail."""
        return self.sensitive is None

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """Floats decide where they are sure; where one is not, the whole question is decided exactly."""
        logarithm, uniform = math.log(self.l), int(self.l) if self.l.denominator == 1 else 0

        def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
            if self.l == 1:
                return 1
            size = kernel.least_by_entropy(np.sort(counts), logarithm, uniform, MARGIN, most)
            if size > 0:
                return size
            exact = self.worst_case_size(counts, counts)
            return most + 1 if exact is None else exact

        return size_of

    def _passes(self, held: Counts) -> bool:
        rows = int(held.sum())
        margin = rows * math.log(rows) - float(held @ np.log(held)) - rows * math.log(self.l)
        if abs(margin) > MARGIN * rows * (1 + math.log(rows)):
            return margin > 0
        return sign_of_logs(_terms(held.tolist()), self.l, -rows) >= 0


class Perplexities(Figures):
    """The exponential of each group's entropy; infinite for a group that is not exposed."""

    def __init__(self, groups: Groups, exposed: NDArray[np.bool_] | None) -> None:
        weighted = np.add.reduceat(groups.counts * np.log(groups.counts), groups.starts[:-1])
        self.floats: NDArray[np.float64] = np.exp(np.log(groups.sizes) - weighted / groups.sizes)
        self.floats[groups.distinct == 1] = 1.0
        if exposed is not None:
            self.floats[~exposed] = np.inf
        self.stretches = [groups]

    @classmethod
    def joined(cls, parts: Sequence[Perplexities]) -> Perplexities:
        """One after the other; counts stay where they are."""
        whole = cls.__new__(cls)
        whole.floats = np.concatenate([part.floats for part in parts])
        whole.stretches = [groups for part in parts for groups in part.stretches]
        return whole

    def exact(self, group: int) -> Exact | None:
        """The integer that it is, if it is one."""
        if math.isinf(self.floats[group]):
            return math.inf
        nearest = round(float(self.floats[group]))
        return nearest if self.compare(group, Fraction(nearest)) == 0 else None

    def compare(self, group: int, threshold: Fraction) -> int:
        """By the prime factors of both sides."""
        if math.isinf(self.floats[group]):
            return 1
        if abs(self.floats[group] - float(threshold)) > MARGIN * float(threshold):
            return 1 if self.floats[group] > threshold else -1
        counts = self._counts(group)
        return sign_of_logs(_terms(counts), threshold, -sum(counts))

    def order(self, group: int, other: int) -> int:
        """By the prime factors of both sides."""
        mine, theirs = self._counts(group), self._counts(other)
        terms = [(sum(theirs) * factor, number) for factor, number in _terms(mine)]
        return sign_of_logs(terms + [(-sum(mine) * factor, number) for factor, number in _terms(theirs)])

    def alike(self, groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Groups with proportional counts have the same entropy."""
        shapes: dict[int, list[NDArray[np.int64]]] = {}  # by the number of values: counts in lowest terms, sorted
        members: dict[int, list[NDArray[np.int64]]] = {}
        stretches, places = self._places(groups)
        for stretch in np.unique(stretches).tolist():
            here = np.flatnonzero(stretches == stretch)
            part = self.stretches[stretch]
            distinct = part.distinct[places[here]]
            for values in np.unique(distinct).tolist():
                same = here[distinct == values]
                counts = np.sort(part.counts[part.starts[places[same]][:, None] + np.arange(values)], axis=1)
                shapes.setdefault(values, []).append(counts // np.gcd.reduce(counts, axis=1)[:, None])
                members.setdefault(values, []).append(same)
        first = np.arange(len(groups))
        for values, same_parts in members.items():
            same = np.concatenate(same_parts)
            kept, inside = first_of_equal_rows(same, np.concatenate(shapes[values]))
            first[same] = kept[inside]
        kept, inverse = np.unique(first, return_inverse=True)
        return groups[kept], inverse

    def _places(self, groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The stretch of each group, and its number there."""
        ends = np.cumsum([len(stretch) for stretch in self.stretches])
        stretches = np.searchsorted(ends, groups, side="right")
        return stretches, groups - np.append(0, ends)[stretches]

    def _counts(self, group: int) -> list[int]:
        stretch, place = (int(found[0]) for found in self._places(np.array([group])))
        part = self.stretches[stretch]
        counts: list[int] = part.counts[part.starts[place] : part.starts[place + 1]].tolist()
        return counts


def _terms(counts: Iterable[int]) -> list[tuple[int, int]]:
    """``n ln n - sum of count * ln(count)`` as factors and numbers."""
    held = Counter(counts)
    rows = sum(count * times for count, times in held.items())
    return [(rows, rows), *((-count * times, count) for count, times in held.items())]
