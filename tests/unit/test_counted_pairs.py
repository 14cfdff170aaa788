"""Pairs of codes are counted alike, however many are possible."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import association
from pellucid.association import CodePairs


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
