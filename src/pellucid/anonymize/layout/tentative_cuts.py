"""SoftCut's tried cuts from counts alone: what decides about nodes that are too large for one machine to hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pellucid.core.coins import Coins
from pellucid.kernels.die import Die
from pellucid.models.groups import Counts
from pellucid.runtime.records import record

ROOT = 0  # the name of the root, see kernels/die.py
Holding = Sequence[tuple[Counts, Counts]]  # for each sensitive column the codes that occur, and how often


class Place(NamedTuple):
    """Where in the tree a part begins: the sides taken on the way down (0 left, 1 right), and whether it was refused.

    Names of nodes follow from the coins, so a part is told its path and not its name.
    """

    path: tuple[int, ...] = ()
    refused: bool = False

    def name(self, die: Die) -> int:
        """The name of the node, for its die."""
        return reduce(die.child, self.path, ROOT)


ROOT_PLACE = Place()


@record(eq=False)
class Trying:
    """How cuts of a table are tried; ``protected`` says which sensitive codes count, sides need ``fewest`` rows."""

    l: int
    fewest: int
    protected: NDArray[np.bool_]
    die: Die

    def side(self, rows: int, counts: Holding) -> int | None:
        """How many rows each side of a tried cut of a node needs; None when none is tried."""
        most = self._most(counts)
        if (self.l + 1) * most > rows:
            return None
        return smallest_side(rows, most, self.l, self.fewest)

    def accepts(self, name: int, sides: Sequence[tuple[int, Holding]]) -> bool:
        """Whether the die of the node of this name accepts a cut into sides of so many rows with these values."""
        return bool(self.die.allows(name, min(rows // self.l - self._most(counts) for rows, counts in sides)))

    def _most(self, columns: Holding) -> int:
        """How many rows the most frequent protected value has."""
        ((codes, counts),) = columns
        return int(counts[self.protected[codes]].max(initial=0))


def smallest_side(rows: int, most: int, l: int, fewest: int = 1) -> int | None:
    """How many rows each side of a tried cut needs, the most frequent value having ``most``; None when none is tried.

    By proportion the smaller side then has a slack of at least 2 * l rows.

    >>> smallest_side(100, 20, 2), smallest_side(9, 3, 2), smallest_side(100, 20, 2, fewest=30)
    (14, None, 30)
    """
    if l * most >= rows:
        return None
    side = max(fewest, -(-2 * l * l * rows // (rows - l * most)))
    return side if 2 * side <= rows else None


def die_of(coins: Coins, sides: int) -> Die:
    """The die of a release."""
    return Die(sides, *coins.subkey("node"), *coins.subkey("die"))
