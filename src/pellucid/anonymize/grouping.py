"""What a method decides: which rows form a group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.kernels import grow as kernel

VALUES_REPLACED = "some sensitive values may be replaced by others"  # as recipes say it, of every version
Found = TypeVar("Found", bound=tuple[np.ndarray[Any, Any], ...])
RECORDS_ADDED = "records that nobody is behind may be added"


class Grouping:
    """A partition of the rows into groups; suppressed rows are in none.

    ``members`` lists the rows group after group, and group g is ``members[starts[g]:starts[g + 1]]``; suppressed
    rows are not among them. ``labels[row]`` is the row's group, numbered from 0, or -1 when the row is suppressed.
    A grouping is not changed once it is made; the labels are computed when somebody asks for them.

    Some methods decide more. ``levels``: how many levels every value of each quasi-identifier is generalised (full-
    domain recoding). ``sensitive``: the codes of the sensitive column that are published instead of the true ones, one
    per row. ``added``: records that nobody is behind, as the group and the sensitive code of each. ``strata``: the
    stratum of each group, numbered from 0, where a method makes strata.
    """

    def __init__(
        self,
        members: NDArray[np.int32],
        starts: NDArray[np.int64],
        rows: int,
        *,
        levels: tuple[int, ...] | None = None,
        sensitive: NDArray[np.int32] | None = None,
        added: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
        strata: NDArray[np.int64] | None = None,
    ) -> None:
        self.members = members
        self.starts = starts
        self.rows = rows
        self.levels = levels
        self.sensitive = sensitive
        self.added = added
        self.strata = strata
        self._found: dict[tuple[object, ...], tuple[NDArray[np.int32], Any]] | None = None
        for array in (members, starts, sensitive, strata, *(added or ())):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_labels(cls, labels: NDArray[np.int32]) -> Grouping:
        """The grouping that these labels describe.

        >>> Grouping.from_labels(np.array([1, 0, -1, 1], np.int32)).members.tolist()
        [1, 0, 3]
        """
        suppressed = int((labels < 0).sum())
        members = np.argsort(labels, kind="stable")[suppressed:].astype(np.int32)
        sizes = np.bincount(labels[members]) if len(members) else np.zeros(0, np.int64)
        return cls(members, np.append(0, np.cumsum(sizes)).astype(np.int64), len(labels))

    def remember(self) -> None:
        """Keep what :meth:`once` finds, for whoever tells of a release what recoding it has asked."""
        self._found = {}

    def forget(self) -> None:
        """Keep it no more."""
        self._found = None

    def once(self, codes: NDArray[np.int32], what: tuple[object, ...], find: Callable[[], Found]) -> Found:
        """What ``find`` finds of the groups and a column, or has found for the same question; not to be changed.

        >>> groups, codes = Grouping.from_labels(np.array([0, 0], np.int32)), np.array([1, 2], np.int32)
        >>> asked = [groups.once(codes, ("least",), lambda: (np.array([1]),)) for _ in range(2)]
        >>> groups.remember()
        >>> kept = [groups.once(codes, ("least",), lambda: (np.array([1]),)) for _ in range(2)]
        >>> asked[0] is asked[1], kept[0] is kept[1]
        (False, True)
        """
        place = (id(codes), *what)  # the column is held with it, so that no other one gets its place
        if self._found is not None and place in self._found:
            return cast("Found", self._found[place][1])
        answer = find()
        for array in answer:
            array.flags.writeable = False
        if self._found is not None:
            self._found[place] = codes, answer
        return answer

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The group of each row, in input order.

        >>> Grouping.from_labels(np.array([1, 0, -1, 1], np.int32)).labels.tolist()
        [1, 0, -1, 1]
        """
        labels = np.full(self.rows, -1, np.int32)
        kernel.label(self.members, self.starts, labels)
        labels.flags.writeable = False
        return labels

    def __len__(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each group."""
        return np.diff(self.starts)

    def whole(self, rows: int) -> NDArray[np.bool_]:
        """Which groups may be whole strata of at least so many rows: no other group is in one, where that is known."""
        large = self.sizes >= rows
        return large if self.strata is None else large & (np.bincount(self.strata)[self.strata] == 1)

    def divided(self, rows: int) -> Grouping:
        """The groups that are no whole strata alone; the rows of the others are in none.

        >>> Grouping.from_labels(np.array([0, 0, 0, 1, 2, 2], np.int32)).divided(3).members.tolist()
        [3, 4, 5]
        """
        small = ~self.whole(rows)
        starts = np.append(0, np.cumsum(self.sizes[small])).astype(np.int64)
        return Grouping(self.members[np.repeat(small, self.sizes)], starts, self.rows)

    @property
    def changes(self) -> list[str]:
        """What is published that may not be true, in words: that it may happen, never where nor whether it did.

        A method that may change something says so also when it has not, which would tell about the table.
        """
        changes = []
        if self.sensitive is not None:
            changes.append(VALUES_REPLACED)
        if self.added is not None:
            changes.append(RECORDS_ADDED)
        return changes

    def as_published(self, table: Table) -> tuple[Table, Grouping]:
        """The table and the grouping that a recoder sees: with replaced values and added records.

        An added record carries the quasi-identifiers of one of its group's rows, so no box grows.
        """
        if not self.changes:
            return table, self
        codes = list(table.codes)
        (column,) = table.having(Role.SENSITIVE)
        if self.sensitive is not None:
            codes[column] = self.sensitive
        if self.added is None:
            return replace(table, codes=tuple(codes)), self
        groups, values = self.added
        examples = self.members[self.starts[groups]]
        whole = replace(table, codes=tuple(codes), order=None, names=None)
        whole = whole.rows(np.append(np.arange(self.rows), examples))
        codes = list(whole.codes)
        codes[column] = np.append(codes[column][: self.rows], values)
        labels = np.append(self.labels, groups).astype(np.int32)
        grown = Grouping.from_labels(labels)
        grown.levels = self.levels
        return replace(whole, codes=tuple(codes)), grown

    @property
    def suppressed(self) -> int:
        """The number of rows in no group."""
        return self.rows - len(self.members)
