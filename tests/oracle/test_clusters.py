"""Nobody believes of a household, or of a patient with several stays, that it has a value with probability above 1/l.

All worlds of tiny tables with clusters are enumerated, with the exact law of every lot and of the die. The attacker
knows the clusters, everybody's quasi-identifiers and the method. Beforehand values inside a cluster may depend on each
other in any way: the weight of a world is a product over its clusters of any function of what the cluster has, row
after row as they are laid side by side, which is the same for clusters of as many rows. The same enumeration catches
what must not be done.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import factorial, prod
from random import Random

import pytest

from oracle.worlds import PUBLICATIONS, Population, World, arrangements
from plain import several
from plain.clusters import NO, YES, Unit, by_place, cluster_law, protecting, side_by_side, units_of
from plain.laws import Law
from plain.pieces import nothing_but_pieces, watched
from plain.soft_cut import Rules
from plain.transparent import Inputs, NotEligibleError, as_grouping

QUICK, THOROUGH = 8, 400  # tables per method
MOST_WORLDS = 130
TRYING = Rules(low=lambda n, c, l: 2, at_root=True)  # noqa: ARG005  tiny tables see no tried cut otherwise
Prior = Callable[
    [tuple[int, ...]], int
]  # the weight of what a cluster has, row after row as they are laid side by side


@dataclass(frozen=True)
class Case:
    """People in clusters, the values that are handed out among them, and the parameters of a method."""

    population: Population
    clusters: tuple[int, ...]
    multiset: tuple[int, ...]
    l: int
    protected: tuple[int, ...] | None
    k: int

    def inputs(self, values: Sequence[int]) -> Inputs:
        return self.population.inputs(World(tuple(range(len(values))), tuple(values)))

    def held(self, values: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """What every cluster has, its rows in the order in which they are laid side by side."""
        units = [unit for some in units_of(self.inputs(values), self.clusters, self.most).values() for unit in some]
        return {self.clusters[unit[0]]: tuple(values[row] for row in unit) for unit in units}

    @property
    def most(self) -> int:
        return max(Counter(self.clusters).values())


SIZES = [(2, 2), (2, 2, 2), (2, 2, 2, 2), (3, 3), (1, 1, 2, 2), (1, 1, 1, 2, 2), (3, 3, 1, 1)]


def random_case(random: Random, shapes: Sequence[tuple[int, ...]] = SIZES) -> Case:
    """A table with clusters of which some world can be published, and few enough to try all."""
    while True:
        sizes = random.choice(shapes)
        l = 3 if len(sizes) > 2 and len(set(sizes)) == 1 and random.random() < 0.4 else 2
        clusters = tuple(number for number, size in enumerate(sizes) for _ in range(size))
        n = len(clusters)
        weights = [random.random() + 0.1 for _ in range(random.randint(2, 6))]
        drawn = random.choices(range(len(weights)), weights, k=n)
        multiset = tuple(sorted(sorted(set(drawn)).index(value) for value in drawn))  # codes, without gaps
        if factorial(n) // prod(factorial(multiset.count(v)) for v in set(multiset)) > MOST_WORLDS:
            continue
        population = Population.random(random, n, random.choice([1, 2]), random.choice([2, 3, 8]))
        protected = random.choice([None, (multiset[0],), (multiset[-1],)])
        case = Case(population, clusters, multiset, l, protected, random.choice([1, 1, 1, 2]))
        if any(feasible(case, values) for values in arrangements(multiset)):
            return case


def feasible(case: Case, values: Sequence[int]) -> bool:
    try:
        return bool(soft_cut(case.inputs(values), case))
    except NotEligibleError:
        return False


def worst(case: Case, law: Callable[[Inputs, Case], Law], prior: Prior) -> dict[str, Fraction]:
    """The highest belief that a cluster has a protected value, under each form of publication."""
    laws: list[tuple[tuple[int, ...], int, Law]] = []
    for values in arrangements(case.multiset):
        weight = prod(prior(held) for held in case.held(values).values())
        try:
            laws.append((values, weight, law(case.inputs(values), case) if weight else {}))
        except NotEligibleError:  # refused: nothing is published of this world
            continue
    return {name: _highest(case, laws, publication) for name, publication in PUBLICATIONS.items()}


def _highest(
    case: Case, laws: list[tuple[tuple[int, ...], int, Law]], publication: Callable[..., Hashable]
) -> Fraction:
    total: dict[Hashable, Fraction] = defaultdict(Fraction)
    having: dict[tuple[Hashable, int, int], Fraction] = defaultdict(Fraction)
    for values, weight, law in laws:
        world = World(tuple(range(len(values))), values)
        facts = {(cluster, value) for cluster, held in case.held(values).items() for value in held}
        for groups, probability in law.items():
            release = publication(case.population, world, groups)
            total[release] += weight * probability
            for cluster, value in facts:
                if case.protected is None or value in case.protected:
                    having[release, cluster, value] += weight * probability
    return max((share / total[release] for (release, _, _), share in having.items()), default=Fraction(0))


def uniform(held: tuple[int, ...]) -> int:  # noqa: ARG001
    return 1


def shared(held: tuple[int, ...]) -> int:
    """It is known that all of a cluster have the same value."""
    return int(len(set(held)) == 1)


def dependent(seed: str) -> Prior:
    """Anything may go with anything inside a cluster."""
    return lambda held: Random(f"{seed} {held}").choice([0, 1, 2, 7])


def ace(t: Inputs, case: Case) -> Law:
    return cluster_law(t, case.clusters, case.most, case.protected, lambda u, v: several.leaf_law(u, case.l, v, case.k))


def hybrid(t: Inputs, case: Case) -> Law:
    return cluster_law(t, case.clusters, case.most, case.protected, lambda u, v: several.tree_law(u, case.l, v, case.k))


def soft_cut(t: Inputs, case: Case) -> Law:
    def law(units: Inputs, values: Sequence[object]) -> Law:
        several.check(units, case.l, values, case.k)  # type: ignore[arg-type]
        return several.soft_cut_law(units, case.l, values, case.k, TRYING)  # type: ignore[arg-type]

    return cluster_law(t, case.clusters, case.most, case.protected, law)


LAWS: dict[str, Callable[[Inputs, Case], Law]] = {"ace": ace, "hybrid": hybrid, "soft-cut": soft_cut}


@pytest.mark.parametrize("name", LAWS)
def test_beliefs_about_clusters_stay_within_one_in_l_whatever_goes_with_what_inside_them(
    name: str, thorough: bool
) -> None:
    for number in range(THOROUGH if thorough else QUICK):
        case = random_case(Random(f"clusters {number}"))
        for prior in (uniform, shared, dependent(f"one {number}"), dependent(f"other {number}")):
            for publication, belief in worst(case, LAWS[name], prior).items():
                assert belief <= Fraction(1, case.l), (publication, case)


@pytest.mark.parametrize("name", LAWS)
def test_beliefs_stay_within_one_in_l_where_buckets_are_taken_apart(
    name: str, thorough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing but pieces, which tables this small hardly need otherwise."""
    nothing_but_pieces(monkeypatch)
    seen = watched(monkeypatch)
    count = THOROUGH // 4 if thorough else QUICK
    reached = 0
    for number in range(count):
        case = random_case(Random(f"pieces {number}"), [(2, 2, 2, 2), (2, 2, 2, 2, 2), (1, 1, 1, 1, 2, 2)])
        seen.clear()
        for prior in (uniform, shared, dependent(f"pieces {number}")):
            for publication, belief in worst(case, LAWS[name], prior).items():
                assert belief <= Fraction(1, case.l), (publication, case)
        reached += any(one.found for one in seen)
    assert reached >= count // 4


# What must not be done.


def rows_by_themselves(t: Inputs, case: Case) -> Law:
    """Every row is a person of its own, as without the role."""
    alone = list(range(len(t.codes)))
    return cluster_law(t, alone, 1, case.protected, lambda u, v: several.leaf_law(u, case.l, v, case.k))


def joined(parts: Iterable[tuple[Sequence[Unit], Law]]) -> Law:
    """The law of all of them, of groups of rows; they have nothing to do with each other."""
    whole: Law = {(): Fraction(1)}
    for units, inside in parts:
        rows = [(tuple(by_place(units, groups)), q) for groups, q in inside.items()]
        whole = {head + tail: p * q for head, p in whole.items() for tail, q in rows}
    return {as_grouping(groups): p for groups, p in whole.items()}


def rows_apart(t: Inputs, case: Case) -> Law:
    """Rows of a cluster are never in one group, and that is all: the first rows are grouped, the second rows, ..."""
    values = sorted({value for (value,) in t.sensitive})
    told = protecting(values, case.protected)
    sizes = units_of(t, case.clusters, case.most).values()
    apart = [[(unit[place],) for unit in units] for units in sizes for place in range(len(units[0]))]
    return joined((rows, several.leaf_law(side_by_side(t, rows, values), case.l, told, case.k)) for rows in apart)


def places_each_on_its_own(t: Inputs, case: Case) -> Law:
    """Units trade what they have, and a value is counted at every place of them apart."""

    def law(units: Sequence[Unit]) -> Law:
        held = [tuple(t.sensitive[row][0] for row in unit) for unit in units]
        wide = replace(side_by_side(t, units, []), sensitive=held)
        return several.leaf_law(wide, case.l, [case.protected] * len(units[0]), case.k)

    return joined((units, law(units)) for units in units_of(t, case.clusters, case.most).values())


def sizes_together(t: Inputs, case: Case) -> Law:
    """Clusters of different sizes are grouped together, by what their first rows look like."""
    values = sorted({value for (value,) in t.sensitive})
    units = [unit for some in units_of(t, case.clusters, case.most).values() for unit in some]
    held = [{t.sensitive[row][0] for row in unit} for unit in units]
    sensitive = [tuple(YES if value in has else NO for value in values) for has in held]
    wide = replace(side_by_side(t, [unit[:1] for unit in units], values), sensitive=sensitive)
    law: Law = {}
    for groups, p in several.leaf_law(wide, case.l, protecting(values, case.protected), case.k).items():
        found = [
            tuple(units[unit][place] for unit in group if place < len(units[unit]))
            for group in groups
            for place in range(max(len(units[unit]) for unit in group))
        ]
        key = as_grouping(found)
        law[key] = law.get(key, Fraction(0)) + p
    return law


def rows_in_the_order_of_values(t: Inputs, case: Case) -> Law:
    """Which row of a cluster is laid beside which depends on what they have."""
    values = sorted({value for (value,) in t.sensitive})
    told = protecting(values, case.protected)
    by_value = replace(t, codes=list(t.sensitive))
    sizes = units_of(by_value, case.clusters, case.most).values()
    return joined((units, several.leaf_law(side_by_side(t, units, values), case.l, told, case.k)) for units in sizes)


CAUGHT: dict[str, tuple[Callable[[Inputs, Case], Law], Prior, list[int]]] = {
    "rows by themselves": (rows_by_themselves, uniform, [0, 1]),
    "rows apart": (rows_apart, uniform, [4, 5]),
    "places each on its own": (places_each_on_its_own, uniform, [4, 5]),
    "sizes together": (sizes_together, shared, [2, 12]),
    "rows in the order of values": (rows_in_the_order_of_values, uniform, [0, 3]),
}


@pytest.mark.parametrize("mutant", CAUGHT)
def test_a_variant_that_protects_less_is_caught(mutant: str) -> None:
    """On the very tables on which ours is found private."""
    law, prior, numbers = CAUGHT[mutant]
    for number in numbers:
        case = random_case(Random(f"clusters {number}"))
        assert max(worst(case, law, prior).values()) > Fraction(1, case.l)
        assert max(worst(case, ace, prior).values()) <= Fraction(1, case.l)


def test_somebody_who_knows_which_of_a_household_it_is_is_not_covered() -> None:
    """Whoever knows that in every household it is the row that stands first in the file knows who is who."""
    case = Case(Population(((1,), (0,), (0,), (1,)), (0, 1, 2, 3)), (0, 0, 1, 1), (0, 1, 1, 1), 2, (0,), 1)
    told = {(0, 1, 1, 1): 1, (1, 1, 0, 1): 1}  # the only worlds in which the first row of a household has it
    laws = [(values, told.get(values, 0), ace(case.inputs(values), case)) for values in arrangements(case.multiset)]
    assert max(worst(case, ace, uniform).values()) == Fraction(1, 2)
    assert _highest(case, laws, PUBLICATIONS["composition"]) == 1
