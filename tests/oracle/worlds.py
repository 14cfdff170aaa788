"""What an adversary who knows everything but the sensitive values and the coins believes, by enumeration.

A world says who is in the table and which sensitive value each of them has. The adversary holds the release and the
quasi-identifiers of a population, knows the method, and finds every world equally likely before seeing the release.
The belief about a person follows from Bayes: the share of the worlds (each weighted by the probability that the
method makes this release of it) in which the person has the value. Nothing is assumed about the method: it is a
function from a world to the law of its grouping.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import lcm
from random import Random

from pellucid.core.table import Table
from plain.tables import line, secret, table_of
from plain.transparent import Inputs, inputs_of


@dataclass(frozen=True)
class World:
    """Who is in the table (numbers of people, ascending) and the sensitive value of each."""

    members: tuple[int, ...]
    values: tuple[int, ...]


@dataclass(frozen=True)
class Population:
    """What the adversary knows of everybody: quasi-identifiers, and the rank of the identifier."""

    vectors: tuple[tuple[int, ...], ...]
    ranks: tuple[int, ...]
    domain: tuple[int, int] | None = None  # the schema's; None: that of the people in the table

    @classmethod
    def random(cls, random: Random, people: int, attributes: int, distinct: int) -> Population:
        """People with small integers as quasi-identifiers, so that many are alike, and identifiers in any order."""
        vectors = tuple(tuple(random.randrange(distinct) for _ in range(attributes)) for _ in range(people))
        domain = (0, distinct) if random.random() < 0.3 else None
        return cls(vectors, tuple(random.sample(range(people), people)), domain)

    def table(self, world: World, ranks: Sequence[int] | None = None) -> Table:
        """The table of a world: its rows are the members; ``ranks`` replaces the order of the identifiers."""
        attributes = range(len(self.vectors[0]))
        columns = [line(f"q{i}", [self.vectors[p][i] for p in world.members], self.domain) for i in attributes]
        known = self.ranks if ranks is None else ranks
        order = dense([known[p] for p in world.members])
        return table_of([*columns, secret("s", world.values)], order)

    def inputs(self, world: World, ranks: Sequence[int] | None = None) -> Inputs:
        """The same for the plain definitions."""
        return inputs_of(self.table(world, ranks))


def dense(ranks: Sequence[int]) -> list[int]:
    """Ranks without gaps, as a table has them."""
    place = {rank: number for number, rank in enumerate(sorted(ranks))}
    return [place[rank] for rank in ranks]


Rows = tuple[tuple[int, ...], ...]  # groups of rows of a world's table; row r is the member number r
Method = Callable[[World], dict[Rows, Fraction]]
Publication = Callable[[Population, World, Rows], Hashable]
Beliefs = dict[Hashable, dict[tuple[int, int], Fraction]]


def arrangements(multiset: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every distinct order of a multiset."""
    left = Counter(multiset)

    def extend(prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(prefix) == len(multiset):
            yield prefix
            return
        for value in sorted(left):
            if left[value]:
                left[value] -= 1
                yield from extend((*prefix, value))
                left[value] += 1

    yield from extend(())


def worlds(people: int, multiset: Sequence[int]) -> Iterator[World]:
    """Every way to choose the members and to hand out the values.

    A release shows the multiset of its sensitive values, so worlds with another multiset have no weight in it.
    """
    for members in combinations(range(people), len(multiset)):
        for values in arrangements(multiset):
            yield World(members, values)


def composition(population: Population, world: World, groups: Rows) -> Hashable:  # noqa: ARG001
    """The strongest form: the adversary is told who is in which group, and each group's values."""
    return tuple(
        sorted(
            (tuple(world.members[r] for r in group), tuple(sorted(world.values[r] for r in group))) for group in groups
        )
    )


def anatomy(population: Population, world: World, groups: Rows) -> Hashable:
    """Two tables joined by a number without meaning: each group's exact vectors, and its values."""
    return tuple(
        sorted(
            (
                tuple(sorted(population.vectors[world.members[r]] for r in group)),
                tuple(sorted(world.values[r] for r in group)),
            )
            for group in groups
        )
    )


def intervals(population: Population, world: World, groups: Rows) -> Hashable:
    """One row per person: the tightest box of the group and the person's value; no group number."""
    rows = []
    for group in groups:
        columns = zip(*(population.vectors[world.members[r]] for r in group), strict=True)
        box = tuple((min(column), max(column)) for column in columns)
        rows += [(box, world.values[r]) for r in group]
    return tuple(sorted(rows))


PUBLICATIONS: dict[str, Publication] = {"composition": composition, "anatomy": anatomy, "intervals": intervals}


def beliefs(population: Population, possible: Iterable[World], method: Method, publication: Publication) -> Beliefs:
    """For every release that can happen: the posterior of every (person, value).

    Weights are whole numbers over the common denominator of all laws, as sums of fractions would take most of the time.
    """
    laws = [(world, method(world)) for world in possible]
    whole = lcm(*{probability.denominator for _, law in laws for probability in law.values()})
    weight: Counter[Hashable] = Counter()
    having: dict[Hashable, Counter[tuple[int, int]]] = defaultdict(Counter)
    for world, law in laws:
        facts = list(zip(world.members, world.values, strict=True))
        for groups, probability in law.items():
            release = publication(population, world, groups)
            share = probability.numerator * (whole // probability.denominator)
            weight[release] += share
            seen = having[release]
            for fact in facts:
                seen[fact] += share
    return {
        release: {fact: Fraction(share, weight[release]) for fact, share in facts.items()}
        for release, facts in having.items()
    }


def highest(found: Beliefs) -> Fraction:
    """The most that the adversary can come to believe of anyone, over all releases."""
    return max(belief for facts in found.values() for belief in facts.values())


def worst(population: Population, multiset: tuple[int, ...], method: Method) -> dict[str, Fraction]:
    """The highest belief under each form of publication."""
    known = cache(method)
    possible = list(worlds(len(population.vectors), multiset))
    return {
        name: highest(beliefs(population, possible, known, publication)) for name, publication in PUBLICATIONS.items()
    }
