"""Composition equals the enumeration of all worlds that fit every release."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import polars as pl
import pytest

from pellucid.errors import AttackError
from pellucid.io import read
from pellucid.risk.attacks.composition import compose, composition, shared_target
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups


def release(values: list[str], labels: list[int]) -> Evidence:
    frame = pl.DataFrame({"q": list(range(len(values))), "s": values})
    return evidence_of_groups(read(frame, quasi="q", sensitive="s"), labels)


def enumerated(
    values: list[str], groupings: list[list[int]], prior: dict[str, Fraction]
) -> tuple[list[dict[str, Fraction]], int]:
    """Every way to give people values, kept when all groups of all releases have their multisets."""

    def shown(world: tuple[str, ...]) -> list[dict[int, Counter[str]]]:
        return [
            {g: Counter(v for v, own in zip(world, labels, strict=True) if own == g) for g in set(labels) - {-1}}
            for labels in groupings
        ]

    wanted = shown(tuple(values))
    having: list[dict[str, Fraction]] = [{} for _ in values]
    total, worlds = Fraction(0), 0
    inside = [any(labels[p] >= 0 for labels in groupings) for p in range(len(values))]
    free = [sorted(set(values)) if known else ["-"] for known in inside]
    for world in product(*free):
        if shown(world) != wanted:
            continue
        weight = Fraction(1)
        for value, known in zip(world, inside, strict=True):
            weight *= prior[value] if known else 1
        total, worlds = total + weight, worlds + 1
        for person, value in enumerate(world):
            if inside[person]:
                having[person][value] = having[person].get(value, Fraction(0)) + weight
    return [{v: w / total for v, w in one.items() if w} for one in having], worlds


def packed(labels: list[int]) -> list[int]:
    number = {g: i for i, g in enumerate(sorted(set(labels) - {-1}))}
    return [number.get(g, -1) for g in labels]


@pytest.mark.parametrize("seed", range(250))
def test_composed_posteriors_equal_enumeration(seed: int) -> None:
    random = Random(seed)
    people = random.randint(2, 6)
    values = [random.choice("abc") for _ in range(people)]
    releases = random.randint(2, 3)
    lowest = -1 if seed % 2 else 0  # in every second case some people are missing from some releases
    groupings = [packed([random.randint(lowest, 2) for _ in values]) for _ in range(releases)]
    if any(max(labels) < 0 for labels in groupings):
        groupings = [[0] * people if max(labels) < 0 else labels for labels in groupings]
    prior = {v: Fraction(random.randint(1, 4), 10) for v in "abc"}
    told = compose([release(values, labels) for labels in groupings], prior=prior, exact=True)
    expected, worlds = enumerated(values, groupings, prior)
    assert list(told.posteriors) == expected
    assert told.worlds == worlds


def test_two_safe_releases_that_leave_one_world_are_found() -> None:
    values = ["flu", "cold", "flu", "gout"]
    first, second = release(values, [0, 0, 1, 1]), release(values, [0, 1, 1, 0])
    for one in (first, second):
        assert one.baseline.max() == 0.5
    truth = np.array([1, 0, 1, 2], np.int32)
    found = composition([first, second], truth=truth)
    assert (found.figure, found.baseline) == (1.0, 0.5)
    assert found.exposed.tolist() == [0, 1, 2, 3]
    assert (found.details["worlds"], found.details["certain"], found.details["right"]) == (1, 4, 1.0)


def test_the_same_release_twice_tells_no_more_than_once() -> None:
    one = release(["a", "b", "a", "c"], [0, 0, 1, 1])
    found = composition([one, one])
    assert (found.figure, found.exposed.tolist(), found.details["worlds"]) == (0.5, [], 4)


def test_a_shared_target_is_the_closed_form() -> None:
    # the target and two others in the first group, the target and two more in the second
    prior = {"a": Fraction(1, 5), "b": Fraction(3, 10), "c": Fraction(1, 2)}
    values, groupings = ["a", "b", "c", "a", "b"], [[0, 0, 0, -1, -1], [0, -1, -1, 0, 0]]
    expected, _ = enumerated(values, groupings, prior)
    counts = [{"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 1}]
    assert shared_target(counts, prior, exact=True) == expected[0]


def test_a_part_beyond_the_budget_is_an_estimate_and_says_so() -> None:
    values = ["flu", "cold", "flu", "gout"]
    found = composition([release(values, [0, 0, 1, 1]), release(values, [0, 1, 1, 0])], budget=1)
    assert found.details["worlds"] is None
    assert found.details["estimated"] == 4
    assert "estimate" in found.sentence
    assert found.figure == 1.0  # the values that a group lacks are excluded for certain


def test_contradicting_releases_raise() -> None:
    with pytest.raises(AttackError, match="contradict"):
        compose([release(["a", "b"], [0, 1]), release(["b", "a"], [0, 1])])
    with pytest.raises(AttackError, match="no value in common"):
        shared_target([{"a": 1}, {"b": 1}])


def test_one_release_or_other_people_raise() -> None:
    one = release(["a", "b"], [0, 0])
    with pytest.raises(AttackError, match="two releases"):
        compose([one])
    with pytest.raises(AttackError, match="2 and 3 people"):
        compose([one, release(["a", "b", "a"], [0, 0, 0])])
