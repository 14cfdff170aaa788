"""How much of each quasi-identifier a grouping keeps: 1 minus the mean extent of the rows' groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.group import Grouping
from pellucid.schema import Role
from pellucid.table import Attribute, Table


def information_kept(table: Table, grouping: Grouping, recode: str = "intervals") -> dict[str, float]:
    """For each quasi-identifier the share of its information in the release, between 0 and 1.

    A row whose group spans a tenth of the attribute's range keeps nine tenths of it; a suppressed row keeps nothing.
    Anatomy publishes quasi-identifiers as they are, so it keeps all; suppression keeps a value only where the whole
    group shares it.
    """
    kept = {}
    for i in table.having(Role.QUASI):
        codes = table.codes[i][grouping.members]
        extent: NDArray[np.float64]
        if recode == "anatomy":
            extent = np.zeros(len(grouping))
        else:
            low = np.minimum.reduceat(codes, grouping.starts[:-1])
            high = np.maximum.reduceat(codes, grouping.starts[:-1])
            extent = (low != high) * 1.0 if recode == "suppression" else extents(table.attributes[i], low, high)
        kept[table.attributes[i].name] = float((grouping.sizes * (1 - extent)).sum() / len(table))
    return kept


def extents(attribute: Attribute, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.float64]:
    """The extent of each box of codes from ``low`` to ``high``, as :class:`pellucid.table.Attribute` defines it."""
    width = max(attribute.width, 1)
    if attribute.chains is not None and attribute.leaves is not None:
        covering = attribute.chains[-1, low]
        for level in attribute.chains[::-1]:  # from the root down: the last level where both ends agree
            covering = np.where(level[low] == level[high], level[low], covering)
        extent = (attribute.leaves[covering] - 1) / width
    else:
        extent = (attribute.positions[high] - attribute.positions[low]) / width
        if attribute.has_null:
            extent[(low == 0) & (high > 0)] = 1.0
    return np.where(low == high, 0.0, extent)
