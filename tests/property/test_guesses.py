"""Everybody's likeliest value at once is what looking at each person's posterior gives."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import prod

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.risk.attack_all import accuracy
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.infer import infer
from pellucid.risk.views.known_groups import evidence_of_groups

ATTACKERS = {
    "counts": pc.Adversary(),
    "minimality": pc.Adversary(knows="minimality"),
    "facts": pc.Adversary(facts=[pc.Not(0, "a")]),
    "learned": pc.Adversary(prior=pc.Learned(iterations=2)),
    "distribution": pc.Adversary(prior=pc.Distribution("q")),
}
MODELS = (pc.LDiversity(l=2), pc.LDiversity(l=2, sensitive=("a",)), pc.LDiversity(l=2, sensitive=("a", "b")))


def one_by_one(beliefs: Beliefs, rows: int) -> list[int]:
    """The first of the likeliest values as a posterior lists them, as far as floats tell; -1 for whoever has none."""
    guesses = []
    for row in range(rows):
        posterior = beliefs.posterior_of(row)
        likeliest = [value for value, share in posterior.items() if share > max(posterior.values()) * (1 - 1e-9)]
        guesses.append(beliefs.evidence.values.index(likeliest[0]) if posterior else -1)
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


ROUNDS = {"distribution": pc.Distribution("q"), "learned": pc.Learned(iterations=120)}


def of_twins(seed: int, people: int) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Everybody has a twin of the same q in the same group, with a value's twin: nothing tells two such values apart.

    The table, the groups, and another order of the people.
    """
    random = np.random.default_rng(seed)
    half = pl.DataFrame({"q": random.integers(0, 3, people // 2), "s": random.choice(list("bdfh"), people // 2)})
    twins = half.with_columns(pl.col("s").replace({"b": "a", "d": "c", "f": "e", "h": "g"}))
    groups = random.permutation(np.arange(people // 2) // 3)
    return pl.concat([half, twins]), np.concatenate([groups, groups]), random.permutation(people)


@pytest.mark.parametrize("name", ROUNDS)
def test_the_order_in_which_people_are_given_decides_no_guess(name: str) -> None:
    """Every best guess is a tie: rounding would break it one way or the other."""
    for seed in range(20):
        frame, labels, rows = of_twins(seed, 48)
        told = []
        for order in (np.arange(48), rows):
            table = pc.read(frame[order], quasi="q", sensitive="s")
            evidence = evidence_of_groups(table, labels[order], model=pc.LDiversity(l=1))
            beliefs = infer(evidence, pc.Adversary(prior=ROUNDS[name]), statistics=table.codes[1])
            assert beliefs.guesses is not None
            told.append([evidence.values[code] for code in beliefs.guesses()])
        assert told[1] == [told[0][row] for row in rows], f"seed {seed}"
        assert set(told[0]) <= set("aceg"), f"seed {seed}"  # the first of two twins


def believed_exactly(frame: pl.DataFrame, group: list[int], row: int) -> dict[str, Fraction]:
    """By all ways to hand a group's values out, each as likely as the shares of values by q make it."""
    q, s = frame["q"].to_list(), frame["s"].to_list()
    pairs, of_q = Counter(zip(q, s, strict=True)), Counter(q)
    having: Counter[str] = Counter()
    for values in permutations([s[other] for other in group]):
        shares = (Fraction(pairs[q[other], v], of_q[q[other]]) for other, v in zip(group, values, strict=True))
        having[values[group.index(row)]] += prod(shares, start=Fraction(1))  # type: ignore[assignment]
    return {value: Fraction(having[value], having.total()) for value in sorted(having)}


def test_guesses_are_those_of_exact_beliefs() -> None:
    """With fractions a tie is a tie: the first of the values that are exactly the likeliest is guessed."""
    for seed in range(6):
        frame, labels, _ = of_twins(seed, 12)
        table = pc.read(frame, quasi="q", sensitive="s")
        evidence = evidence_of_groups(table, labels, model=pc.LDiversity(l=1))
        beliefs = infer(evidence, pc.Adversary(prior=pc.Distribution("q")), statistics=table.codes[1])
        assert beliefs.guesses is not None
        for row, guess in enumerate(beliefs.guesses().tolist()):
            exactly = believed_exactly(frame, np.flatnonzero(labels == labels[row]).tolist(), row)
            assert {v: float(p) for v, p in exactly.items()} == pytest.approx(dict(beliefs.posterior_of(row)))
            likeliest = [value for value, share in exactly.items() if share == max(exactly.values())]
            assert len(likeliest) > 1
            assert evidence.values[guess] == likeliest[0]
