"""What a newcomer stumbled over: messages that can be followed, and figures on the safe side."""

from __future__ import annotations

import polars as pl
import pytest

import pellucid as pc
from pellucid.attacking.gather import evidence_of_groups


def seventeen() -> pl.DataFrame:
    """People of 17 different ages in one group, with four values: too many for a small budget."""
    return pl.DataFrame({"age": list(range(17)), "s": ["a"] * 5 + ["b"] * 4 + ["c"] * 4 + ["d"] * 4})


def test_the_budget_that_a_message_asks_for_is_the_one_that_is_used() -> None:
    frame = seventeen()
    table = pc.read(frame, quasi="age", sensitive="s")
    evidence = evidence_of_groups(table, [0] * 17)
    chances = {age: {"a": (age + 1) / 40, "b": 0.2, "c": 0.3, "d": 0.1} for age in range(17)}
    prior = pc.Adversary(prior=pc.Distribution("age", chances))
    with pytest.raises(pc.AttackError, match=r"needs 750 states, and the budget is 10; .*raise budget="):
        pc.attack(evidence, prior, budget=10)
    beliefs = pc.attack(evidence, prior, budget=750)
    assert beliefs.belief("a")[0] < beliefs.belief("a")[16]
    assert beliefs.belief("a").sum() == pytest.approx(5)
