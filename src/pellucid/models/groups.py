"""What a privacy model sees of a table: the sizes of its groups and how often each sensitive value occurs in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Codes
from pellucid.errors import ModelError
from pellucid.kernels import counts as kernel
from pellucid.runtime.records import record


@record(eq=False)
class Presence:
    """Per group two pairs of integers, whose quotients bound the probability that someone it covers is in the table.

    Row g of ``high`` is about the likeliest person whom group g covers, and bounds from above; ``low`` is about the
    unlikeliest, and bounds from below.
    """

    high: NDArray[np.int64]
    low: NDArray[np.int64]


Counts = NDArray[np.int64]


MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xBF58476D1CE4E5B9], np.uint64)
SMALL = 5  # groups of fewer rows are tallied by their size


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other numbers, whose sums for different numbers are different but by an accident of 64 bits."""
    numbers = (numbers ^ (numbers >> np.uint64(29))) * MIX[2]
    return numbers ^ (numbers >> np.uint64(32))


@record()
class GroupTally:
    """How many groups there are, how many rows are in them, and how many groups have 1, 2, 3, 4 rows; tallies add up.

    >>> GroupTally(2, 9, (1, 0, 0, 0)) + GroupTally.of(np.array([1, 3, 3, 7]))
    GroupTally(groups=6, rows=23, small=(2, 0, 2, 0))
    """

    groups: int
    rows: int
    small: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Counts) -> GroupTally:
        """The tally of groups of these sizes."""
        small = np.bincount(sizes[sizes < SMALL], minlength=SMALL)[1:]
        return cls(len(sizes), int(sizes.sum()), tuple(small.tolist()))

    @property
    def alone(self) -> int:
        """How many groups are one row alone."""
        return self.small[0]

    def rows_below(self, k: int) -> int:
        """How many rows are in groups of fewer than k rows, for k up to 5.

        >>> [GroupTally.of(np.array([1, 3, 3, 7])).rows_below(k) for k in (1, 2, 3, 4, 5)]
        [0, 1, 1, 7, 7]
        """
        assert k <= SMALL
        return sum(size * groups for size, groups in enumerate(self.small, 1) if size < k)

    def __add__(self, other: GroupTally) -> GroupTally:
        """The tally of both."""
        small = tuple(mine + theirs for mine, theirs in zip(self.small, other.small, strict=True))
        return GroupTally(self.groups + other.groups, self.rows + other.rows, small)


@record(eq=False)
class Groups:
    """The sensitive counts of every group, as a sparse matrix in compressed rows.

    Group g has ``sizes[g]`` rows. Its values are ``codes[starts[g]:starts[g + 1]]``, ascending, and value ``codes[i]``
    occurs ``counts[i]`` times in it. ``table_counts[code]`` counts the whole table, exempt rows included. A null is a
    code like any other. ``population[g]`` is how many people of the population share the group's quasi-identifiers
    (for k-map and delta-presence), and ``absent`` how many people of the population share those of no group;
    ``presence`` says how likely people are in the table when some of them share those of several groups. Where the
    population is ``estimated``, nobody counted it: it is what the weights of a group's rows add up to.

    Where only some groups of a table are looked at, because the answer rests on one of them (``deciding_groups.py``),
    ``numbers`` has each group's number among all, and ``counted`` the tally of all.

    Counts add up, so groups counted in parts of a table are merged by :meth:`merge`, in any order.

    >>> from pellucid.io import read
    >>> import polars as pl
    >>> table = read(pl.DataFrame({"q": [1, 1, 1, 2], "s": ["a", "b", "a", None]}), quasi="q", sensitive="s")
    >>> groups = Groups.of(table.codes[0], table.codes[1], table.attributes[1])
    >>> groups.sizes.tolist(), groups.of_group(0), groups.of_group(1)
    ([3, 1], {'a': 2, 'b': 1}, {None: 1})
    """

    sizes: Counts
    starts: NDArray[np.int64]
    codes: Codes
    counts: Counts
    table_counts: Counts
    attribute: Attribute
    population: Counts | None = None
    absent: int = 0
    presence: Presence | None = None
    numbers: Counts | None = None
    counted: GroupTally | None = None
    estimated: bool = False

    def __post_init__(self) -> None:
        if len(self.sizes) == 0:
            raise ModelError("there is no group to look at: the table has no rows, or all of them are exempt")
        if self.population is not None and len(self.population) != len(self.sizes):
            raise ModelError(
                f"the population is counted for {len(self.population)} groups and there are {len(self.sizes)}",
                "count it once per group",
            )
        for array in (self.sizes, self.starts, self.codes, self.counts, self.table_counts, self.population):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def of(
        cls,
        labels: NDArray[np.int32],
        codes: Codes,
        attribute: Attribute,
        *,
        population: Counts | None = None,
        absent: int = 0,
    ) -> Groups:
        """Count the rows: ``labels[row]`` is the row's group, from 0 upwards without gaps, or -1 for an exempt row.

        An exempt row is in no group, yet counts for the whole table. Linear in rows, groups and values.
        """
        if labels.shape != codes.shape:
            raise ModelError(f"there are {len(labels)} labels for {len(codes)} rows", "give every row one")
        table_counts = np.bincount(codes, minlength=len(attribute)).astype(np.int64)
        kept = len(labels)
        firsts = np.append(0, np.cumsum(table_counts)[:-1])
        if int(labels.min(initial=0)) < 0:  # exempt rows take no place
            kept = int(np.count_nonzero(labels >= 0))
            firsts = np.append(0, np.cumsum(np.bincount(codes[labels >= 0], minlength=len(attribute)))[:-1])
        size = int(labels.max(initial=-1)) + 1
        in_order = np.empty(kept, np.int32)
        ends = firsts.astype(np.int64)
        kernel.by_code(np.ascontiguousarray(labels), np.ascontiguousarray(codes), ends, in_order)
        found, sizes = np.zeros(size, np.int64), np.zeros(size, np.int64)
        kernel.distinct(in_order, ends, np.full(size, -1, np.int32), found, sizes)
        starts = np.append(0, np.cumsum(found)).astype(np.int64)
        held, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int64)
        kernel.fill(in_order, ends, np.full(size, -1, np.int32), starts[:-1].copy(), held, counts)
        return cls(sizes, starts, held, counts, table_counts, attribute, population, absent)

    @classmethod
    def of_counts(
        cls, counts: Counts, table_counts: Counts, attribute: Attribute, *, population: Counts | None = None
    ) -> Groups:
        """Groups given as a dense array, one row per group and one column per code."""
        counts = np.ascontiguousarray(np.atleast_2d(counts), dtype=np.int64)
        group, codes = np.nonzero(counts)
        starts = np.append(0, np.cumsum(np.bincount(group, minlength=len(counts)))).astype(np.int64)
        whole = np.array(table_counts, dtype=np.int64)
        held = counts[group, codes]
        return cls(counts.sum(axis=1), starts, codes.astype(np.int32), held, whole, attribute, population)

    @classmethod
    def merge(cls, parts: Sequence[Groups]) -> Groups:
        """The groups of a table from those of its parts, which number groups and values alike.

        A part may know fewer groups than another; those it does not know have no rows in it.
        """
        size = max(len(part) for part in parts)
        values = len(parts[0].table_counts)
        keys = np.concatenate([part.groups_of_entries * values + part.codes for part in parts])
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        counts = np.concatenate([part.counts for part in parts])[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        sizes, population = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for part in parts:
            sizes[: len(part)] += part.sizes
            if part.population is not None:
                population[: len(part)] += part.population
        return cls(
            sizes,
            np.searchsorted(keys[first], np.arange(size + 1, dtype=np.int64) * values),
            (keys[first] % values).astype(np.int32),
            np.add.reduceat(counts, first),
            np.sum([part.table_counts for part in parts], axis=0),
            parts[0].attribute,
            None if parts[0].population is None else population,
            sum(part.absent for part in parts),
        )

    def require_rows(self) -> None:
        """Raise unless every group has rows, as the groups of a whole table do; those of a part may lack some."""
        if int(self.sizes.min()) == 0:
            raise ModelError(f"group {int(self.sizes.argmin())} has no rows", "number the groups from 0 without gaps")

    def __len__(self) -> int:
        """The number of groups."""
        return len(self.sizes)

    @cached_property
    def rows(self) -> int:
        """The number of rows in groups."""
        return int(self.sizes.sum())

    @cached_property
    def tally(self) -> GroupTally:
        """Groups, rows and how many groups are small, of all groups."""
        return self.counted or GroupTally.of(self.sizes)

    @cached_property
    def prints(self) -> NDArray[np.uint64]:
        """A number for each group: the same for groups that hold the same values as often.

        >>> groups = Groups.of_counts(np.array([[3, 1], [1, 3], [3, 1]]), np.array([7, 5]), numbered(2))
        >>> (groups.prints[0] == groups.prints).tolist()
        [True, False, True]
        """
        entries = mixed(self.codes.astype(np.uint64) * MIX[0] + self.counts.astype(np.uint64) * MIX[1])
        return np.add.reduceat(entries, self.starts[:-1])

    def number(self, group: int) -> int:
        """The number of a group among all groups."""
        return group if self.numbers is None else int(self.numbers[group])

    @cached_property
    def shown_counts(self) -> Counts:
        """How often each code is in a group: the table's counts without the rows that are in none."""
        shown = np.zeros(len(self.table_counts), np.int64)
        np.add.at(shown, self.codes, self.counts)
        return shown

    @cached_property
    def table_rows(self) -> int:
        """The number of rows of the whole table."""
        return int(self.table_counts.sum())

    @cached_property
    def distinct(self) -> Counts:
        """How many different values each group holds."""
        return np.diff(self.starts)

    @cached_property
    def largest(self) -> Counts:
        """The count of each group's most frequent value."""
        return np.maximum.reduceat(self.counts, self.starts[:-1])

    @cached_property
    def groups_of_entries(self) -> NDArray[np.int64]:
        """The group of each entry of ``codes`` and ``counts``."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.distinct)

    def most_frequent(self, values: int) -> Counts:
        """How many rows each group's so many most frequent values have together."""
        values = min(values, int(self.distinct.max()))
        sums = np.empty(len(self), np.int64)
        kernel.largest_sums(self.counts, self.starts, values, np.empty(values, np.int64), sums)
        return sums

    def stretches(self, entries: int) -> Iterator[Groups]:
        """The same groups in stretches of about so many entries, so that what is computed per entry stays small."""
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self.starts, self.starts[first] + entries, side="right")) - 1
            last = min(max(last, first + 1), len(self))
            part = slice(int(self.starts[first]), int(self.starts[last]))
            yield replace(
                self,
                sizes=self.sizes[first:last],
                starts=self.starts[first : last + 1] - self.starts[first],
                codes=self.codes[part],
                counts=self.counts[part],
                population=None if self.population is None else self.population[first:last],
            )
            first = last

    def of_group(self, group: int) -> dict[Any, int]:
        """The values of one group and their counts, most frequent first."""
        part = slice(int(self.starts[group]), int(self.starts[group + 1]))
        codes, counts = self.codes[part], self.counts[part]
        order = np.argsort(-counts, kind="stable")
        values = self.attribute.values.gather(codes[order].astype(np.uint32)).to_list()
        return dict(zip(values, counts[order].tolist(), strict=True))


def numbered(values: int) -> Attribute:
    """A column of so many values of which nothing is known but their order."""
    line = np.arange(values, dtype=np.int64)
    return Attribute(
        name="the sensitive column",
        role=Role.SENSITIVE,
        kind=Kind.ORDERED,
        values=pl.Series(line),
        has_null=False,
        positions=line,
        width=max(0, values - 1),
    )
