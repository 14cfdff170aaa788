"""How much of each published column a release keeps: 1 minus the mean extent of what is published for a row.

The extent of a generalisation is the share of the column that it leaves open (:mod:`pellucid.measuring.cells`). A value
that is published as it is has extent 0, a suppressed one 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.group import Grouping
from pellucid.measuring.recoded import published_choices
from pellucid.schema import Role
from pellucid.table import Table


def information_kept(table: Table, grouping: Grouping, recode: str = "intervals") -> dict[str, float]:
    """For each quasi-identifier and each carried column the share of its information in the release, from 0 to 1.

    A row whose interval spans a tenth of the range keeps nine tenths; a row in no group keeps nothing.
    """
    return {
        table.attributes[i].name: float(
            (grouping.sizes * (1 - extents_of(table, i, grouping, recode))).sum() / len(table)
        )
        for i in [*table.having(Role.QUASI), *table.having(Role.CARRY)]
    }


def information_lost(table: Table, grouping: Grouping, recode: str) -> list[float]:
    """The sum of the extents of all rows, for each published column but the sensitive ones, in schema order.

    Sums of parts of a table add up to that of the table.
    """
    columns = [i for i, a in enumerate(table.attributes) if a.role in (Role.QUASI, Role.CARRY)]
    return [float((grouping.sizes * extents_of(table, i, grouping, recode)).sum()) for i in columns]


def extents_of(table: Table, column: int, grouping: Grouping, recode: str) -> NDArray[np.float64]:
    """The extent of what every group publishes in a column."""
    if recode == "anatomy":
        return np.zeros(len(grouping))
    of_group, choices = published_choices(table, column, grouping, recode)
    extents: NDArray[np.float64] = choices.extent[of_group]
    return extents
