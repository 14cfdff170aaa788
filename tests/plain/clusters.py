"""Rows that belong together as one unit, as it is defined: units of one size are rows of a table of their own.

A unit has a sensitive column for every value, which says whether the unit has it; "yes" alone is protected. So all that
:mod:`plain.several` says of several sensitive columns, each protected on its own, is said of the values of a unit, and
its theorem is the promise: no value is believed of a unit above 1/l.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

from plain.laws import Law
from plain.transparent import Grouping, Inputs, as_grouping

YES, NO = 0, 1
Unit = tuple[int, ...]  # its rows, in the order in which they are laid side by side


def units_of(t: Inputs, clusters: Sequence[int], most: int) -> dict[int, list[Unit]]:
    """The units by their number of rows; those of a cluster follow each other.

    >>> t = Inputs([(3,), (1,), (2,)], [0, 1, 2], [(0,)] * 3, [])
    >>> units_of(t, [7, 7, 7], most=2)
    {1: [(0,)], 2: [(1, 2)]}
    """
    found: dict[int, list[Unit]] = {}
    for cluster in sorted(set(clusters)):
        rows = [row for row, of in enumerate(clusters) if of == cluster]
        rows.sort(key=lambda row: (t.codes[row], t.order[row]))
        for begin in range(0, len(rows), most):
            unit = tuple(rows[begin : begin + most])
            found.setdefault(len(unit), []).append(unit)
    return dict(sorted(found.items()))


def side_by_side(t: Inputs, units: Sequence[Unit], values: Sequence[int], column: int = 0) -> Inputs:
    """The table of the units: quasi-identifiers place after place, and for every value whether the unit has it."""
    kept = [
        (i, place)
        for i in range(len(t.geometry))
        for place in range(len(units[0]))
        if place == 0 or any(t.codes[unit[0]][i] != t.codes[row][i] for unit in units for row in unit)
    ]
    codes = [tuple(t.codes[unit[place]][i] for i, place in kept) for unit in units]
    first = [min(t.order[row] for row in unit) for unit in units]
    order = [sorted(first).index(one) for one in first]
    held = [{t.sensitive[row][column] for row in unit} for unit in units]
    sensitive = [tuple(YES if value in has else NO for value in values) for has in held]
    return Inputs(codes, order, sensitive, [t.geometry[i] for i, _ in kept])


def protecting(values: Sequence[int], protected: Collection[int] | None) -> list[tuple[int, ...]]:
    """Of every value's column what is protected: that a unit has it, where the value is."""
    return [(YES,) if protected is None or value in protected else () for value in values]


def by_place(units: Sequence[Unit], groups: Grouping) -> list[tuple[int, ...]]:
    """The groups of rows: those that stand at the same place of the units of a group."""
    return [tuple(units[unit][place] for unit in group) for group in groups for place in range(len(units[0]))]


def cluster_law(
    t: Inputs,
    clusters: Sequence[int],
    most: int,
    protected: Collection[int] | None,
    law: Callable[[Inputs, Sequence[Collection[int] | None]], Law],
) -> Law:
    """The exact probability of every grouping: units of different sizes have nothing to do with each other."""
    values = sorted({value for (value,) in t.sensitive})
    whole: Law = {(): Fraction(1)}
    for units in units_of(t, clusters, most).values():
        inside = law(side_by_side(t, units, values), protecting(values, protected))
        rows = {tuple(by_place(units, groups)): p for groups, p in inside.items()}
        whole = {head + tail: p * q for head, p in whole.items() for tail, q in rows.items()}
    made: Law = {}
    for groups, p in whole.items():
        key = as_grouping(groups)
        made[key] = made.get(key, Fraction(0)) + p
    return made
