"""Strata as it is defined: cuts by quasi-identifiers alone, and another method inside each stratum.

Nothing is clever here either: a stratum's table is made, the definition of what is done inside is applied to it, and
its rows are numbered as before. The exact laws over the coins are at the end, for tiny tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import permutations, product

from plain import protected, several
from plain.laws import Law
from plain.soft_cut import Cuts, PlainCuts
from plain.transparent import Group, Grouping, Inputs, as_grouping, assign, assign_steps

Values = Sequence[Collection[int] | None]  # of each sensitive column the values to protect, None: all
Divided = Callable[[Sequence[int]], list[Group]]


def strata(cuts: Cuts, rows: Sequence[int], size: int) -> list[list[int]]:
    """Cut between different codes while both sides have at least ``size`` rows, from left to right."""
    sides = cuts.between_codes(rows, size) if len(rows) >= 2 * size else None
    if sides is None:
        return [sorted(rows)]
    return [stratum for side in sides for stratum in strata(cuts, side, size)]


def parted(t: Inputs, same: Sequence[int]) -> list[list[int]]:
    """The rows that agree in these attributes, by their codes."""
    codes = sorted({tuple(t.codes[r][i] for i in same) for r in range(len(t.codes))})
    return [[r for r in range(len(t.codes)) if tuple(t.codes[r][i] for i in same) == one] for one in codes]


def eligible(t: Inputs, rows: Sequence[int], l: several.Bounds, values: Values) -> bool:
    """Whether no protected value of any column has more than one row in l, the column's own where these differ."""
    return several.rows_for(rows, t, values, l) <= len(rows)


def table_of(t: Inputs, rows: Sequence[int]) -> Inputs:
    """The table of a stratum."""
    return Inputs([t.codes[r] for r in rows], [t.order[r] for r in rows], [t.sensitive[r] for r in rows], t.geometry)


def by_lot(t: Inputs, l: int, draw: Sequence[int]) -> list[Group]:
    """Assign's buckets; the rows of a value that are drawn at the same place go together."""
    buckets = assign(range(len(t.codes)), t.sensitive, l, draw)
    return [sorted(column[i] for column in columns) for columns in buckets for i in range(len(columns[0]))]


def groups(
    t: Inputs,
    l: several.Bounds,
    size: int,
    inside: str,
    draw: Sequence[int],
    values: Values,
    cuts: Cuts | None = None,
    same: Sequence[int] = (),
    k: int = 1,
) -> list[Group]:
    """The groups, stratum after stratum."""
    found: list[Group] = []
    cuts = cuts or PlainCuts(t.codes, t.order, t.geometry)
    for rows in (stratum for alike in parted(t, same) for stratum in strata(cuts, alike, size)):
        if inside == "none" or not eligible(t, rows, l, values):
            found.append(rows)
            continue
        own, draws = table_of(t, rows), [draw[r] for r in rows]
        if inside == "lot":
            parts = by_lot(own, several.widest(l), draws)
        elif len(values) == 1:
            parts = protected.hybrid(own, several.widest(l), draws, values[0], k)
        else:
            parts = several.tree(own, l, draws, values, k)
        found += [sorted(rows[r] for r in part) for part in parts]
    return found


# The exact laws: every lot is tried.


def lot_law(t: Inputs, l: int) -> Law:
    """Every order of every value's rows is equally likely."""
    columns: dict[int, list[int]] = {}
    for row in range(len(t.codes)):
        columns.setdefault(t.sensitive[row][0], []).append(row)
    steps = assign_steps({value: len(rows) for value, rows in columns.items()}, l)
    found: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for orders in product(*(permutations(rows) for rows in columns.values())):
        waiting = {value: list(order) for value, order in zip(columns, orders, strict=True)}
        drawn = []
        for alpha, _, signature in steps:
            drawn += [[waiting[value].pop(0) for value in signature] for _ in range(alpha)]
        found[tuple(sorted(as_grouping(drawn)))] += 1
    return {grouping: Fraction(count, found.total()) for grouping, count in found.items()}


def stratum_law(t: Inputs, l: several.Bounds, inside: str, values: Values, k: int = 1) -> Law:
    """The law of one stratum, a table of its own."""
    everybody = tuple(range(len(t.codes)))
    if inside == "none" or not eligible(t, everybody, l, values):
        return {(everybody,): Fraction(1)}
    if inside == "lot":
        return lot_law(t, several.widest(l))
    if len(values) == 1:
        return protected.hybrid_law(t, several.widest(l), values[0], k)
    return several.tree_law(t, l, values, k)


def law(t: Inputs, l: several.Bounds, inside: str, values: Values, parts: Sequence[Sequence[int]], k: int = 1) -> Law:
    """The probability of every grouping, given the strata."""
    return joined(parts, [stratum_law(table_of(t, rows), l, inside, values, k) for rows in parts])


def joined(parts: Sequence[Sequence[int]], laws: Sequence[Law]) -> Law:
    """The law of all strata, each a table with a law of its own: their coins are independent."""
    whole: Law = {(): Fraction(1)}
    for rows, own in zip(parts, laws, strict=True):
        named: dict[Grouping, Fraction] = {}
        for found, p in own.items():  # several lots may lead to the same groups
            grouping = as_grouping([[rows[r] for r in group] for group in found])
            named[grouping] = named.get(grouping, Fraction(0)) + p
        whole = {tuple(sorted(head + tail)): p * q for head, p in whole.items() for tail, q in named.items()}
    assert sum(whole.values()) == 1, "a law"
    return whole
