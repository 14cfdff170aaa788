"""Strata chosen with a look at the values: fine ones or the coarse one, by a coin that the values weigh.

Research (docs/strata.md, "Tried"), and no part of the library. Two fine strata make a coarse one. How many fine strata
have a value in more than one row in l weighs a coin, which decides whether both are published whole, or the coarse one.
Given the fine strata nothing is lost: a trade inside one changes no count of any. Given the coarse one, a trade between
them may change what the coin does, at most by a factor rho, and odds grow by no more than that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from random import Random

from oracle.worlds import arrangements

Coin = Sequence[Fraction]  # of how many frequent fine strata the probability of the fine ones


def frequent(held: tuple[int, ...], left: int, l: int) -> int:
    """In how many of the two strata a value has more than one row in l."""
    return sum(max(Counter(part).values()) * l > len(part) for part in (held[:left], held[left:]))


def tolerance(values: tuple[int, ...], left: int, l: int, coin: Coin) -> Fraction | None:
    """The factor by which a trade may change the probability of the coarse stratum; None: without bound."""
    chances = {1 - coin[frequent(held, left, l)] for held in arrangements(values)}
    return max(chances) / min(chances) if min(chances) > 0 else None


def beliefs(values: tuple[int, ...], left: int, l: int, coin: Coin) -> tuple[Fraction, Fraction]:
    """How far a belief goes above the share of a person's stratum, in odds, given the fine ones and the coarse one."""
    weights: dict[object, dict[tuple[int, int], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for held in arrangements(values):
        fine = tuple(sorted(held[:left])), tuple(sorted(held[left:]))
        chance = coin[frequent(held, left, l)]
        for row, value in enumerate(held):
            weights[fine][row, value] += chance
            weights[None][row, value] += 1 - chance
    most = {True: Fraction(0), False: Fraction(0)}
    for release, facts in weights.items():
        for (row, value), weight in facts.items():
            others = sum(other for (r, v), other in facts.items() if r == row and v != value)
            part = sorted(values) if release is None else release[int(row >= left)]  # type: ignore[index]
            b, g = part.count(value), len(part)
            if weight == 0 or b == g:
                continue
            assert others > 0 or release is None
            odds = weight / others * Fraction(g - b, b) if others else Fraction(10**9)
            most[release is None] = max(most[release is None], odds)
    return most[False], most[True]


def test_a_coin_that_values_weigh_costs_its_factor_where_it_says_coarse(thorough: bool) -> None:
    lost = 0
    for number in range(400 if thorough else 60):
        random = Random(f"choosing strata {number}")
        left, right = random.choice([(2, 2), (2, 3), (3, 3), (2, 4)])
        values = tuple(sorted(random.choices(range(3), k=left + right)))
        coin = [Fraction(random.randint(1, 9), 10) for _ in range(3)]
        factor = tolerance(values, left, 2, coin)
        assert factor is not None
        fine, coarse = beliefs(values, left, 2, coin)
        assert fine <= 1
        assert coarse <= factor
        lost += coarse > 1
    assert lost


def test_a_size_that_is_rejected_for_certain_tells_everything() -> None:
    """Six people, fine strata of two and four, two of them with 0: rejected only where both stand in the small one."""
    _, coarse = beliefs((0, 0, 1, 2, 3, 4), 2, 2, [Fraction(1), Fraction(0), Fraction(0)])
    assert coarse == 10**9
