"""Credibility under local recoding ([W] 4.2): nobody is told which people of a class were generalised."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.risk import infer
from pellucid.risk.views.known_groups import evidence_of_groups

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")

Classes = dict[str, tuple[int, int, int]]  # of each class its rows, those kept as they are, and how many of these HIV


def published(classes: Classes, positives: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A release in which the rest of each class is in one group, so many of it with HIV; and the population."""
    rows = [(q, "HIV" if i < hiv else "ns") for q, (_, kept, hiv) in classes.items() for i in range(kept)]
    moved = sum(size - kept for size, kept, _ in classes.values())
    rows += [("*", "HIV" if i < positives else "ns") for i in range(moved)]
    people = [(f"{q} {i}", q) for q, (size, _, _) in classes.items() for i in range(size)]
    return pl.DataFrame(rows, ["q", "ill"], orient="row"), pl.DataFrame(people, ["name", "q"], orient="row")


def credibility(classes: Classes, positives: int) -> dict[str, Fraction] | None:
    """By every world: which of the generalised rows have HIV, if some class as a whole has it in more than half."""
    place = [q for q, (size, kept, _) in classes.items() for _ in range(size - kept)]
    total, having = 0, dict.fromkeys(classes, 0)
    for chosen in combinations(range(len(place)), positives):
        held = {q: hiv + sum(place[i] == q for i in chosen) for q, (_, _, hiv) in classes.items()}
        if any(2 * held[q] > classes[q][0] for q in classes):
            total += 1
            having = {q: having[q] + held[q] for q in classes}
    return {q: Fraction(having[q], total * classes[q][0]) for q in classes} if total else None


def asked(people: pl.DataFrame) -> dict[str, Any]:
    made_by = pc.AlphaK(alpha="1/2", k=1, sensitive=("HIV",))
    return {"population": people, "made_by": made_by, "quasi": "q", "sensitive": "ill", "identifier": "name"}


def by_l_diversity(classes: Classes, positives: int) -> dict[str, Fraction]:
    """The same by an attacker who is told which rows were generalised, because of l-diversity of HIV alone."""
    rows = [(q, i < kept, i < hiv) for q, (size, kept, hiv) in classes.items() for i in range(size)]
    groups = list(dict.fromkeys(q if alone else "*" for q, alone, _ in rows))
    labels = [groups.index(q if alone else "*") for q, alone, _ in rows]
    moved = [row for row, (_, alone, _) in enumerate(rows) if not alone]
    ill = ["HIV" if own or row in moved[:positives] else "ns" for row, (_, _, own) in enumerate(rows)]
    table = pc.read(pl.DataFrame({"q": [q for q, _, _ in rows], "ill": ill}), quasi="q", sensitive="ill")
    evidence = evidence_of_groups(table, labels, model=pc.LDiversity(l=2, sensitive=("HIV",)))
    told = infer(evidence, pc.Adversary(knows="minimality"), exact=True)
    share = {rows[row][0]: told.posterior(row, "HIV") for row in moved}
    return {q: Fraction(hiv + (size - kept) * share[q], size) for q, (size, kept, hiv) in classes.items()}


def test_table_8_and_a_case_that_failed() -> None:
    table8, second = ({"q1": (5, 4, 2), "q2": (8, 7, 1)}, 1), ({"q1": (5, 3, 1), "q2": (5, 3, 1), "q3": (20, 18, 0)}, 3)
    # by hand: of 20 ways one puts 3 of Q into q1, nine 2, one none; with the kept row q1 violates from 2, q2 from 3
    unequal = {"q1": (5, 2, 1), "q2": (6, 3, 1)}, 3
    for (classes, positives), most in (
        (table8, Fraction(3, 5)),
        (second, Fraction(9, 20)),
        (unequal, Fraction(32, 55)),
    ):
        assert by_l_diversity(classes, positives)["q1"] == most
        release, people = published(classes, positives)
        given = asked(people)
        beliefs = pc.attack(release, pc.Adversary(knows="minimality"), **given)
        assert beliefs.belief("HIV")[:5] == pytest.approx([float(most)] * 5)
        assert "average" in beliefs.explain("q1 0")
        (verdict,) = pc.verify(release, [pc.MConfidentiality(m=2)], **given)
        assert verdict.exact == 1 / most
        assert not verdict.holds
        assert bool(verdict.not_shown) == (most <= Fraction(1, 2)), "of three classes two might have been apart"


def test_it_is_what_all_worlds_say(some: Any) -> None:
    tried = 0
    for seed in range(some(800)):
        random = Random(f"local {seed}")
        classes: Classes = {}
        for q in ("q1", "q2", "q3")[: random.choice([2, 2, 3])]:
            size = random.randint(2, 6)
            kept = random.randint(0, size - 1)
            classes[q] = size, kept, random.randint(0, kept)
        moved = sum(size - kept for size, kept, _ in classes.values())
        positives = random.randint(1, moved)
        expected = credibility(classes, positives)
        if expected is None or moved < 2:
            continue
        assert by_l_diversity(classes, positives) == expected, (seed, classes, positives)
        release, people = published(classes, positives)
        beliefs = pc.attack(release, pc.Adversary(knows="minimality"), **asked(people))
        for name, q, belief in zip(people["name"], people["q"], beliefs.belief("HIV").tolist(), strict=True):
            assert belief == pytest.approx(float(expected[q])), (seed, name, classes, positives)
        tried += 1
    assert tried > 30
