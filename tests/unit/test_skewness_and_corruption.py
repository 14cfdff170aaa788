"""Skewness, similarity, background knowledge and corruption on tables small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import polars as pl
import pytest

from pellucid.core.schema import Column, Schema
from pellucid.errors import AttackError
from pellucid.io import read
from pellucid.posterior.worlds import arrangements
from pellucid.risk import Adversary, Has, infer
from pellucid.risk.attacks.background import background, only
from pellucid.risk.attacks.corruption import average_risk, corruption
from pellucid.risk.attacks.skewness import similarity, skewness
from pellucid.risk.facts import Not
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups

STOMACH = {"*": {"stomach": ["gastritis", "ulcer"], "lung": ["bronchitis", "flu"]}}


def evidence_of(values: list[object], labels: list[int], **column: object) -> Evidence:
    schema = Schema(columns={"q": Column(role="quasi"), "s": Column(role="sensitive", **column)})
    frame = pl.DataFrame({"q": list(range(len(values))), "s": values})
    return evidence_of_groups(read(frame, schema=schema), labels)


def test_the_largest_gain_is_found_with_the_tables_share_beside_it() -> None:
    # a: 2 of 8 in the table, 2 of 3 in group 0; b: 6 of 8 and 1 of 1 in group 2
    found = skewness(evidence_of(list("aabbbbbb"), [0, 0, 0, 1, 1, 1, 1, 2]))
    assert (found.figure, found.baseline) == (pytest.approx(2 / 3), 0.25)
    assert found.details["gain"] == pytest.approx(2 / 3 - 1 / 4)
    assert found.details["value"] == "a"
    assert found.exposed.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]  # b gains 1/4 in the other groups
    assert skewness(found_again(), margin=0.3).exposed.tolist() == [0, 1, 2]


def found_again() -> Evidence:
    return evidence_of(list("aabbbbbb"), [0, 0, 0, 1, 1, 1, 1, 2])


def test_a_table_in_one_group_gains_nothing() -> None:
    found = skewness(evidence_of(list("aab"), [0, 0, 0]), margin=0.0)
    assert found.details["gain"] == 0
    assert found.exposed.tolist() == []


def test_different_diseases_of_one_organ_are_alike() -> None:
    values = ["gastritis", "ulcer", "gastritis", "flu", "flu", "flu"]
    found = similarity(evidence_of(values, [0, 0, 1, 1, 2, 2], taxonomy={"tree": STOMACH}))
    assert found.exposed.tolist() == [0, 1]  # group 1 is mixed, group 2 has one value, which is homogeneity
    assert found.details["example"] == "'stomach'"
    assert (found.figure, found.baseline) == (pytest.approx(2 / 6), 0.0)


def test_close_salaries_are_alike_and_null_is_like_nothing() -> None:
    values = [1000, 1050, 1000, 2000, None, 1000]
    found = similarity(evidence_of(values, [0, 0, 1, 1, 2, 2], kind="number"), narrow=0.1)
    assert found.exposed.tolist() == [0, 1]
    assert "1000 to 1050" in found.sentence


def test_categories_without_a_taxonomy_are_not_called_dissimilar() -> None:
    with pytest.raises(AttackError, match="declare a taxonomy"):
        similarity(evidence_of(["a", "b"], [0, 0]))


def test_the_group_with_the_fewest_values_needs_the_fewest_facts() -> None:
    found = background(evidence_of(list("abcd") + list("aab"), [0, 0, 0, 0, 1, 1, 1]))
    assert (found.figure, found.baseline, found.worse) == (1.0, 3.0, "lower")
    assert found.exposed.tolist() == [4, 5, 6]
    assert found.details["facts"] == [Not(4, "b")]
    assert found.details["after"] == pytest.approx([2 / 3, 1.0])
    assert found.details["confirmed"]


def test_a_large_group_is_answered_without_asking_inference() -> None:
    found = background(evidence_of([f"v{i % 40}" for i in range(4000)], [0] * 4000))
    assert (found.figure, found.details["confirmed"]) == (39.0, False)


def test_after_some_facts_the_posterior_is_what_inference_says() -> None:
    evidence = evidence_of(list("aaabbcd"), [0] * 7)
    told = background(evidence).details["after"]
    struck: list[Not] = []
    for m, value in enumerate([None, "b", "c", "d"]):
        struck += [] if value is None else [Not(0, value)]
        assert infer(evidence, Adversary(facts=struck)).risk[0] == pytest.approx(told[m])


def fewest_facts(values: str, protected: str) -> int:
    """How many facts ("this person does not have that") it takes until somebody surely has a protected value."""
    worlds = list(arrangements({v: values.count(v) for v in sorted(set(values))}))
    pairs = [(person, v) for person in range(len(values)) for v in sorted(set(values))]
    return next(
        size
        for size in range(len(pairs))
        for struck in combinations(pairs, size)
        if (left := [w for w in worlds if all(w[p] != v for p, v in struck)])
        and any(len(may := {w[p] for w in left}) == 1 and may <= set(protected) for p in range(len(values)))
    )


@pytest.mark.parametrize("values", ["abc", "aabc", "aabb", "aabbc", "abcd", "aaab"])
def test_no_smaller_set_of_facts_makes_anybody_certain(values: str) -> None:
    assert background(evidence_of(list(values), [0] * len(values))).figure == fewest_facts(values, values)


def test_one_group_alone_keeps_its_people_and_counts() -> None:
    alone = only(evidence_of(list("abba"), [0, 0, 1, 1]), 1)
    assert alone.members(0).tolist() == [2, 3]
    assert alone.baseline.tolist() == [0, 0, 0.5, 0.5]


def test_known_people_drop_out_of_the_worst_group() -> None:
    evidence = evidence_of(list("aabcd") + list("ab"), [0] * 5 + [1] * 2)
    assert corruption(evidence, known=0).figure == 0.5
    found = corruption(evidence, known=1)
    assert (found.figure, found.baseline, found.exposed.tolist()) == (1.0, 0.5, [5, 6])
    assert infer(evidence, Adversary(facts=[Has(5, "a")])).risk[6] == 1.0
    alone = only(evidence, 0)
    others = infer(alone, Adversary(facts=[Has(2, "b"), Has(3, "c")])).risk[[0, 1, 4]]
    assert corruption(alone, known=2).figure == pytest.approx(max(others))


@pytest.mark.parametrize("seed", range(30))
def test_the_average_over_chance_equals_trying_everybody(seed: int) -> None:
    random = Random(seed)
    people = random.randint(3, 8)
    values = [random.choice("abc") for _ in range(people)]
    labels = [random.randint(0, 1) for _ in values]
    labels[:2] = [0, 1]
    evidence = evidence_of(list(values), labels)
    known = random.randint(0, people - 1)
    risks = []
    for chosen in combinations(range(people), known):
        left = [p for p in range(people) if p not in chosen]
        for person in left:
            peers = [values[p] for p in left if labels[p] == labels[person]]
            risks.append(max(map(peers.count, peers)) / len(peers))
    assert average_risk(evidence, known) == pytest.approx(np.mean(risks), rel=1e-12)


def test_knowing_more_people_than_there_are_raises() -> None:
    with pytest.raises(AttackError, match="use 1 or less"):
        corruption(evidence_of(list("abab"), [0, 0, 1, 1]), known=2)
    with pytest.raises(AttackError, match="whole number"):
        corruption(evidence_of(list("ab"), [0, 0]), known=-1)


def test_an_average_that_takes_too_long_is_missing_and_says_why() -> None:
    found = corruption(evidence_of(list("aabb"), [0] * 4), known=1, budget=1)
    assert found.details["average"] is None
    assert "budget" in found.details["average_missing"]


# Where some values alone are protected, the others may be told with certainty, and no figure is about them.


def protecting(values: str, labels: list[int], protected: str) -> Evidence:
    return replace(evidence_of(list(values), labels), asked=tuple(protected))


@pytest.mark.parametrize(("values", "protected"), [("abc", "a"), ("aabc", "b"), ("aabb", "a"), ("aabbc", "bc")])
def test_no_smaller_set_of_facts_makes_anybody_certain_of_a_protected_value(values: str, protected: str) -> None:
    found = background(protecting(values + "zz", [0] * len(values) + [1, 1], protected))  # of z everybody may know
    assert found.figure == fewest_facts(values, protected)
    assert found.exposed.tolist() == list(range(len(values)))
    assert {fact.value for fact in found.details["facts"]} == set(values) - {most_frequent(values, protected)}
    assert found.details["confirmed"]


def most_frequent(values: str, protected: str) -> str:
    return max(protected, key=values.count)


@pytest.mark.parametrize("protected", ["a", "b", "bc", "d"])
@pytest.mark.parametrize("known", [0, 1, 2])
def test_corruption_of_protected_values_is_that_of_all_choices_of_known_people(protected: str, known: int) -> None:
    groups = ["aab", "bbcd", "aaa"]
    values = "".join(groups)
    labels = [g for g, group in enumerate(groups) for _ in group]

    def risks(them: tuple[int, ...]) -> dict[int, float]:
        """What is believed of each of the others, by counting who is left."""
        left = {g: [values[i] for i in range(len(values)) if labels[i] == g and i not in them] for g in set(labels)}
        return {
            i: max(left[labels[i]].count(v) for v in protected) / len(left[labels[i]])
            for i in range(len(values))
            if i not in them
        }

    every = [risks(them) for them in combinations(range(len(values)), known)]
    found = corruption(protecting(values, labels, protected), known=known)
    assert found.figure == pytest.approx(max(max(one.values()) for one in every))
    average = sum(sum(one.values()) for one in every) / sum(map(len, every))
    assert found.details["average"] == pytest.approx(average)
    certain = {i for one in every for i, risk in one.items() if risk == 1}
    assert set(found.exposed.tolist()) == {i for i in range(len(values)) if {labels[j] for j in certain} & {labels[i]}}


def test_the_gain_of_a_value_that_is_not_protected_is_no_finding() -> None:
    found = skewness(protecting("aabbbbbb", [0, 0, 0, 1, 1, 1, 1, 2], "b"))
    assert (found.details["value"], found.figure, found.details["gain"]) == ("b", 1.0, 0.25)
    assert found.exposed.tolist() == [3, 4, 5, 6, 7]
    alike = similarity(
        replace(
            evidence_of(["gastritis", "ulcer", "flu", "bronchitis"], [0, 0, 1, 1], taxonomy={"tree": STOMACH}),
            asked=("flu",),
        )
    )
    assert alike.exposed.tolist() == [2, 3]
