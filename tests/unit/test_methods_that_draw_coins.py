"""Which methods give other groups when they are run again, although an identifier orders the rows."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest

import pellucid as pc
from pellucid.coins import Coins
from pellucid.group import Method

BINARY = {"l": 2, "binary": "a"}


@pytest.mark.parametrize(
    ("method", "draws"),
    [
        (pc.Tailor(l=2), False),
        (pc.Mondrian(l=2), False),
        (pc.Hybrid(l=2), True),
        (pc.SoftCut(l=2), True),
        (pc.Ace(l=2), True),
        (pc.Anatomy(l=2), True),
        (pc.GreedyGrouping(**BINARY), False),
        (pc.SymmetricGrouping(**BINARY), False),
        (pc.RandomizedGreedyGrouping(**BINARY, p=0.5), True),
    ],
)
def test_what_a_method_says_of_its_coins_is_so(method: Method, draws: bool) -> None:
    random = Random(4)
    rows = range(80)
    frame = pl.DataFrame(
        {
            "name": list(rows),
            "age": [random.randrange(20, 60) for _ in rows],
            "zip": [random.randrange(9) for _ in rows],
            "s": [random.choice("aabbccdd") for _ in rows],
        }
    )
    table = pc.read(frame, quasi=["age", "zip"], sensitive="s", identifier="name")
    found = {method.group(table, Coins.from_seed(seed)).labels.tobytes() for seed in range(4)}
    assert method.draws_coins is draws
    assert (len(found) > 1) is draws
