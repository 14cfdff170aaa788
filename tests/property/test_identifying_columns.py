"""Which columns make people unique: distinction, separation and who is alone, as loops over all rows find them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

import polars as pl
import pytest

from pellucid.audit import examine

CHUNKS, TABLES = 6, 25


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_sets_of_columns_are_those_of_the_definition(chunk: int) -> None:
    for number in range(TABLES):
        random = Random(f"who {chunk} {number}")
        n, names = random.randint(1, 25), "abcde"[: random.randint(1, 5)]
        data = {name: [random.choice([None, 1, 2, 3][: random.randint(1, 4)]) for _ in range(n)] for name in names}
        frame = pl.DataFrame(data, schema=dict.fromkeys(names, pl.Int64)).with_columns(s=pl.Series(["u"] * n))
        found = examine(frame, quasi=list(names), sensitive="s").identifying
        sets = {one.columns: one for one in found.sets}
        rows = list(zip(*data.values(), strict=True))
        chosen = [c for size in (1, 2, 3) for c in combinations(range(len(names)), size)]
        assert len(sets) == len(chosen)
        smallest: list[int | None] = [None] * n
        for columns in chosen:
            keys = [tuple(row[i] for i in columns) for row in rows]
            held, one = Counter(keys), sets[tuple(names[i] for i in columns)]
            assert one.alone == sum(held[key] == 1 for key in keys)
            assert one.distinction == Fraction(len(held), n)
            pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
            differ = sum(keys[a] != keys[b] for a, b in pairs)
            assert one.separation == (Fraction(differ, len(pairs)) if pairs else 0)
            for row, key in enumerate(keys):
                if held[key] == 1 and smallest[row] is None:
                    smallest[row] = len(columns)
        told = [None if place < 0 else len(found.sets[place].columns) for place in found.alone_by]
        assert told == smallest
        assert [one.alone for one in found.sets] == sorted((one.alone for one in found.sets), reverse=True)
