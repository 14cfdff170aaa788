"""Where null matches every value, each row has as many matches as a plain loop over all pairs finds."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest

from pellucid.audit import examine

CHUNKS = 8
TABLES = 25


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_matches_are_those_of_all_pairs(chunk: int) -> None:
    for number in range(TABLES):
        random = Random(f"{chunk} {number}")
        rows, names = random.randint(1, 30), "abcd"[: random.randint(1, 4)]
        nulls = random.choice([0.0, 0.1, 0.5, 1.0])
        columns = {
            name: [None if random.random() < nulls else random.choice(["x", "y", "*", "z"]) for _ in range(rows)]
            for name in names
        }
        weights = [random.randint(1, 900) / 4 for _ in range(rows)]
        frame = pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String)).with_columns(
            w=pl.Series(weights), s=pl.Series([random.choice("uv") for _ in range(rows)])
        )
        found = examine(frame, quasi=list(names), sensitive="s", weight="w").matches
        cells = list(zip(*columns.values(), strict=True))
        if not any(value in (None, "*") for row in cells for value in row):
            assert found is None
            continue
        alike = [
            [
                all(a == b or a in (None, "*") or b in (None, "*") for a, b in zip(one, other, strict=True))
                for other in cells
            ]
            for one in cells
        ]
        assert found is not None
        assert found.people is not None
        assert found.rows.tolist() == [sum(row) for row in alike]
        expected = [sum(w for w, same in zip(weights, row, strict=True) if same) for row in alike]
        assert found.people.tolist() == pytest.approx(expected)
        assert found.below(2) == sum(sum(row) < 2 for row in alike)


def test_frequencies_of_keys_are_those_that_sdcmicro_computes() -> None:
    """Expected values of ``freqCalc`` with missing keys, as its package tests them (test_freqCalc.R)."""
    frame = pl.DataFrame(
        {
            "A": [2, 3, 2, 2, 3, 3, 1, 2],
            "B": [3, 3, 3, 3, 3, 3, 4, 3],
            "C": [1, 3, None, 2, 1, 1, None, 1],
            "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51],
            "s": ["a", "b"] * 4,
        }
    )
    found = examine(frame, quasi=["A", "B", "C"], sensitive="s", weight="w").matches
    assert found is not None
    assert found.people is not None
    assert found.rows.tolist() == [3, 1, 4, 2, 2, 2, 1, 3]
    assert found.people.tolist() == [108.0, 45.5, 125.0, 56.0, 100.0, 100.0, 123.5, 108.0]
    assert (found.below(2), found.below(3) - found.below(2)) == (2, 3)
