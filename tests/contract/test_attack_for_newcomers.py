"""What a newcomer stumbled over: messages that can be followed, and figures on the safe side."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.posterior import local_classes
from pellucid.posterior.permanents import balanced, by_value, marginals
from pellucid.risk import Beliefs
from pellucid.risk.report.attack_report import AttackReport, Attempt
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import sampled, verdict
from pellucid.risk.views.known_groups import evidence_of_groups

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")


def seventeen() -> pl.DataFrame:
    """People of 17 different ages in one group, with four values: too many for a small budget."""
    return pl.DataFrame({"age": list(range(17)), "s": ["a"] * 5 + ["b"] * 4 + ["c"] * 4 + ["d"] * 4})


def test_the_budget_that_a_message_asks_for_is_the_one_that_is_used() -> None:
    frame = seventeen()
    table = pc.read(frame, quasi="age", sensitive="s")
    evidence = evidence_of_groups(table, [0] * 17)
    chances = {age: {"a": (age + 1) / 60, "b": 0.2, "c": 0.3, "d": 0.1} for age in range(17)}
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
    assert not counted.sampled
    assert walked.sampled
    assert walked.lower is not None
    assert walked.upper is not None
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
    assert beliefs.sampled
    assert "sampled" in beliefs.engine


def bounded() -> Beliefs:
    """Three people between bounds: the largest estimate is one person's, the largest upper bound another's."""
    table = pc.read(pl.DataFrame({"q": [1, 1, 1], "s": ["a", "b", "c"]}), quasi="q", sensitive="s")
    plain = pc.attack(evidence_of_groups(table, [0, 0, 0]), pc.Adversary())
    risk, lower, upper = (np.array(one) for one in ([0.6, 0.48, 0.2], [0.55, 0.3, 0.1], [0.65, 0.72, 0.4]))
    return replace(plain, risk=risk, lower=lower, upper=upper, confidence=0.95)


def test_who_may_be_above_a_threshold_is_counted_on_the_safe_side() -> None:
    beliefs = bounded()
    assert beliefs.vulnerable(0.5).tolist() == [0, 1]
    assert beliefs.vulnerable(0.5, surely=True).tolist() == [0]
    assert beliefs.share_above(0.5) == pytest.approx(2 / 3)


def test_the_interval_that_is_told_is_that_of_one_person() -> None:
    beliefs = bounded()
    attempt = Attempt(beliefs, 0.5)
    assert beliefs.most_exposed == 1
    assert attempt.worst.person == "row 1"
    assert attempt.written == "~0.48 (0.3 to 0.72)"
    assert "~0.48 (from 0.3 to 0.72 with" in repr(beliefs)
    report = AttackReport("r", beliefs.evidence, Fraction(1, 2), (attempt,), (), (), False)
    found = result_of(report)
    assert sampled(found.attackers[0]).startswith("Sampled: from 0.3 to 0.72, with confidence")
    assert verdict(found).endswith(
        "believes at least 0.55 of a person, and 1/2 is allowed; 1 to 2 of 3 people are above 1/2."
    )
    sure = replace(beliefs, risk=np.ones(3), lower=np.ones(3), upper=np.ones(3))
    assert Attempt(sure, 0.5).written == "1"


def test_rounding_makes_nobody_more_than_certain() -> None:
    beliefs = replace(bounded(), risk=np.array([1.0000000000000007, 0.1, 0.1]), lower=None, upper=None)
    assert beliefs.max_risk == 1
    assert Attempt(beliefs, None).max_risk == 1


def test_what_is_no_distribution_is_refused_in_words() -> None:
    table = pc.read(pl.DataFrame({"q": [1, 1], "s": ["a", "b"]}), quasi="q", sensitive="s")
    prior = pc.Distribution("q", {1: {"a": 0.9, "b": 0.9}})
    with pytest.raises(pc.AttackError, match=r"probabilities of 1 sum to 1\.8; they must not exceed 1"):
        pc.attack(evidence_of_groups(table, [0, 0]), pc.Adversary(prior=prior))
    with pytest.raises(pc.ModelError, match=r"kept\[0\] is 1: give the counts of class 0 by value"):
        local_classes([2, 3], [1, 2], [1, 1], {"a": 1, "b": 1}, pc.LDiversity(l=2))  # type: ignore[list-item]


@pytest.mark.parametrize("values", [1, 2, 3, 9])
def test_counting_by_value_agrees_with_counting_person_by_person(values: int) -> None:
    random = np.random.default_rng(values)
    slots = np.sort(np.concatenate([np.arange(values), random.integers(values, size=9 - values)]))
    weights = random.random((9, values))
    weights[0, 1:] = 0.0  # somebody who can have one value only
    codes, counts = np.unique(slots, return_counts=True)
    found = by_value(weights[:, codes], counts.astype(np.int32))
    slot_by_slot = marginals(weights[:, slots][None])[0]
    expected = np.stack([slot_by_slot[:, slots == code].sum(axis=1) for code in codes], axis=1)
    assert found is not None
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-12)
    scaled = balanced(weights[:, codes] + 0.1, counts.astype(np.int32))
    assert np.allclose(scaled.sum(axis=1), 1)
    assert np.allclose(scaled.sum(axis=0), counts)


@pytest.mark.parametrize("seed", range(5))
def test_scaling_that_ends_when_it_is_settled_gives_what_all_rounds_give(seed: int) -> None:
    random = np.random.default_rng(seed)
    counts = random.integers(1, 9, size=6).astype(np.int32)
    weights = random.random((int(counts.sum()), 6)) ** (1 + 3 * seed)
    expected = weights / weights.sum(axis=1, keepdims=True)
    for _ in range(200):
        expected = expected / (expected.sum(axis=0) / counts)
        expected = expected / expected.sum(axis=1, keepdims=True)
    assert np.allclose(balanced(weights, counts), expected, rtol=1e-8, atol=1e-10)


def test_a_prior_that_contradicts_a_group_counted_by_value_is_named() -> None:
    assert by_value(np.array([[1.0, 0.0]] * 8), np.array([4, 4], np.int32)) is None
    table = pc.read(pl.DataFrame({"q": [1] * 8, "s": list("aaaabbbb")}), quasi="q", sensitive="s")
    prior = pc.Distribution("q", {1: {"a": 1, "b": 0}})
    with pytest.raises(pc.AttackError, match="the prior contradicts the release"):
        pc.attack(evidence_of_groups(table, [0] * 8), pc.Adversary(prior=prior))
