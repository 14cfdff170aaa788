"""Many groups at once, of which somebody knows that some part has more rows of a value than it may.

This is what minimality tells of groups that are to be l-diverse, and a release has hundreds of thousands of them. The
kernel counts whole numbers, so what follows is exact: as fractions, or as floats that were rounded once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pellucid.kernels import limits as kernel

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
LARGEST_NUMBER = 2**52  # below it floats hold every whole number
MOST_DIFFERENT = 14  # rows, each with a value of its own, that are counted whatever the budget: 2**14 sets of values

Limited = tuple[Sequence[int], Sequence[int], Sequence[Sequence[int]]]  # rows of parts, of values; by part and value


@dataclass(frozen=True, eq=False)
class LimitedGroups:
    """Groups with the rows of their parts and values, and ``limits`` by part and value, as the kernel wants them."""

    part_starts: Longs
    sizes: Longs
    value_starts: Longs
    counts: Longs
    limits: Longs

    @classmethod
    def of(cls, groups: Iterable[Limited]) -> LimitedGroups:
        """Groups side by side."""
        sizes, counts, limits = zip(*groups, strict=True)
        return cls(
            _starts(sizes), _joined(sizes), _starts(counts), _joined(counts), _joined(chain.from_iterable(limits))
        )

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.part_starts) - 1

    @cached_property
    def parts(self) -> Longs:
        """The parts of each group."""
        return np.diff(self.part_starts)

    @cached_property
    def values(self) -> Longs:
        """The values of each group."""
        return np.diff(self.value_starts)

    @cached_property
    def cell_starts(self) -> Longs:
        """Where the parts and values of each group begin."""
        return np.append(0, np.cumsum(self.parts * self.values)).astype(np.int64)

    def countable(self, budget: int) -> NDArray[np.bool_]:
        """Which groups take no more steps than the budget, or are small, and have no number that floats do not hold."""
        steps, numbers = np.zeros(len(self)), np.zeros(len(self))
        kernel.measure(*self._layout, steps, numbers)
        different = np.maximum.reduceat(self.counts, self.value_starts[:-1]) == 1
        small = different & (self.values <= MOST_DIFFERENT)
        return np.asarray(((steps <= budget) | small) & (numbers < LARGEST_NUMBER))

    def beyond(self, groups: Longs) -> tuple[Longs, Longs]:
        """Of these groups, by part and value: the first number divided by the second is how likely a row has the value.

        Where no part can have too many the second is 0.
        """
        having, of = np.zeros(len(self.limits), np.int64), np.zeros(len(self.counts), np.int64)
        kernel.count(groups, *self._layout, having, of)
        cells = self._cells(groups)
        return having[cells], of[self._value_of_cell[cells]]

    def shares(self, groups: Longs) -> Floats:
        """The same as floats; where no part can have too many, nothing forced the group, and it tells its counts."""
        having, of = self.beyond(groups)
        rows = np.add.reduceat(self.counts, self.value_starts[:-1])
        frequency = (self.counts / np.repeat(rows, self.values))[self._value_of_cell[self._cells(groups)]]
        return np.where(of > 0, having / np.maximum(of, 1), frequency)

    def _cells(self, groups: Longs) -> NDArray[np.bool_]:
        """Which parts and values are of these groups."""
        chosen = np.zeros(len(self), np.bool_)
        chosen[groups] = True
        return np.repeat(chosen, self.parts * self.values)

    @property
    def _layout(self) -> tuple[Longs, Longs, Longs, Longs, Longs, Longs]:
        return self.part_starts, self.sizes, self.value_starts, self.counts, self.cell_starts, self.limits

    @cached_property
    def _value_of_cell(self) -> Longs:
        """For each part and value of a group the place of the value."""
        cells = self.parts * self.values
        within = np.arange(self.cell_starts[-1]) - np.repeat(self.cell_starts[:-1], cells)
        return np.asarray(np.repeat(self.value_starts[:-1], cells) + within % np.repeat(self.values, cells))


def _starts(parts: Sequence[Sequence[int]]) -> Longs:
    return np.append(0, np.cumsum([len(part) for part in parts])).astype(np.int64)


def _joined(parts: Iterable[Sequence[int]]) -> Longs:
    return np.array(list(chain.from_iterable(parts)), dtype=np.int64)
