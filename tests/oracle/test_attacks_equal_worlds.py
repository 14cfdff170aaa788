"""What an attack says of somebody who knows the method is what all worlds together say, exactly.

Every release that a method can make of tiny tables is attacked, once by enumeration of all worlds, which knows nothing
of likelihoods and engines, and once by :func:`pellucid.attack`. The two agree as fractions, for every person and value.
Who is in which group is known, and so are the values of each group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import pellucid as pc
from oracle import methods
from oracle.differing import asked_to_protect
from oracle.worlds import PUBLICATIONS, Beliefs, Method, Population, Rows, World, beliefs, worlds
from pellucid.anonymize.method import Method as Grouper
from pellucid.core.coins import Coins
from pellucid.errors import PellucidError
from pellucid.models import parse
from pellucid.risk import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups
from plain import consecutive as plain
from plain.consecutive import in_line

TABLES = 500  # of each setting at least, every world of a population being one
RELEASES = 20  # of each setting at least
COMPOSITION = PUBLICATIONS["composition"]
ALGORITHM = pc.Adversary(knows="algorithm")
COINS = Coins.from_seed(0)

Law = Callable[[Population], Method]


def compiled(grouper: Grouper) -> Law:
    """The package's own method, where it draws no coins; a world that it refuses makes no release."""

    def of(population: Population) -> Method:
        def method(world: World) -> dict[Rows, Fraction]:
            try:
                found = grouper.group(population.table(world), COINS, threads=1)
            except PellucidError:
                return {}
            groups = [found.members[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)]
            return {plain.canonical(groups): Fraction(1)}

        return method

    return of


def randomised_greedy(l: int, p: Fraction, binary: bool) -> Law:
    """The exact law of randomised greedy grouping; the package's is compared with it in tests/statistical."""
    holds = plain.diverse(l, [0] if binary else None)

    def of(population: Population) -> Method:
        def method(world: World) -> dict[Rows, Fraction]:
            if not holds(world.values):  # refused before anything is published
                return {}
            t = population.inputs(world)
            law = plain.greedy_law(in_line(t.codes, t.order), world.values, holds, l, p)
            return {groups: chance for groups, chance in law.items() if groups}

        return method

    return of


def feasible(law: Callable[[Population, int], Method], l: int) -> Law:
    """The law where the table is l-diverse; no release elsewhere."""

    def of(population: Population) -> Method:
        inner = law(population, l)
        return lambda world: inner(world) if plain.diverse(l)(world.values) else {}

    return of


@dataclass(frozen=True)
class Case:
    """A method, its law, and the multisets that are tried."""

    grouper: Grouper
    law: Law
    rows: tuple[int, int] = (4, 7)
    tables: int = TABLES
    l: int = 2


def model(text: str, *values: str, **more: Any) -> Any:
    made = parse(text)
    if not values:
        return made
    return type(made)(**{name: getattr(made, name) for name in made.model_fields_set}, sensitive=values, **more)


def own(grouper: Grouper, **more: Any) -> Case:
    return Case(grouper, compiled(grouper), **more)


def cases() -> dict[str, Case]:
    found = {"tailor": own(pc.Tailor(l=2)), "tailor, l=3": own(pc.Tailor(l=3), rows=(6, 7), l=3)}
    found["ace"] = Case(pc.Ace(l=2), feasible(methods.ace, 2), (4, 6))
    found["hybrid"] = Case(pc.Hybrid(l=2), feasible(methods.hybrid, 2), (4, 6))
    anatomy: Callable[[Population, int], Method] = lambda _, l: (  # noqa: E731
        lambda world: plain.anatomy_law(range(len(world.values)), world.values, l)
    )
    found["anatomy"] = Case(pc.Anatomy(l=2), feasible(anatomy, 2), (4, 6))
    found["audited"] = own(pc.Audited(l=2), rows=(4, 7))
    found["audited, l=3"] = own(pc.Audited(l=3), rows=(6, 7), l=3)
    found["audited, some values"] = own(pc.Audited(model=model("l-diversity=2", "s 0")), rows=(4, 7))
    found["audited, alpha-k"] = own(pc.Audited(model=model("(alpha,k)-anonymity=0.5,2")), rows=(4, 7))
    for strict in (False, True):
        for retry in (False, True):
            words = f"mondrian, {'strict' if strict else 'relaxed'}{', retry' if retry else ''}"
            how = {"strict": strict, "retry": retry}
            found[words] = own(pc.Mondrian(l=2, **how), rows=(4, 7))
            found[f"{words}, l=3"] = own(pc.Mondrian(l=3, **how), rows=(6, 7), l=3)
            found[f"{words}, binary"] = own(
                pc.Mondrian(model=model("l-diversity=2", "s 0", "s 1", together=True), **how), rows=(4, 7)
            )
            found[f"{words}, t-closeness"] = own(pc.Mondrian(model=model("t-closeness=0.3"), **how), rows=(4, 7))
            found[f"{words}, entropy"] = own(pc.Mondrian(model=model("entropy l-diversity=1.8"), **how), rows=(4, 7))
            found[f"{words}, k"] = own(pc.Mondrian(k=2, **how), tables=300)
    for name, method in (("greedy", pc.GreedyGrouping), ("symmetric", pc.SymmetricGrouping)):
        found[name] = own(method(l=2), rows=(4, 7))
        found[f"{name}, l=3"] = own(method(l=3), rows=(6, 7), l=3)
        found[f"{name}, hilbert"] = own(method(l=2, order="hilbert"), rows=(4, 7))
        found[f"{name}, binary"] = own(method(l=2, binary=("s 0", "s 1")), rows=(4, 7))
        found[f"{name}, some values"] = own(method(model=model("l-diversity=2", "s 0", "s 2")), rows=(4, 7))
        found[f"{name}, distinct"] = own(method(model=model("distinct l-diversity=2")), rows=(4, 7))
        found[f"{name}, t-closeness"] = own(method(model=model("t-closeness=0.3")), rows=(4, 7))
        found[f"{name}, k"] = own(method(model=model("k-anonymity=2")), tables=300)
    found["greedy, another bucket"] = own(pc.GreedyGrouping(model=model("l-diversity=2"), bucket=3), rows=(6, 8))
    for p in ("0", "0.3", "0.65", "1"):
        for binary in (False, True):
            grouper = pc.RandomizedGreedyGrouping(l=2, p=float(p), binary=("s 0",) if binary else None)
            found[f"randomised greedy, p={p}{', binary' * binary}"] = Case(
                grouper, randomised_greedy(2, Fraction(p), binary), (4, 8), tables=TABLES // 2
            )
    return found


CASES = cases()


def evidence(population: Population, world: World, groups: Rows, grouper: Grouper) -> Evidence:
    labels = np.full(len(world.members), -1)
    for number, group in enumerate(groups):
        labels[list(group)] = number
    return evidence_of_groups(population.table(world), labels.tolist(), method=grouper)


@dataclass
class Tally:
    """What was compared, so that the test cannot pass by comparing nothing."""

    tables: int = 0
    releases: int = 0
    telling: int = 0  # releases in which some belief differs from the frequency


def releases(population: Population, multiset: tuple[int, ...], law: Method) -> tuple[Beliefs, dict[Hashable, Any]]:
    """What all worlds say of each release, and one world that makes it."""
    known: dict[World, dict[Rows, Fraction]] = {}
    example: dict[Hashable, tuple[World, Rows]] = {}
    for world in worlds(len(multiset), multiset):
        known[world] = {groups: chance for groups, chance in law(world).items() if chance}
        for groups in known[world]:
            example.setdefault(COMPOSITION(population, world, groups), (world, groups))
    return beliefs(population, known, known.__getitem__, COMPOSITION), example


def compare(population: Population, multiset: tuple[int, ...], case: Case, tally: Tally) -> None:
    found, example = releases(population, multiset, case.law(population))
    for release, facts in found.items():
        world, groups = example[release]
        told = pc.attack(evidence(population, world, groups, case.grouper), ALGORITHM, exact=True)
        tally.releases += 1
        frequencies = True
        for group in groups:
            values = [world.values[row] for row in group]
            for row in group:
                for value in set(values):
                    belief = told.posterior(row, f"s {value}")
                    assert belief == facts.get((row, value), 0), (population, multiset, release, row, value)
                    frequencies &= belief == Fraction(values.count(value), len(values))
                about, as_one = asked_to_protect(case.grouper)
                counting = [v for v in sorted(set(values)) if about is None or f"s {v}" in about]
                shares = [float(facts.get((row, v), 0)) for v in counting]
                most = sum(shares) if as_one else max(shares, default=0.0)
                assert float(told.risk[row]) == pytest.approx(most)
        tally.telling += not frequencies
    tally.tables += len(set(worlds(len(multiset), multiset)))


def random_case(random: Random, case: Case) -> tuple[Population, tuple[int, ...]]:
    """A population and values that the method's model allows, most of them near its limit."""
    rows = random.randint(*case.rows)
    l = case.l
    while True:
        values = random.randint(max(2, l), 4 if rows < 7 else max(3, l))
        multiset = tuple(sorted([*range(min(values, rows)), *(random.randrange(values) for _ in range(rows - values))]))
        if (len(set(multiset)) == values and max(map(multiset.count, multiset)) * l <= rows) or random.random() < 0.02:
            break
    return Population.random(random, rows, random.choice([1, 2, 2, 3]), random.choice([2, 3, 4, 9])), multiset


@pytest.mark.parametrize("name", CASES)
def test_an_attack_says_what_all_worlds_say(name: str) -> None:
    case, tally = CASES[name], Tally()
    quiet = case.grouper.name in ("tailor", "ace", "hybrid", "anatomy") or name.endswith(", k") or "p=1" in name
    tells = not quiet and case.l == 2 and "distinct" not in name and case.grouper.name != "audited"
    number = 0
    while tally.tables < case.tables or tally.releases < RELEASES // case.l or (tells and not tally.telling):
        number += 1
        assert number < 1_000, "nothing is told by any of these tables"
        population, multiset = random_case(Random(f"{name} {number}"), case)
        compare(population, multiset, case, tally)
    assert not (quiet and tally.telling)
