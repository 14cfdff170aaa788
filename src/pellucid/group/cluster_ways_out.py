"""Whether units of every size can be grouped, and what would do where those of one size cannot.

A way out that the next size refuses is none. So all sizes are looked at before anything is grouped, and what is named
was tried: the largest l, and the largest number of rows that a unit may have, for which no size is in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pellucid.advice import CLUSTER_ROWS
from pellucid.coins import Coins
from pellucid.errors import Infeasible
from pellucid.group.clusters import Units, units_of
from pellucid.group.entries import MOST_QUASI
from pellucid.group.method import sensitive_counts
from pellucid.group.protecting import ProtectingMethod
from pellucid.schema import Role
from pellucid.table import Table

FEW_VALUES = 5  # that a way out lists


def refuse_infeasible(table: Table, units: Sequence[Units], method: ProtectingMethod) -> None:
    """Raise where units of a size cannot be grouped; the message names the first, and ways out that no size refuses.

    ``method`` takes every unit as a row.
    """
    found = [(some, said) for some in units if (said := obstacle(some.table, method))]
    if not found:
        return
    some, said = found[0]
    more = f" (and of {len(found) - 1} larger sizes it is not either)" if len(found) > 1 else ""
    problem = f"{_of_which(some)}: {said}{more}"
    ways = [*_smaller_l(units, method), *_fewer_rows(table, units, method), *_fewer_values(units, method)]
    raise Infeasible(problem, ", or ".join(ways) if ways else "leave the cluster out, and promise about rows")


def obstacle(units: Table, method: ProtectingMethod) -> str:
    """Why units of one size cannot be grouped; empty where they can."""
    quasi = len(units.having(Role.QUASI))
    if quasi > MOST_QUASI:
        return f"side by side they have {quasi} quasi-identifiers, and at most {MOST_QUASI} are supported"
    try:
        method.check(units)
    except Infeasible as wrong:
        return str(wrong.advice.problem)
    return ""


def _of_which(some: Units) -> str:
    """The units that a message is about, whose rows it counts."""
    if some.size == 1:
        return f"of the {len(some.rows):,} rows that are a cluster of their own"
    number = f"{len(some.rows):,} clusters" if len(some.rows) > 1 else "one cluster"
    return f"of the {number} of {some.size} rows, each as one row"


def _none_in_the_way(units: Iterable[Units], method: ProtectingMethod) -> bool:
    return not any(obstacle(some.table, method) for some in units)


def _smaller_l(units: Sequence[Units], method: ProtectingMethod) -> list[str]:
    """The largest smaller l with which all sizes can be grouped; none where there is none."""
    for l in range(method.l - 1, 1, -1):
        if _none_in_the_way(units, method.model_copy(update={"l": l})):
            return [f"use l = {l} or less"]
    return []


def _fewer_rows(table: Table, units: Sequence[Units], method: ProtectingMethod) -> list[str]:
    """The largest number of rows of a unit with which all sizes can be grouped, larger clusters taken as several."""
    for rows in range(max(some.size for some in units) - 1, 0, -1):
        if _none_in_the_way(units_of(table, rows, Coins.from_seed(0)), method):
            alone = ", which promises about single rows" if rows == 1 else ""
            return [f"take larger clusters as several with {CLUSTER_ROWS.such_as(rows)}{alone}"]
    return []


def _fewer_values(units: Sequence[Units], method: ProtectingMethod) -> list[str]:
    """What to leave unprotected, where that is a few values of one sensitive column and all sizes are large enough."""
    names = {units[0].table.attributes[i].name for i in units[0].table.having(Role.SENSITIVE)}
    wide = any(len(some.table.having(Role.QUASI)) > MOST_QUASI for some in units)
    if wide or len(names) > 1 or method.values is not None:
        return []
    frequent: set[int] = set()
    others: set[int] = set()
    for some in units:
        ((attribute, counts),) = sensitive_counts(some.table)
        counts = counts[: len(attribute.values)]
        frequent |= set(np.flatnonzero(counts * method.l > len(some.table)).tolist())
        others |= set(np.flatnonzero(counts).tolist())
    if not 0 < len(frequent) <= min(FEW_VALUES, len(others) - 1):
        return []
    values = units[0].table.attributes[units[0].table.having(Role.SENSITIVE)[0]].values
    shown = ["null" if values[code] is None else repr(values[code]) for code in sorted(frequent)]
    left = f"{' and '.join(shown)} {'is' if len(shown) == 1 else 'are'}"
    null = ', with null written as "null"' if any(values[c] is None for c in others - frequent) else ""
    return [f"protect all values but {' and '.join(shown)}{null}, and {left} then not protected"]
