"""Weights tell nothing of sensitive values: all worlds of tiny tables, to somebody who knows everybody's weight.

What is enumerated is what our recoders really write, with the column of weights in it. People have different weights,
so that the mean of a group nearly says who is in it; the belief in a sensitive value stays within 1/l all the same. Two
variants of the same enumeration show that it would notice: a mean for each sensitive value of a group, and a row's own
weight, each of which a careless release might have.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import polars as pl
import pytest

from oracle import methods
from oracle.worlds import Population, Publication, Rows, World, beliefs, composition, highest, worlds
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import RECODERS
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Table
from plain.tables import attribute, table_of

PAIRS = (0, 0, 1, 1, 2, 2)
CASES = [((0, 1, 2, 3), 2), ((0, 1, 2, 3, 4), 2), (PAIRS, 2), (PAIRS, 3), ((0, 0, 1, 1, 2, 3), 2)]
Shown = Callable[[Population, World, Rows, "list[float]"], Hashable]


def weights_of(people: int, seed: str) -> list[float]:
    """Different weights, of which few sums are alike."""
    return [float(weight) for weight in Random(seed).sample(range(1, 400), people)]


def weighted_table(population: Population, world: World, weights: list[float]) -> Table:
    """The table of a world with a column of weights."""
    table = population.table(world)
    mine = [weights[person] for person in world.members]
    book = sorted(set(mine))
    made = attribute(Role.WEIGHT, Kind.NUMBER, pl.Series("w", book), range(len(book)), len(book))
    columns = [(one, codes.tolist()) for one, codes in zip(table.attributes, table.codes, strict=True)]
    assert table.order is not None
    return table_of([*columns, (made, [book.index(weight) for weight in mine])], table.order.tolist())


def written_by(name: str) -> Shown:
    """What a recoder writes, row after row in every frame."""

    def shown(population: Population, world: World, groups: Rows, weights: list[float]) -> Hashable:
        labels = np.empty(len(world.members), np.int32)
        for number, group in enumerate(groups):
            labels[list(group)] = number
        frames = RECODERS[name]().recode(weighted_table(population, world, weights), Grouping.from_labels(labels))
        assert any("w" in frame.columns for frame in frames.values())
        return tuple(tuple(frame.rows()) for frame in frames.values())

    return shown


def mean_by_value(population: Population, world: World, groups: Rows, weights: list[float]) -> Hashable:
    """LEAKS: every row shows the mean weight of those rows of its group that have its sensitive value."""
    rows = []
    for group in groups:
        columns = zip(*(population.vectors[world.members[r]] for r in group), strict=True)
        box = tuple((min(column), max(column)) for column in columns)
        for row in group:
            alike = [weights[world.members[r]] for r in group if world.values[r] == world.values[row]]
            rows.append((box, sum(alike) / len(alike), world.values[row]))
    return tuple(sorted(rows))


def exact_weights(population: Population, world: World, groups: Rows, weights: list[float]) -> Hashable:
    """LEAKS: every row shows its own weight."""
    alone: Rows = tuple((row,) for group in groups for row in group)
    return mean_by_value(population, world, alone, weights)


def known_with(shown: Shown, weights: list[float]) -> Publication:
    return lambda population, world, groups: shown(population, world, groups, weights)


def most_believed(name: str, multiset: tuple[int, ...], l: int, shown: Shown, number: int) -> Fraction:
    """The highest belief over all releases of the worlds of some people."""
    random = Random(f"weights {multiset} {l} {number}")
    population = Population.random(random, len(multiset), random.choice([1, 2]), random.choice([2, 3]))
    method = cache(getattr(methods, name)(population, l))
    publication = known_with(shown, weights_of(len(multiset), f"{multiset} {number}"))
    return highest(beliefs(population, worlds(len(multiset), multiset), method, publication))


@pytest.mark.parametrize(("multiset", "l"), CASES)
@pytest.mark.parametrize("name", ["compiled_tailor", "ace", "hybrid"])
@pytest.mark.parametrize("recoder", ["intervals", "anatomy"])
def test_whoever_knows_every_weight_names_nobodys_value_above_one_in_l(
    recoder: str, name: str, multiset: tuple[int, ...], l: int
) -> None:
    for number in range(2):
        assert most_believed(name, multiset, l, written_by(recoder), number) <= Fraction(1, l)


@pytest.mark.parametrize("shown", [mean_by_value, exact_weights])
@pytest.mark.parametrize("name", ["compiled_tailor", "ace", "hybrid"])
def test_a_weight_that_depends_on_the_sensitive_value_is_caught(name: str, shown: Shown) -> None:
    assert max(most_believed(name, (0, 1, 2, 3), 2, shown, number) for number in range(2)) == 1


@pytest.mark.parametrize("recoder", sorted(RECODERS))
def test_given_who_is_in_which_group_the_weights_are_constants(recoder: str) -> None:
    """Values handed out in another way inside groups leave every frame but its sensitive columns' places as it is.

    So the argument for the mean holds for every method with a promise to somebody who is told the groups, whatever its
    decisions look at: two worlds with the same groups of the same people, whose groups hold the same values, are
    published as one and the same release.
    """
    multiset = (0, 0, 1, 1, 2, 3)
    population = Population.random(Random(5), 6, 2, 3)
    shown = known_with(written_by(recoder), weights_of(6, "constants"))
    groups: Rows = ((0, 3, 5), (1, 2, 4))
    releases: dict[Hashable, set[Hashable]] = {}
    for world in worlds(6, multiset):
        releases.setdefault(composition(population, world, groups), set()).add(shown(population, world, groups))
    assert len(releases) > 5
    assert {len(found) for found in releases.values()} == {1}


def test_that_would_notice_a_mean_by_sensitive_value() -> None:
    population = Population.random(Random(5), 6, 2, 3)
    shown = known_with(mean_by_value, weights_of(6, "constants"))
    groups: Rows = ((0, 3, 5), (1, 2, 4))
    releases: dict[Hashable, set[Hashable]] = {}
    for world in worlds(6, (0, 0, 1, 1, 2, 3)):
        releases.setdefault(composition(population, world, groups), set()).add(shown(population, world, groups))
    assert max(len(found) for found in releases.values()) > 1
