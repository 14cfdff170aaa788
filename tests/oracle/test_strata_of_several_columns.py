"""Strata that protect two columns, each on its own: no posterior of either is above what is promised of its stratum.

A possible table hands out vectors, one value per column. Priors are drawn at random: weights on what the strata hold
together, dependent between strata, so that trading the vectors of two people of one stratum changes nothing. All
possible tables are enumerated with the exact law of the lots. The same enumeration catches what must not be done.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, product
from math import factorial, prod
from random import Random

import pytest

from oracle.worlds import Population, World, arrangements
from plain import protected, several, strata
from plain.laws import Law
from plain.soft_cut import PlainCuts
from plain.transparent import Grouping, Inputs, assign_steps

QUICK, THOROUGH = 40, 2000  # tables
MOST_WORLDS = 600
Vector = tuple[int, ...]
World_ = tuple[int, ...]  # the number of everybody's vector
Stratum = tuple[int, ...]  # what it holds, numbers of vectors in ascending order
Knowledge = dict[tuple[Stratum, ...], Fraction]  # what somebody knows of strata as wholes
Release = tuple[tuple[tuple[int, ...], tuple[Vector, ...]], ...]  # who is in which group, and the vectors of each
Method = Callable[[Inputs], Law]


@dataclass(frozen=True)
class Case:
    """People in strata, the vectors there are, the setting, and what is protected of each column."""

    population: Population
    vectors: tuple[Vector, ...]
    l: several.Bounds  # of all columns or of each
    size: int
    inside: str
    protected: tuple[tuple[int, ...] | None, ...]
    same: tuple[int, ...] = ()

    @property
    def people(self) -> int:
        return len(self.population.vectors)

    def inputs(self, held: World_) -> Inputs:
        known = self.population.inputs(World(tuple(range(self.people)), (0,) * self.people))
        return replace(known, sensitive=[self.vectors[number] for number in held])

    @cached_property
    def parts(self) -> list[list[int]]:
        t = self.inputs((0,) * self.people)
        cuts = PlainCuts(t.codes, t.order, t.geometry)
        return [part for alike in strata.parted(t, self.same) for part in strata.strata(cuts, alike, self.size)]

    def law(self, t: Inputs) -> Law:
        return strata.law(t, self.l, self.inside, self.protected, self.parts)

    def protects(self, column: int, value: int) -> bool:
        some = self.protected[column]
        return some is None or value in some

    def worlds(self, held: Sequence[Stratum]) -> Iterator[World_]:
        """Every table in which the strata hold this."""
        for each in product(*(arrangements(stratum) for stratum in held)):
            of = {
                row: one for rows, got in zip(self.parts, each, strict=True) for row, one in zip(rows, got, strict=True)
            }
            yield tuple(of[row] for row in range(self.people))


def random_case(random: Random) -> Case:
    """Two or three strata of people of whom some are alike, and two columns of two or three values."""
    while True:
        l = random.choice([2, 2, 3, (2, 3), (3, 2), (2, 4), (1, 2)])
        size = random.choice([max(2, several.widest(l)), 4, 5])
        people = random.randint(max(4, 2 * size), 10)
        sizes = [random.choice([2, 3, 4]) for _ in range(2)]
        vectors = tuple(product(*map(range, sizes)))
        protected = tuple(random.choice([(0,), (0, 1), None]) for _ in range(2))
        population = Population.random(random, people, random.choice([1, 2]), random.choice([2, 3, 8]))
        case = Case(population, vectors, l, size, random.choice(["hybrid", "hybrid", "none"]), protected)
        if len(case.parts) > 1:
            return case


def random_knowledge(random: Random, case: Case, several_of: int = 3) -> Knowledge:
    """Weights on some of the things that strata may hold together, few enough to try all tables."""
    found: Knowledge = {}
    while len(found) < several_of:
        held = tuple(tuple(sorted(random.choices(range(len(case.vectors)), k=len(part)))) for part in case.parts)
        worlds = prod(factorial(len(one)) // prod(factorial(count) for count in Counter(one).values()) for one in held)
        if worlds <= MOST_WORLDS:
            found[held] = Fraction(random.choice([1, 1, 2, 9]))
    return found


def beliefs(case: Case, known: Knowledge, method: Method) -> dict[Release, dict[tuple[int, int, int], Fraction]]:
    """Of every person, column and value the posterior, for every release that there can be."""
    weights: dict[Release, dict[tuple[int, int, int], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    totals: dict[Release, Fraction] = defaultdict(Fraction)
    for statistics, before in known.items():
        for held in case.worlds(statistics):
            for grouping, p in method(case.inputs(held)).items():
                release = tuple(
                    sorted((group, tuple(sorted(case.vectors[held[row]] for row in group))) for group in grouping)
                )
                totals[release] += before * p
                for row, number in enumerate(held):
                    for column, value in enumerate(case.vectors[number]):
                        weights[release][row, column, value] += before * p
    return {
        release: {fact: weight / totals[release] for fact, weight in facts.items()}
        for release, facts in weights.items()
    }


def allowed(case: Case, release: Release, row: int, column: int, value: int) -> Fraction:
    """1/l, or the share of the value in the person's stratum where that is larger."""
    stratum = next(rows for rows in case.parts if row in rows)
    held = [vector for group, vectors in release if group[0] in stratum for vector in vectors]
    return max(
        Fraction(1, several.l_of(case.l, (column, value))),
        Fraction(sum(vector[column] == value for vector in held), len(held)),
    )


def counted(release: Release, row: int, column: int, value: int) -> Fraction:
    """The share of a value in the person's group."""
    ((group, vectors),) = (one for one in release if row in one[0])
    return Fraction(sum(vector[column] == value for vector in vectors), len(group))


def excess(case: Case, known: Knowledge, method: Method) -> list[object]:
    """Posteriors of protected values that are more than is promised."""
    return [
        (release, row, column, value, belief)
        for release, facts in beliefs(case, known, method).items()
        for (row, column, value), belief in facts.items()
        if case.protects(column, value) and belief > allowed(case, release, row, column, value)
    ]


def test_no_posterior_of_either_column_is_above_what_is_promised(thorough: bool) -> None:
    told: Counter[object] = Counter()
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"strata of several {number}")
        case = random_case(random)
        for release, facts in beliefs(case, random_knowledge(random, case), case.law).items():
            for (row, column, value), belief in facts.items():
                if case.protects(column, value):
                    assert belief <= allowed(case, release, row, column, value), (case, release)
                    assert belief == counted(release, row, column, value), (case, release)
            told["whole"] += any(len(group) >= case.size for group, _ in release)
            told["divided"] += any(len(group) < case.size for group, _ in release)
            told["divided, an l each"] += isinstance(case.l, tuple) and any(len(one) < case.size for one, _ in release)
        told["three strata"] += len(case.parts) > 2
        told["values"] += case.protected != (None, None)
        told[case.inside, case.l] += 1
        told[case.inside] += 1
    seen = ("whole", "divided", "three strata", "values", ("hybrid", 2), ("hybrid", 3), "none")
    seen += ("divided, an l each", ("hybrid", (2, 3)), ("hybrid", (2, 4)))
    assert min(told[what] for what in seen) > 0, told


# What must not be done.

SQUARE = ((0, 0), (0, 1), (1, 0), (1, 1))
FOURS = Case(
    Population(((1,),) * 4 + ((9,),) * 4, tuple(range(8))), SQUARE, l=2, size=4, inside="hybrid", protected=(None, None)
)
KNOWN: Knowledge = {((0, 1, 2, 3), (0, 0, 3, 3)): Fraction(1), ((0, 1, 2, 3), (0, 1, 2, 3)): Fraction(2)}


def of_strata(case: Case, law: Method) -> Method:
    """The law of all strata, each with this one."""
    return lambda t: strata.joined(case.parts, [law(strata.table_of(t, rows)) for rows in case.parts])


def on_whole_vectors(t: Inputs) -> Law:
    """Assign as if a vector were a value."""

    def steps(counts: dict[Vector, int], l: int) -> list[several.Step]:
        numbers = dict(enumerate(sorted(counts)))
        made = assign_steps({number: counts[vector] for number, vector in numbers.items()}, l)
        return [(alpha, tuple(numbers[one] for one in signature)) for alpha, _, signature in made]

    return several.tree_law(t, 2, (None, None), steps=steps)


def first_column_alone(t: Inputs) -> Law:
    """Eligible where the first column is, and divided for its sake."""
    first = replace(t, sensitive=[vector[:1] for vector in t.sensitive])
    return strata.stratum_law(first, 2, "hybrid", (None,))


@pytest.mark.parametrize("mutant", [on_whole_vectors, first_column_alone])
def test_variants_that_leak_are_caught(mutant: Method) -> None:
    assert not excess(FOURS, KNOWN, FOURS.law)
    assert excess(FOURS, KNOWN, of_strata(FOURS, mutant))


def smallest_l(t: Inputs) -> Law:
    """The smallest l of a column for all."""
    return strata.stratum_law(t, 2, "hybrid", (None, None))


def eligible_by_the_first(t: Inputs) -> Law:
    """A stratum that the second column does not allow is divided for the first one, which does."""
    if strata.eligible(t, range(len(t.codes)), (2, 4), (None, None)):
        return strata.stratum_law(t, (2, 4), "hybrid", (None, None))
    return first_column_alone(t)


@pytest.mark.parametrize("mutant", [smallest_l, eligible_by_the_first])
def test_a_column_of_its_own_l_is_not_kept_by_the_l_of_another(mutant: Method) -> None:
    case = replace(FOURS, l=(2, 4), vectors=tuple(product(range(2), range(4))))
    known: Knowledge = {((0, 1, 6, 7), (0, 1, 6, 6)): Fraction(1), ((0, 1, 6, 7), (0, 1, 6, 7)): Fraction(2)}
    assert not excess(case, known, case.law)
    assert excess(case, known, of_strata(case, mutant))


def test_a_column_that_is_not_kept_apart_leaks_its_statistics() -> None:
    """Women and men look alike: in strata that mix them, statistics by sex say more than the share of the stratum."""
    people = Population(((1, 0), (1, 0), (1, 1), (1, 1), (9, 0), (9, 0), (9, 1), (9, 1)), tuple(range(8)))
    apart = replace(FOURS, population=people, size=2, same=(1,))
    mixing = replace(apart, size=4, same=())
    assert (apart.parts, mixing.parts) == ([[0, 1], [4, 5], [2, 3], [6, 7]], [[0, 1, 2, 3], [4, 5, 6, 7]])
    by_sex: Knowledge = {((0, 0), (0, 3), (3, 3), (0, 3)): Fraction(1)}
    assert not excess(apart, by_sex, apart.law)
    leaking = [
        belief
        for release, facts in beliefs(apart, by_sex, mixing.law).items()
        for (row, column, value), belief in facts.items()
        if belief > allowed(mixing, release, row, column, value)
    ]
    assert max(leaking) == 1


def test_groups_that_k_puts_together_tell_more_than_their_share() -> None:
    """aaaabbbbcd, l = 2, k = 4: at 7/18 for a value that a third of the group has. Strata refuse such a k."""
    known = Population(tuple((code,) for code in (10, 4, 4, 4, 4, 4, 3, 6, 8, 10)), tuple(range(10)))

    @cache
    def law(held: tuple[int, ...]) -> Law:
        return protected.hybrid_law(known.inputs(World(tuple(range(10)), held)), 2, None, k=4)

    def posterior(groups: Grouping, truth: Sequence[int]) -> tuple[Fraction, Fraction]:
        """Of the first value the largest belief in the largest group, and its share there."""
        parts = sorted(groups, key=len, reverse=True)
        weights: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for each in product(*(arrangements(sorted(truth[row] for row in rows)) for rows in parts)):
            of = dict(sorted(zip(chain(*parts), chain(*each), strict=True)))
            for fact in of.items():
                weights[fact] += law(tuple(of.values())).get(groups, Fraction(0))
        total = sum(weights[parts[0][0], value] for value in range(4))
        share = Fraction(sum(truth[row] == 0 for row in parts[0]), len(parts[0]))
        return max(weights[row, 0] / total for row in parts[0]), share

    truth = (0, 0, 0, 0, 1, 1, 1, 1, 2, 3)
    found = {posterior(groups, truth) for groups in law(truth) if len(groups) == 2}
    assert max(found) == (Fraction(7, 18), Fraction(1, 3))
