"""An attacker who knows a statistic of single people *and* the method: no promise covers one, and this is what follows.

Draws by lot leave groups independent: such an attacker believes what one believes who takes each group by itself. Slice
does not. Its groups are slices through whole columns, so that columns trade at once, and small differences multiply.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod
from random import Random

from oracle.worlds import Population, World
from plain import strata

Values = tuple[int, ...]
Weights = Sequence[Sequence[Fraction]]  # of each person, by value
Release = tuple[tuple[tuple[int, ...], Values], ...]  # of each group its people and, sorted, their values
Believed = dict[Release, list[Fraction]]  # of each release the probability that each person has the first value


def worlds(held: Values) -> list[Values]:
    return sorted(set(permutations(held)))


def weight(rows: Sequence[int], world: Sequence[int], weights: Weights) -> Fraction:
    return prod((weights[row][value] for row, value in zip(rows, world, strict=True)), start=Fraction(1))


def releases(ages: Sequence[int], held: Values, inside: str) -> Iterator[tuple[Release, Fraction]]:
    """What one stratum of these people may be published as, with l = 2, and how likely each is."""
    people = Population(tuple((age,) for age in ages), tuple(range(len(ages))))
    own = people.inputs(World(tuple(range(len(ages))), held))
    for groups, chance in strata.stratum_law(own, 2, inside, [None]).items():
        yield tuple((tuple(rows), tuple(sorted(held[row] for row in rows))) for rows in groups), chance


def knowing_the_method(ages: Sequence[int], held: Values, weights: Weights, inside: str) -> Believed:
    totals: defaultdict[Release, Fraction] = defaultdict(Fraction)
    having: defaultdict[Release, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * len(ages))
    for world in worlds(held):
        for release, chance in releases(ages, world, inside):
            weighed = chance * weight(range(len(ages)), world, weights)
            totals[release] += weighed
            for row, value in enumerate(world):
                having[release][row] += weighed * (value == 0)
    return {release: [some / totals[release] for some in having[release]] for release in totals}


def group_by_group(release: Release, weights: Weights) -> list[Fraction]:
    found: dict[int, Fraction] = {}
    for rows, values in release:
        total = sum(weight(rows, world, weights) for world in worlds(values))
        for place, row in enumerate(rows):
            having = sum(weight(rows, world, weights) for world in worlds(values) if world[place] == 0)
            found[row] = Fraction(having) / total
    return [found[row] for row in sorted(found)]


def drawn(random: Random) -> tuple[list[int], Values, Weights]:
    """Up to seven people with two or three values, and a statistic by which each of them weighs."""
    held = random.choice([(0, 0, 1, 1), (0, 0, 1, 1, 2), (0, 0, 1, 1, 2, 2), (0, 0, 0, 1, 1, 1), (0, 0, 0, 1, 1, 2, 2)])
    of_age = {age: [Fraction(random.randint(1, 5)) for _ in range(3)] for age in range(4)}
    ages = sorted(random.choices(range(4), k=len(held)))
    return ages, held, [of_age[age] for age in ages]


def test_draws_by_lot_leave_groups_independent(thorough: bool) -> None:
    random = Random("by lot")
    for _ in range(300 if thorough else 10):
        ages, held, weights = drawn(random)
        for inside in ("lot", "none"):
            for release, believed in knowing_the_method(ages, held, weights, inside).items():
                assert believed == group_by_group(release, weights), (ages, held, weights, release)


def test_slices_do_not(thorough: bool) -> None:
    """The oracle can tell: some releases say more to an attacker who knows how they were sliced."""
    random, surer, tables = Random("slices"), 0, 100 if thorough else 8
    for _ in range(tables):
        ages, held, weights = drawn(random)
        found = knowing_the_method(ages, held, weights, "hybrid")
        surer += any(max(believed) > max(group_by_group(release, weights)) for release, believed in found.items())
    assert surer >= 1 + tables // 20


def test_columns_trade_at_once() -> None:
    """Four people and two values; old ones have the first with odds of 3 to 1, young ones with odds of 1 to 3.

    Two groups of an old and a young person: each by itself says 9/10 of an old one. Columns are both old or both young.
    """
    ages, held = [20, 21, 60, 61], (0, 0, 1, 1)
    weights = [[Fraction(1), Fraction(3)]] * 2 + [[Fraction(3), Fraction(1)]] * 2
    release = (((0, 2), (0, 1)), ((1, 3), (0, 1)))
    found = knowing_the_method(ages, held, weights, "hybrid")
    assert group_by_group(release, weights) == [Fraction(1, 10)] * 2 + [Fraction(9, 10)] * 2
    assert found[release] == [Fraction(1, 82)] * 2 + [Fraction(81, 82)] * 2
    assert knowing_the_method(ages, held, weights, "lot")[release] == group_by_group(release, weights)
