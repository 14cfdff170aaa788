"""What a method decides: which rows form a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """A partition of the rows into groups; suppressed rows are in none.

    ``labels[row]`` is the row's group (numbered from 0), or -1 when the row is suppressed. ``members`` lists the rows
    group after group, and group g is ``members[starts[g]:starts[g + 1]]``; suppressed rows are not among them.
    """

    labels: NDArray[np.int32]
    members: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def from_labels(cls, labels: NDArray[np.int32]) -> Grouping:
        """The grouping that these labels describe.

        >>> Grouping.from_labels(np.array([1, 0, -1, 1], np.int32)).members.tolist()
        [1, 0, 3]
        """
        suppressed = int((labels < 0).sum())
        members = np.argsort(labels, kind="stable")[suppressed:].astype(np.int32)
        sizes = np.bincount(labels[members]) if len(members) else np.zeros(0, np.int64)
        return cls(labels, members, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

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
        return len(self.labels) - len(self.members)
