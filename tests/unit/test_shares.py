"""Anatomy and Ace in parts give the groups of the whole table, wherever the parts begin.

A leaf of too many vectors is put into parts in one pass, however tight a value is.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

import pellucid as pc
from pellucid.anonymize import several
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.several import Vectors
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from plain import tables


def some_table(random: Random, l: int) -> Table:
    """An l-diverse table: values with many ties in their counts, some that do not occur, row orders with gaps."""
    while True:
        counts = np.array(
            [random.choice([0, 1, 1, 2, 3, random.randrange(40)]) for _ in range(random.randrange(1, 14))]
        )
        if counts.sum() and counts.max() * l <= counts.sum():
            break
    values = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    random.shuffle(order := np.arange(len(values)).tolist())
    columns = [tables.line("q", [random.randrange(9) for _ in values]), tables.secret("s", values[order].tolist())]
    return tables.table_of(columns, sorted(random.sample(range(10**9), len(values))))


def contents(grouping: Grouping) -> set[frozenset[int]]:
    starts = grouping.starts.tolist()
    return {frozenset(grouping.members[a:b].tolist()) for a, b in pairwise(starts)}


def in_parts(table: Table, method: pc.Anatomy | pc.Ace, coins: Coins, rows: int, most: int) -> set[frozenset[int]]:
    """Ranks by sorting, then every part by itself."""
    (column,) = table.having(Role.SENSITIVE)
    values = table.codes[column]
    assert table.order is not None
    shares = method.shares(np.bincount(values, minlength=len(table.attributes[column])), rows, most)
    draws = coins.draws(table.order, purpose=shares.purpose)
    parts = np.empty(len(table), np.int64)
    for value in range(len(table.attributes[column])):
        mine = np.flatnonzero(values == value)
        mine = mine[np.argsort(draws[mine])]
        parts[mine] = np.searchsorted(shares.taken[:, value], np.arange(len(mine)), side="right") - 1
    rest = np.flatnonzero(parts == len(shares.taken) - 1)
    parts[rest] = shares.joined(values[rest], table.order[rest], coins)
    assert len(shares.taken) - 1 <= most
    found = set()
    for part in range(len(shares.taken) - 1):
        rows_of = np.flatnonzero(parts == part)
        piece = Table(table.attributes, tuple(codes[rows_of] for codes in table.codes), table.order[rows_of])
        grouping = shares.group(part, piece, coins)
        found |= {frozenset(rows_of[list(group)].tolist()) for group in contents(grouping)}
    return found


def test_more_rows_of_a_value_than_the_kernel_counts_are_refused() -> None:
    with pytest.raises(pc.MethodError, match="2,147,483,648 rows, and anatomy counts less"):
        pc.Anatomy(l=2).shares(np.array([2**31, 2**31]), 10**6, 10**6)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", [pc.Anatomy, pc.Ace])
def test_the_parts_have_the_groups_of_the_whole(kind: type[pc.Anatomy | pc.Ace], seed: int) -> None:
    random = Random(seed)
    left = parts = 0
    for case in range(100):
        l = random.randrange(1, 5)
        table, coins = some_table(random, l), Coins.from_seed(f"{seed} {case}")
        method = kind(l=l)
        whole = method.group(table, coins)
        rows, most = random.randrange(1, 20), random.choice([1, 2, 5, 10**6])
        assert in_parts(table, method, coins, rows, most) == contents(whole)
        left += len(table) % l > 0
        parts += len(table) > 2 * rows and most > 1
    assert left > 10
    assert parts > 10


class Looked(np.ndarray[Any, np.dtype[np.int32]]):
    """Codes that remember how many of them were asked for."""

    rows = 0

    def __getitem__(self, index: Any) -> Any:
        Looked.rows += len(index)
        return np.asarray(self)[index]


def test_rows_are_looked_at_once_where_no_part_is_fine_before_the_end() -> None:
    rows = 60 * several.PART_ROWS
    tight = np.where(np.arange(rows) < rows // 3, 0, np.arange(rows)).astype(np.int32)
    vectors = Vectors.of([tight], [np.ones(rows, np.bool_)])
    Looked.rows = 0
    parts = vectors._by_lot(vectors.of_row.view(Looked), np.arange(rows), 3, 1)  # the third comes first
    assert [len(part) for part in parts] == [rows]
    assert Looked.rows <= 2 * rows
