"""SoftCut's die: names of nodes by the path of cuts, throws by keyed integers, without bias."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.anonymize.methods.soft_cut import die_of
from pellucid.core.coins import Coins
from plain.soft_cut import CoinsDie


@pytest.mark.parametrize("sides", [1, 2, 3, 7, 1000])
def test_names_and_throws_are_those_of_the_definition(sides: int) -> None:
    coins = Coins.from_seed(sides)
    die, plain = die_of(coins, sides), CoinsDie(coins, sides)
    name = 0
    for depth, side in enumerate([0, 1, 1, 0, 1]):
        name = die.child(name, side)
        path = (0, 1, 1, 0, 1)[: depth + 1]
        assert name == plain.name(path)
        before = plain.throws_before_one(path)
        assert [die.allows(name, slack) for slack in (before - 1, before, before + 1)] == [False, True, True]
    assert not die.allows(name, -1)
    assert not die.allows(name, -5)


def test_the_two_sides_of_a_node_have_different_names() -> None:
    die = die_of(Coins.from_seed(1), 2)
    assert len({die.child(name, side) for name in (0, 2, 2**63 - 1) for side in (0, 1)}) == 6


def test_numbers_beyond_the_largest_multiple_are_thrown_again() -> None:
    """With more than 2**62 sides about half of all numbers are: seven throws need more than seven numbers."""
    sides = 2**62 + 1
    coins = Coins.from_seed(3)
    die, name = die_of(coins, sides), 12345
    words = (np.arange(40) + name).astype(np.int64)
    drawn = coins.draws(words, purpose="die")
    assert (drawn[:7] >= sides).any()
    assert not die.allows(name, 6)  # none of them shows a 1, and it ends
