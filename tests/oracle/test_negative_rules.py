"""Negative rules: the posterior equals the enumeration of the worlds that break none of them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest

from pellucid.errors import AttackError
from pellucid.io import read
from pellucid.posterior.worlds import worlds
from pellucid.risk.attacks.negative_rules import Rule, mine_rules, negative_rules, ruled_out
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups
from plain.injector import excluded


def evidence_of(columns: dict[str, list[object]], values: list[str], labels: list[int]) -> Evidence:
    table = read(pl.DataFrame({**columns, "s": values}), quasi=list(columns), sensitive="s")
    return evidence_of_groups(table, labels)


HOSPITAL = evidence_of({"sex": ["m", "m", "f", "f"]}, ["flu", "gout", "ovarian cancer", "flu"], [0, 0, 0, 0])


def test_a_value_is_left_to_those_who_can_have_it() -> None:
    found = negative_rules(HOSPITAL, [Rule({"sex": "m"}, "ovarian cancer"), Rule({"sex": "m"}, "gout")])
    # the women share cancer and gout, so the men have the flu
    assert found.figure == 1.0
    assert found.baseline == 0.5
    assert found.exposed.tolist() == [0, 1]
    scored = negative_rules(HOSPITAL, [Rule({"sex": "f"}, "gout")], truth=np.array([0, 1, 2, 0], np.int32))
    assert scored.details["right"] == 0.5  # the women's best guess is the flu, and one of them has it


@pytest.mark.parametrize("seed", range(150))
def test_posteriors_equal_enumeration(seed: int) -> None:
    random = Random(seed)
    true: list[Rule] = []
    while not true:  # rules that the true values keep, so that they contradict nothing
        people = random.randint(2, 6)
        columns = {name: [random.choice(of) for _ in range(people)] for name, of in (("a", "xy"), ("b", "uv"))}
        values = [random.choice("pqr") for _ in range(people)]
        possible = [{"a": x} for x in "xy"] + [{"b": u} for u in "uv"] + [{"a": x, "b": u} for x in "xy" for u in "uv"]
        for given in possible:
            alike = [p for p in range(people) if all(columns[n][p] == v for n, v in given.items())]
            true += [Rule(given, v) for v in sorted(set(values)) if alike and v not in {values[p] for p in alike}]
    evidence = evidence_of(dict(columns), values, [0] * people)
    rules = random.sample(true, random.randint(1, min(3, len(true))))
    barred = [{rule.never for rule in rules if all(columns[n][p] == v for n, v in rule.given)} for p in range(people)]
    allowed = worlds(
        lambda world: all(v not in no for v, no in zip(world, barred, strict=True)),
        True,
        list(range(people)),
        values,
        exact=True,
    )
    found = negative_rules(evidence, rules)
    highest = [max(one.values()) for one in allowed]
    before = Fraction(max(map(values.count, values)), people)
    assert found.figure == pytest.approx(float(max(highest)), rel=1e-9)
    assert found.exposed.tolist() == [p for p, h in enumerate(highest) if h > before]
    rise = max(p - Fraction(values.count(v), people) for one in allowed for v, p in one.items())
    if rise:
        assert found.details["posterior"] - found.details["frequency"] == pytest.approx(float(rise))


@pytest.mark.parametrize("seed", range(20))
def test_mined_rules_are_those_of_the_definition(seed: int) -> None:
    random = Random(seed)
    people = random.randint(6, 30)
    rows = [(random.randrange(3), random.randrange(3)) for _ in range(people)]
    codes = [random.randrange(3) for _ in range(people)]
    values = sorted(set(codes))
    named = [f"v{values.index(c)}" for c in codes]
    evidence = evidence_of({"a": [r[0] for r in rows], "b": [r[1] for r in rows]}, named, [0] * people)
    truth = np.array([values.index(c) for c in codes], np.int32)
    rules = mine_rules(evidence, truth, expectation=0.5, size=2)
    expected = excluded(rows, truth.tolist(), Fraction(1, 2), 2)
    if not rules:
        assert not any(expected)
        return
    told: list[set[int]] = [set() for _ in rows]
    for row, code in zip(*(array.tolist() for array in ruled_out(evidence, rules)), strict=True):
        told[row].add(code)
    assert told == expected  # everybody is in one group that has all values


def test_suppressed_people_and_values_of_other_groups_are_not_ruled_out() -> None:
    evidence = evidence_of({"sex": ["m", "f", "m", "m"]}, ["a", "b", "a", "b"], [0, 0, 1, -1])
    rows, codes = ruled_out(evidence, [Rule({"sex": "m"}, "b")])
    assert (rows.tolist(), codes.tolist()) == ([0], [1])


def test_rules_that_contradict_the_release_raise() -> None:
    with pytest.raises(AttackError, match="contradict the release"):
        negative_rules(HOSPITAL, [Rule({"sex": "m"}, "ovarian cancer"), Rule({"sex": "f"}, "ovarian cancer")])


def test_rules_about_nothing_known_raise_and_a_value_nobody_has_is_no_error() -> None:
    with pytest.raises(AttackError, match="no quasi-identifier is called 'age'"):
        negative_rules(HOSPITAL, [Rule({"age": 3}, "flu")])
    with pytest.raises(AttackError, match="no published row has"):
        negative_rules(HOSPITAL, [Rule({"sex": "m"}, "plague")])
    with pytest.raises(AttackError, match="no rule is given"):
        negative_rules(HOSPITAL, [])
    assert negative_rules(HOSPITAL, [Rule({"sex": "x"}, "flu")]).exposed.tolist() == []


def test_a_group_beyond_the_budget_is_not_counted_and_said() -> None:
    found = negative_rules(HOSPITAL, [Rule({"sex": "m"}, "gout")], budget=1)
    assert found.details["skipped"] == 1
    assert "too large" in found.sentence
