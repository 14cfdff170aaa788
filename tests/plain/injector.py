"""Injector as it is defined: rules, deal, join. Nothing is imported from the methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product

Vector = tuple[int, ...]
Labels = tuple[int, ...]


def excluded(rows: Sequence[Vector], values: Sequence[int], expectation: Fraction, size: int) -> list[set[int]]:
    """For each row the values that some rule excludes for it.

    >>> excluded([(0,), (0,), (1,), (1,)], [5, 5, 6, 6], Fraction(1), 1)
    [{6}, {6}, {5}, {5}]
    """
    n = len(rows)
    never: list[set[int]] = [set() for _ in rows]
    of_value = Counter(values)
    for chosen in range(1, size + 1):
        for columns in combinations(range(len(rows[0])), chosen):
            keys = [tuple(row[i] for i in columns) for row in rows]
            together = set(zip(keys, values, strict=True))
            of_key = Counter(keys)
            of_pair = {
                key: {
                    value
                    for value in of_value
                    if (key, value) not in together and of_key[key] * of_value[value] >= expectation * n
                }
                for key in of_key
            }
            for row, key in enumerate(keys):
                never[row] |= of_pair[key]
    return never


def fit(one: int, other: int, values: Sequence[int], never: Sequence[set[int]]) -> bool:
    """Whether two rows have different values and may have each other's."""
    return values[one] != values[other] and values[one] not in never[other] and values[other] not in never[one]


def deal(values: Sequence[int], never: Sequence[set[int]], l: int, order: Sequence[int]) -> list[list[int]]:
    """The groups that are dealt; each value's rows wait in ascending order."""
    waiting: dict[int, list[int]] = {}
    for row in sorted(range(len(values)), key=lambda row: order[row]):
        waiting.setdefault(values[row], []).append(row)
    groups = []
    while len(waiting) >= l:
        ranked = sorted(waiting, key=lambda value: (-len(waiting[value]), value))
        group = [waiting[ranked[0]].pop(0)]
        for value in ranked[1:]:
            if len(group) == l:
                break
            fitting = [row for row in waiting[value] if all(fit(row, member, values, never) for member in group)]
            group += fitting[:1]
        if len(group) == l:
            groups.append(group)
            for row in group[1:]:
                waiting[values[row]].remove(row)
        waiting = {value: rows for value, rows in waiting.items() if rows}
    return groups


def join(
    groups: list[list[int]],
    values: Sequence[int],
    never: Sequence[set[int]],
    order: Sequence[int],
    begin: Mapping[int, int] | Sequence[int],
) -> list[list[int]]:
    """The rest joins where it fits; a row begins to look at the group ``begin[row]``, counted round."""
    groups = [list(group) for group in groups]
    dealt = {row for group in groups for row in group}
    for row in sorted(set(range(len(values))) - dealt, key=lambda row: order[row]):
        first = begin[row] % len(groups)
        for group in groups[first:] + groups[:first]:
            if all(fit(row, member, values, never) for member in group):
                group.append(row)
                break
    return groups


def labels(groups: Sequence[Sequence[int]], n: int) -> Labels:
    """The group of each row; -1 when it is in none."""
    of_row = {row: number for number, group in enumerate(groups) for row in group}
    return tuple(of_row.get(row, -1) for row in range(n))


def law(values: Sequence[int], never: Sequence[set[int]], l: int) -> dict[Labels, Fraction]:
    """The exact probability of every outcome, all orders and all places to begin being equally likely."""
    n = len(values)
    outcomes: dict[Labels, Fraction] = {}
    orders = list(permutations(range(n)))
    for order in orders:
        groups = deal(values, never, l, order)
        rest = [row for row in range(n) if not any(row in group for group in groups)]
        begins = list(product(range(len(groups)), repeat=len(rest)))
        for chosen in begins:
            found = labels(join(groups, values, never, order, dict(zip(rest, chosen, strict=True))), n)
            outcomes[found] = outcomes.get(found, Fraction(0)) + Fraction(1, len(orders) * len(begins))
    return outcomes
