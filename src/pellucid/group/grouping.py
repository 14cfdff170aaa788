"""What a method decides: which rows form a group."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pellucid.kernels import grow as kernel


class Grouping:
    """A partition of the rows into groups; suppressed rows are in none.

    ``members`` lists the rows group after group, and group g is ``members[starts[g]:starts[g + 1]]``; suppressed
    rows are not among them. ``labels[row]`` is the row's group, numbered from 0, or -1 when the row is suppressed.
    A grouping is not changed once it is made; the labels are computed when somebody asks for them.
    """

    def __init__(self, members: NDArray[np.int32], starts: NDArray[np.int64], rows: int) -> None:
        self.members = members
        self.starts = starts
        self.rows = rows
        for array in (members, starts):
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

    @property
    def suppressed(self) -> int:
        """The number of rows in no group."""
        return self.rows - len(self.members)
