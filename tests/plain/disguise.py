"""The second steps of Mask and SpuriousRecords as they are defined: what becomes of groups that are given.

``groups`` lists the rows of each group, ``values`` the sensitive value of each row. Nothing is imported from the
methods. A published group is the multiset of its values, as a sorted tuple.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from fractions import Fraction
from itertools import combinations, permutations, product

Groups = Sequence[Sequence[int]]
Published = tuple[tuple[int, ...], ...]


def share(group: Sequence[int], values: Sequence[int], protected: Set[int]) -> Fraction:
    """How much of a group has a value of the set."""
    return Fraction(sum(values[row] in protected for row in group), len(group))


def donors_of(
    groups: Groups, values: Sequence[int], protected: Set[int], l: int, rule: str
) -> tuple[list[int], list[int]]:
    """The numbers of the groups that violate, and of those that they may be made to look like."""
    shares = [share(group, values, protected) for group in groups]
    violating = [g for g, part in enumerate(shares) if part * l > 1]
    others = [g for g, part in enumerate(shares) if part * l <= 1]
    if rule == "highest":
        others = sorted(others, key=lambda g: (-shares[g], g))[: (l - 1) * len(violating)]
    return violating, others


def mask(
    groups: Groups,
    values: Sequence[int],
    protected: Set[int],
    l: int,
    rule: str,
    donor: Callable[[int], int],
    turn: Sequence[int],
    source: Sequence[int],
) -> list[int] | None:
    """The published value of each row, or None when there is nobody to look like.

    ``donor(group)`` and ``source[row]`` are numbers that say which donor and which row outside the set, counted round;
    the rows of the lowest ``turn`` lose their value. Rows outside the set are counted in the order of their values.
    """
    violating, others = donors_of(groups, values, protected, l, rule)
    if violating and not others:
        return None
    published = list(values)
    outside = sorted(value for value in values if value not in protected)
    for g in violating:
        chosen = groups[others[donor(g) % len(others)]]
        kept = len(groups[g]) * share(chosen, values, protected) // 1
        ours = sorted((row for row in groups[g] if values[row] in protected), key=lambda row: turn[row])
        for row in ours[: len(ours) - kept]:
            published[row] = outside[source[row] % len(outside)]
    return published


def mask_each(
    groups: Groups,
    values: Sequence[int],
    protected: Set[int],
    l: int,
    distinct: int,
    donor: Callable[[int], int],
    turn: Sequence[int],
    hand: Sequence[int],
    drawn: Callable[[int, int], int],
) -> list[int] | None:
    """The same where each value is judged by itself; ``drawn(group, n)`` is the n-th value drawn for rows left over."""

    def violates(group: Sequence[int]) -> bool:
        held = Counter(values[row] for row in group)
        return any(held[value] * l > len(group) for value in protected)

    others = [g for g, group in enumerate(groups) if not violates(group)]
    violating = [g for g, group in enumerate(groups) if violates(group)]
    if violating and not others:
        return None
    published = list(values)
    for g in violating:
        n, chosen = len(groups[g]), groups[others[donor(g) % len(others)]]
        like = Counter(values[row] for row in chosen)
        aim = Counter({value: n * count // len(chosen) for value, count in like.items()})
        room = {value: n // l if value in protected else n for value in range(distinct)}
        if sum(max(0, room[value] - aim[value]) for value in room) < n - aim.total():
            return None
        tried = 0
        while aim.total() < n:
            value = drawn(g, tried) % distinct
            aim[value] += aim[value] < room[value]
            tried += 1
        lost: list[int] = []
        for value in range(distinct):
            having = sorted((row for row in groups[g] if values[row] == value), key=lambda row: turn[row])
            lost += having[aim[value] :]
        missing = sorted((aim - Counter(values[row] for row in groups[g])).elements())
        for row, value in zip(sorted(lost, key=lambda row: hand[row]), missing, strict=True):
            published[row] = value
    return published


def mask_law(
    groups: Groups,
    values: Sequence[int],
    protected: Set[int],
    l: int,
    rule: str,
    outside: Mapping[int, int] | None = None,
) -> dict[tuple[int, ...], Fraction]:
    """The exact probability of the published values, row by row; empty when Mask is infeasible.

    ``outside`` says how often each value replaces another, as often as the table has it unless given.
    """
    violating, others = donors_of(groups, values, protected, l, rule)
    if violating and not others:
        return {}
    pool = Counter(value for value in values if value not in protected) if outside is None else outside
    law = {tuple(values): Fraction(1)}
    for g in violating:
        ours = [row for row in groups[g] if values[row] in protected]
        grown: dict[tuple[int, ...], Fraction] = {}
        for donor in others:
            kept = len(groups[g]) * share(groups[donor], values, protected) // 1
            choices = list(combinations(ours, len(ours) - kept))
            for rows, new in product(choices, product(pool, repeat=len(ours) - kept)):
                chance = Fraction(1, len(others) * len(choices))
                for value in new:
                    chance *= Fraction(pool[value], sum(pool.values()))
                replaced = dict(zip(rows, new, strict=True))
                for before, p in law.items():
                    after = tuple(replaced.get(row, value) for row, value in enumerate(before))
                    grown[after] = grown.get(after, Fraction(0)) + p * chance
        law = grown
    return law


def missing(held: Sequence[int], l: int) -> int:
    """How many records a group with these values receives: one by one until it is diverse, with values it lacks.

    >>> missing([7, 7], 2), missing([7, 7, 8], 3), missing([7, 8, 9], 3)
    (2, 3, 0)
    """
    counts, added = Counter(held), 0
    while max(counts.values()) * l > len(held) + added or len(counts) + added < l:
        added += 1
    return added


def spurious(groups: Groups, values: Sequence[int], l: int, draw: Callable[[int, int], int]) -> list[list[int]] | None:
    """The values that are added to each group, or None when one lacks too few of the table's values.

    ``draw(group, turn)`` is the value that is drawn at a turn.
    """
    known = len(set(values))
    added: list[list[int]] = []
    for g, group in enumerate(groups):
        held = [values[row] for row in group]
        need = missing(held, l)
        if need > known - len(set(held)):
            return None
        new: list[int] = []
        turn = 0
        while len(new) < need:
            value = draw(g, turn)
            turn += 1
            if value not in held and value not in new:
                new.append(value)
        added.append(new)
    return added


def spurious_law(groups: Groups, values: Sequence[int], l: int, *, less: bool = False) -> dict[Published, Fraction]:
    """The exact probability of the multisets that SpuriousRecords publishes; empty when it is infeasible.

    With ``less`` a value has less than one record in l, as the thesis prints it.
    """
    law: dict[Published, Fraction] = {(): Fraction(1)}
    for group in groups:
        held = [values[row] for row in group]
        lacking = [value for value in sorted(set(values)) if value not in held]
        need = missing(held, l) + (less and len(held) + missing(held, l) == l * max(map(held.count, held)))
        if need > len(lacking):
            return {}
        choices = list(permutations(lacking, need))
        one: dict[tuple[int, ...], Fraction] = {}
        for new in choices:
            outcome = tuple(sorted([*held, *new]))
            one[outcome] = one.get(outcome, Fraction(0)) + Fraction(1, len(choices))
        law = {(*head, tail): p * q for head, p in law.items() for tail, q in one.items()}
    return law
