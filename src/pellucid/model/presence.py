"""How likely people are in the table where they are like the rows of several groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Presence:
    """Per group two pairs of integers, whose quotients bound the probability that someone it covers is in the table.

    Row g of ``high`` is about the likeliest person whom group g covers, and bounds from above; ``low`` is about the
    unlikeliest, and bounds from below.
    """

    high: NDArray[np.int64]
    low: NDArray[np.int64]
