"""Strata gives exactly the groups of its plain definition, for any number of threads and any order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import polars as pl
import pytest

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.methods.strata import Strata
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible
from pellucid.io import read
from plain import strata
from plain.random_tables import FAMILIES, random_table
from plain.soft_cut import RunningCuts
from plain.tables import inputs_and_draws, sorted_groups

CHUNKS = 10
QUICK, THOROUGH = 30, 500  # tables per chunk


def values_of(table: Table, chosen: Sequence[Sequence[int] | None]) -> object:
    """The codes as the values that a method is told."""
    columns = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    if all(codes is None for codes in chosen):
        return None
    named = {
        one.name: tuple(one.values[code] for code in (range(len(one.values)) if codes is None else codes))
        for one, codes in zip(columns, chosen, strict=True)
    }
    return named if len(columns) > 1 else next(iter(named.values()))


def draw_case(random: Random, rows: int | None = None, family: str | None = None) -> tuple[Table, Strata, list[object]]:
    """A table, a setting, and of each sensitive column the codes that are protected."""
    secrets = random.choice([1, 1, 1, 2])
    shape = {"largest": 40} if rows is None else {"rows": rows, "family": family}
    table, l = random_table(random, secrets=secrets, attributes=3, identifier=random.random() < 0.8, **shape)
    l = max(1, l + random.choice([0, 0, 1, 2]))  # a table that is no more eligible as a whole may have strata that are
    chosen: list[object] = []
    for column in table.having(Role.SENSITIVE):
        held = np.unique(table.codes[column]).tolist()
        some = random.sample(held, random.randint(1, len(held)))
        chosen.append(random.choice([None, None, some]))
    alone = secrets == 1 and chosen[0] is None
    inside = random.choice(["hybrid", "hybrid", "none", *(["lot"] if alone else [])])
    size = max(2, min(len(table), max(l, random.choice([2, 3, 5, 8, len(table) // 2, len(table)]))))
    l = min(l, size)
    quasi = [table.attributes[i].name for i in table.having(Role.QUASI)]
    same = random.choice([(), (), (), tuple(dict.fromkeys(random.sample(quasi, random.randint(1, len(quasi)))))])
    each: int | dict[str, int] = l
    if secrets == 2 and random.random() < 0.6:  # an l of each column
        names = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
        each = dict(zip(names, (min(size, max(2, l + random.choice([-1, 0, 1, 3]))) for _ in names), strict=True))
    k = random.choice([None, random.randint(1, size)]) if inside != "lot" else None
    return table, Strata(l=each, size=size, inside=inside, values=values_of(table, chosen), same=same, k=k), chosen


def rows_of_strata(grouping: Grouping) -> list[list[int]]:
    assert grouping.strata is not None
    of_rows = np.repeat(grouping.strata, grouping.sizes)
    return [sorted(grouping.members[of_rows == stratum].tolist()) for stratum in np.unique(of_rows)]


def compare(random: Random, table: Table, method: Strata, chosen: list[object], threads: int) -> list[list[int]]:
    coins = Coins.from_seed(random.getrandbits(64))
    inputs, draws = inputs_and_draws(table, coins)
    cuts = RunningCuts(inputs)
    quasi = [table.attributes[i].name for i in table.having(Role.QUASI)]
    same = [quasi.index(name) for name in method.same]
    if min(map(len, strata.parted(inputs, same))) < method.size:
        with pytest.raises(Infeasible, match=r"is not feasible: .* with "):
            method.group(table, coins, threads=threads)
        return []
    names = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
    l = tuple(method.l[name] for name in names) if isinstance(method.l, dict) else method.l
    expected = strata.groups(inputs, l, method.size, method.inside, draws, chosen, cuts, same, method.fewest)  # type: ignore[arg-type]
    grouping = method.group(table, coins, threads=threads)
    found = sorted_groups(grouping)
    parts = [part for alike in strata.parted(inputs, same) for part in strata.strata(cuts, alike, method.size)]
    assert sorted(rows_of_strata(grouping)) == sorted(parts), method
    assert found == sorted(map(sorted, expected)), method
    if table.order is not None:
        shuffled = random.sample(range(len(table)), len(table))
        other = replace(table, codes=tuple(codes[shuffled] for codes in table.codes), order=table.order[shuffled])
        again = sorted_groups(method.group(other, coins, threads=3 - threads))
        assert sorted(sorted(shuffled[r] for r in group) for group in again) == found
    return found


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definition(chunk: int, thorough: bool) -> None:
    several = whole = apart = own = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"strata {chunk} {number}")
        table, method, chosen = draw_case(random)
        if len(table) < 2:
            continue
        found = compare(random, table, method, chosen, threads=1 + number % 2)
        several += len(table) >= 2 * method.size and len(found) > 1
        whole += any(len(group) >= method.size for group in found)
        apart += bool(method.same and found)
        own += isinstance(method.l, dict) and any(1 < len(group) < method.size for group in found)
    assert several, "no table was cut"
    assert own or not thorough, "no stratum was divided with an l of each column"
    assert whole, "no stratum was published whole"
    assert apart or not thorough, "no column was kept apart"


@pytest.mark.parametrize("family", FAMILIES)
def test_groups_of_some_hundred_rows_are_those_of_the_definition(family: str) -> None:
    random = Random(f"strata {family}")
    table, method, chosen = draw_case(random, rows=300, family=family)
    compare(random, table, method, chosen, threads=2)


@pytest.mark.parametrize("number", range(12))
def test_an_l_of_each_column_gives_the_groups_of_the_definition(number: int) -> None:
    """Values that are about as frequent as their own l allows, so that buckets are wide, and some taken apart."""
    random = Random(f"an l of each column {number}")
    rows, ls = random.choice([60, 120, 240]), (random.choice([2, 3, 5]), random.choice([4, 6, 10]))
    tight = random.random() < 0.5  # one stratum, in which each value is as frequent as its l allows
    held = {name: [code % (l if tight else 3 * l) for code in range(rows)] for name, l in zip("ab", ls, strict=True)}
    for codes in held.values():
        random.shuffle(codes)
    known = {name: [random.randrange(random.choice([2, 6, 30])) for _ in range(rows)] for name in ("age", "town")}
    table = read(pl.DataFrame(known | held), quasi=list(known), sensitive=["a", "b"])
    method = Strata(l=dict(zip("ab", ls, strict=True)), size=rows if tight else 30)
    found = compare(random, table, method, [None, None], threads=1 + number % 2)
    assert min(map(len, found)) < method.size
    uniform = [Strata(l=l, size=method.size) for l in (3, {"a": 3, "b": 3})]
    one, other = (sorted_groups(same.group(table, Coins.from_seed(number))) for same in uniform)
    assert one == other, "the same l of all columns is another thing"
