"""Methods that protect some values only, and make groups of at least k rows, name nobody's protected value above 1/l.

All worlds of random tiny tables are enumerated with the exact law of every lot. The same enumeration catches variants
that look at what they must not.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from math import factorial, prod
from random import Random

import pytest

from oracle.worlds import PUBLICATIONS, Population, World, beliefs, worlds
from plain import protected
from plain.laws import Law
from plain.soft_cut import Rules
from plain.transparent import Group, Grouping, Inputs, as_grouping, perimeter

QUICK, THOROUGH = 8, 2500  # tables per method
MOST_WORLDS = 150


@dataclass(frozen=True)
class Case:
    """People, the sensitive values that are handed out among them, and the parameters of a method."""

    population: Population
    multiset: tuple[int, ...]
    l: int
    values: tuple[int, ...] | None
    k: int

    @property
    def protected(self) -> set[int]:
        return set(self.multiset if self.values is None else self.values)


def random_case(random: Random) -> Case:
    """A table that can be published; most have few worlds, so that many can be tried."""
    while True:
        n, l = random.randint(2, 8), random.choice([2, 2, 3])
        values = random.choice([(0,), (0,), (0, 1), None])
        distinct = random.randint(2, 4)
        multiset = tuple(sorted(random.choices(range(distinct), [random.random() + 0.1 for _ in range(distinct)], k=n)))
        k = random.choice([1, 1, 2, 3, 4])
        counts = [multiset.count(value) for value in (set(multiset) if values is None else values)]
        if not all(counts) or max(counts) * l > n or k > n:
            continue
        if factorial(n) // prod(factorial(multiset.count(v)) for v in set(multiset)) > MOST_WORLDS:
            continue
        people = Population.random(random, n, random.choice([1, 2]), random.choice([2, 3, 8]))
        return Case(people, multiset, l, values, k)


def check_groups(groups: Grouping, world: World, case: Case) -> None:
    """Everybody is in one group, of at least k rows, and no protected value has more than one in l of them."""
    assert sorted(row for group in groups for row in group) == list(range(len(case.multiset)))
    assert min(map(len, groups)) >= case.k
    for group in groups:
        held = [world.values[row] for row in group]
        assert all(held.count(value) * case.l <= len(group) for value in case.protected)


def worst(case: Case, law: Callable[[Inputs, Case], Law]) -> dict[str, Fraction]:
    """The highest belief in a protected value under each form of publication."""
    known: dict[World, Law] = {}

    def method(world: World) -> Law:
        if world not in known:
            known[world] = law(case.population.inputs(world), case)
            for groups in known[world]:
                check_groups(groups, world, case)
        return known[world]

    possible = list(worlds(len(case.multiset), case.multiset))
    return {
        name: max(
            belief
            for facts in beliefs(case.population, possible, method, publication).values()
            for (_, value), belief in facts.items()
            if value in case.protected
        )
        for name, publication in PUBLICATIONS.items()
    }


TRYING = Rules(low=lambda n, c, l: 2, at_root=True)  # noqa: ARG005  tiny tables see no tried cut otherwise


LAWS: dict[str, Callable[[Inputs, Case], Law]] = {
    "ace": lambda t, case: protected.ace_law(t, case.l, case.values, case.k),
    "hybrid": lambda t, case: protected.hybrid_law(t, case.l, case.values, case.k),
    "anatomy": lambda t, case: protected.anatomy_law(t, case.l, case.values, case.k),
    "soft-cut": lambda t, case: protected.soft_cut_law(t, case.l, case.values, case.k, TRYING),
}


@pytest.mark.parametrize("name", LAWS)
def test_beliefs_in_protected_values_stay_within_one_in_l(name: str, thorough: bool) -> None:
    """Thorough: 2,500 tables; of SoftCut such in which it tries a cut."""
    count = THOROUGH if thorough else QUICK
    cases = (random_case(Random(f"values {number}")) for number in itertools.count())
    told: Counter[str] = Counter()
    for case in islice(filter(the_die_decides, cases) if name == "soft-cut" else cases, count):
        for publication, belief in worst(case, LAWS[name]).items():
            assert belief <= Fraction(1, case.l), (publication, case)
        told.update(values=case.values is not None, k=case.k > 1)
    assert min(told["values"], told["k"]) >= count // 4  # not: tables of neither


def a_set(case: Case) -> bool:
    """Whether several values are protected, which can be hidden as one."""
    some = case.values or ()
    return len(some) > 1 and sum(map(case.multiset.count, some)) * case.l <= len(case.multiset)


def together(t: Inputs, case: Case) -> tuple[Inputs, Case]:
    """The same with one value for all protected ones."""
    first = min(case.values or ())
    one = [(first if code in (case.values or ()) else code,) for (code,) in t.sensitive]
    return replace(t, sensitive=one), replace(case, values=(first,))


@pytest.mark.parametrize("name", LAWS)
def test_beliefs_that_somebody_has_one_of_a_set_stay_within_one_in_l(name: str, thorough: bool) -> None:
    """Groups are those of a table in which the set is one value; published are the true values."""
    cases = (random_case(Random(f"sets {number}")) for number in itertools.count())
    tried = (case for case in cases if a_set(case) and (name != "soft-cut" or the_die_decides(case, together)))
    for case in islice(tried, THOROUGH if thorough else QUICK):
        known: dict[World, Law] = {}

        def method(world: World, case: Case = case, known: dict[World, Law] = known) -> Law:
            if world not in known:
                known[world] = LAWS[name](*together(case.population.inputs(world), case))
            return known[world]

        possible = list(worlds(len(case.multiset), case.multiset))
        for publication in PUBLICATIONS.values():
            for facts in beliefs(case.population, possible, method, publication).values():
                for row in range(len(case.multiset)):
                    of_set = sum((p for (who, value), p in facts.items() if who == row and value in case.protected))
                    assert of_set <= Fraction(1, case.l), (publication, case)


def test_a_set_that_is_protected_value_by_value_is_given_away() -> None:
    """Without ``together`` the same enumeration finds somebody who surely has one of the two."""
    for case in filter(a_set, (random_case(Random(f"sets {number}")) for number in range(200))):

        def method(world: World, case: Case = case) -> Law:
            return LAWS["ace"](case.population.inputs(world), case)

        possible = list(worlds(len(case.multiset), case.multiset))
        for found in beliefs(case.population, possible, method, PUBLICATIONS["anatomy"]).values():
            of_set = Counter[int]()
            for (who, value), share in found.items():
                of_set[who] += share if value in case.protected else 0  # type: ignore[assignment]
            if max(of_set.values()) == 1:
                return
    pytest.fail("no set is given away")


View = Callable[[Inputs, Case], tuple[Inputs, Case]]


def the_die_decides(case: Case, view: View = lambda t, case: (t, case)) -> bool:
    """Whether in some world a cut is tried that may be accepted."""

    def slacks(world: World) -> list[int]:
        asked: list[int] = []

        def refusal(_: tuple[int, ...], slack: int) -> Fraction:
            asked.append(slack)
            return Fraction(slack < 0)  # one way to go on is enough

        t, seen = view(case.population.inputs(world), case)
        list(protected.soft_leaves(t, seen.l, refusal, seen.values, seen.k, TRYING))
        return asked

    return any(max(slacks(world), default=-1) >= 0 for world in worlds(len(case.multiset), case.multiset))


# What must not be done.


def by_place(t: Inputs, rows: Sequence[int]) -> list[int]:
    return sorted(rows, key=lambda row: (t.codes[row], t.order[row]))


def pseudo_values_by_quasi_identifiers(t: Inputs, case: Case) -> Law:
    """Who is drawn is a lot; which pseudo-value they get is not: neighbours get the same."""

    def draw(fillers: Sequence[int], sizes: Sequence[int]) -> Iterator[list[list[int]]]:
        for drawn, company, pool in protected.lots(fillers, [sum(sizes[:-1]), sizes[-1]]):
            line, chunks, at = by_place(t, drawn), [], 0
            for size in sizes[:-1]:
                chunks.append(line[at : at + size])
                at += size
            yield [*chunks, company, pool]

    return protected.ace_law(t, case.l, case.values, case.k, draw=draw)


def a_pool_before_the_draw(t: Inputs, case: Case) -> Law:
    """The pool takes fillers who stand at the end of the line; lots are drawn among the others."""

    def draw(fillers: Sequence[int], sizes: Sequence[int]) -> Iterator[list[list[int]]]:
        line = by_place(t, fillers)
        needed = sum(sizes)
        for chosen in protected.lots(line[:needed], sizes):
            yield [*chosen[:-1], line[needed:]]

    return protected.ace_law(t, case.l, case.values, case.k, draw=draw)


def a_slice_that_stops_by_value(t: Inputs, case: Case) -> Law:
    """A bucket is divided only while its first column, a protected value's, has different people on both sides."""

    def divide(columns: list[list[int]], height: int) -> list[Group]:
        vectors = {t.codes[row] for row in columns[0]}
        if len(vectors) == 1:
            return [sorted(row for column in columns for row in column)]
        return protected.slicing(t)(columns, height)

    return protected.ace_law(t, case.l, case.values, case.k, draw=protected.lots, divide=divide)


def lots_for_the_nearest(t: Inputs, case: Case) -> Law:
    """Nobody is drawn at random: of all that Ace could give, what has the smallest perimeter."""
    law = protected.ace_law(t, case.l, case.values, case.k)
    best = min(law, key=lambda groups: (sum(perimeter(g, t.codes, t.geometry) for g in groups), groups))
    return {as_grouping(best): Fraction(1)}


def no_die(t: Inputs, case: Case) -> Law:
    """SoftCut that refuses exactly the cuts that fail."""
    return protected.soft_cut_law(t, case.l, case.values, case.k, TRYING, lambda _, slack: Fraction(slack < 0))


def nothing_for_a_refusal(t: Inputs, case: Case) -> Law:
    """SoftCut that asks for l values below a refused cut, not for one more."""
    rules = Rules(low=TRYING.low, at_root=True, more=0)
    return protected.soft_cut_law(t, case.l, case.values, case.k, rules)


@pytest.mark.parametrize(
    ("law", "honest", "numbers"),
    [
        (no_die, "soft-cut", [25]),
        (nothing_for_a_refusal, "soft-cut", [7]),
        (pseudo_values_by_quasi_identifiers, "ace", [57, 101]),
        (a_pool_before_the_draw, "ace", [3]),
        (a_slice_that_stops_by_value, "ace", [0]),
        (lots_for_the_nearest, "ace", [3, 6]),
    ],
)
def test_a_variant_that_looks_at_what_it_must_not_is_caught(
    law: Callable[[Inputs, Case], Law], honest: str, numbers: list[int]
) -> None:
    """Under every form of publication, on the very tables on which ours is found private."""
    cases = [random_case(Random(f"values {number}")) for number in numbers]
    found = [worst(case, law) for case in cases]
    for publication in PUBLICATIONS:
        assert any(one[publication] > Fraction(1, case.l) for one, case in zip(found, cases, strict=True)), publication
    for case in cases:
        assert max(worst(case, LAWS[honest]).values()) <= Fraction(1, case.l)
