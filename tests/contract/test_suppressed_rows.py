"""What is published does not tell what suppressed rows hold: neither group numbers nor the order of rows depend on it.

One suppressed row is changed in many ways; wherever the same people are grouped as before, every table must be the
same, row for row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping, Method, methods
from pellucid.anonymize.recode import Recoder
from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Schema
from pellucid.core.table import Table
from pellucid.errors import Infeasible

SCHEMA = Schema(
    columns={
        "id": Column(role="identifier"),
        "age": Column(role="quasi"),
        "town": Column(role="quasi", kind="ordered", order=("Ur", "*", "Eridu", "Nippur")),
        "zip": Column(role="carry", taxonomy={"prefix": [1]}),
        "ill": Column(role="sensitive"),
    }
)
AGES, TOWNS, ZIPS, ILLS = (10, 20, 25, 30), ("Ur", "Eridu"), ("100", "11"), ("a", "c", "d", "e")
UNSEEN = (None, 5, 15, 22), ("*", "Nippur"), ("10", "110"), ("0", "b", "z")
RECODERS = [pc.Anatomy(), pc.Intervals(), pc.Intervals(split=True), pc.Taxonomy(), pc.Suppression()]
METHODS: dict[str, Method] = {
    "injector": methods()["injector"](l=2),
    "greedy-grouping": methods()["greedy-grouping"](l=2),
    "art": methods()["art"](r=2, support=2),
    "incognito, k": methods()["incognito"](k=2, max_suppressed="40%"),
    "incognito, l": methods()["incognito"](l=2, max_suppressed="40%"),
}
Row = tuple[object, ...]


def table_of(rows: list[Row]) -> Table:
    frame = pl.DataFrame(rows, schema=["age", "town", "zip", "ill"], orient="row").with_row_index("id")
    return pc.read(frame, schema=SCHEMA)


def grouped(rows: list[Row], method: Method, seed: int) -> tuple[Table, Grouping] | None:
    table = table_of(rows)
    try:
        return table, method.group(table, Coins.from_seed(seed))
    except Infeasible:
        return None


def people_in(grouping: Grouping) -> set[frozenset[int]]:
    cut = np.split(grouping.members, grouping.starts[1:-1])
    return {frozenset(group.tolist()) for group in cut}


def twins(method: Method) -> Iterator[tuple[tuple[Table, Grouping], tuple[Table, Grouping]]]:
    """Tables that differ in one suppressed row, and in whose groups are the same people."""
    for seed in range(200):
        random = Random(seed)
        rows: list[Row] = [
            (random.choice(AGES), random.choice(TOWNS), random.choice(ZIPS), random.choice(ILLS))
            for _ in range(random.randrange(11, 25))
        ]
        first = grouped(rows, method, seed)
        if first is None or not first[1].suppressed or len(first[1]) < 3:
            continue
        row = int(np.flatnonzero(first[1].labels < 0)[0])
        for columns in (c for many in (1, 2, 4) for c in combinations(range(4), many)):
            changed = list(rows[row])
            for column in columns:
                changed[column] = random.choice(UNSEEN[column])
            other = grouped([*rows[:row], tuple(changed), *rows[row + 1 :]], method, seed)
            if other is not None and people_in(other[1]) == people_in(first[1]):
                yield first, other


@pytest.mark.parametrize("name", METHODS)
def test_a_suppressed_row_leaves_no_trace(name: str) -> None:
    pairs = list(islice(twins(METHODS[name]), 40))
    assert len(pairs) == 40
    for first, other in pairs:
        for recoder in RECODERS:
            assert_same(recoder, first, other)


def assert_same(recoder: Recoder, first: tuple[Table, Grouping], other: tuple[Table, Grouping]) -> None:
    one, two = recoder.recode(*first), recoder.recode(*other)
    assert one.keys() == two.keys()
    for name, frame in one.items():
        assert frame.columns == two[name].columns
        assert frame.rows() == two[name].rows(), (recoder, first[0], other[0])


def test_a_value_that_was_replaced_everywhere_leaves_no_trace() -> None:
    """A method may publish other sensitive values: the codebook of the true ones must not show in group numbers."""
    random = Random(1)
    groups = Grouping.from_labels(np.repeat(np.arange(8, dtype=np.int32), 2))
    rows: list[Row] = [(10, "Ur", "11", random.choice("cde")) for _ in range(16)]
    rows[0] = (10, "Ur", "11", "c")
    for truth in ("a", "z"):
        known = table_of([(*rows[0][:3], truth), *rows[1:]])
        ill = known.attributes[-1].values.to_list()
        published = np.array([ill.index(row[-1]) for row in rows], np.int32)
        replaced = Grouping(groups.members.copy(), groups.starts.copy(), groups.rows, sensitive=published)
        plain = replace(known, attributes=table_of(rows).attributes, codes=table_of(rows).codes)
        assert_same(pc.Anatomy(), (plain, groups), replaced.as_published(known))
