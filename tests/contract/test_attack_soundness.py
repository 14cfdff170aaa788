"""An attack says what follows and no more: estimates are marked, the truth stays outside, errors name what is wrong."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.coins import Coins
from pellucid.errors import AttackError, ModelError
from pellucid.models import parse
from pellucid.posterior import greedy_buckets, merged_classes, refused_cut
from pellucid.risk import Beliefs, infer
from pellucid.risk.attack_all import attack_all
from pellucid.risk.inference import world_enumeration
from pellucid.risk.report.attack_report import Attempt
from pellucid.risk.views.known_groups import evidence_of_groups
from plain.tables import line, secret, table_of

ALGORITHM = pc.Adversary(knows="algorithm")
ROLES = {"quasi": ["age", "zipcode"], "sensitive": "disease"}
HALF = pc.LDiversity(l=2)


def test_relaxed_mondrian_without_an_identifier_is_attacked() -> None:
    """Nobody knows in which order equal rows were; that is no reason to call the attack impossible."""
    people = pl.DataFrame({"age": [1, 1, 1, 1, 2, 2, 2, 2], "zip": [1, 1, 2, 2, 1, 1, 2, 2], "s": list("aabcabbc")})
    with warnings.catch_warnings(action="ignore"):
        release = pc.publish(people, pc.Mondrian(l=2), quasi=["age", "zip"], sensitive="s", seed=3)
    beliefs = pc.attack(release, ALGORITHM, truth=people, quasi=["age", "zip"], sensitive="s")
    assert beliefs.max_risk >= 0.5
    if beliefs.sampled:
        assert any("orders that fit are sampled" in note for note in beliefs.notes)


def injected() -> tuple[Any, pl.DataFrame]:
    """Injector draws coins, so the law of the release is estimated and worlds are walked through."""
    people = pl.DataFrame({"age": range(5), "disease": ["hiv", "gout", "flu", "gout", "hiv"]})
    with warnings.catch_warnings(action="ignore"):
        release = pc.publish(
            people, pc.Injector(l=2, expectation=0.9, size=1), quasi="age", sensitive="disease", seed=0
        )
    return release, people


def test_a_sampled_attack_says_the_same_again_and_that_it_is_sampled(
    thorough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not thorough:  # a shorter walk is sampled as well
        monkeypatch.setattr(world_enumeration, "STEPS", 200)
    release, people = injected()
    first, second = (pc.attack(release, ALGORITHM, truth=people, quasi="age", sensitive="disease") for _ in range(2))
    assert first.sampled
    assert (first.risk == second.risk).all()
    assert first.lower is not None
    assert first.upper is not None
    assert (first.lower <= first.risk + 1e-12).all()
    assert (first.risk <= first.upper + 1e-12).all()
    assert first.confidence == 0.95
    assert "~" in repr(first) or "not shown" in repr(first)
    exact = pc.attack(release, pc.Adversary(), truth=people, quasi="age", sensitive="disease")
    assert not exact.sampled
    assert "~" not in repr(exact)


def test_a_walk_that_does_not_move_calls_nobody_safe_and_tells_no_truth() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4], "s": ["a", "b", "b", "b"]})
    stuck = pc.attack_anonymizer(lambda t: t, table, quasi=["age"], sensitive="s", worlds_budget=0, steps=50)
    assert stuck.lower is not None
    assert stuck.upper is not None
    assert stuck.lower.max() == 0
    assert stuck.upper.min() == 1
    assert stuck.max_risk == 1
    assert "not shown" in repr(stuck)
    assert stuck.posterior(0, "a") == stuck.posterior(1, "a") == 0.25  # how often it occurs, not who has it
    assert Attempt(stuck, 0.5).written == "not shown"


def test_people_in_no_group_do_not_keep_their_true_value() -> None:
    """The last person is in no group and the release does not depend on the value: it may be any."""
    table = pl.DataFrame({"age": [1, 2, 3, 4, 5], "s": ["a", "b", "a", "b", "c"]})

    def publishes_the_first_four(world: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame({"s": sorted(world["s"][:4])})

    beliefs = pc.attack_anonymizer(
        publishes_the_first_four, table, quasi=["age"], sensitive="s", groups=[0, 0, 0, 0, -1], steps=4_000
    )
    assert abs(beliefs.posterior(4, "c") - 1 / 3) < 0.1
    assert abs(beliefs.posterior(0, "a") - 1 / 2) < 0.1


def test_the_walk_weighs_worlds_by_how_likely_they_make_the_release(thorough: bool) -> None:
    """Of Ann with x the release is nine times as likely as of Ann with y; a walk that accepts everything says 1/2."""
    table = pl.DataFrame({"who": [0, 1], "s": ["x", "y"]})
    turns = iter(range(10**9))

    def leaning(world: pl.DataFrame) -> pl.DataFrame:
        told = next(turns) % 10 < (9 if world["s"][0] == "x" else 1)
        return pl.DataFrame({"told": [str(told)]})

    found = pc.attack_anonymizer(
        leaning, table, quasi=["who"], sensitive="s", randomised=True, runs=10, steps=2_000 if thorough else 500, seed=2
    )
    assert abs(found.posterior(0, "x") - 0.9) < (0.04 if thorough else 0.08)


def test_a_report_counts_with_the_upper_bound() -> None:
    table = table_of([line("q", [1, 2, 3, 4]), secret("s", [0, 1, 0, 1])], range(4))
    evidence = evidence_of_groups(table, [0, 0, 0, 0])
    risk, upper = np.full(4, 0.5), np.array([0.5, 0.6, 0.5, 0.5])
    beliefs = Beliefs(
        ALGORITHM, evidence, risk, "sampled", lambda _: {}, lambda _: "", lower=risk - 0.1, upper=upper, confidence=0.95
    )
    attempt = Attempt(beliefs, 0.5)
    assert attempt.max_risk == 0.6
    assert attempt.above.tolist() == [1]
    assert attempt.exceeds
    assert attempt.written == "~0.5 (0.4 to 0.6)"


def test_groups_that_violate_the_model_were_not_cut_by_it() -> None:
    """The cut between the two groups would have been refused, so no tree of cuts leads to them."""
    table = table_of([line("q", [1, 2, 3, 4]), secret("s", [0, 0, 1, 2])], range(4))
    method = pc.Mondrian(l=2, strict=True)
    evidence = evidence_of_groups(table, [0, 0, 1, 1], method=method)
    assert method.likelihood(evidence.people, evidence.grouping, evidence.published) is None
    fine = evidence_of_groups(
        table_of([line("q", [1, 2, 3, 4]), secret("s", [0, 1, 1, 2])], range(4)), [0, 0, 1, 1], method=method
    )
    assert method.likelihood(fine.people, fine.grouping, fine.published) is not None


def test_a_learned_prior_is_combined_with_facts() -> None:
    patients = pc.datasets.patients()
    with warnings.catch_warnings(action="ignore"):
        release = pc.publish(patients, pc.Hybrid(l=2), identifier="name", **ROLES)
    given: dict[str, Any] = {"truth": patients, "identifier": "name", **ROLES}
    learned = pc.attack(release, pc.Adversary(prior=pc.Learned()), **given)
    somebody = learned.evidence.names[0]  # type: ignore[index]
    held = learned.posterior_of(0)
    value = max(held, key=lambda one: held[one])
    known = pc.attack(release, pc.Adversary(prior=pc.Learned(), facts=[pc.Not(somebody, value)]), **given)
    assert known.posterior(somebody, value) == 0
    assert sum(known.posterior_of(0).values()) == pytest.approx(1)
    other = next(
        row for row in range(8) if learned.evidence.grouping.labels[row] != learned.evidence.grouping.labels[0]
    )
    assert known.posterior_of(other) == learned.posterior_of(other)


@pytest.mark.parametrize("facts", [[], [pc.Not(0, "s 0")], [pc.Implies(pc.Has(0, "s 0"), pc.Has(1, "s 1"))]])
@pytest.mark.parametrize("knows", ["nothing", "algorithm"])
def test_prior_method_and_facts_multiply(facts: list[Any], knows: Any) -> None:
    """Every arrangement weighs its people's prior, whether the cut was refused, and whether the facts hold."""
    quasi, values = [1, 1, 2, 2, 2, 2], [0, 0, 1, 1, 2, 3]
    method = pc.Mondrian(l=3, strict=True)
    table = table_of([line("q", quasi), secret("s", values)], range(6))
    evidence = evidence_of_groups(table, [0] * 6, method=method)
    chance = {1: {"s 0": 0.4, "s 1": 0.3, "s 2": 0.2, "s 3": 0.1}, 2: {"s 0": 0.1, "s 1": 0.2, "s 2": 0.3, "s 3": 0.4}}
    prior = pc.Distribution("q", chance)
    method = pc.Mondrian(l=2, strict=True)
    evidence = evidence_of_groups(table, [0] * 6, method=method)
    found = infer(evidence, pc.Adversary(prior=prior, knows=knows, facts=facts))
    weights: dict[tuple[int, int], float] = {}
    total = 0.0
    for world in set(permutations(values)):
        left, right = world[:2], world[2:]
        passes = all(max(map(side.count, side)) * 2 <= len(side) for side in (left, right))
        if knows == "algorithm" and passes:
            continue
        if facts and isinstance(facts[0], pc.Not) and world[0] == 0:
            continue
        if facts and isinstance(facts[0], pc.Implies) and world[0] == 0 and world[1] != 1:
            continue
        weight = math.prod(chance[q][f"s {v}"] for q, v in zip(quasi, world, strict=True))
        total += weight
        for row, value in enumerate(world):
            weights[row, value] = weights.get((row, value), 0.0) + weight
    for row in range(6):
        for value in range(4):
            assert found.posterior(row, f"s {value}") == pytest.approx(weights.get((row, value), 0.0) / total)


def test_facts_that_contradict_a_prior_and_the_release_raise() -> None:
    table = table_of([line("q", [1, 1]), secret("s", [0, 1])], range(2))
    evidence = evidence_of_groups(table, [0, 0])
    facts = [pc.Not(0, "s 0"), pc.Not(0, "s 1")]
    with pytest.raises(AttackError, match="no world is left"):
        infer(evidence, pc.Adversary(prior=pc.Learned(), facts=facts))


@pytest.mark.parametrize("model", ["ordered t-closeness=0.3", "ordered t-closeness=0.2"])
def test_ordered_text_has_its_own_order_not_the_alphabet(model: str) -> None:
    """Sizes S < M < L, which the alphabet would sort L, M, S or otherwise: numbers in their place tell the same."""
    sizes = ["XS", "M", "XL", "M", "XS", "XL", "S", "S"]
    order = ["XS", "S", "M", "XL"]
    beliefs = []
    for texts in (True, False):
        values = sizes if texts else [order.index(one) for one in sizes]
        frame = pl.DataFrame({"n": range(8), "a": range(8), "b": [3, 1, 4, 1, 5, 9, 2, 6], "s": values})
        columns: dict[str, Any] = {
            "n": {"role": "identifier"},
            "a": {"role": "quasi"},
            "b": {"role": "quasi"},
            "s": {"role": "sensitive", **({"kind": "ordered", "order": order} if texts else {"kind": "number"})},
        }
        table = pc.read(frame, schema=pc.Schema(columns=columns))
        method = pc.Mondrian(model=parse(model), retry=False)
        labels = method.group(table, Coins.from_seed(1), threads=1).labels
        evidence = evidence_of_groups(table, labels.tolist(), method=method)
        found = infer(evidence, ALGORITHM, exact=True)
        beliefs.append(
            [[found.posterior_of(row).get(v, 0) for v in (order if texts else range(4))] for row in range(8)]
        )
    assert beliefs[0] == beliefs[1]
    assert any(share not in (0, Fraction(1, 4)) for row in beliefs[0] for share in row)


def test_an_anonymizer_that_fails_on_some_worlds_publishes_nothing_of_them() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4], "s": ["a", "a", "b", "b"]})

    def fragile(world: pl.DataFrame) -> pl.DataFrame:
        if world["s"][0] == "b":
            raise KeyError("no row starts with b")
        return pl.DataFrame({"s": sorted(world["s"])})

    found = pc.attack_anonymizer(fragile, table, quasi=["age"], sensitive="s")
    assert found.posterior(0, "a") == 1
    assert found.posterior(1, "a") == pytest.approx(1 / 3)
    assert any("raised an error on 3" in note and "no row starts with b" in note for note in found.notes)
    with pytest.raises(AttackError, match="no row starts with b"):
        pc.attack_anonymizer(fragile, table.reverse(), quasi=["age"], sensitive="s")


def test_what_cannot_be_asked_is_an_error_that_names_it() -> None:
    table = replace(table_of([line("q", [1, 1]), secret("s", [0, 1])], range(2)))
    evidence = replace(evidence_of_groups(table, [0, 0]), names=["Ann", "Bob"])
    with pytest.raises(AttackError, match="nobody in the population"):
        infer(evidence, pc.Adversary(facts=[pc.Not(["Ann"], "s 0")]))
    with pytest.raises(ModelError, match="p = nan"):
        greedy_buckets(2, 1, {"a": 1, "b": 1}, p=math.nan)
    with pytest.raises(ModelError, match="two sides"):
        refused_cut([2], {"a": 1, "b": 1}, HALF)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="model = None"):
        merged_classes([1, 1], {"a": 1, "b": 1}, None)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="model = None"):
        refused_cut((1, 1), {"a": 1, "b": 1}, None)  # type: ignore[arg-type]


def test_a_method_without_a_law_and_suppressed_rows() -> None:
    """AlphaK suppresses rows: worlds give those any value, or the attack says what it lacks."""
    people = pl.DataFrame({"age": [20, 21, 22, 30, 31, 60], "s": ["hiv", "flu", "flu", "flu", "flu", "hiv"]})
    table = pc.read(people, quasi="age", sensitive="s")

    class Suppressing(pc.Injector):
        """Without a law; the last row is in no group."""

        suppresses = True

    class Disguising(pc.Mask):
        """Nobody counts what those lost who are in no group."""

        suppresses = True

    for method, lacks in ((Suppressing(l=2), "truth="), (Disguising(k=2, l=2, values=["hiv"]), "everybody's group")):
        evidence = evidence_of_groups(table, [0, 0, 0, 0, 0, -1], method=method)
        report = attack_all(evidence, adversaries=["algorithm"], classic=False)
        assert report.keeps(1.0) is not False
        assert not report.attempts
        assert lacks in report.missed[0].why
