"""Households of the oracle: the law of a method that takes rows that belong together as one unit, and what is believed.

A verdict that a bound holds is about whole clusters too: nobody may believe more than that of a cluster having a value,
in whichever of its rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pellucid as pc
from oracle.attacker import Attacker, Law
from oracle.more_methods import LAWS, codes_named
from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.core.table import Table
from plain import protected, several
from plain.clusters import Unit, by_place, protecting, side_by_side, units_of
from plain.soft_cut import SOFT_CUT
from plain.transparent import Inputs, NotEligibleError, as_grouping, inputs_of

HOME = "home"
SIZES = [(2, 2), (2, 2), (2, 2, 1, 1), (3, 3), (2, 2, 2), (1, 1, 1, 2, 2)]


def draw_method(random: Random, largest: int) -> ClusterMethod:
    """A method that takes clusters as units, all of them or parts."""
    kind = random.choice([pc.Ace, pc.Hybrid, pc.SoftCut])
    values = random.choice([None, None, ("a",), ("b",), ("a", "b"), ("c",), ("b", "c")])
    rows = random.choice([largest, largest, max(1, largest - 1)])
    return kind(l=2, values=values, k=random.choice([None, None, 2]), cluster_rows=rows)


def law_of(method: ClusterMethod) -> Callable[[Table], Law]:
    """Every way to make the groups, with its probability; nothing where the table is refused."""

    def of(table: Table) -> Law:
        t = inputs_of(table)
        assert table.clusters is not None
        chosen = None if method.values is None else codes_named(table, method.values)  # type: ignore[arg-type]
        if chosen is not None and len(chosen) < len(method.values or ()):
            return {}
        whole: dict[tuple[tuple[int, ...], ...], Fraction] = {(): Fraction(1)}
        try:
            for units in units_of(t, table.clusters.tolist(), method.cluster_rows or 1).values():
                rows = {tuple(by_place(units, g)): p for g, p in _law_of_units(t, units, method, chosen).items()}
                whole = {head + tail: p * q for head, p in whole.items() for tail, q in rows.items()}
        except NotEligibleError:
            return {}
        made: dict[Any, Fraction] = defaultdict(Fraction)
        for groups, p in whole.items():
            made[as_grouping(groups)] += p
        return made

    return of


def _law_of_units(t: Inputs, units: Sequence[Unit], method: ClusterMethod, chosen: Sequence[int] | None) -> Law:
    """Units that have one value each are people with one; the others have a column for every value."""
    values = sorted({value for (value,) in t.sensitive})
    wide = side_by_side(t, units, values)
    l, k = method.l, method.fewest
    if all(len({t.sensitive[row] for row in unit}) == 1 for unit in units):
        alone = replace(wide, sensitive=[t.sensitive[unit[0]] for unit in units])
        protected.check(range(len(units)), alone, l, chosen, k)
        return LAWS[method.name][1](alone, l, chosen, k)
    told = protecting(values, chosen)
    several.check(wide, l, told, k)
    if method.name == "ace":
        return several.leaf_law(wide, l, told, k)
    if method.name == "hybrid":
        return several.tree_law(wide, l, told, k)
    return several.soft_cut_law(wide, l, told, k, SOFT_CUT)


def rows_of_units(table: Table, method: ClusterMethod) -> list[Unit]:
    """The rows of every unit, which no sensitive value decides."""
    assert table.clusters is not None
    found = units_of(inputs_of(table), table.clusters.tolist(), method.cluster_rows or 1)
    return [unit for units in found.values() for unit in units]


def believed_of_units(
    attacker: Attacker, units: Sequence[Unit], key: Hashable, *, told: bool
) -> list[dict[Any, Fraction]]:
    """Of every unit what it is believed to have, in whichever of its rows, by somebody who sees a release."""
    total = Fraction(0)
    having: list[dict[Any, Fraction]] = [defaultdict(Fraction) for _ in units]
    for world, made, chance in attacker.everything:
        if (made.told(world) if told else made.content) == key:
            total += chance
            for number, unit in enumerate(units):
                for value in {world.values[row] for row in unit}:
                    having[number][value] += chance
    return [{value: share / total for value, share in one.items()} for one in having]
