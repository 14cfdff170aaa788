"""ART claims nothing against somebody who knows it: over all worlds of tiny tables, beliefs exceed 1/r.

The same releases are within 1/r for somebody who only knows the statistics, which is what it does claim.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random

from oracle.methods import certainly, groups_of_labels
from oracle.worlds import Method, Population, Rows, World, beliefs, composition, highest, worlds
from pellucid.anonymize.methods.art import ART
from pellucid.core.coins import Coins
from pellucid.errors import Infeasible
from plain import art as plain

VALUES = (0, 0, 1, 1, 2, 2)
R = 2


def published(population: Population, support: int) -> Method:
    """The package's ART; a world that it refuses is published as nothing."""
    method, coins = ART(r=R, support=support), Coins.from_seed(0)

    def groups(world: World) -> dict[Rows, Fraction]:
        try:
            labels = method.group(population.table(world), coins).labels.tolist()
        except Infeasible:
            return {(): Fraction(1)}
        return certainly(groups_of_labels(labels))

    return cache(groups)


def populations() -> list[Population]:
    return [Population.random(Random(f"art {number}"), len(VALUES), 1, 3) for number in range(4)]


def test_whoever_knows_the_method_believes_more_than_one_in_r() -> None:
    found = []
    for population in populations():
        told = beliefs(population, worlds(len(VALUES), VALUES), published(population, 3), composition)
        told.pop((), None)  # the worlds of which nothing is published
        found.append(highest(told))
    assert max(found) > Fraction(1, R)


def test_whoever_knows_the_statistics_only_does_not() -> None:
    checked = 0
    for population in populations():
        method = published(population, 3)
        codes = population.vectors
        for world in worlds(len(VALUES), VALUES):
            (groups,) = method(world)
            for of in plain.measure(codes, world.values, 3, 1, 3):
                for group in groups:
                    values = tuple(world.values[row] for row in group)
                    for row in plain.beliefs(tuple(of[row][1] for row in group), values):
                        assert max(row) <= Fraction(1, R)
                        checked += 1
    assert checked > 100
