"""Whoever knows the method and everything but the sensitive values and the coins names nobody's value above 1/l.

All worlds of tiny tables are enumerated. The same enumeration, on the same people, catches methods that look at what
they must not; without that, a bound that always holds would say nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice
from random import Random

import pytest

from oracle import methods
from oracle.worlds import PUBLICATIONS, Population, World, beliefs, worlds, worst
from plain import laws

TWOS = (0, 0, 1, 1, 2, 2, 3, 3)  # the smallest multiset with repeated values that Tailor cuts at l = 2
PAIRS = (0, 0, 1, 1, 2, 2)


def distinct(n: int) -> tuple[int, ...]:
    return tuple(range(n))


# (multiset, l): how many populations are tried
EXACT = {
    (TWOS, 2): 2,
    (distinct(6), 2): 2,
    (distinct(6), 3): 2,
    (distinct(5), 2): 4,
    (distinct(4), 2): 10,
    ((0, 0, 1, 1, 2, 3), 2): 4,
    (PAIRS, 2): 4,
    (PAIRS, 3): 4,
    ((0, 0, 0, 1, 1, 1), 2): 6,
}


def populations(multiset: tuple[int, ...], l: int, others: int = 0) -> Iterator[Population]:
    """The people whose tables are enumerated: those in the table and ``others`` who are not."""
    for number in range(EXACT.get((multiset, l), 2)):
        random = Random(f"{multiset} {l} {others} {number}")
        yield Population.random(random, len(multiset) + others, random.choice([1, 2]), random.choice([2, 3, 4]))


@pytest.mark.parametrize(("multiset", "l"), EXACT)
@pytest.mark.parametrize("name", ["compiled_tailor", "ace", "hybrid"])
def test_beliefs_about_the_people_in_the_table_stay_within_one_in_l(
    name: str, multiset: tuple[int, ...], l: int
) -> None:
    for population in populations(multiset, l):
        for publication, belief in worst(population, multiset, getattr(methods, name)(population, l)).items():
            assert belief <= Fraction(1, l), publication


@pytest.mark.parametrize(
    ("multiset", "l", "others"),
    [(distinct(4), 2, 3), (distinct(5), 2, 1), ((0, 0, 1, 2), 2, 2), ((0, 0, 1, 1), 2, 3), (PAIRS, 2, 1)],
)
@pytest.mark.parametrize("name", ["compiled_tailor", "ace", "hybrid"])
def test_beliefs_about_people_who_may_be_in_the_table_stay_within_one_in_l(
    name: str, multiset: tuple[int, ...], l: int, others: int
) -> None:
    for population in populations(multiset, l, others):
        for publication, belief in worst(population, multiset, getattr(methods, name)(population, l)).items():
            assert belief <= Fraction(1, l), publication


@pytest.mark.parametrize(
    ("name", "multiset", "l"),
    [
        ("peeking_at_ties", TWOS, 2),
        ("peeking_at_ties", distinct(4), 2),
        ("looking_at_children", PAIRS, 2),
        ("looking_at_children", (0, 0, 1, 1, 2, 3), 2),
        ("ace_without_coins", PAIRS, 2),
        ("ace_for_the_nearest", PAIRS, 2),
        ("tailor_in_file_order", TWOS, 2),
        ("tailor_in_file_order", distinct(4), 2),
    ],
)
def test_a_method_that_looks_at_sensitive_values_is_caught(name: str, multiset: tuple[int, ...], l: int) -> None:
    """Under every form of publication, on the very people on which ours is found private."""
    found = [worst(people, multiset, getattr(methods, name)(people, l)) for people in populations(multiset, l)]
    for publication in PUBLICATIONS:
        assert max(highest_beliefs[publication] for highest_beliefs in found) > Fraction(1, l), publication


def test_a_method_that_looks_at_sensitive_values_is_caught_among_people_who_may_not_be_in_the_table() -> None:
    multiset, l = distinct(4), 2
    found = [
        worst(population, multiset, methods.peeking_at_ties(population, l))["composition"]
        for population in populations(multiset, l, others=3)
    ]
    assert max(found) > Fraction(1, l)


@pytest.mark.parametrize(("multiset", "l"), [(distinct(6), 2), (TWOS, 2)])
def test_tailor_leaves_exactly_the_frequency_in_the_group(multiset: tuple[int, ...], l: int) -> None:
    """Knowing the method adds nothing at all to reading the groups."""
    population = next(populations(multiset, l))
    tailor = methods.compiled_tailor(population, l)
    found = beliefs(population, worlds(len(multiset), multiset), tailor, PUBLICATIONS["composition"])
    assert max(len(release) for release in found) > 1  # something was cut
    for release, facts in found.items():
        for people, values in release:
            for person in people:
                for value, count in Counter(values).items():
                    assert facts[person, value] == Fraction(count, len(values))


@pytest.mark.parametrize("law", [laws.tailor_law, laws.ace_law, laws.hybrid_law])
@pytest.mark.parametrize("multiset", [distinct(4), (0, 0, 1, 1)])
def test_without_an_identifier_beliefs_stay_within_one_in_l(law: laws.MethodLaw, multiset: tuple[int, ...]) -> None:
    """The row order is one of all, whatever the order of the file; ``tailor_in_file_order`` above is not private."""
    for population in populations(multiset, 2):
        for publication, belief in worst(population, multiset, methods.any_order(population, 2, law)).items():
            assert belief <= Fraction(1, 2), publication


def test_a_file_sorted_by_disease_does_not_steer_the_compiled_tailor() -> None:
    """Every order that the coins can give, on files whose rows are sorted by the sensitive column."""
    multiset, l = distinct(4), 2
    for population in islice(populations(multiset, l), 5):
        method = cache(methods.compiled_tailor_on_sorted_file(population, l))
        expected = methods.any_order(population, l, laws.tailor_law)
        for world in worlds(len(multiset), multiset):
            assert method(world) == expected(world)
        for publication, belief in worst(population, multiset, method).items():
            assert belief <= Fraction(1, l), publication


def test_each_of_several_sensitive_columns_is_protected() -> None:
    """Tailor takes the largest count over the columns; looking at the first alone would disclose the second."""
    pairs = ((0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2))
    l = 2
    disclosed = False
    for population in populations(distinct(6), l):
        for protecting in (True, False):
            method = methods.tailor_of_pairs(population, pairs, l, protecting)
            found = beliefs(population, worlds(6, distinct(6)), method, PUBLICATIONS["composition"])
            for facts in found.values():
                for column in (0, 1):
                    belief: Counter[tuple[int, int]] = Counter()
                    for (person, number), share in facts.items():
                        belief[person, pairs[number][column]] += share  # type: ignore[assignment]
                    if protecting:
                        assert max(belief.values()) <= Fraction(1, l)
                    else:
                        disclosed |= column == 1 and max(belief.values()) > Fraction(1, l)
    assert disclosed


def test_world_counts_are_those_of_combinatorics() -> None:
    assert len(set(worlds(8, TWOS))) == 2520
    assert len(set(worlds(7, (0, 1, 1, 2)))) == 35 * 12
    assert next(worlds(3, (5, 4))) == World((0, 1), (4, 5))
