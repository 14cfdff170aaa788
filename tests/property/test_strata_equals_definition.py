"""Strata gives exactly the groups of its plain definition, for any number of threads and any order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from pellucid.coins import Coins
from pellucid.errors import Infeasible
from pellucid.group.strata import Strata
from pellucid.schema import Role
from pellucid.table import Table
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
    same = random.choice([(), (), (), tuple(random.sample(quasi, random.randint(1, len(quasi))))])
    return table, Strata(l=l, size=size, inside=inside, values=values_of(table, chosen), same=same), chosen


def compare(random: Random, table: Table, method: Strata, chosen: list[object], threads: int) -> list[list[int]]:
    coins = Coins.from_seed(random.getrandbits(64))
    inputs, draws = inputs_and_draws(table, coins)
    cuts = RunningCuts(inputs)
    quasi = [table.attributes[i].name for i in table.having(Role.QUASI)]
    same = [quasi.index(name) for name in method.same]
    if min(map(len, strata.parted(inputs, same))) < method.size:
        with pytest.raises(Infeasible, match="people have"):
            method.group(table, coins, threads=threads)
        return []
    expected = strata.groups(inputs, method.l, method.size, method.inside, draws, chosen, cuts, same)  # type: ignore[arg-type]
    found = sorted_groups(method.group(table, coins, threads=threads))
    assert found == sorted(map(sorted, expected)), method
    if table.order is not None:
        shuffled = random.sample(range(len(table)), len(table))
        other = replace(table, codes=tuple(codes[shuffled] for codes in table.codes), order=table.order[shuffled])
        again = sorted_groups(method.group(other, coins, threads=3 - threads))
        assert sorted(sorted(shuffled[r] for r in group) for group in again) == found
    return found


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definition(chunk: int, thorough: bool) -> None:
    several = whole = apart = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"strata {chunk} {number}")
        table, method, chosen = draw_case(random)
        if len(table) < 2:
            continue
        found = compare(random, table, method, chosen, threads=1 + number % 2)
        several += len(table) >= 2 * method.size and len(found) > 1
        whole += any(len(group) >= method.size for group in found)
        apart += bool(method.same and found)
    assert several, "no table was cut"
    assert whole, "no stratum was published whole"
    assert apart or not thorough, "no column was kept apart"


@pytest.mark.parametrize("family", FAMILIES)
def test_groups_of_some_hundred_rows_are_those_of_the_definition(family: str) -> None:
    random = Random(f"strata {family}")
    table, method, chosen = draw_case(random, rows=300, family=family)
    compare(random, table, method, chosen, threads=2)
