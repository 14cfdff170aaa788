"""What people may have, cell by cell: a person can only have the values of their group.

So nothing is kept of all values for everybody, and a table of a million people takes as many numbers as its groups have
people times values (:mod:`pellucid.kernels.cells`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.errors import AttackError
from pellucid.kernels import cells as kernel
from pellucid.risk.inference.best_guess import TIE
from pellucid.risk.views import Evidence

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
AT_ONCE = 1 << 20  # cells that are worked on before anybody can stop it; groups of one size are counted eight at a time
DENSE = 1 << 22  # pairs of looks and values that are a table, however few of them occur
NO_PAIRS = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of some groups, in the layout of the kernel; ``people`` is how many there are in all groups."""

    members: Codes
    starts: Longs
    codes: Codes
    counts: NDArray[np.int32]
    value_starts: Longs
    cell_starts: Longs
    people: int

    @classmethod
    def of(cls, evidence: Evidence) -> Cells:
        """Those of all groups."""
        grouping, published = evidence.grouping, evidence.published
        if (grouping.sizes != published.sizes).any():
            raise AttackError(
                "groups of people and groups of values have different sizes", "records were added or dropped"
            )
        cell_starts = np.append(0, np.cumsum(grouping.sizes * published.distinct)).astype(np.int64)
        counts = published.counts.astype(np.int32)
        layout = (grouping.members, grouping.starts, published.codes, counts, published.starts.astype(np.int64))
        return cls(*layout, cell_starts, len(evidence.people))

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Longs:
        """The people of each group."""
        return np.diff(self.starts)

    @cached_property
    def distinct(self) -> Longs:
        """The different values of each group."""
        return np.diff(self.value_starts)

    @property
    def total(self) -> int:
        """How many cells there are."""
        return int(self.cell_starts[-1])

    def zeros(self) -> Floats:
        """A number for each cell."""
        return np.zeros(self.total)

    def frequencies(self) -> Floats:
        """What counting in the groups gives."""
        cells = self.zeros()
        kernel.frequencies(0, len(self), self.starts, self.counts, self.value_starts, self.cell_starts, cells)
        return cells

    def part(self, first: int, last: int) -> Cells:
        """The groups from ``first`` up to ``last``, not included; its cells are counted from 0."""
        return replace(
            self,
            starts=self.starts[first : last + 1],
            value_starts=self.value_starts[first : last + 1],
            cell_starts=self.cell_starts[first : last + 1] - self.cell_starts[first],
        )

    def some(self, groups: Longs) -> Cells:
        """The cells of these groups alone."""
        sizes, distinct = self.sizes[groups], self.distinct[groups]
        values = numbers_from(self.value_starts[groups], distinct)
        return Cells(
            np.ascontiguousarray(self.members[numbers_from(self.starts[groups], sizes)]),
            _summed(sizes),
            np.ascontiguousarray(self.codes[values]),
            np.ascontiguousarray(self.counts[values]),
            _summed(distinct),
            _summed(sizes * distinct),
            self.people,
        )

    def places(self, groups: Longs) -> Longs:
        """The places of these groups' cells among all."""
        return numbers_from(self.cell_starts[groups], self.sizes[groups] * self.distinct[groups])

    def stretches(self) -> Iterator[tuple[int, int]]:
        """The groups in stretches of about so many cells that nobody waits long for one."""
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self.cell_starts, self.cell_starts[first] + AT_ONCE, side="right")) - 1
            last = max(first + 1, last)
            yield first, last
            first = last

    def block(self, group: int) -> slice:
        """Where the cells of a group are."""
        return slice(int(self.cell_starts[group]), int(self.cell_starts[group + 1]))

    def of_group(self, cells: Floats, group: int) -> Floats:
        """The cells of a group by person and value: a view."""
        return cells[self.block(group)].reshape(int(self.sizes[group]), int(self.distinct[group]))

    def likeliest(self, cells: Floats) -> tuple[Floats, Codes]:
        """Everybody's largest cell and the code that is guessed; 0 and -1 for people who are in none of the groups."""
        most, code = np.zeros(self.people), np.full(self.people, -1, np.int32)
        self.mark_likeliest(cells, most, code)
        return most, code

    def mark_likeliest(self, cells: Floats, most: Floats, code: Codes) -> None:
        """Write these groups' people into what everybody's largest cell is and which code is guessed."""
        layout = (self.members, self.starts, self.codes, self.value_starts, self.cell_starts)
        kernel.likeliest(0, len(self), *layout, cells, 1 - TIE, most, code)

    def chances(self, cells: Floats, codes: Longs) -> Floats:
        """How likely each person has one of these values."""
        chances = np.zeros(self.people)
        self.mark_chances(cells, np.isin(self.codes, codes).astype(np.int8), chances)
        return chances

    def mark_chances(self, cells: Floats, asked: NDArray[np.int8], chances: Floats) -> None:
        """Write these groups' people into how likely everybody has a value that is ``asked`` about (by value)."""
        layout = (self.members, self.starts, asked, self.value_starts, self.cell_starts)
        kernel.chances(0, len(self), *layout, cells, chances)


def _summed(sizes: Longs) -> Longs:
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def numbers_from(starts: Longs, sizes: Longs) -> Longs:
    """The numbers from each start onwards, so many each, one after the other."""
    ends = _summed(sizes)
    return np.repeat(starts - ends[:-1], sizes) + np.arange(ends[-1])


@dataclass(frozen=True, eq=False)
class Looks:
    """What people look like, by ``keys`` from 0 to ``kinds`` - 1, and how that is paired with values.

    With ``width`` the pairs are a table of all looks and values. Where that would be too large they are those that
    occur, numbered: ``pairs[cell]``, and ``of_pair`` has what a pair would be in the table.
    """

    keys: Codes
    kinds: int
    values: int
    width: int
    pairs: NDArray[np.int32] = field(default_factory=lambda: NO_PAIRS)
    of_pair: Longs | None = None

    @classmethod
    def of(cls, keys: Codes, kinds: int, values: int, cells: Cells) -> Looks:
        """The pairs of some cells."""
        keys = np.ascontiguousarray(keys, np.int32)
        if kinds * values <= DENSE:
            return cls(keys, kinds, values, values)
        owners = np.repeat(np.repeat(np.arange(len(cells)), cells.sizes), np.repeat(cells.distinct, cells.sizes))
        people = np.repeat(np.arange(len(cells.members)), np.repeat(cells.distinct, cells.sizes))
        first = np.append(0, np.cumsum(np.repeat(cells.distinct, cells.sizes)))[people]
        value = cells.codes[cells.value_starts[owners] + np.arange(cells.total) - first]
        known = keys[cells.members[people]].astype(np.int64) * values + value
        of_pair, pairs = np.unique(known, return_inverse=True)
        return cls(keys, kinds, values, 0, pairs.astype(np.int32).ravel(), of_pair)

    @property
    def count(self) -> int:
        """How many pairs there are."""
        return self.kinds * self.values if self.of_pair is None else len(self.of_pair)

    @property
    def code_of_pair(self) -> Longs:
        """The value of each pair."""
        known = np.arange(self.count) if self.of_pair is None else self.of_pair
        return np.asarray(known % self.values)

    def at(self, cells: slice | Longs) -> Looks:
        """The same for some of the cells."""
        return self if self.of_pair is None else replace(self, pairs=np.ascontiguousarray(self.pairs[cells]))

    def sums(self, cells: Cells, weights: Floats) -> Floats:
        """What the cells of each pair sum to."""
        sums = np.zeros(self.count)
        self.add_up(cells, weights, sums)
        return sums

    def add_up(self, cells: Cells, weights: Floats, sums: Floats) -> None:
        """Add the cells of each pair to what it sums to."""
        layout = (cells.members, cells.starts, cells.codes, cells.value_starts, cells.cell_starts)
        kernel.add_up(0, len(cells), *layout, self.keys, self.width, self.pairs, weights, sums)

    def add(self, cells: Cells, table: Floats, weights: Floats) -> None:
        """Add to each cell what a table has for its pair."""
        layout = (cells.members, cells.starts, cells.codes, cells.value_starts, cells.cell_starts)
        kernel.look_up(0, len(cells), *layout, self.keys, self.width, self.pairs, table, weights)
