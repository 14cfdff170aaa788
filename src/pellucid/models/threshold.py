"""Worst-case sizes that follow from a few counts, in the form that the kernels compute."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.runtime.records import record

WIDE = 2**31  # factors below it times a number of rows fit 64 bits


@record(eq=False)
class Threshold:
    """How many of a group's rows satisfy a model whichever they are.

    ``rows``; and when a protected value occurs, c being the count of the most frequent one, at least
    ``(c * above + add) // below`` and the rows of the ``rivals`` most frequent other values. ``codes`` are the
    protected values, all when None; ``together`` counts them as one.

    >>> Threshold(rows=1, above=2).of(np.array([3, 1, 1])), Threshold(rows=1, above=1, add=1, rivals=1).of(
    ...     np.array([3, 1, 2])
    ... )
    (6, 6)
    """

    rows: int = 1
    above: int = 0
    add: int = 0
    below: int = 1
    rivals: int = 0
    codes: NDArray[np.int64] | None = None
    together: bool = False

    @property
    def fits(self) -> bool:
        """Whether 64 bits are enough for it."""
        return max(self.above, self.add, self.below, self.rows) < WIDE

    def of(self, counts: NDArray[np.int64]) -> int:
        """The size for a group's counts, one per code."""
        held = np.array(counts, dtype=np.int64)
        codes = np.arange(len(held)) if self.codes is None else self.codes
        if self.together:
            held[codes[0]], held[codes[1:]] = held[codes].sum(), 0
            codes = codes[:1]
        largest = codes[int(held[codes].argmax())]
        c = int(held[largest])
        if c == 0 or self.above == 0:
            return self.rows
        rivals = np.sort(np.delete(held, largest))[::-1][: self.rivals]
        return max(self.rows, (c * self.above + self.add) // self.below + int(rivals.sum()))
