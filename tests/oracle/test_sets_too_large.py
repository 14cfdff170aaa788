"""A set that is too large to be listed becomes ``*``, which stands for anybody: whom an attack takes it to cover.

It once covered only the values of its own group, and a release that gives 0.6 away was said to hold 1/2.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from oracle.attacker import Attacker, Setting, content, every_world
from pellucid.anonymize.method import Method
from pellucid.risk.verdict import verdict_of

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
ROLES: dict[str, Any] = {"quasi": ["q0", "q1"], "sensitive": "s", "identifier": "id"}
STARS = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(8)],
        "q0": list("bbbbdadc"),
        "q1": list("lkkkklkl"),
        "s": list("uxuvxwxu"),
    }
)
ALGORITHM = pc.Adversary(knows="algorithm")
QUICK, THOROUGH = 40, 2_000


def test_a_star_for_a_large_set_covers_everybody() -> None:
    """By all 3,360 worlds: the most that is believed is 3/5."""
    recode = pc.Intervals(largest_set=1)
    release = pc.publish(STARS, pc.Mondrian(l=2), recode=recode, **ROLES)
    told = pc.attack(release, ALGORITHM, truth=STARS, exact=True, **ROLES)
    read = pc.attack(release, ALGORITHM, population=STARS.drop("s"), exact=True, identifier="id")
    assert max(told.risk) == pytest.approx(0.6)
    assert max(read.risk) == pytest.approx(0.6)
    assert verdict_of(told, 0.5).holds is False


def test_the_oracle_says_three_fifths() -> None:
    setting = Setting(STARS.drop("s"), "s", ROLES, pc.Mondrian(l=2), pc.Intervals(largest_set=1))
    made = pc.publish(STARS, pc.Mondrian(l=2), recode=pc.Intervals(largest_set=1), **ROLES)
    attacker = Attacker(setting, list(every_world(8, [tuple(STARS["s"].to_list())])))
    believed = attacker.alone[content(made)]
    assert float(max(max(one.values()) for one in believed)) == pytest.approx(0.6)


def drawn(random: Random) -> tuple[pl.DataFrame, Method]:
    rows = random.choice([5, 6, 6, 7])
    columns = {"id": [f"p{i}" for i in range(rows)]}
    columns |= {name: random.choices(some, k=rows) for name, some in [("q0", "abcd"), ("q1", "kl"), ("s", "uvwx")]}
    strict, retry = random.random() < 0.5, random.random() < 0.5
    greedy = random.random() < 0.2
    return pl.DataFrame(columns), pc.GreedyGrouping(l=2) if greedy else pc.Mondrian(l=2, strict=strict, retry=retry)


def said_of(table: pl.DataFrame, method: Method, recode: Any) -> tuple[list[Any], tuple[Any, ...]]:
    release = pc.publish(table, method, recode=recode, threads=1, **ROLES)
    beliefs = pc.attack(release, ALGORITHM, truth=table, **ROLES)
    return sorted(release.frame.rows()), (beliefs.exactness, beliefs.at_most, beliefs.risk.round(9).tolist())


def test_the_same_rows_are_believed_the_same(thorough: bool) -> None:
    """Of categories, suppression and sets of one value publish the same, so that nothing else may be said of them."""
    random = Random("the same rows")
    compared = differing = 0
    for _ in range(THOROUGH if thorough else QUICK):
        table, method = drawn(random)
        try:
            (rows, one), (others, other) = (
                said_of(table, method, recode) for recode in (pc.Suppression(), pc.Intervals(largest_set=1))
            )
        except pc.PellucidError:
            continue
        assert rows == others
        compared += 1
        differing += one != other
    assert compared > (THOROUGH if thorough else QUICK) / 3
    assert not differing
