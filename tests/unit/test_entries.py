"""Rows sorted by their codes: every way of sorting equals numpy's, for any number of threads.

Pairs of codes are counted alike, however many are possible.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.methods import methods
from pellucid.core import association
from pellucid.core.association import CodePairs
from pellucid.core.coins import Coins
from plain.random_tables import random_table


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("rows", [1, 70, 50_000])
@pytest.mark.parametrize(
    "sizes",
    [[1], [7, 3], [90, 2, 17, 50], [1 << 16, 1 << 16], [1 << 20, 1 << 13], [1 << 30, 1 << 30, 3, 1 << 30, 5]],
    ids=["one value", "few keys", "counted", "32 bits", "64 bits", "numbered on the way"],
)
def test_rows_are_sorted_by_all_columns_and_equal_rows_stay_in_place(sizes: list[int], rows: int, threads: int) -> None:
    rng = np.random.default_rng(len(sizes))
    few = [np.append(rng.integers(0, size, 8), [0, size - 1]) for size in sizes]  # so that vectors repeat
    columns = [rng.choice(values, rows).astype(np.int32) for values in few]
    order, starts = sort_rows(columns, sizes, threads)
    expected = np.lexsort(columns[::-1])
    assert np.array_equal(order, expected)
    vectors = np.stack(columns)[:, expected]
    changes = np.flatnonzero((vectors[:, 1:] != vectors[:, :-1]).any(axis=0)) + 1
    assert starts.tolist() == [0, *changes.tolist(), rows]
    assert (order.dtype, starts.dtype) == (np.int32, np.int64)


@pytest.mark.parametrize("name", ["tailor", "hybrid", "soft-cut"])
def test_an_order_drawn_entry_by_entry_is_the_one_that_coins_draw_for_all_rows(name: str) -> None:
    """So a table without an identifier is grouped as if its rows had that order; the oracle relies on it."""
    for seed in range(60):
        table, l = random_table(Random(f"drawn {seed}"), identifier=False)
        coins = Coins.from_seed(seed)
        ordered = replace(table, order=coins.order(len(table)))
        method = methods()[name](l=l)
        found, expected = (method.group(one, coins, threads=1).labels for one in (table, ordered))
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("table", [0, 1 << 30], ids=["put in order", "in a table"])
def test_pairs_are_counted_as_numpy_counts_them(monkeypatch: pytest.MonkeyPatch, table: int) -> None:
    monkeypatch.setattr(association, "TABLE", table)
    coins = np.random.default_rng(7)
    for _ in range(300):
        rows, firsts, seconds = (int(coins.integers(1, top)) for top in (60, 200, 70))
        first, second = (coins.integers(0, top, rows, dtype=np.int32) for top in (firsts, seconds))
        pairs, counts = np.unique(np.stack([first, second], axis=1), axis=0, return_counts=True)
        found = CodePairs.of(first, firsts, second, seconds)
        assert np.array_equal(np.stack([found.first, found.second], axis=1), pairs)
        assert np.array_equal(found.rows, counts)
        turned = found.turned()
        order = np.lexsort((pairs[:, 0], pairs[:, 1]))
        assert np.array_equal(np.stack([turned.second, turned.first], axis=1), pairs[order])
        assert np.array_equal(turned.rows, counts[order])
