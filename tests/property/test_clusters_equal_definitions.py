"""Ace, Hybrid and SoftCut on tables with clusters give the groups of the plain definitions."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from pellucid.coins import Coins
from pellucid.errors import Infeasible
from pellucid.group.ace import Ace
from pellucid.group.hybrid import Hybrid
from pellucid.group.soft_cut import SoftCut
from pellucid.schema import Role
from pellucid.table import Table
from plain import several
from plain.clusters import Unit, by_place, protecting, side_by_side, units_of
from plain.random_tables import random_table
from plain.soft_cut import WatchedDie
from plain.tables import line, secret, sorted_groups, table_of
from plain.transparent import Inputs, NotEligibleError, inputs_of

QUICK, THOROUGH = 40, 1500
Groups = list[list[int]]


def in_clusters(random: Random, table: Table, largest: int) -> Table:
    """The table with its rows in clusters of at most so many."""
    rows, clusters = random.sample(range(len(table)), len(table)), np.zeros(len(table), np.int32)
    number, at = 0, 0
    while at < len(rows):
        size = random.randint(1, largest)
        clusters[rows[at : at + size]] = number
        number, at = number + 1, at + size
    return replace(table, clusters=clusters)


def defined(
    kind: type, t: Inputs, units: list[Unit], method: SoftCut, coins: Coins, decided: list[bool], *, ordered: bool
) -> Groups:
    """The groups of units of one size by the definition."""
    column = sorted({value for (value,) in t.sensitive})
    wide = side_by_side(t, units, column)
    part = coins.part(f"clusters of {len(units[0])}")
    if not ordered:
        wide = replace(wide, order=part.order(len(units)).tolist())
    draw = part.draws(np.array(wide.order)).tolist()
    told = protecting(column, method.values and [int(str(value).split()[-1]) for value in method.values])
    several.check(wide, method.l, told, method.fewest)
    if kind is Ace:
        groups = several.ace(wide, method.l, draw, told, method.fewest)
    else:
        die = WatchedDie(part, method.l, decided) if kind is SoftCut else None
        groups = several.tree(wide, method.l, draw, told, method.fewest, die)
    return sorted(sorted(group) for group in by_place(units, [tuple(group) for group in groups]))


def compare(table: Table, kind: type, method: SoftCut, coins: Coins) -> list[bool] | None:
    """Whether a die refused, for every cut that was tried; None where it is not feasible.

    Units that have one value each are a table with one sensitive column, and those of one row a table as any other.
    """
    order = table.order if table.order is not None else coins.order(len(table))
    t = inputs_of(table, order.tolist())
    assert table.clusters is not None
    by_size = units_of(t, table.clusters.tolist(), method.cluster_rows or 1)
    decided: list[bool] = []
    try:
        expected = {
            size: defined(kind, t, units, method, coins, decided, ordered=table.order is not None)
            for size, units in by_size.items()
            if size == 1 or any(len({t.sensitive[row] for row in unit}) > 1 for unit in units)
        }
    except NotEligibleError:
        with pytest.raises(Infeasible):
            method.group(table, coins)
        return None
    try:
        grouping = method.group(table, coins, threads=1)
    except Infeasible:  # of units that have one value each
        return None
    assert sorted(grouping.members.tolist()) == list(range(len(table)))
    made = sorted_groups(grouping)
    for size, groups in expected.items():
        if size > 1:
            rows = {row for unit in by_size[size] for row in unit}
            assert [group for group in made if group[0] in rows] == groups, (kind.name, size)  # type: ignore[attr-defined]
    return decided


@pytest.mark.parametrize("kind", [Ace, Hybrid, SoftCut])
def test_groups_are_those_of_the_definitions(kind: type, thorough: bool) -> None:
    published = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"clusters {number}")
        table, _ = random_table(random, largest=60, attributes=2, identifier=random.random() < 0.7)
        table = in_clusters(random, with_one_secret(random, table), random.choice([2, 3]))
        rare = (f"s {random.randrange(3)}",) if random.random() < 0.4 else None
        method = kind(l=2, values=rare, k=random.choice([1, 1, 2, 4]), cluster_rows=random.choice([2, 3]))
        published += compare(table, kind, method, Coins.from_seed(number)) is not None
    assert published > QUICK / 4


def with_one_secret(random: Random, table: Table) -> Table:
    """The table with one sensitive column of many values, so that clusters have several."""
    quasi = [(table.attributes[i], table.codes[i].tolist()) for i in table.having(Role.QUASI)]
    drawn = [*range(3), *(random.randrange(14) for _ in range(len(table)))][: len(table)]
    return replace(table_of([*quasi, secret("s", drawn)], None), order=table.order)


TRIED = [3, 5, 26]  # dice of these tables refuse a cut, or accept one


def test_tried_cuts_are_those_of_the_definition(thorough: bool) -> None:
    decided: list[bool] = []
    for number in range(200) if thorough else TRIED:
        random = Random(f"clusters soft {number}")
        n = random.randint(180, 260)
        codes = [random.randrange(12) for _ in range(n)]
        ill = [0 if random.random() < (0.2 if code < 3 or code > 8 else 0.03) else 1 + code % 3 for code in codes]
        columns = [line("a", codes), line("b", [random.randrange(3) for _ in range(n)]), secret("s", ill)]
        table = replace(table_of(columns, random.sample(range(n), n)), clusters=np.arange(n, dtype=np.int32) // 2)
        method = SoftCut(l=2, values=("s 0",), cluster_rows=2)
        decided += compare(table, SoftCut, method, Coins.from_seed(number)) or []
    assert decided.count(True) >= 1
    assert decided.count(False) >= 1
