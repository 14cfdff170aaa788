"""Everybody's likeliest value at once is what looking at each person's posterior gives."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.attacking.evidence.known_groups import evidence_of_groups
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.attacking.inference.infer import infer
from pellucid.attacking.suite import accuracy

ATTACKERS = {
    "counts": pc.Adversary(),
    "minimality": pc.Adversary(knows="minimality"),
    "facts": pc.Adversary(facts=[pc.Not(0, "a")]),
    "learned": pc.Adversary(prior=pc.Learned(iterations=2)),
    "distribution": pc.Adversary(prior=pc.Distribution("q")),
}
MODELS = (pc.LDiversity(l=2), pc.LDiversity(l=2, sensitive=("a",)), pc.LDiversity(l=2, sensitive=("a", "b")))


def one_by_one(beliefs: Beliefs, rows: int) -> list[int]:
    """The first of the likeliest values as a posterior lists them; -1 for whoever has none."""
    guesses = []
    for row in range(rows):
        posterior = beliefs.posterior_of(row)
        value = max(posterior, key=lambda value: posterior[value]) if posterior else None
        guesses.append(beliefs.evidence.values.index(value) if posterior else -1)
    return guesses


@pytest.mark.parametrize("name", ATTACKERS)
def test_guesses_are_those_of_everybody_s_posterior(name: str) -> None:
    tried = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        frame = pl.DataFrame({"q": random.integers(0, 3, 14), "s": random.choice(list("abcd"), 14)})
        frame = frame.with_columns(pl.Series("s", ["a", "b", *frame["s"][2:]]))
        labels = random.integers(-1, 4, 14)
        if name == "facts":  # somebody whom a fact is about is in a group
            labels[:4] = 1
        _, numbered = np.unique(labels, return_inverse=True)
        numbered = numbered - (labels.min() < 0)
        table = pc.read(frame, quasi="q", sensitive="s")
        try:
            evidence = evidence_of_groups(table, numbered, model=MODELS[seed % 3])
            truth = table.codes[1]
            beliefs = infer(evidence, ATTACKERS[name], statistics=truth)
        except pc.AttackError:
            continue
        assert beliefs.guesses is not None
        expected = one_by_one(beliefs, 14)
        assert beliefs.guesses().tolist() == expected
        inside = np.array(expected) >= 0
        right = float((np.array(expected)[inside] == truth[inside]).mean())
        assert accuracy(beliefs, truth) == pytest.approx(right)
        tried += 1
    assert tried > 40
