"""Whoever knows Tailor and its model learns the groups' frequencies and nothing else, for every model it takes.

All worlds of tiny tables are enumerated, as in test_transparency.py; a method that refuses cuts by looking at what
the sides would hold is caught on the same people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice
from random import Random

import numpy as np
import polars as pl
import pytest

from oracle.methods import certainly, groups_of_labels
from oracle.worlds import PUBLICATIONS, Beliefs, Method, Population, Rows, World, beliefs, highest, worlds
from pellucid.anonymize.methods.tailor import Tailor
from pellucid.core.coins import Coins
from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Table
from pellucid.models import PrivacyModel, models, of, parse
from pellucid.models.all_of import together
from plain.transparent import Inputs, inputs_of, perimeter

PAIRS = (0, 0, 1, 1, 2, 2)
SPREAD = (0, 0, 1, 1, 1, 1, 2)
SIX = (0, 1, 2, 3, 4, 5)

ONE_SET = models()["l-diversity"](l=2, sensitive=(0,))
TOGETHER = models()["l-diversity"](l=2, sensitive=(0, 2), together=True)
OVERLAPPING = models()["l-diversity"](l=2, sensitive=(0, 3), together=True)
DISTINCT_SET = models()["distinct l-diversity"](l=2, sensitive=(2,))

# a model, and a multiset that Tailor can cut with it
CUT = [
    (parse("k-anonymity=2"), PAIRS),
    (parse("l-diversity=3"), SIX),
    (ONE_SET, (0, 1, 1, 1, 1, 2)),
    (TOGETHER, (0, 1, 1, 2, 3, 1, 3, 1)),
    (parse("(alpha,k)-anonymity=2/3,3"), PAIRS),
    (parse("distinct l-diversity=2"), PAIRS),
    (DISTINCT_SET, SPREAD),
    (parse("recursive (c,l)-diversity=3,2"), PAIRS),
    (parse("entropy l-diversity=1.8"), PAIRS),
    (parse("t-closeness=0.4"), PAIRS),
    (parse("ordered t-closeness=0.45"), PAIRS),
    (parse("(k,e)-anonymity=2,1"), PAIRS),
    (parse("beta-likeness=1.1"), PAIRS),
    (parse("enhanced beta-likeness=2"), PAIRS),
    (of("k-anonymity=3 and distinct l-diversity=2"), PAIRS),
    (of("k-anonymity=2 and t-closeness=0.5"), PAIRS),
    (of("l-diversity=2 and entropy l-diversity=1.8"), SIX),
    (of("recursive (c,l)-diversity=3,2 and (k,e)-anonymity=2,1 and beta-likeness=2"), PAIRS),
    (together([ONE_SET, parse("k-anonymity=3")]), (0, 1, 1, 1, 1, 2)),
    (together([TOGETHER, OVERLAPPING]), (0, 1, 1, 2, 3, 1, 1, 1)),
]


def populations(multiset: Sequence[int], others: int = 0) -> Iterator[Population]:
    """People with few different quasi-identifiers, and with many."""
    number = 0
    while True:
        random = Random(f"{multiset} {others} {number}")
        yield Population.random(random, len(multiset) + others, random.choice([1, 2]), random.choice([2, 3, 6]))
        number += 1


def numbered(attribute: Attribute, world: World) -> Attribute:
    """The sensitive values as the integers that they are, so that every model says something about them."""
    values = pl.Series(attribute.name, sorted(set(world.values)), dtype=pl.Int64)
    return replace(attribute, kind=Kind.NUMBER, values=values)


def table_of_world(population: Population, world: World) -> Table:
    table = population.table(world)
    return replace(table, attributes=(*table.attributes[:-1], numbered(table.attributes[-1], world)))


def by_tailor(population: Population, model: PrivacyModel) -> Method:
    """The package's own."""
    coins = Coins.from_seed(0)  # of no use to Tailor when there is an identifier

    def method(world: World) -> dict[Rows, Fraction]:
        found = Tailor(model=model).group(table_of_world(population, world), coins, threads=1)
        return certainly(groups_of_labels(found.labels.tolist()))

    return method


def looking_at_children(population: Population, model: PrivacyModel) -> Method:
    """The best cut whose two sides turn out to satisfy the model."""

    def holds(rows: Sequence[int], t: Inputs, attribute: Attribute) -> bool:
        values = [t.sensitive[row][0] for row in rows]
        counts = np.bincount(values, minlength=len(attribute))
        table = np.bincount([value for (value,) in t.sensitive], minlength=len(attribute))
        return bool(model.check_counts(counts, table, attribute=attribute))

    def cut(rows: Sequence[int], t: Inputs, attribute: Attribute) -> list[list[int]]:
        candidates = []
        for i in range(len(t.geometry)):
            line = sorted(rows, key=lambda row, i=i: (t.codes[row][i], t.order[row]))
            for k in range(1, len(rows)):
                left, right = line[:k], line[k:]
                total = perimeter(left, t.codes, t.geometry) + perimeter(right, t.codes, t.geometry)
                candidates.append((total, i, k, left, right))
        for *_, left, right in sorted(candidates):
            if holds(left, t, attribute) and holds(right, t, attribute):
                return [*cut(left, t, attribute), *cut(right, t, attribute)]
        return [list(rows)]

    def method(world: World) -> dict[Rows, Fraction]:
        table = table_of_world(population, world)
        t = inputs_of(table)
        return certainly(cut(range(len(t.codes)), t, table.attributes[-1]))

    return method


def differs_from_frequencies(found: Beliefs) -> bool:
    """Whether somebody's posterior is not the frequency in the group, in some release."""
    for release, facts in found.items():
        for people, values in release:  # type: ignore[attr-defined]
            counts = Counter(values)
            for person in people:
                if any(facts.get((person, v), 0) != Fraction(c, len(values)) for v, c in counts.items()):
                    return True
    return False


@pytest.mark.parametrize(("model", "multiset"), CUT, ids=lambda case: repr(case))
def test_somebody_who_knows_the_model_learns_the_frequencies_only(
    model: PrivacyModel, multiset: tuple[int, ...]
) -> None:
    groups = 0
    for population in islice(populations(multiset), 1):
        method = by_tailor(population, model)
        found = beliefs(population, worlds(len(multiset), multiset), method, PUBLICATIONS["composition"])
        assert not differs_from_frequencies(found)
        groups = max(groups, *(len(release) for release in found))  # type: ignore[arg-type]
    assert groups > 1  # something was cut


@pytest.mark.parametrize(
    ("text", "multiset"),
    [("k-anonymity=2", (0, 0, 1, 1)), ("distinct l-diversity=2", PAIRS), ("entropy l-diversity=1.5", (0, 0, 1, 1, 2))],
)
def test_people_who_may_be_in_the_table_learn_no_more(text: str, multiset: tuple[int, ...]) -> None:
    """With one person more than rows, every form of publication: no belief above the largest frequency of a group."""
    (population,) = islice(populations(multiset, others=1), 1)
    method = cache(by_tailor(population, parse(text)))
    possible = list(worlds(len(population.vectors), multiset))
    largest = max(
        Fraction(max(Counter(world.values[row] for row in group).values()), len(group))
        for world in possible
        for groups in method(world)
        for group in groups
    )
    for publication in PUBLICATIONS.values():
        assert highest(beliefs(population, possible, method, publication)) <= largest


@pytest.mark.parametrize(
    ("text", "multiset"),
    [
        ("l-diversity=2", PAIRS),
        ("(alpha,k)-anonymity=2/3,2", PAIRS),
        ("distinct l-diversity=2", PAIRS),
        ("recursive (c,l)-diversity=3,2", PAIRS),
        ("entropy l-diversity=1.8", PAIRS),
        ("t-closeness=0.5", PAIRS),
        ("ordered t-closeness=0.3", PAIRS),
        ("(k,e)-anonymity=2,1", PAIRS),
        ("beta-likeness=1", PAIRS),
        ("k-anonymity=2 and l-diversity=2", PAIRS),
        ("(k,e)-anonymity=2,1 and t-closeness=0.5", PAIRS),
    ],
)
def test_a_method_that_refuses_by_looking_at_the_sides_is_caught(text: str, multiset: tuple[int, ...]) -> None:
    caught = False
    for population in islice(populations(multiset), 4):
        method = looking_at_children(population, of(text))
        found = beliefs(population, worlds(len(multiset), multiset), method, PUBLICATIONS["composition"])
        caught = caught or differs_from_frequencies(found)
    assert caught
