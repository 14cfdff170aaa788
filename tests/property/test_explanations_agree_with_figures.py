"""What an explanation says in words is what the figures say: over methods, attackers and random tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc

METHODS: list[Any] = [
    pc.Tailor(l=2),
    pc.Mondrian(l=2, strict=True),
    pc.Mondrian(l=2, strict=True, retry=False),
    pc.GreedyGrouping(l=2),
    pc.RandomizedGreedyGrouping(l=2, p=0.5),
    pc.SymmetricGrouping(l=2),
    pc.Anatomy(l=2),
    pc.Audited(l=2),
]
ATTACKERS: list[Any] = [
    pc.Adversary(),
    pc.Adversary(knows="minimality"),
    pc.Adversary(knows="algorithm"),
    pc.Adversary(prior=pc.Learned(iterations=1)),
    pc.Adversary(prior=pc.Distribution("age")),
    pc.Adversary(facts=[pc.Not("p0", "a")]),
]
pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.publishing.SecretSeedWarning"),
]


def people(seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    rows = int(random.integers(6, 12))
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(rows)],
            "age": random.integers(0, 5, rows),
            "zip": random.integers(0, 3, rows),
            "ill": random.choice(["a", "a", "b", "c", "d"], rows),
        }
    )


def check(beliefs: pc.Beliefs, name: str) -> str:
    """The explanation, after comparing each of its words with the figures."""
    said = beliefs.explain(name)
    row = beliefs.evidence.person(name)
    posterior = beliefs.posterior_of(row)
    if "in no published group" in said:
        assert ("exposed" in said) == (beliefs.risk[row] > 0)
        return "nobody"
    if "is not published and not counted" in said:
        assert np.isnan(beliefs.risk[row])
        assert not posterior
        return "nobody"
    value, belief = max(posterior.items(), key=lambda item: item[1])
    group = int(beliefs.evidence.grouping.labels[row])
    counts = beliefs.evidence.published.of_group(group)
    counted = counts.get(value, 0) / sum(counts.values())
    found = re.search(
        r"(\d+) of them with '(\w)': counting alone gives (\S+)\. Somebody who .* believes (\S+) of '(\w)'", said
    )
    assert found, said
    assert (int(found[1]), found[2], found[5]) == (counts.get(value, 0), value, value)
    assert float(Fraction(found[3])) == pytest.approx(counted, rel=1e-3)
    assert float(Fraction(found[4])) == pytest.approx(float(belief), rel=1e-3)
    (word,) = re.findall(r"(more than|less than|as) counting alone", said)
    assert word == ("as" if abs(belief - counted) < 1e-9 else "more than" if belief > counted else "less than"), said
    assert "likelier" not in said
    assert "the same" not in said
    return str(word)


@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda one: one.name)
def test_words_agree_with_figures(attacker: pc.Adversary, some: Callable[[int], int]) -> None:
    met: set[str] = set()
    expected = {"as"}
    if attacker.prior != "uniform" or attacker.knows != "nothing" or attacker.facts:
        expected.add("more than")
    for seed in range(8 if isinstance(attacker.prior, pc.Learned) else 40):
        if seed >= some(40) and met >= expected:
            break
        frame = people(seed)
        for method in METHODS:
            try:
                release = pc.publish(frame, method, quasi=["age", "zip"], sensitive="ill", identifier="name", seed=seed)
                beliefs = pc.attack(release, attacker, truth=frame)
            except (pc.Infeasible, pc.AttackError):
                continue
            met |= {check(beliefs, name) for name in frame["name"]}
    assert met >= expected


def test_what_was_excluded_and_why_is_told() -> None:
    """The two of 20 have HIV: had one of them had something else, they would have been published apart."""
    frame = pl.DataFrame(
        {
            "name": list("abcdefg"),
            "age": [20] * 2 + [30] * 5,
            "ill": ["HIV", "HIV", "flu", "cold", "gout", "mumps", "flu"],
        }
    )
    method = pc.Mondrian(model=pc.LDiversity(l=2, sensitive=("HIV",)), strict=True)
    release = pc.publish(frame, method, quasi=["age"], sensitive="ill", identifier="name")
    for knows in ("minimality", "algorithm"):
        said = pc.attack(release, pc.Adversary(knows=knows), truth=frame).explain("a")  # type: ignore[arg-type]
        assert "believes 1 of 'HIV', more than counting alone" in said
        assert "l-diversity" in said
        assert "is excluded" in said
        assert "a, b" in said
