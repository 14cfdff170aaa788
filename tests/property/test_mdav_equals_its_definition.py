"""MDAV gives exactly the groups of its plain definition, in the same order, whatever the columns and the threads."""

from __future__ import annotations

from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from plain.mdav import Group, mdav
from plain.random_tables import random_table

CHUNKS = 10
TABLES = 40  # 10 * 40 = 400 tables


def groups_of(found: Grouping) -> list[Group]:
    return [sorted(found.members[a:b].tolist()) for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)]


def order_of(table: Table, coins: Coins) -> list[int]:
    return (table.order if table.order is not None else coins.order(len(table))).tolist()


def mixed_table(random: Random, n: int) -> Table:
    """Numbers with nulls, dates' kind of width, ordered values, plain categories and a tree, some more important."""
    ages = [None if random.random() < 0.2 else random.randrange(random.choice([3, 90])) for _ in range(n)]
    frame = pl.DataFrame(
        {
            "id": random.sample(range(n), n),
            "age": pl.Series(ages, dtype=pl.Int64),
            "pay": [round(random.expovariate(0.01), 2) for _ in range(n)],
            "rank": [random.choice(["low", "mid", "high"]) for _ in range(n)],
            "town": [random.choice("abcd") for _ in range(n)],
            "job": pl.Series([random.choice(["x", "y", None]) for _ in range(n)], dtype=pl.String),
            "s": [f"s{random.randrange(4)}" for _ in range(n)],
        }
    )
    tree = {"*": {"north": ["a", "b"], "c": [], "south": ["d"]}}
    columns = {
        "id": Column(role=random.choice(["identifier", "drop"])),
        "age": Column(role="quasi", importance=random.choice([1, 1, 3, 100])),
        "pay": Column(role=random.choice(["quasi", "carry"])),
        "rank": Column(role="quasi", kind="ordered", order=("low", "mid", "high")),
        "town": Column(role="quasi", taxonomy={"tree": tree}, importance=random.choice([1, 2])),
        "job": Column(role="quasi", kind="category"),
        "s": Column(role="sensitive"),
    }
    return pc.read(frame, schema=Schema(columns=columns))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_it_gives_the_groups_of_its_definition(chunk: int) -> None:
    for number in range(TABLES):
        random = Random(f"mdav {chunk} {number}")
        if random.random() < 0.5:
            table = mixed_table(random, random.randint(1, 50))
        else:
            table, _ = random_table(random, largest=50, attributes=random.choice([1, 2, 4]))
        k = min(len(table), random.choice([1, 2, 3, 5, 10, random.randint(1, len(table))]))
        coins = Coins.from_seed(number)
        scale = random.choice(["range", "deviation"])
        found = pc.Mdav(k=k, scale=scale).group(table, coins, threads=1 + number % 3)
        assert groups_of(found) == mdav(table, order_of(table, coins), k, scale)
        assert not found.suppressed
        assert k <= found.sizes.min() <= found.sizes.max() <= max(2 * k - 1, 1)


ASKED = ("l-diversity=2", "distinct l-diversity=2", "t-closeness=0.3", "entropy l-diversity=1.8", "beta-likeness=1.5")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_put_together_as_defined_until_each_satisfies_what_is_asked(chunk: int) -> None:
    put_together = 0
    for number in range(TABLES // 2):
        random = Random(f"mdav joined {chunk} {number}")
        if random.random() < 0.5:
            table = mixed_table(random, random.randint(4, 50))
        else:
            table, _ = random_table(random, largest=50, attributes=random.choice([1, 2, 4]))
        k = min(len(table), random.choice([1, 2, 3, 5]))
        coins, scale = Coins.from_seed(number), random.choice(["range", "deviation"])
        asked = random.sample(ASKED, random.choice([1, 1, 2]))
        method = pc.Mdav(k=k, scale=scale, model=asked)
        column = table.having(Role.SENSITIVE)[0]
        attribute, codes = table.attributes[column], table.codes[column]
        whole = np.bincount(codes, minlength=len(attribute))

        def satisfies(
            group: Group,
            models=method.required,
            attribute=attribute,
            codes=codes,
            whole=whole,  # type: ignore[no-untyped-def]
        ) -> bool:
            counts = np.bincount(codes[group], minlength=len(attribute))
            return all(bool(one.check_counts(counts, whole, attribute=attribute)) for one in models.parts)

        if not satisfies(list(range(len(table)))):
            with pytest.raises(Infeasible):
                method.group(table, coins)
            continue
        expected = mdav(table, order_of(table, coins), k, scale, satisfies)
        assert groups_of(method.group(table, coins)) == expected
        put_together += len(expected) < len(mdav(table, order_of(table, coins), k, scale))
    assert put_together


def test_the_k_of_a_model_is_that_of_the_groups() -> None:
    table, coins = mixed_table(Random("k of a model"), 40), Coins.from_seed(3)
    alone, beside = pc.Mdav(model="k-anonymity=4"), pc.Mdav(model=["l-diversity=2", "k-anonymity=4"])
    assert groups_of(alone.group(table, coins)) == groups_of(pc.Mdav(k=4).group(table, coins))
    assert groups_of(beside.group(table, coins)) == groups_of(pc.Mdav(k=4, model="l-diversity=2").group(table, coins))
    with pytest.raises(MethodError, match="groups of k rows are made, and l-diversity names no k; give k too"):
        pc.Mdav(model="l-diversity=2")
    with pytest.raises(MethodError, match="nothing is asked of the groups"):
        pc.Mdav()


def test_larger_tables_and_watched_ones_give_the_same() -> None:
    """Beyond a few thousand rows a thread of its own does the work."""
    random = Random("large")
    table = mixed_table(random, 6_000)
    coins = Coins.from_seed(1)
    seen: list[int] = []

    class Watching:
        def stage(self, name: str, total: int) -> None: ...

        def advance(self, done: int) -> None:
            seen.append(done)

    watched = pc.Mdav(k=50).group(table, coins, progress=Watching())
    assert seen[-1] == len(table)
    assert seen == sorted(seen)
    assert np.array_equal(watched.labels, pc.Mdav(k=50).group(table, coins, threads=2).labels)
    small = mixed_table(random, 300)
    assert groups_of(pc.Mdav(k=7).group(small, coins)) == mdav(small, order_of(small, coins), 7)
