"""Values that not everybody may have: whoever strikes out whom a rule is about believes no more than is promised.

A column that applies to some people is null for all others, and everybody knows it. All worlds of tiny tables in which
that is so are enumerated, under random priors that know every statistic of strata. With a boundary between both sides
the bound holds. Without it people to whom the column does not apply pad groups, and the enumeration finds who stands
above the bound. The same of one value that a quasi-identifier rules out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from oracle.test_strata import Case, Values, beliefs, excess, random_prior
from oracle.worlds import Population
from pellucid.core.coins import Coins
from plain import strata
from plain.soft_cut import PlainCuts
from plain.tables import sorted_groups

QUICK, THOROUGH = 40, 2000  # tables
MOST_WORLDS = 800


@dataclass(frozen=True)
class Declared(Case):
    """People of whom those below ``least`` in the first attribute have none of the values of ``ruled_out``."""

    least: int = 0
    ruled_out: tuple[int, ...] = ()
    boundary: bool = True

    @cached_property
    def sides(self) -> list[list[int]]:
        sides = [
            [r for r, v in enumerate(self.population.vectors) if (v[0] >= self.least) is side] for side in (False, True)
        ]
        return [side for side in sides if side]

    @cached_property
    def parts(self) -> list[list[int]]:
        t = self.inputs((0,) * self.people)
        cuts = PlainCuts(t.codes, t.order, t.geometry)
        begun = self.sides if self.boundary else [list(range(self.people))]
        return [stratum for rows in begun for stratum in strata.strata(cuts, rows, self.size)]

    def worlds(self) -> Iterator[Values]:
        every = range(self.values)
        others = [value for value in every if value not in self.ruled_out]
        yield from product(*(every if v[0] >= self.least else others for v in self.population.vectors))


def random_declared(random: Random, *, applies: bool, boundary: bool = True) -> Declared:
    """People on both sides, enough for a stratum each; of a column that applies to some the last value is null."""
    while True:
        l, values = random.choice([2, 2, 3]), random.choice([3, 3, 4])
        size = random.choice([max(2, l), 3])
        people = random.randint(2 * size, 7)
        population = Population.random(random, people, random.choice([1, 2]), random.choice([2, 3, 5]))
        least = random.choice(sorted({v[0] for v in population.vectors}))
        null = values - 1
        ruled_out = tuple(range(null)) if applies else (0,)
        protected = tuple(range(null)) if applies else None
        k = random.choice([1, 1, 2])
        case = Declared(population, values, l, size, "hybrid", protected, k, least, ruled_out, boundary)
        if len(case.sides) < 2 or min(map(len, case.sides)) < size or sum(1 for _ in case.worlds()) > MOST_WORLDS:
            continue
        return case


@pytest.mark.parametrize("applies", [True, False])
def test_with_a_boundary_the_bound_holds(applies: bool, thorough: bool) -> None:
    divided = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"applies {applies} {number}")
        case, known = random_declared(random, applies=applies), {}  # type: ignore[var-annotated]
        for _ in range(2):
            found = beliefs(case, random_prior(random, case), case.law, known)
            assert not excess(case, found), case
            divided += any(1 < len(group) < case.size for release in found for group, _ in release)
    assert divided


@pytest.mark.parametrize("applies", [True, False])
def test_without_it_somebody_stands_above_the_bound(applies: bool) -> None:
    exceeded = 0
    for number in range(40):
        random = Random(f"padded {applies} {number}")
        case = random_declared(random, applies=applies, boundary=False)
        exceeded += bool(excess(case, beliefs(case, lambda _: 1, case.law)))  # type: ignore[arg-type, return-value]
    assert exceeded


def test_children_who_are_struck_out() -> None:
    """Two adults with a and b, two children who have none: 1/2 is promised, and a group of one adult and one child."""
    case = Declared(
        Population(((1,), (1,), (9,), (9,)), (0, 1, 2, 3)), 3, 2, 4, "hybrid", (0, 1), 2, least=5, ruled_out=(0, 1)
    )
    mixed = Declared(**{**vars(case), "boundary": False, "size": 4})
    apart = Declared(**{**vars(case), "size": 2})
    most = {
        name: max(p for facts in beliefs(one, lambda _: 1, one.law).values() for (_, v), p in facts.items() if v < 2)  # type: ignore[arg-type, return-value]
        for name, one in (("mixed", mixed), ("apart", apart))
    }
    assert most["mixed"] == 1
    assert excess(mixed, beliefs(mixed, lambda _: 1, mixed.law))  # type: ignore[arg-type, return-value]
    assert not excess(apart, beliefs(apart, lambda _: 1, apart.law))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("number", range(8))
def test_each_side_is_grouped_as_a_table_of_its_own(number: int) -> None:
    """What pellucid makes of both sides is what it makes of each by itself: nothing else decides."""
    random = Random(f"own {number}")
    ages = [random.randint(0, 30) for _ in range(400)]
    sexes = [random.choice("fm") for _ in ages]
    pay = [None if age < 15 else random.choice(["low", "mid", "high", "top", None]) for age in ages]
    frame = pl.DataFrame({"id": range(400), "age": ages, "sex": sexes, "pay": pay})
    roles = {"identifier": "id", "quasi": ["age", "sex"], "sensitive": "pay"}
    method = pc.Strata(l=2, size=20, values=["any but null"], same=['age >= 15 and sex = "f"', "age >= 15"])
    table, coins = pc.read(frame, **roles), Coins.from_seed(number)
    whole, found = method.group(table, coins), []
    marks = np.array(ages) >= 15
    women = marks & (np.array(sexes) == "f")
    for side in (~marks, women, marks & ~women):
        rows = np.flatnonzero(side)
        alone = method.group(table.rows(rows), coins)
        found += [sorted(rows[group].tolist()) for group in map(list, sorted_groups(alone))]
    assert sorted(found) == sorted_groups(whole)
    assert {tuple(sorted(set(side[group].tolist()))) for side in (marks, women) for group in sorted_groups(whole)} == {
        (False,),
        (True,),
    }
