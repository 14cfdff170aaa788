"""Answers that a hostile reader found to be called exact, or to hold, and that were not."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import polars as pl
import pytest

import pellucid as pc
from oracle import configurations
from oracle.attacker import Attacker, Setting, content, every_world, risk
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.verdict import Standing, verdict_of
from plain.transparent import as_grouping, assign, inputs_of, slice_bucket

pytestmark = pytest.mark.filterwarnings(
    "ignore::pellucid.publishing.SecretSeedWarning", "ignore::pellucid.publishing.InformedAttackerWarning"
)

INFORMED = pc.Adversary(knows="algorithm")


@pytest.mark.parametrize("p", ["0.25", "0.5", "0.97"])
def test_coins_that_agree_are_no_law(p: str) -> None:
    """Two draws of randomized greedy grouping give the same in most worlds, and yet not in all."""
    roles = {"quasi": ["q0"], "sensitive": "ill", "identifier": "name"}
    people = pl.DataFrame({"name": ["Fay", "Dan", "Bob", "Jim"], "q0": [0] * 4, "ill": ["b", "b", "c", "a"]})
    method = pc.RandomizedGreedyGrouping(l=2, p=float(p))
    release = pc.publish(people, method, **roles)
    law = configurations._randomized(2, Fraction(p))
    setting = Setting(people.drop("ill"), "ill", roles, method, None, law)
    alone = Attacker(setting, list(every_world(4, [("a", "b", "b", "c")]))).alone[content(release)]
    truth = max(risk(belief) for belief in alone)
    try:
        found = pc.attack(release, INFORMED, population=people.drop("ill"), identifier="name")
    except pc.PellucidError:
        return
    just_below = float(truth) - 1e-4
    assert verdict_of(found, just_below).standing is not Standing.HOLDS
    assert found.exactness is not Exactness.EXACT or found.max_risk == pytest.approx(float(truth))


@pytest.mark.parametrize("method", [pc.Anatomy(l=2), pc.Hybrid(l=2), pc.Ace(l=2)])
def test_what_reads_as_one_group_may_be_several_among_more_people_too(method: pc.Method) -> None:
    """All rows read alike; somebody who is sure who is in the table believes 5/12, and 2/5 is the frequency."""
    roles = {"quasi": ["q0", "q1"], "sensitive": "ill", "identifier": "name"}
    columns = {"name": ["Ann", "Eva", "Fay", "Dan", "Bob"], "q0": [4, 1, 3, 1, 2], "q1": [2, 2, 1, 2, 1]}
    people = pl.DataFrame({**columns, "ill": ["b", "c", "a", "a", "c"]})
    crowd = pl.concat([people.drop("ill"), pl.DataFrame({"name": ["Gus"], "q0": [1], "q1": [1]})])
    for seed in range(200):
        release = pc.publish(people, method, recode="suppression", seed=seed, **roles)
        if release.frame.select("q0", "q1").unique().rows() == [("*", "*")]:
            break
    found = pc.attack(release, INFORMED, population=crowd, identifier="name")
    assert verdict_of(found, 0.41).standing is not Standing.HOLDS
    assert verdict_of(found, 1 / 2).standing is Standing.HOLDS  # which is proved


SIX = pl.DataFrame({"id": range(6), "a": range(6), "s": ["x", "x", "y", "y", "z", "z"]})


def test_a_fact_about_one_group_tells_of_another_that_was_divided_with_it() -> None:
    """In every world and with all draws that lead to {0, 2, 4} and {1, 3, 5}, persons 0 and 1 have the same value."""
    worlds = set(permutations(SIX["s"].to_list()))
    together = set()
    for world in worlds:
        values = [ord(value) for value in world]
        table = pc.read(SIX.with_columns(s=pl.Series(world)), quasi="a", sensitive="s", identifier="id")
        inputs = inputs_of(table)
        for draw in ((0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0)):
            buckets = assign(range(6), [(value,) for value in values], 3, draw)
            groups = [g for b in buckets for g in slice_bucket(b, inputs.codes, inputs.order, inputs.geometry)]
            if set(as_grouping(groups)) == {(0, 2, 4), (1, 3, 5)}:
                together.add(world[0] == world[1])
    assert together == {True}


@pytest.mark.parametrize("method", [pc.Ace(l=3), pc.Hybrid(l=3), pc.SoftCut(l=3)])
@pytest.mark.parametrize(
    "adversary",
    [
        pc.Adversary(knows="algorithm", facts=[pc.Not(0, "y"), pc.Not(1, "z")]),
        pc.Adversary(knows="algorithm", facts=[pc.Has(0, "x")]),
        pc.Adversary(knows="algorithm", prior=pc.Distribution("a")),
    ],
    ids=["not and not", "has", "a distribution"],
)
def test_nothing_is_claimed_for_somebody_who_knows_the_method_and_more(
    method: pc.Method, adversary: pc.Adversary
) -> None:
    release = pc.publish(SIX, method, quasi="a", sensitive="s", identifier="id", recode="anatomy", seed=0)
    try:
        found = pc.attack(release, adversary, truth=SIX)
    except pc.PellucidError:
        return
    assert not found.exactness.sound
    assert verdict_of(found, 0.999).standing is not Standing.HOLDS
