"""AlphaK and Incognito by enumeration of all worlds: what somebody who knows the method believes.

With k-anonymity, Incognito leaves exactly the frequency in the group. With models of sensitive values both tell more,
and the same enumeration finds it: somebody is named with certainty where frequencies allow one in two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from random import Random

import pytest

from oracle.worlds import PUBLICATIONS, Method, Population, Publication, Rows, World, beliefs, highest, worlds
from pellucid.anonymize.methods import Method as PackageMethod
from pellucid.anonymize.methods.alpha_k import AlphaK
from pellucid.anonymize.methods.incognito import Incognito
from pellucid.core.coins import Coins

PAIRS = (0, 0, 1, 1, 2, 2)
HIV, OTHER = 0, 1
TABLE_1 = Population(((1,), (1,), (2,), (2,), (2,), (2,), (2,)), tuple(range(7)))  # [W] table 1: two q1, five q2


def of_package(method: PackageMethod, population: Population) -> Method:
    """The package's own method; it draws nothing when there is an identifier."""

    def law(world: World) -> dict[Rows, Fraction]:
        found = method.group(population.table(world), Coins.from_seed(0), threads=1)
        groups = [found.members[a:b].tolist() for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)]
        return {tuple(tuple(sorted(group)) for group in groups): Fraction(1)}

    return law


def generalised(population: Population, world: World, groups: Rows) -> Hashable:
    """One row per person: the value of an attribute on which the group agrees, else ``*``, and the person's value."""
    rows = []
    for group in groups:
        columns = zip(*(population.vectors[world.members[r]] for r in group), strict=True)
        names = tuple(str(column[0]) if len(set(column)) == 1 else "*" for column in columns)
        rows += [(names, world.values[r]) for r in group]
    return tuple(sorted(rows))


def full_domain(population: Population, world: World, groups: Rows) -> Hashable:
    """The same with every value of an attribute as ``*`` unless all groups agree on it: a minimal node's levels."""
    columns = [
        [[population.vectors[world.members[r]][i] for r in group] for group in groups]
        for i in range(len(population.vectors[0]))
    ]
    kept = [all(len(set(values)) == 1 for values in column) for column in columns]
    rows = []
    for number, group in enumerate(groups):
        names = tuple(str(columns[i][number][0]) if kept[i] else "*" for i in range(len(columns)))
        rows += [(names, world.values[r]) for r in group]
    return tuple(sorted(rows))


def exceeds_frequency(population: Population, multiset: tuple[int, ...], method: Method) -> bool:
    """Whether somebody who is told the groups, and each one's values, believes anything but frequencies."""
    found = beliefs(population, list(worlds(len(multiset), multiset)), method, PUBLICATIONS["composition"])
    for release, facts in found.items():
        assert isinstance(release, tuple)
        for people, values in release:
            shares = {value: Fraction(count, len(values)) for value, count in Counter(values).items()}
            if any(facts.get((person, value), 0) != share for person in people for value, share in shares.items()):
                return True
    return False


def populations() -> list[Population]:
    return [Population.random(Random(f"taxonomic {i}"), 6, 1 + i % 2, 2 + i % 3) for i in range(8)]


@pytest.mark.parametrize("k", [2, 3])
def test_incognito_with_k_anonymity_leaves_exactly_the_frequency_in_the_group(k: int) -> None:
    for population in populations():
        assert not exceeds_frequency(population, PAIRS, of_package(Incognito(k=k), population))


@pytest.mark.parametrize("method", [Incognito(l=2), AlphaK(alpha="1/2", k=2)], ids=lambda m: m.name)
def test_with_a_model_of_sensitive_values_the_same_people_are_found_to_tell_more(method: PackageMethod) -> None:
    """The leaking variants of the method above: they refuse by looking at sensitive values."""
    assert any(exceeds_frequency(population, PAIRS, of_package(method, population)) for population in populations())


@pytest.mark.parametrize(
    ("method", "publication"),
    [(Incognito(l=2), full_domain), (AlphaK(alpha="1/2", k=2), generalised)],
    ids=["incognito", "alpha-k"],
)
def test_a_belief_above_one_in_two_is_found_at_l_2_when_only_the_table_is_published(
    method: PackageMethod, publication: Publication
) -> None:
    found = []
    for population in populations():
        possible = list(worlds(6, PAIRS))
        found.append(highest(beliefs(population, possible, of_package(method, population), publication)))
    assert max(found) > Fraction(1, 2)


@pytest.mark.parametrize(
    ("method", "coarse"),
    [
        (Incognito(model={"name": "l-diversity", "l": 2, "sensitive": ["s 0"]}), 7),  # [W] table 1(c)
        (AlphaK(alpha="1/2", k=1, sensitive=("s 0",)), 4),  # [W] table 1(d)
    ],
    ids=["global", "local"],
)
def test_the_first_table_of_the_minimality_attack_names_both_people(method: PackageMethod, coarse: int) -> None:
    """Two of four or seven generalised rows have HIV, yet it is certain who: else nothing had been generalised."""
    multiset = (HIV,) * 2 + (OTHER,) * 5
    law = of_package(method, TABLE_1)
    bad = World(tuple(range(7)), multiset)
    (groups,) = law(bad)
    release = generalised(TABLE_1, bad, groups)
    assert isinstance(release, tuple)
    assert sum(names == ("*",) for names, _ in release) == coarse
    found = beliefs(TABLE_1, list(worlds(7, multiset)), law, generalised)[release]
    assert found[0, HIV] == found[1, HIV] == 1
    assert all(found.get((person, HIV), 0) == 0 for person in range(2, 7))
