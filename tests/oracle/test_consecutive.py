"""Beliefs about Anatomy, greedy, randomised greedy and symmetric grouping, by enumeration of all worlds.

Anatomy stays within 1/l and symmetric grouping within 1/(l - 1/2), which it reaches. The breaches that are known of
the others are found by the same enumeration: the first bucket of a greedy group, the end that is suppressed, a set of
values that counts as one, and groups that are divided by Anatomy after a decision that looked at them.

The definitions are asked where the package's equality with them is shown in tests/property, the package elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import comb
from random import Random

import numpy as np
import pytest

import pellucid as pc
from oracle.worlds import (
    PUBLICATIONS,
    Beliefs,
    Method,
    Population,
    Rows,
    World,
    arrangements,
    beliefs,
    highest,
    worlds,
    worst,
)
from pellucid.core.coins import Coins
from pellucid.errors import PellucidError
from pellucid.posterior import merged_classes, refused_cut
from plain import consecutive as plain

COINS = Coins.from_seed(0)  # what has no use for them when there is an identifier
HALF = Fraction(1, 2)


def distinct(n: int) -> tuple[int, ...]:
    return tuple(range(n))


def populations(multiset: tuple[int, ...], l: int, others: int = 0, tried: int = 2) -> Iterator[Population]:
    for number in range(tried):
        random = Random(f"consecutive {multiset} {l} {others} {number}")
        yield Population.random(random, len(multiset) + others, random.choice([1, 2]), random.choice([2, 3, 4]))


def certainly(groups: Sequence[Sequence[int]]) -> dict[Rows, Fraction]:
    return {plain.canonical(groups): Fraction(1)}


def compiled(method: pc.GreedyGrouping | pc.SymmetricGrouping, population: Population) -> Method:
    """The package's own method; a world that it refuses makes no release."""

    def of(world: World) -> dict[Rows, Fraction]:
        try:
            found = method.group(population.table(world), COINS, threads=1)
        except PellucidError:
            return {}
        groups = [found.members[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)]
        return certainly(groups)

    return of


def in_a_row(n: int) -> Population:
    """People of whom each has a vector of their own, in the order of their numbers."""
    return Population(tuple((person,) for person in range(n)), tuple(range(n)))


def by_position(law: Callable[[tuple[int, ...]], plain.Law]) -> Method:
    """A law on the values along the line, as a method on people in a row."""
    return lambda world: law(world.values)


def composition(multiset: Sequence[int], method: Method) -> Beliefs:
    """Beliefs of somebody who is told the groups; everybody in a row."""
    people = in_a_row(len(multiset))
    return beliefs(people, worlds(len(multiset), multiset), method, PUBLICATIONS["composition"])


# Anatomy

ANATOMY = [
    (distinct(4), 2, 0),
    (distinct(5), 2, 0),
    ((0, 0, 1, 1, 2), 2, 0),
    ((0, 0, 1, 2, 3), 2, 0),
    ((0, 0, 1, 1, 2, 2), 2, 0),
    ((0, 0, 0, 1, 1, 2), 2, 0),
    ((0, 0, 1, 1, 2, 2), 3, 0),
    ((0, 0, 1, 1, 2, 3), 3, 0),
    ((0, 0, 1, 1, 2, 2, 3), 3, 0),
    ((0, 0, 1, 2, 3), 2, 1),
    ((0, 0, 1, 1), 2, 2),
]


def anatomy(l: int) -> Method:
    """Anatomy's exact law; the package's is compared with it in tests/statistical."""
    return lambda world: plain.anatomy_law(range(len(world.values)), world.values, l)


@pytest.mark.parametrize(("multiset", "l", "others"), ANATOMY)
def test_anatomy_stays_within_one_in_l(multiset: tuple[int, ...], l: int, others: int) -> None:
    for population in populations(multiset, l, others, tried=1 if others or len(multiset) > 6 else 2):
        for publication, belief in worst(population, multiset, anatomy(l)).items():
            assert belief <= Fraction(1, l), publication


@pytest.mark.parametrize(("multiset", "l"), [((0, 0, 1, 1, 2), 2), ((0, 0, 1, 1, 2, 2, 3), 3)])
def test_anatomy_leaves_exactly_one_over_the_size_of_the_group(multiset: tuple[int, ...], l: int) -> None:
    """Also in groups that a row which was left has joined."""
    found = composition(multiset, by_position(lambda values: plain.anatomy_law(range(len(values)), values, l)))
    sizes = set()
    for release, facts in found.items():
        for people, values in release:  # type: ignore[attr-defined]
            sizes.add(len(people))
            assert {facts[person, value] for person in people for value in values} == {Fraction(1, len(people))}
    assert sizes == {l, l + 1}


@pytest.mark.parametrize("l", [2, 3])
def test_anatomy_makes_the_same_groups_whatever_the_quasi_identifiers(l: int) -> None:
    """[C] definition 3: the same sensitive values in each row and the same coins give the same grouping."""
    multiset = (0, 0, 1, 2, 2, 3, 3, 4)
    for seed in range(8):
        for values in (multiset, multiset[::-1]):
            tables = [people.table(World(tuple(range(8)), values), range(8)) for people in populations(multiset, l)]
            labels = [pc.Anatomy(l=l).group(table, Coins.from_seed(seed)).labels.tolist() for table in tables]
            assert labels[0] == labels[1]


def anatomy_without_coins(population: Population, l: int) -> Method:
    """Anatomy that takes a value's rows by their identifiers."""

    def method(world: World) -> dict[Rows, Fraction]:
        rows = range(len(world.values))
        ranks = [population.ranks[person] for person in world.members]
        return certainly(plain.anatomy(rows, world.values, l, ranks.__getitem__, lambda *_: 0))

    return method


def anatomy_that_prefers_the_near(population: Population, l: int) -> Method:
    """Anatomy whose coins are fair, but a row that is left prefers groups with people who are near."""

    def nearness(row: int, group: Sequence[int], world: World) -> int:
        own = population.vectors[world.members[row]]
        others = [population.vectors[world.members[other]] for other in group if other != row]
        return min(sum(abs(a - b) for a, b in zip(own, vector, strict=True)) for vector in others)

    def method(world: World) -> dict[Rows, Fraction]:
        law = plain.anatomy_law(range(len(world.values)), world.values, l)
        joined = {g: next(group for group in g if len(group) > l) for g in law}
        near: dict[Rows, Fraction] = {}
        for groups, p in law.items():
            larger = joined[groups]
            lone = [row for row in larger if list(world.values).count(world.values[row]) == 1]
            best = min((nearness(row, larger, world) for row in lone), default=0)
            near[groups] = p * Fraction(1, 4**best)
        total = sum(near.values())
        return {groups: p / total for groups, p in near.items()}

    return method


@pytest.mark.parametrize(
    ("leaking", "multiset", "l"),
    [(anatomy_without_coins, (0, 0, 1, 1, 2, 2), 2), (anatomy_that_prefers_the_near, (0, 0, 1, 1, 2), 2)],
)
def test_an_anatomy_that_looks_at_who_people_are_is_caught(
    leaking: Callable[[Population, int], Method], multiset: tuple[int, ...], l: int
) -> None:
    found = [worst(people, multiset, leaking(people, l))["composition"] for people in populations(multiset, l, tried=6)]
    assert max(found) > Fraction(1, l)


# SymmetricGrouping


@pytest.mark.parametrize(
    ("multiset", "l"),
    [((0, 0, 1, 1), 2), ((0, 0, 1, 2, 3), 2), ((0, 0, 1, 1, 2), 2), ((0, 0, 1, 1, 2, 2), 2), ((0, 0, 1, 1, 2, 2), 3)],
)
def test_symmetric_grouping_stays_within_its_bound(multiset: tuple[int, ...], l: int) -> None:
    for population in populations(multiset, l):
        method = compiled(pc.SymmetricGrouping(l=l), population)
        for publication, belief in worst(population, multiset, method).items():
            assert belief <= 1 / (l - HALF), publication


def partitions(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every multiset of n values as its counts, frequent first."""
    if n == 0:
        yield ()
    for count in range(min(n, largest), 0, -1):
        for rest in partitions(n - count, count):
            yield (count, *rest)


def ways(counts: Sequence[int], left: int, allowed: Callable[[int, int], bool]) -> list[int]:
    """In how many ways values of these counts put so many rows on the left: an entry for each number up to ``left``."""
    made = [1] + [0] * left
    for count in counts:
        longer = [0] * (left + 1)
        for on_left in range(count + 1):
            if allowed(on_left, count - on_left):
                for rows in range(left + 1 - on_left):
                    longer[rows + on_left] += made[rows] * comb(count, on_left)
        made = longer
    return made


def belief_of_a_refused_cut(counts: tuple[int, ...], l: int, left: int | None = None) -> Fraction | None:
    """The highest belief about a row of a group that was not cut; None when it is always cut.

    What happened elsewhere does not matter: the cuts above were accepted, as the multisets of the groups show. So this
    is all that somebody who knows the method can learn.
    """
    n = sum(counts)
    left = (n + 1) // 2 if left is None else left
    right = n - left

    def both_hold(a: int, b: int) -> bool:
        return a * l <= left and b * l <= right

    def always(*_: int) -> bool:
        return True

    refused = ways(counts, left, always)[left] - ways(counts, left, both_hold)[left]
    if refused == 0:
        return None
    best = Fraction(0)
    for place, count in enumerate(counts):
        others = counts[:place] + counts[place + 1 :]
        anyhow, passing = ways(others, left, always), ways(others, left, both_hold)
        on_left = sum(
            j * comb(count, j) * (anyhow[left - j] - both_hold(j, count - j) * passing[left - j])
            for j in range(min(count, left) + 1)
        )
        mean = Fraction(on_left, refused)
        best = max(best, mean / left, (count - mean) / right)
    return best


@pytest.mark.parametrize(("l", "most"), [(2, 15), (3, 14), (4, 15), (5, 13)])
def test_no_group_that_was_not_cut_exceeds_the_bound_and_one_of_4l_minus_1_rows_reaches_it(l: int, most: int) -> None:
    """Every multiset of so many rows. One value twice among 4l - 1 rows: both must be on the smaller side."""
    found = {
        counts: belief
        for n in range(2, most + 1)
        for counts in partitions(n, n // l)
        if (belief := belief_of_a_refused_cut(counts, l)) is not None
    }
    assert max(found.values()) <= 1 / (l - HALF)
    assert belief_of_a_refused_cut((2, *[1] * (4 * l - 3)), l) == 1 / (l - HALF)
    even = [belief * sum(counts) - counts[0] for counts, belief in found.items() if sum(counts) % 2 == 0]
    assert set(even) == {0}  # equal halves: no more than the frequency


@pytest.mark.parametrize("l", [2, 3])
def test_halves_that_are_not_halves_are_caught(l: int) -> None:
    """The same count, of a method that cuts off a third, or two rows more than half."""
    for left in (lambda n: -(-n // 3), lambda n: min(n - 1, n // 2 + 2)):
        found = [belief_of_a_refused_cut(counts, l, left(n)) for n in range(2, 12) for counts in partitions(n, n // l)]
        assert max(belief for belief in found if belief is not None) > 1 / (l - HALF)


def test_the_count_of_refused_cuts_is_that_of_enumeration() -> None:
    for counts, l in [((2, 1, 1, 1), 2), ((2, 2, 1), 2), ((2, 1, 1, 1, 1, 1), 2), ((2, 2, 1, 1, 1), 3)]:
        multiset = [value for value, count in enumerate(counts) for _ in range(count)]
        law = by_position(lambda v, l=l: certainly(plain.symmetric(range(len(v)), v, plain.diverse(l))))
        found = composition(multiset, law)
        whole = [facts for release, facts in found.items() if len(release) == 1]  # type: ignore[arg-type]
        assert max((max(facts.values()) for facts in whole), default=None) == belief_of_a_refused_cut(counts, l)
        sides = (sum(counts) + 1) // 2, sum(counts) // 2
        told = refused_cut(sides, dict(enumerate(counts)), pc.LDiversity(l=l), exact=True)
        facts = {(row, v): told[row >= sides[0]][v] for row in range(sum(counts)) for v in range(len(counts))}
        assert whole == [{fact: belief for fact, belief in facts.items() if belief}]


def test_a_refused_split_in_several_parts_is_that_of_enumeration() -> None:
    """[C] theorem 5 is of even splits in any number of parts: in all of these its bound for two holds as well."""
    for parts, counts, l in [
        ((2, 2, 2), (2, 1, 1, 1, 1), 2),
        ((3, 3, 2), (3, 2, 2, 1), 2),
        ((3, 3, 3), (2, 2, 2, 2, 1), 3),
    ]:
        multiset = [value for value, count in enumerate(counts) for _ in range(count)]
        starts = np.cumsum([0, *parts])
        refused = [
            world
            for world in set(permutations(multiset))
            if any(max(map(world[a:b].count, world[a:b])) * l > b - a for a, b in pairwise(starts))
        ]
        told = refused_cut(parts, dict(enumerate(counts)), pc.LDiversity(l=l), exact=True)
        for part, row in enumerate(starts[:-1].tolist()):
            for value in range(len(counts)):
                assert told[part][value] == Fraction(sum(world[row] == value for world in refused), len(refused))
        assert max(max(part.values()) for part in told) <= Fraction(2, 2 * l - 1)


@pytest.mark.parametrize("sides", [(2, 4), (3, 3), (4, 3)])
def test_two_sides_are_two_merged_classes(sides: tuple[int, int]) -> None:
    counts = {"a": 2, "b": 2, "c": sum(sides) - 4}
    model = pc.LDiversity(l=2)
    assert refused_cut(sides, counts, model, exact=True) == merged_classes(sides, counts, model, exact=True)


@pytest.mark.parametrize("l", [2, 3, 4])
def test_a_set_that_counts_as_one_breaks_symmetric_grouping(l: int) -> None:
    """Erratum 15: of 2l - 1 rows one is positive; the larger half has it, or else the cut were made."""
    n = 2 * l - 1
    multiset = (1, *[0] * (n - 1))
    people = in_a_row(n)
    method = compiled(pc.SymmetricGrouping(l=l, binary="s 1"), people)
    found = beliefs(people, worlds(n, multiset), method, PUBLICATIONS["composition"])
    positive = max(belief for facts in found.values() for (_, value), belief in facts.items() if value == 1)
    assert positive == Fraction(1, l - 1)
    assert pc.SymmetricGrouping(l=l, binary="s 1").claim == "frequency"


def test_anatomy_inside_a_group_that_was_not_cut_discloses() -> None:
    """Erratum 7: six rows of which two have the same value, at l = 2. The package refuses it."""

    def law(values: tuple[int, ...]) -> plain.Law:
        return plain.anatomized(certainly(plain.symmetric(range(6), values, plain.diverse(2))), values, 2)

    assert highest(composition((0, 0, 1, 2, 3, 4), by_position(law))) == 1
    with pytest.raises(pc.MethodError, match="erratum 7"):
        pc.SymmetricGrouping(l=2, anatomize=True)


# GreedyGrouping and RandomizedGreedyGrouping


def positives(found: Beliefs, groups: int | None = None) -> list[dict[int, Fraction]]:
    """Per release the belief that each person is positive; only of releases with so many groups."""
    return [
        {person: belief for (person, value), belief in sorted(facts.items()) if value == 1}
        for release, facts in found.items()
        if groups is None or len(release) == groups  # type: ignore[arg-type]
    ]


def nobody_suppressed(found: Beliefs, people: int) -> Beliefs:
    """The releases in which everybody is in a group."""
    return {
        release: facts
        for release, facts in found.items()
        if sum(len(group) for group, _ in release) == people  # type: ignore[attr-defined]
    }


def test_the_first_bucket_of_a_greedy_group_is_disclosed() -> None:
    """Figure 6(a): two buckets of two with two positives are one group, so the first has both."""
    people = in_a_row(4)
    method = compiled(pc.GreedyGrouping(l=2, binary="s 1"), people)
    found = beliefs(people, worlds(4, (1, 1, 0, 0)), method, PUBLICATIONS["composition"])
    assert {0: Fraction(1), 1: Fraction(1)} in positives(found, groups=1)


def test_the_end_that_is_suppressed_is_disclosed() -> None:
    """Erratum 17: N N, N P and then P P at l = 2; a last bucket that is suppressed has two positives."""
    people = in_a_row(6)
    possible = [World(tuple(range(6)), values) for values in product((0, 1), repeat=6)]
    method = compiled(pc.GreedyGrouping(l=2, binary="s 1"), people)
    truth = World(tuple(range(6)), (0, 0, 0, 1, 1, 1))
    (groups,) = method(truth)
    assert groups == ((0, 1), (2, 3))
    found = beliefs(people, possible, method, PUBLICATIONS["composition"])
    facts = found[PUBLICATIONS["composition"](people, truth, groups)]
    assert facts[4, 1] == facts[5, 1] == 1
    assert facts[2, 1] == facts[3, 1] == HALF


def first_bucket(l: int, buckets: int, among: int, p: Fraction) -> Fraction:
    """The belief that a row of the first bucket is positive, of a group with so many buckets and positives."""
    counts = {"yes": among, "no": l * buckets - among}
    belief: Fraction = pc.posterior.greedy_buckets(l, buckets, counts, p, ["yes"], exact=True)[0]["yes"]
    return belief


@pytest.mark.parametrize(("l", "buckets"), [(2, 2), (2, 3), (3, 2), (3, 3), (6, 2), (4, 3)])
def test_the_first_bucket_of_a_full_greedy_group_follows_the_closed_form(l: int, buckets: int) -> None:
    closed = Fraction(1, l)
    for j in range(1, l):
        closed *= Fraction(buckets * l - 1 - j, buckets * l - buckets - j)
    assert first_bucket(l, buckets, buckets, Fraction(0)) == closed
    assert closed <= Fraction(l, l - 1) ** (l - 1) / l


@pytest.mark.parametrize(("l", "buckets"), [(2, 4), (3, 3), (3, 4), (4, 3), (6, 5)])
def test_no_later_bucket_is_more_exposed_than_an_earlier_one(l: int, buckets: int) -> None:
    """[C] theorem 8: a greedy group of so many buckets has as many positives."""
    told = pc.posterior.greedy_buckets(
        l, buckets, {"yes": buckets, "no": (l - 1) * buckets}, sensitive=["yes"], exact=True
    )
    beliefs = [bucket["yes"] for bucket in told]
    assert beliefs == sorted(beliefs, reverse=True)
    assert beliefs[0] > beliefs[-1]


def test_the_figures_of_the_paper_for_two_buckets_at_l_6() -> None:
    assert first_bucket(6, 2, 2, Fraction(0)) == Fraction(1, 3)
    assert round(float(6 * first_bucket(6, 2, 2, Fraction(65, 100))), 3) == 1.109  # erratum 8: above 1


def greedy_law(l: int, holds: plain.Holds, p: Fraction, anatomize: bool = False) -> Method:
    def law(values: tuple[int, ...]) -> plain.Law:
        found = plain.greedy_law(range(len(values)), values, holds, l, p)
        return plain.anatomized(found, values, l) if anatomize else found

    return by_position(law)


@pytest.mark.parametrize("p", [Fraction(0), HALF])
def test_counting_buckets_is_the_same_as_enumerating_worlds(p: Fraction) -> None:
    l, buckets = 3, 2
    found = composition((1, 1, 0, 0, 0, 0), greedy_law(l, plain.diverse(l, (1,)), p))
    (whole,) = positives(nobody_suppressed(found, 6), groups=1)
    assert whole[0] == first_bucket(l, buckets, 2, p)


def test_every_value_counting_does_not_exceed_the_bound_of_one_that_does() -> None:
    l = 3
    for multiset in [(0, 0, 1, 2, 3, 4), (0, 0, 1, 1, 2, 3), (0, 0, 1, 1, 2, 2)]:
        found = composition(multiset, greedy_law(l, plain.diverse(l), Fraction(0)))
        assert Fraction(1, l) <= highest(nobody_suppressed(found, 6)) <= Fraction(l, l - 1) ** (l - 1) / l
    for p, expected in [(Fraction(0), Fraction(2, 3)), (HALF, Fraction(7, 18))]:
        found = composition((0, 0, 1, 2, 3, 4), greedy_law(l, plain.diverse(l), p))
        assert highest(nobody_suppressed(found, 6)) == expected


def test_anatomy_inside_a_greedy_group_discloses() -> None:
    """At l = 3 the group itself gives 2/3; of its parts, one with a single row of the first bucket gives that away."""
    multiset = (0, 0, 1, 2, 3, 4)
    found = composition(multiset, greedy_law(3, plain.diverse(3), Fraction(0), anatomize=True))
    assert highest(nobody_suppressed(found, 6)) == 1
    with_coins = composition(multiset, greedy_law(3, plain.diverse(3), HALF, anatomize=True))
    assert Fraction(7, 18) < highest(nobody_suppressed(with_coins, 6)) < 1


def test_arrangements_of_the_figure_are_six() -> None:
    assert len(list(arrangements((1, 1, 0, 0)))) == 6
