"""OptGen gives exactly the partition that trying every one gives."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.methods.opt_gen import OptGen
from pellucid.core.coins import Coins
from pellucid.core.schema import Kind
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from plain.opt_gen import opt_gen
from plain.random_tables import random_quasi, random_secret
from plain.tables import Column, line, secret, table_of, tree

COINS = Coins.from_seed(0)


def category(name: str, picks: list[int]) -> Column:
    """A category without a taxonomy, published as a set."""
    made, codes = line(name, picks)
    return replace(made, kind=Kind.CATEGORY), codes


def few_vectors(random: Random, most: int) -> tuple[Table, int]:
    """A table with at most so many distinct vectors, of intervals, trees, sets and nulls."""
    n, l = random.randint(1, 16), random.randint(1, 4)
    n = max(n, l)
    people = random.randint(1, most)
    of_row = [random.randrange(people) for _ in range(n)]
    columns = []
    for i in range(random.randint(1, 3)):
        kind = random.choice(["ties", "tree", "set"])
        if kind == "set":
            made, codes = category(f"q{i}", [random.randrange(3) for _ in range(people)])
        else:
            made, codes = random_quasi(random, people, f"q{i}", kind)
        columns.append((made, [codes[p] for p in of_row]))
    return table_of([*columns, random_secret(random, n, l, "s")], random.sample(range(n), n)), l


@pytest.mark.parametrize("chunk", range(10))
def test_the_partition_is_that_of_the_definition(chunk: int) -> None:
    finer = 0
    for number in range(130):
        table, l = few_vectors(Random(f"opt-gen {chunk} {number}"), 6 if number % 10 else 8)
        found = OptGen(l=l).group(table, COINS).labels.tolist()
        assert found == opt_gen(table, l)
        finer += max(found) > 0
    assert finer > 30


def test_more_than_twelve_vectors_are_refused_with_a_way_out() -> None:
    def table(n: int) -> Table:
        return table_of([line("age", list(range(n))), secret("s", [row % 3 for row in range(n)])], range(n))

    assert len(OptGen(l=2).group(table(12), COINS)) == 6
    with pytest.raises(MethodError, match=r"13 different vectors.*at most 12"):
        OptGen(l=2).group(table(13), COINS)


def test_twelve_vectors_that_fit_together_in_every_way_are_tried_in_seconds() -> None:
    """The hardest case: no two boxes ever meet, so that all 4,213,597 partitions are possible."""
    random = Random(1)
    rows = [v for v in range(12) for _ in range(random.randint(1, 4))]
    hidden = secret("s", [random.randrange(5) for _ in rows])
    table = table_of([category("q", rows), hidden], random.sample(range(len(rows)), len(rows)))
    found = OptGen(l=2).group(table, COINS).labels
    sizes = np.bincount(found)
    assert found.max() > 3
    for group in range(len(sizes)):
        assert np.bincount(table.codes[1][found == group]).max() * 2 <= sizes[group]


def test_boxes_that_share_a_place_in_a_taxonomy_do_not_both_occur() -> None:
    """Two leaves under different children need the root, which covers everybody else."""
    paths = [(0, 0), (0, 1), (1, 0), (1, 1)]
    across = table_of([tree("q", paths, [0, 1, 2, 3]), secret("s", [0, 0, 1, 1])], range(4))
    assert OptGen(l=2).group(across, COINS).labels.tolist() == [0, 0, 0, 0]
    within = table_of([tree("q", paths, [0, 1, 2, 3]), secret("s", [0, 1, 0, 1])], range(4))
    assert OptGen(l=2).group(within, COINS).labels.tolist() == [0, 0, 1, 1]


def test_a_table_without_a_diverse_partition_is_infeasible() -> None:
    table = table_of([line("age", [1, 2, 3]), secret("s", [0, 0, 1])], range(3))
    with pytest.raises(Infeasible, match="no l above 1"):
        OptGen(l=2).group(table, COINS)
