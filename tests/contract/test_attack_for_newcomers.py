"""What a newcomer stumbled over: messages that can be followed, and figures on the safe side."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest

import pellucid as pc
from pellucid.attacking.gather import evidence_of_groups

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")


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


def crowd(rows: int) -> pl.DataFrame:
    random = Random(11)
    return pl.DataFrame(
        {
            "name": [f"P{i:04}" for i in range(rows)],
            "age": [random.randrange(20, 80) for _ in range(rows)],
            "zip": [random.randrange(100, 160) for _ in range(rows)],
            "job": [random.randrange(12) for _ in range(rows)],
            "s": [random.choice("aaabbbccdde") for _ in range(rows)],
        }
    )


@pytest.mark.parametrize("fact", [pc.Not("P0000", "a"), pc.Has("P0000", "c"), pc.Not("P0001", "a")])
def test_facts_beyond_the_budget_are_sampled(fact: pc.Fact) -> None:
    frame = crowd(14)
    roles: dict[str, object] = {"quasi": ["age", "zip", "job"], "sensitive": "s", "identifier": "name"}
    release = pc.publish(frame, pc.Mondrian(l=2, strict=True, retry=False), **roles)
    who = pc.Adversary(knows="algorithm", facts=[fact])
    counted = pc.attack(release, who, truth=frame, **roles)
    walked = pc.attack(release, who, truth=frame, budget=1, **roles)
    assert not counted.sampled and walked.sampled
    assert walked.lower is not None and walked.upper is not None
    assert ((walked.lower <= counted.risk + 1e-9) & (counted.risk <= walked.upper + 1e-9)).mean() >= 0.9
    person = walked.evidence.person(fact.person)
    told = walked.posterior_of(person)
    assert told.get(fact.value, 0) == (1 if isinstance(fact, pc.Has) else 0)
    group = walked.evidence.members(int(walked.evidence.grouping.labels[person])).tolist()
    for row in group:
        for value, chance in walked.posterior_of(row).items():
            assert chance == pytest.approx(float(counted.posterior_of(row).get(value, 0)), abs=0.05)


def test_facts_about_people_of_groups_that_tell_about_each_other_are_sampled() -> None:
    """Mondrian tries the next attribute after a refused cut: a fact then tells about the people of other groups too."""
    frame = crowd(600)
    roles: dict[str, object] = {"quasi": ["age", "zip", "job"], "sensitive": "s", "identifier": "name"}
    release = pc.publish(frame, pc.Mondrian(l=3, strict=True), **roles)
    fact = pc.Not("P0000", "a")
    beliefs = pc.attack(release, pc.Adversary(knows="algorithm", facts=[fact]), truth=frame, **roles)
    assert beliefs.posterior("P0000", "a") == 0
    assert beliefs.sampled and "sampled" in beliefs.engine
