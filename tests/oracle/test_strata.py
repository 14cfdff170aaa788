"""Strata: whoever knows every statistic of strata and all values outside of one believes no more than is promised.

Priors are drawn at random: any weights on the multisets of the strata, dependent between strata, so that trading the
values of two people of one stratum changes nothing; or a factor of at most rho. All worlds of tiny tables are
enumerated with the exact law of the lots. The same enumeration catches variants that look at what they must not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from random import Random

import pytest

from oracle.worlds import Population, World, arrangements
from plain import strata
from plain.laws import Law
from plain.soft_cut import PlainCuts
from plain.transparent import Inputs, assign_steps

QUICK, THOROUGH = 40, 2000  # tables
MOST_WORLDS = 700
Values = tuple[int, ...]
Prior = Callable[[Values], Fraction]
Method = Callable[[Inputs], Law]


@dataclass(frozen=True)
class Case:
    """People in strata, the setting, and what is protected."""

    population: Population
    values: int
    l: int
    size: int
    inside: str
    protected: tuple[int, ...] | None = None
    k: int = 1

    @property
    def people(self) -> int:
        return len(self.population.vectors)

    def inputs(self, held: Values) -> Inputs:
        return self.population.inputs(World(tuple(range(self.people)), held))

    @cached_property
    def parts(self) -> list[list[int]]:
        t = self.inputs((0,) * self.people)
        return strata.strata(PlainCuts(t.codes, t.order, t.geometry), list(range(self.people)), self.size)

    def law(self, t: Inputs) -> Law:
        return strata.law(t, self.l, self.inside, [self.protected], self.parts, self.k)

    def worlds(self) -> Iterator[Values]:
        return product(range(self.values), repeat=self.people)

    def statistics(self, held: Values) -> tuple[Values, ...]:
        """The multiset of every stratum: all that a prior of rho = 1 looks at."""
        return tuple(tuple(sorted(held[row] for row in rows)) for rows in self.parts)


def random_case(random: Random, insides: Sequence[str] = ("hybrid", "lot", "none")) -> Case:
    """Two or three strata of people of whom some are alike."""
    while True:
        l, values = random.choice([2, 2, 3]), random.choice([2, 3])
        size = random.choice([max(2, l), 3, 4])
        people = random.randint(max(4, 2 * size), 8)
        if values**people > MOST_WORLDS or size < l:
            continue
        population = Population.random(random, people, random.choice([1, 2]), random.choice([2, 3, 8]))
        inside = random.choice(insides)
        protected = (0,) if inside == "hybrid" and random.random() < 0.4 else None
        k = random.choice([1, 1, random.randint(2, size)]) if inside == "hybrid" else 1
        case = Case(population, values, l, size, inside, protected, k)
        if len(case.parts) > 1:
            return case


def random_prior(random: Random, case: Case, rho: int = 1) -> Prior:
    """Weights on the statistics of strata, some of them 0; of worlds that agree in these, within a factor of rho."""
    weights: dict[Hashable, Fraction] = defaultdict(lambda: Fraction(random.choice([0, 1, 1, 2, 9]), 1))
    ties: dict[Values, int] = defaultdict(lambda: random.choice([1, rho]))
    return lambda held: weights[case.statistics(held)] * ties[held]


Release = tuple[tuple[tuple[int, ...], Values], ...]  # who is in which group, and the values of each
Beliefs = dict[Release, dict[tuple[int, int], Fraction]]


def beliefs(case: Case, prior: Prior, method: Method, known: dict[Values, Law] | None = None) -> Beliefs:
    """What somebody believes of everybody who is told who is in which group, for every release that there can be."""
    known = {} if known is None else known
    weights: dict[Release, dict[tuple[int, int], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    totals: dict[Release, Fraction] = defaultdict(Fraction)
    for held in case.worlds():
        before = prior(held)
        if not before:
            continue
        if held not in known:
            known[held] = method(case.inputs(held))
        for grouping, p in known[held].items():
            release = tuple(sorted((group, tuple(sorted(held[row] for row in group))) for group in grouping))
            totals[release] += before * p
            for row, value in enumerate(held):
                weights[release][row, value] += before * p
    return {
        release: {fact: weight / totals[release] for fact, weight in facts.items()}
        for release, facts in weights.items()
    }


def share(release: Release, row: int, value: int) -> tuple[int, int]:
    """How many of a person's group have the value, and how many are in it."""
    ((group, held),) = (one for one in release if row in one[0])
    return held.count(value), len(group)


def allowed(case: Case, release: Release, row: int, value: int) -> Fraction:
    """What is promised: 1/l, or the share of the value in the person's stratum where that is larger."""
    stratum = next(rows for rows in case.parts if row in rows)
    inside = [held for group, held in release if group[0] in stratum]
    common = Fraction(sum(held.count(value) for held in inside), len(stratum))
    return max(Fraction(1, case.l), common)


def excess(case: Case, found: Beliefs) -> list[tuple[Release, int, int, Fraction]]:
    """Beliefs in protected values that are more than is promised."""
    return [
        (release, row, value, belief)
        for release, facts in found.items()
        for (row, value), belief in facts.items()
        if (case.protected is None or value in case.protected) and belief > allowed(case, release, row, value)
    ]


def test_nobody_is_believed_to_have_more_than_is_promised(thorough: bool) -> None:
    told: Counter[object] = Counter()
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"strata {number}")
        case = random_case(random)
        known: dict[Values, Law] = {}
        for _ in range(3):
            found = beliefs(case, random_prior(random, case), case.law, known)
            assert not excess(case, found), case
            for release, facts in found.items():  # what an attack computes by counting is what is believed
                for (row, value), belief in facts.items():
                    b, g = share(release, row, value)
                    if case.k > 1 and (case.protected is not None or case.k > case.l):  # put together of buckets
                        told["joined"] += belief > Fraction(b, g)
                    elif case.protected is None or value in case.protected:
                        assert belief == Fraction(b, g), (case, release)
                told["whole"] += any(len(group) >= case.size for group, _ in release)
                told["divided"] += any(len(group) < case.size for group, _ in release)
        told[case.inside] += 1
        told["values"] += case.protected is not None
        told["three"] += len(case.parts) > 2
    assert min(told[what] for what in ("whole", "divided", "hybrid", "lot", "none", "values", "three")) > 0, told
    assert told["joined"] or not thorough, "nobody could tell buckets apart"


def test_where_some_values_are_protected_groups_of_at_least_l_keep_the_bound(thorough: bool) -> None:
    """What is published where nobody says a k: people with other values stand in groups of l too."""
    together = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"company {number}")
        case = random_case(random, ["hybrid"])
        case = replace(case, protected=(0,), k=case.l)
        known: dict[Values, Law] = {}
        for _ in range(3):
            found = beliefs(case, random_prior(random, case), case.law, known)
            assert not excess(case, found), case
        groups = [group for law in known.values() for grouping in law for group in grouping]
        assert min(map(len, groups)) >= case.l
        alone = replace(case, k=1)
        together += any(
            len(group) < case.l for held in known for made in alone.law(case.inputs(held)) for group in made
        )
    assert together > QUICK // 2, "hardly anybody would have stood alone"


def test_by_lot_statistics_of_single_people_are_worth_rho(thorough: bool) -> None:
    """Odds grow at most rho times, and somewhere they do."""
    reached = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"rho {number}")
        case, rho = random_case(random, ["lot", "none"]), random.choice([2, 3, 10])
        for release, facts in beliefs(case, random_prior(random, case, rho), case.law).items():
            for (row, value), belief in facts.items():
                b, g = share(release, row, value)
                bound = Fraction(rho * b, rho * b + g - b)
                assert belief <= bound, (case, release)
                reached += belief == bound and 0 < b < g
    assert reached


# What must not be done.


def leaks(case: Case, method: Method, priors: int = 10) -> bool:
    random, known = Random(7), {}  # type: ignore[var-annotated]
    return any(excess(case, beliefs(case, random_prior(random, case), method, known)) for _ in range(priors))


def case_of(vectors: Sequence[int], l: int, size: int, inside: str, values: int = 3) -> Case:
    population = Population(tuple((v,) for v in vectors), tuple(range(len(vectors))))
    return Case(population, values, l, size, inside)


THREES = case_of([1, 1, 1, 9, 9, 9], l=2, size=3, inside="lot")
FOURS = case_of([1, 1, 1, 1, 9, 9, 9, 9], l=2, size=4, inside="lot", values=2)


def steered(t: Inputs) -> Law:
    """Strata that are cut where the values differ least."""
    people = range(len(t.codes))
    ends = [2, 3, 4]
    cut = min(ends, key=lambda k: len({t.sensitive[r] for r in people[:k]}) + len({t.sensitive[r] for r in people[k:]}))
    return strata.law(t, 2, "none", [None], [list(people[:cut]), list(people[cut:])])


def looking(t: Inputs) -> Law:
    """Eligibility that looks at who has what: a stratum is divided where its first person has 0."""
    law: Law = {(): Fraction(1)}
    for rows in FOURS.parts:
        inside = "lot" if t.sensitive[rows[0]] == (0,) else "none"
        part = strata.law(t, 2, inside, [None], [rows])
        law = {tuple(sorted(head + tail)): p * q for head, p in law.items() for tail, q in part.items()}
    return law


def merging(t: Inputs) -> Law:
    """A stratum that is not eligible is merged with its neighbour."""
    parts = THREES.parts
    if all(strata.eligible(t, rows, 2, [None]) for rows in parts):
        return strata.law(t, 2, "lot", [None], parts)
    return strata.law(t, 2, "lot", [None], [sorted(row for rows in parts for row in rows)])


@pytest.mark.parametrize(("case", "method"), [(THREES, steered), (FOURS, looking), (THREES, merging)])
def test_variants_that_leak_are_caught(case: Case, method: Method) -> None:
    assert not leaks(case, case.law)
    assert leaks(case, method)


def test_coins_that_strata_share_are_caught() -> None:
    """aabcc beside a known aabbc: of the place that the known stratum was divided at, the other one's follows."""
    known = (0, 0, 1, 1, 2)
    steps = {values: assign_steps(Counter(values), 2) for values in ((0, 0, 1, 1, 2), (0, 0, 1, 2, 2))}

    def divided(held: Sequence[int], places: Sequence[int]) -> frozenset[frozenset[int]]:
        waiting = {v: [r for r in places if held[r] == v] for v in set(held)}
        groups = []
        for alpha, _, signature in steps[tuple(sorted(held))]:
            groups += [frozenset(waiting[value].pop(0) for value in signature) for _ in range(alpha)]
        return frozenset(groups)

    def highest(orders: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> Fraction:
        weights: dict[Hashable, Counter[tuple[int, int]]] = defaultdict(Counter)
        for held in arrangements((0, 0, 1, 2, 2)):
            for mine, other in orders:
                shown = divided(held, mine)
                counts = frozenset((g, tuple(sorted(held[r] for r in g))) for g in shown)
                weights[counts, divided(known, other)].update(enumerate(held))
        return max(
            Fraction(count, sum(found[row, v] for v in range(3)))
            for found in weights.values()
            for (row, _), count in found.items()
        )

    everything = list(permutations(range(5)))
    assert highest([(order, order) for order in everything]) > Fraction(1, 2)
    assert highest(list(product(everything, everything[::40]))) == Fraction(1, 2)


def test_slices_inside_do_not_bear_statistics_of_single_people() -> None:
    """Four people who are alike, aabb, l = 2, rho = 2: 4/5 where draws by lot have at most 2/3."""
    case = case_of([1, 1, 1, 1, 9, 9, 9, 9], l=2, size=4, inside="hybrid", values=2)
    rows = case.parts[0]
    highest = Fraction(0)
    possible = list(arrangements((0, 0, 1, 1)))
    traded = [(u, v) for u in range(6) for v in range(6) if sum(map(int.__ne__, possible[u], possible[v])) == 2]
    for ties in product([1, 2, 4], repeat=6):
        if any(ties[u] > 2 * ties[v] for u, v in traded):
            continue
        worlds = dict(zip(possible, ties, strict=True))
        found: dict[Hashable, Counter[tuple[int, int]]] = defaultdict(Counter)
        for held, weight in worlds.items():
            own = strata.table_of(case.inputs((*held, 0, 0, 1, 1)), rows)
            for grouping, p in strata.stratum_law(own, 2, "hybrid", [None]).items():
                for row, value in enumerate(held):
                    found[grouping][row, value] += weight * p  # type: ignore[assignment]
        for counts in found.values():
            for row in range(4):
                total = counts[row, 0] + counts[row, 1]
                highest = max(highest, *(Fraction(counts[row, v]) / total for v in (0, 1)))
    assert highest == Fraction(4, 5)
