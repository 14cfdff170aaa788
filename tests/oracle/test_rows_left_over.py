"""Greedy grouping under t-closeness that leaves rows over: all ways to fill the rest of the table count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.coins import Coins
from plain.consecutive import canonical, greedy_law

ROLES: dict[str, Any] = {"quasi": "q", "sensitive": "ill", "identifier": "name"}

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
]


def chance(table: pl.DataFrame, world: tuple[str, ...], method: Any, groups: list[list[int]]) -> Fraction:
    """How likely the coins of a method make these groups of a world; its rows stand in line."""
    if method.probability == 0:
        try:
            made = method.group(pc.read(table.with_columns(ill=pl.Series(world)), **ROLES), Coins.from_seed(1))
        except pc.PellucidError:
            return Fraction(0)
        return Fraction([sorted(made.members[a:b].tolist()) for a, b in pairwise(made.starts)] == groups)
    whole = Counter(world)

    def holds(values: Sequence[str]) -> bool:
        here = Counter(values)
        apart = sum(abs(Fraction(here[v], len(values)) - Fraction(whole[v], len(world))) for v in whole) / 2
        return apart <= method.required.t

    law = greedy_law(range(len(world)), world, holds, method.bucket, Fraction(method.probability))  # type: ignore[arg-type]
    return law.get(canonical(groups), Fraction(0))


def believed(table: pl.DataFrame, method: Any, labels: list[int], domain: str) -> dict[tuple[int, str], Fraction]:
    """By every world, which has any values in the rows that are left over: what people of groups have."""
    values = table["ill"].to_list()
    groups = [[row for row, one in enumerate(labels) if one == group] for group in range(max(labels) + 1)]
    held = [Counter(values[row] for row in group) for group in groups]
    total, having = Fraction(0), dict.fromkeys(product((row for group in groups for row in group), domain), Fraction(0))
    for world in product(domain, repeat=len(values)):
        if [Counter(world[row] for row in group) for group in groups] != held:
            continue
        if weight := chance(table, world, method, groups):
            total += weight
            for row in (row for group in groups for row in group):
                having[row, world[row]] += weight
    return {fact: weight / total for fact, weight in having.items()}


def test_it_is_what_all_worlds_say(some: Any) -> None:
    tried, more, coins = 0, 0, 0
    for seed in range(some(160)):
        random = Random(f"left over {seed}")
        domain = random.choice(["ab", "ab", "abc"])
        rows = random.randint(6, 9 if domain == "ab" else 7)
        values = random.choices(domain, k=rows)
        if len(set(values)) < len(domain):
            continue
        table = pl.DataFrame({"name": list("abcdefghi")[:rows], "q": range(rows), "ill": values})
        t = random.choice(["1/10", "1/5", "1/4", "1/3"])
        how: dict[str, Any] = {"model": pc.TCloseness(t=t), "bucket": random.choice([1, 2, 2, 3])}
        method = random.choice([pc.GreedyGrouping(**how), pc.RandomizedGreedyGrouping(p=0.5, **how)])
        try:
            release = pc.publish(table, method, seed=1, **ROLES)
        except pc.PellucidError:
            continue
        labels = release.private.labels.tolist()
        if min(labels) >= 0 or set(table["ill"].gather([r for r in range(rows) if labels[r] >= 0])) != set(domain):
            continue
        beliefs = pc.attack(release, pc.Adversary(knows="algorithm"), truth=table, **ROLES)
        expected = believed(table, method, labels, domain)
        for (row, value), belief in expected.items():
            assert beliefs.belief(value)[row] == pytest.approx(float(belief)), (seed, row, value)
        shown = max(expected.values())
        assert beliefs.upper is not None
        assert beliefs.upper[[row for row, one in enumerate(labels) if one < 0]].tolist() == [1.0] * labels.count(-1)
        assert not pc.attack_all(release, truth=table, **ROLES).standing(0.99).holds
        tried += 1
        coins += method.probability > 0
        more += shown > max(beliefs.baseline)
    assert min(tried, coins) > 3
    assert more > 0
