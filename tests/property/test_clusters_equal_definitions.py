"""Ace, Hybrid and SoftCut on tables with clusters give the groups of the plain definitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.clusters import parted_by_lot
from pellucid.anonymize.methods.ace import Ace
from pellucid.anonymize.methods.hybrid import Hybrid
from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from plain import several
from plain.clusters import Unit, by_place, protecting, side_by_side, units_of
from plain.pieces import watched
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
    t: Inputs,
    units: list[Unit],
    method: SoftCut,
    chosen: list[int] | None,
    coins: Coins,
    decided: list[bool],
    *,
    ordered: bool,
) -> Groups:
    """The groups of units of one size by the definition, where the values with these codes are protected."""
    kind = type(method)
    column = sorted({value for (value,) in t.sensitive})
    wide = side_by_side(t, units, column)
    part = coins.part(f"clusters of {len(units[0])}")
    if not ordered:
        wide = replace(wide, order=part.order(len(units)).tolist())
    draw = part.draws(np.array(wide.order)).tolist()
    told = protecting(column, chosen)
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
    if parted_by_lot(table, method.cluster_rows or 1) is not None:
        with pytest.raises(MethodError, match="drawn by lot"):
            method.group(table, coins)
        return None
    order = table.order if table.order is not None else coins.order(len(table))
    t = inputs_of(table, order.tolist())
    assert table.clusters is not None
    by_size = units_of(t, table.clusters.tolist(), method.cluster_rows or 1)
    decided: list[bool] = []
    (column,) = table.having(Role.SENSITIVE)
    names = table.attributes[column].values.to_list()
    chosen = None if method.values is None else [names.index(value) for value in method.values]  # type: ignore[arg-type]
    try:
        expected = {
            size: defined(t, units, method, chosen, coins, decided, ordered=table.order is not None)
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
        method = kind(
            l=2, values=some_values(random, table), k=random.choice([1, 1, 2, 4]), cluster_rows=random.choice([2, 3])
        )
        published += compare(table, kind, method, Coins.from_seed(number)) is not None
    assert published > QUICK / 4


def some_values(random: Random, table: Table) -> tuple[str, ...] | None:
    """Values to protect that rows have, wherever they stand in the order of all; None for all of them."""
    if random.random() < 0.3:
        return None
    (column,) = table.having(Role.SENSITIVE)
    there = sorted(set(table.codes[column].tolist()))
    chosen = random.sample(there, min(len(there), random.choice([1, 1, 2, 3])))
    return tuple(table.attributes[column].values[code] for code in chosen)


@pytest.mark.parametrize("kind", [Ace, Hybrid, SoftCut])
def test_no_group_has_a_protected_value_in_more_than_one_unit_of_l(kind: type, thorough: bool) -> None:
    """Counted from rows and clusters alone, by nothing that decides the groups: neither of rows nor of whole units."""
    published = 0
    for number in range(THOROUGH if thorough else 4 * QUICK):
        random = Random(f"clusters keep {kind.__name__} {number}")
        table, _ = random_table(random, largest=80, attributes=2, identifier=random.random() < 0.7)
        table = in_clusters(random, with_one_secret(random, table), random.choice([2, 3, 4]))
        assert table.clusters is not None
        method = kind(
            l=random.choice([2, 2, 3]),
            values=some_values(random, table),
            k=random.choice([None, None, 2, 5]),
            cluster_rows=int(np.bincount(table.clusters).max()),
        )
        try:
            grouping = method.group(table, Coins.from_seed(number), threads=1)
        except Infeasible:
            continue
        published += 1
        (column,) = table.having(Role.SENSITIVE)
        values = table.attributes[column].values.to_list()
        held = [values[code] for code in table.codes[column].tolist()]
        home = table.clusters.tolist()
        of_home = {one: {held[row] for row in range(len(table)) if home[row] == one} for one in home}
        for rows in sorted_groups(grouping):
            assert len({home[row] for row in rows}) == len(rows)
            for value in method.values or values:
                assert method.l * sum(held[row] == value for row in rows) <= len(rows), (number, value)
                assert method.l * sum(value in of_home[home[row]] for row in rows) <= len(rows), (number, value)
    assert published > QUICK


@pytest.mark.parametrize("kind", [Ace, Hybrid, SoftCut])
def test_a_value_that_stands_at_different_places_of_sets_was_once_wrong(kind: type) -> None:
    """X stands first among what one household has and last among another's: it was counted as if it were two values."""
    homes = [1, 1, 2, 2, 3, 3, 4, 4]
    frame = pl.DataFrame({"h": homes, "age": [31, 28, 60, 64, 26, 31, 80, 79], "ill": list("dndnAXXn")})
    table = pc.read(frame, quasi="age", sensitive="ill", cluster="h")
    for seed in range(20):
        grouping = kind(l=2, values=("X",), cluster_rows=2).group(table, Coins.from_seed(seed))
        for rows in sorted_groups(grouping):
            assert 2 * sum(homes[row] in (3, 4) for row in rows) <= len(rows)


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


@pytest.mark.parametrize("kind", [Ace, Hybrid, SoftCut])
def test_the_same_with_two_sensitive_columns(kind: type, thorough: bool) -> None:
    published = 0
    for number in range(THOROUGH if thorough else 2 * QUICK):
        random = Random(f"two columns {kind.__name__} {number}")
        each, homes = random.choice([2, 3]), random.randint(4, 20)
        home = random.sample(range(homes), homes) * each
        n = len(home)
        held = {name: [f"{name}{random.randrange(9)}" for _ in range(n)] for name in ("s", "t")}
        ages = {"age": [random.randrange(30) for _ in range(n)]}
        table = pc.read(pl.DataFrame({"h": home} | ages | held), quasi="age", sensitive=["s", "t"], cluster="h")
        there = {name: sorted(set(values)) for name, values in held.items()}
        names = random.choice([["s"], ["t"], ["s", "t"]])
        some = {name: tuple(random.sample(there[name], min(len(there[name]), random.choice([1, 2])))) for name in names}
        method = kind(l=2, values=random.choice([some, some, None]), k=random.choice([None, 3]), cluster_rows=each)
        try:
            grouping = method.group(table, Coins.from_seed(number), threads=1)
        except Infeasible:
            continue
        published += 1
        of_home = {
            name: {one: {v for v, h in zip(values, home, strict=True) if h == one} for one in home}
            for name, values in held.items()
        }
        about = there if method.values is None else there | method.values  # a column without values: all of them
        for rows in sorted_groups(grouping):
            for name, values in about.items():
                for value in values:
                    assert 2 * sum(value in of_home[name][home[row]] for row in rows) <= len(rows), (number, value)
    assert published > QUICK / 4


@pytest.mark.parametrize("kind", [Ace, Hybrid, SoftCut])
def test_buckets_are_taken_apart_as_in_the_definition(
    kind: type, thorough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Households of three or four, each value in nearly one of l of them: what is left would be one bucket."""
    seen = watched(monkeypatch)
    for number in range(150 if thorough else 6):
        random = Random(f"large homes {number}")
        size, values, l = random.choice([(3, 6, 2), (3, 9, 3), (4, 12, 3)])
        homes = [random.choices(range(values), k=size) for _ in range(random.randint(60, 90))]
        while True:
            value, most = Counter(value for home in homes for value in set(home)).most_common(1)[0]
            if l * most <= len(homes):
                break
            homes.remove(random.choice([home for home in homes if value in home]))
        n = size * len(homes)
        columns = [
            line("a", [random.randrange(30) for _ in range(n)]),
            secret("s", [v for home in homes for v in home]),
        ]
        table = replace(table_of(columns, random.sample(range(n), n)), clusters=np.arange(n, dtype=np.int32) // size)
        method = kind(l=l, k=random.choice([1, 1, 5]), cluster_rows=size)
        compare(table, kind, method, Coins.from_seed(number))
    assert sum(one.found for one in seen) >= (150 if thorough else 6)
