"""What a row in a box of codes costs, in exact integers, for many boxes at a time.

The same numbers as :mod:`pellucid.kernels.penalty`: the extent of a box on attribute i is an integer out of full_i, and
a box costs the sum of importance_i * extent / full_i, multiplied by the least common multiple of all full_i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Attribute, Codes

Costs = NDArray[Any]  # int64, or Python integers where 64 bits are not enough

NO_LOW, NO_HIGH = np.int32(2**31 - 1), np.int32(-1)  # the ends of a box that nothing is in


class Extents:
    """The penalty's view of the quasi-identifiers; ``rows`` bounds the number of rows of any group.

    >>> import polars as pl
    >>> from pellucid.io import read
    >>> table = read(pl.DataFrame({"age": [20, 25, 40], "s": ["a", "b", "c"]}), quasi="age", sensitive="s")
    >>> Extents(table.attributes[:1], 3).of(np.array([[0], [1]], np.int32), np.array([[1], [1]], np.int32)).tolist()
    [5, 0]
    """

    def __init__(self, attributes: Sequence[Attribute], rows: int) -> None:
        self.attributes = tuple(attributes)
        self.full = [max(int(attribute.width), 1) for attribute in attributes]
        common = math.lcm(*self.full)
        importance = [attribute.importance for attribute in attributes]
        self.weights = [times * (common // full) for times, full in zip(importance, self.full, strict=True)]
        self.wide = common * sum(importance) * max(rows, 1) >= 2**62

    def of(self, lows: Codes, highs: Codes) -> Costs:
        """The cost of each box, given by its smallest and largest code of every attribute; empty boxes cost nothing."""
        total: Costs = np.zeros(len(lows), object if self.wide else np.int64)
        for i, weight in enumerate(self.weights):
            spans = self._spans(i, lows[:, i], highs[:, i])
            total = total + (spans.astype(object) if self.wide else spans) * weight
        return total

    def _spans(self, i: int, lows: Codes, highs: Codes) -> NDArray[np.int64]:
        attribute = self.attributes[i]
        open_ = lows < highs
        low, high = np.where(open_, lows, 0), np.where(open_, highs, 0)
        if attribute.chains is not None and attribute.leaves is not None:
            spans = np.full(len(low), self.full[i], np.int64)
            apart = np.ones(len(low), np.bool_)
            for level in attribute.chains:
                meets = apart & (level[low] == level[high])
                spans[meets] = attribute.leaves[level[low[meets]]] - 1
                apart &= ~meets
        else:
            spans = attribute.positions[high] - attribute.positions[low]
            if attribute.has_null:
                spans = np.where(low == 0, self.full[i], spans)
        return np.where(open_, spans, 0)
