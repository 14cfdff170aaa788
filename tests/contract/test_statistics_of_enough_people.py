"""Distributions of people of whom enough look alike, by sets of columns, and given in part: [R], and ART's promise."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc

ROLES: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": "ill", "identifier": "name"}

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
]


def people(random: Random, rows: int) -> pl.DataFrame:
    ages, sexes = random.choices([1, 2, 3], [5, 2, 1], k=rows), random.choices("fm", k=rows)
    ill = [random.choice("aabcd" if age == 1 else "abccd") for age in ages]
    return pl.DataFrame({"name": range(rows), "age": ages, "sex": sexes, "ill": ill})


@pytest.mark.parametrize("seed", range(8))
def test_of_few_people_the_distribution_of_the_whole_table_is_known(seed: int) -> None:
    random = Random(seed)
    table = people(random, 24)
    names = random.choice([["age"], ["age", "sex"]])
    release = pc.publish(table, pc.Anatomy(l=2), seed=seed, **ROLES)
    looks = [tuple(row) for row in table.select(names).iter_rows()]
    whole = Counter(table["ill"])
    alike = {look: Counter(v for one, v in zip(looks, table["ill"], strict=True) if one == look) for look in looks}
    support = random.choice(sorted({held.total() for held in alike.values()} - {1}))  # of just enough people
    told = {look: held if held.total() >= support else whole for look, held in alike.items()}
    given = {look: {v: n / held.total() for v, n in held.items()} for look, held in told.items()}
    if any(set(held) != set(whole) for held in told.values()):
        given = {look: {v: one.get(v, 0.0) for v in whole} for look, one in given.items()}
    how = {"truth": table, "identifier": "name"}
    measured = pc.attack(release, pc.Adversary(prior=pc.Distribution(names, support=support)), **how)
    written = pc.attack(release, pc.Adversary(prior=pc.Distribution(names, given)), **how)
    for row in range(24):
        assert dict(measured.posterior_of(row)) == pytest.approx(dict(written.posterior_of(row)))
    assert f"of at least {support} people" in measured.adversary.name


def test_a_table_of_statistics_may_leave_values_out() -> None:
    """[R] table 4 gives the probability of heart disease alone; what it leaves goes to the others as published."""
    table = pl.DataFrame({"name": range(4), "age": [1, 1, 2, 2], "sex": list("fmfm"), "ill": list("hxyx")})
    release = pc.publish(table, pc.Tailor(l=2), **ROLES)
    some = pc.Distribution("age", {1: {"h": 0.1}, 2: {"h": 0.4}})
    every = pc.Distribution("age", {1: {"h": 0.1, "x": 0.6, "y": 0.3}, 2: {"h": 0.4, "x": 0.4, "y": 0.2}})
    found = [pc.attack(release, pc.Adversary(prior=one), truth=table, identifier="name") for one in (some, every)]
    for row in range(4):
        assert dict(found[0].posterior_of(row)) == pytest.approx(dict(found[1].posterior_of(row)))


def test_what_art_promises_is_verified_as_it_is_promised() -> None:
    table = pl.concat([people(Random(seed), 60) for seed in range(2)]).with_columns(name=pl.int_range(120))
    release = pc.publish(table, pc.ART(r=2, support=20, attributes=2), seed=1, **ROLES)
    how: dict[str, Any] = {"truth": table, "identifier": "name"}
    (kept,) = pc.verify(release, [pc.RRobustness(r=2)], attributes=2, support=20, **how)
    assert kept.holds
    (finer,) = pc.verify(release, [pc.RRobustness(r=2)], attributes=2, **how)
    assert not finer.holds  # of a few people exactly known


def test_support_is_of_what_is_measured_by_columns() -> None:
    for given in ({"probabilities": {1: {"a": 1}}}, {"attributes": ()}):
        with pytest.raises(pc.PellucidError, match="support is of distributions by columns"):
            pc.Distribution(**{"attributes": "age", **given}, support=5)
    with pytest.raises(pc.PellucidError, match="support"):
        pc.Distribution("age", support=0)
