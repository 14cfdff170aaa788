"""The same enumeration over the very text that is handed out: real groups, real recoders, every byte of every table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from oracle import methods
from oracle.worlds import Method, Population, Rows, World, beliefs, highest, worlds
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Intervals, Means, Recoder, Suppression, Taxonomic, TwoTables
from plain import transparent

RECODERS = [
    Intervals(),
    Intervals(split=True),
    TwoTables(),
    Taxonomic(),
    Suppression(),
    Means(),
    Means(statistic="median"),
]


def text(population: Population, world: World, groups: Rows, recoder: Recoder) -> Hashable:
    """What the public receives."""
    grouping = Grouping.from_labels(np.array(transparent.labels(groups), dtype=np.int32))
    frames = recoder.recode(population.table(world), grouping, threads=1)
    return tuple((name, frame.write_csv()) for name, frame in sorted(frames.items()))


def read_by_all(population: Population, multiset: tuple[int, ...], method: Method, recoder: Recoder) -> Fraction:
    """The highest belief that the text leads to."""
    return highest(
        beliefs(
            population,
            worlds(len(population.vectors), multiset),
            method,
            lambda people, world, groups: text(people, world, groups, recoder),
        )
    )


@pytest.mark.parametrize("recoder", RECODERS, ids=repr)
@pytest.mark.parametrize(
    ("name", "multiset"),
    [
        ("compiled_tailor", (0, 1, 2, 3)),
        ("compiled_tailor", (0, 1, 2, 3, 4)),
        ("ace", (0, 0, 1, 1, 2, 2)),
        ("hybrid", (0, 1, 2, 3)),
        ("hybrid", (0, 0, 1, 1)),
    ],
)
def test_the_published_text_keeps_every_belief_within_one_in_l(
    name: str, multiset: tuple[int, ...], recoder: Recoder
) -> None:
    l = 2
    for number in range(2 if len(multiset) < 6 else 1):
        population = Population.random(Random(f"text {number}"), len(multiset), 2, 3)
        method = getattr(methods, name)(population, l)
        assert read_by_all(population, multiset, method, recoder) <= Fraction(1, l)


@pytest.mark.parametrize("recoder", [Intervals(), TwoTables()], ids=repr)
def test_the_text_of_a_method_that_peeks_gives_it_away(recoder: Recoder) -> None:
    """Otherwise the test above could pass on a text that says nothing."""
    found = []
    for number in range(6):
        population = Population.random(Random(f"text {number}"), 4, 2, 2)
        found.append(read_by_all(population, (0, 1, 2, 3), methods.peeking_at_ties(population, 2), recoder))
    assert max(found) > Fraction(1, 2)


@pytest.mark.parametrize("recoder", RECODERS, ids=repr)
def test_groups_with_the_same_people_and_values_are_recoded_alike(recoder: Recoder) -> None:
    """Who of a group has which of its values leaves no trace in the text, nor do the numbers of the groups."""
    population = Population.random(Random("alike"), 6, 2, 3)
    texts = defaultdict(set)
    groupings: list[Rows] = [((0, 1), (2, 3, 4, 5)), ((2, 3, 4, 5), (0, 1)), ((0, 1, 2), (3, 4, 5))]
    for world in worlds(6, (0, 0, 1, 1, 2, 2)):
        for groups in groupings:
            content = frozenset((group, tuple(sorted(world.values[row] for row in group))) for group in groups)
            texts[content].add(text(population, world, groups, recoder))
    assert len(texts) > 10
    assert all(len(written) == 1 for written in texts.values())
