"""Tried, and not in the library: which way strata are cut is drawn, with chances that depend on values.

The chance of the drawn cut is a part of what every world weighs. Trading two people of a stratum changes it by a factor
of at most rho, so that strata published whole bear it as they bear a prior of that rho (docs/strata.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from random import Random

Cut = tuple[tuple[int, ...], ...]
World = tuple[str, ...]
Law = Callable[[World], Sequence[Fraction]]


def score(world: World, cut: Cut) -> int:
    """In how many strata all agree: what whoever steers by values would look for."""
    return sum(len({world[person] for person in stratum}) == 1 for stratum in cut)


def by_lot(cuts: Sequence[Cut], strength: int) -> Law:
    """Each cut with a chance that is ``strength`` times as large for each stratum in which all agree."""

    def law(world: World) -> list[Fraction]:
        weights = [Fraction(strength) ** score(world, cut) for cut in cuts]
        return [weight / sum(weights) for weight in weights]

    return law


def best(cuts: Sequence[Cut]) -> Law:
    """The first of the best, for certain."""

    def law(world: World) -> list[Fraction]:
        scores = [score(world, cut) for cut in cuts]
        return [Fraction(number == scores.index(max(scores))) for number in range(len(cuts))]

    return law


def rho_of(worlds: Sequence[World], cut: Cut, chance: Callable[[World], Fraction]) -> Fraction | None:
    """The largest factor by which a trade inside a stratum changes the chance of a cut; None where it ends it."""
    most = Fraction(1)
    for world in worlds:
        for stratum in cut:
            for one in stratum:
                for other in stratum:
                    traded = list(world)
                    traded[one], traded[other] = world[other], world[one]
                    if chance(tuple(traded)) and not chance(world):
                        return None
                    if chance(world):
                        most = max(most, chance(tuple(traded)) / chance(world))
    return most


def looked_at(cuts: Sequence[Cut], values: str, law: Law) -> tuple[int, int, int]:
    """How many beliefs are above the share, above the bound with rho, and reach that bound where rho > 1."""
    above_share = above_bound = reached = 0
    worlds = sorted(set(permutations(values)))
    for number, cut in enumerate(cuts):
        rho = rho_of(worlds, cut, lambda world, number=number: law(world)[number])
        seen: dict[tuple[tuple[str, ...], ...], list[World]] = {}
        for world in worlds:
            seen.setdefault(tuple(tuple(sorted(world[p] for p in stratum)) for stratum in cut), []).append(world)
        for shown, fitting in seen.items():
            total = sum((law(world)[number] for world in fitting), Fraction(0))
            if not total:
                continue
            for stratum, held in zip(cut, shown, strict=True):
                for value in set(held):
                    b, g = held.count(value), len(held)
                    for person in stratum:
                        p = sum((law(w)[number] for w in fitting if w[person] == value), Fraction(0)) / total
                        bound = Fraction(1) if rho is None else rho * b / (rho * b + g - b)
                        above_share += p > Fraction(b, g)
                        above_bound += p > bound
                        reached += rho is not None and rho > 1 and p == bound and b < g
    return above_share, above_bound, reached


def drawn(random: Random) -> tuple[list[Cut], str]:
    """Two or three ways to cut a few people into two strata, and their values."""
    people = random.choice([4, 5, 6])
    cuts = []
    for _ in range(random.choice([2, 3])):
        order = random.sample(range(people), people)
        cuts.append((tuple(sorted(order[: people // 2])), tuple(sorted(order[people // 2 :]))))
    return cuts, "".join(random.choice("xxy") for _ in range(people))


def test_a_cut_that_is_drawn_costs_its_rho_and_no_more(thorough: bool) -> None:
    above_share = 0
    for number in range(400 if thorough else 40):
        random = Random(f"noised steering {number}")
        cuts, values = drawn(random)
        found = looked_at(cuts, values, by_lot(cuts, random.choice([2, 3, 10])))
        above_share += found[0]
        assert not found[1], (cuts, values)
    assert above_share


def test_the_best_cut_for_certain_gives_people_away() -> None:
    """Two ways to pair four people, x x y y: the second pairing is chosen only where the first agrees less."""
    cuts = [((0, 1), (2, 3)), ((0, 2, 3), (1,))]
    for chosen in (cuts, cuts[::-1]):
        if looked_at(chosen, "xxyy", best(chosen))[0]:
            return
    raise AssertionError("no belief is above the share")


def test_the_bound_is_reached() -> None:
    cases = [drawn(Random(f"reached {number}")) for number in range(200)]
    assert any(looked_at(cuts, values, by_lot(cuts, 2))[2] for cuts, values in cases)
