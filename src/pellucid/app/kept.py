"""How much of each published column a release keeps: 1 minus the mean extent of what is published for a row.

The extent of a generalisation is the share of the column that it leaves open (:mod:`pellucid.measuring.cells`). A value
that is published as it is has extent 0, a suppressed one 1.
"""

from __future__ import annotations

import numpy as np

from pellucid.group import Grouping
from pellucid.measuring.recoded import published_choices
from pellucid.schema import Role
from pellucid.table import Table


def information_kept(table: Table, grouping: Grouping, recode: str = "intervals") -> dict[str, float]:
    """For each quasi-identifier and each carried column the share of its information in the release, from 0 to 1.

    A row whose interval spans a tenth of the range keeps nine tenths; a row in no group keeps nothing.
    """
    kept = {}
    for i in [*table.having(Role.QUASI), *table.having(Role.CARRY)]:
        extents = np.zeros(len(grouping))
        if recode != "anatomy":
            of_group, choices = published_choices(table, i, grouping, recode)
            extents = choices.extent[of_group]
        kept[table.attributes[i].name] = float((grouping.sizes * (1 - extents)).sum() / len(table))
    return kept
