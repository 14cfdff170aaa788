"""What a pass over rows finds is what the plain definitions say, in one block or in many, merged or not."""

from __future__ import annotations

from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from engines.local_engine import LocalEngine
from engines.plain import bins_of, node_of
from pellucid.core.coins import Coins
from pellucid.core.schema import Role, Schema
from pellucid.io.encode import Tally, encode_column
from pellucid.spark.engine.blocks import PassTally, Rows
from pellucid.spark.engine.codebooks import Codebook
from pellucid.spark.engine.cuts import Cut, Cuts
from pellucid.spark.engine.operations import ALL_ORDERS, Request
from pellucid.spark.engine.workers import offsets_of


def random_pass(seed: int) -> tuple[LocalEngine, Rows, Cuts, list[Request], list[int]]:
    random = Random(seed)
    n = random.randrange(20, 80)
    frame = pl.DataFrame(
        {
            "a": [random.randrange(9) for _ in range(n)],
            "b": [random.randrange(4) for _ in range(n)],
            "s": [random.choice("xyz") for _ in range(n)],
        }
    )
    table = pc.read(frame, quasi=["a", "b"], sensitive="s")
    engine = LocalEngine(table, Coins.from_seed(seed), blocks=random.randrange(1, 5))
    rows = Rows.joined(engine.blocks)
    cuts = Cuts()
    for _ in range(random.randrange(4)):
        node = random.choice(cuts.ends)
        order = int(random.choice(rows.orders.tolist()))
        cuts.cut(node, random.choice([Cut(0, random.randrange(9)), Cut(1, random.randrange(4), order)]))
    requests = [
        random.choice(
            [
                Request(node, 0, 1, 7, *ALL_ORDERS, False, random.randrange(3)),
                Request(node, 1, 2, 2, int(rows.orders.min()), int(rows.orders.max()), True, 58),
            ]
        )
        for node in random.choices(cuts.ends, k=5)
    ]
    return engine, rows, cuts, requests, random.sample(cuts.ends, k=random.randrange(len(cuts.ends) + 1))


@pytest.mark.parametrize("seed", range(40))
def test_nodes_and_bins(seed: int) -> None:
    engine, rows, cuts, requests, counted = random_pass(seed)
    codes, orders = rows.quasi.tolist(), rows.orders.tolist()
    nodes = [node_of(cuts, row, order) for row, order in zip(codes, orders, strict=True)]
    assert cuts.route(rows.quasi, rows.orders).tolist() == nodes
    bins, held = engine.look(cuts, requests, counted)
    for request, found in zip(requests, bins, strict=True):
        expected = list(bins_of(request, nodes, codes, orders).values())
        assert found.counts.tolist() == [len(some) for some in expected]
        assert found.lows.tolist() == [[min(codes[r][i] for r in some) for i in (0, 1)] for some in expected]
        assert found.highs.tolist() == [[max(codes[r][i] for r in some) for i in (0, 1)] for some in expected]
        assert found.earliest.tolist() == [min(orders[r] for r in some) for some in expected]
        assert found.latest.tolist() == [max(orders[r] for r in some) for some in expected]
    for node in counted:
        values = [int(v) for v, of in zip(rows.sensitive[0], nodes, strict=True) if of == node]
        (one,) = held[node]
        assert dict(zip(one.codes.tolist(), one.counts.tolist(), strict=True)) == {
            v: values.count(v) for v in sorted(set(values))
        }


@pytest.mark.parametrize("seed", range(10))
def test_what_is_sent_to_the_driver_is_all_it_needs(seed: int) -> None:
    engine, _, cuts, requests, counted = random_pass(seed)
    whole = PassTally(engine.outline, cuts, requests, counted)
    for block in engine.blocks:
        whole.add(block)
    other = PassTally(engine.outline, cuts, requests, counted)
    other.take(whole.sparse())
    for name in ("counts", "lows", "highs", "earliest", "latest"):
        assert np.array_equal(getattr(whole, name), getattr(other, name))
    assert all(np.array_equal(a, b) for a, b in zip(whole.held, other.held, strict=True))


def test_a_codebook_encodes_as_the_table_does() -> None:
    values = pl.Series("x", [0.5, -0.0, 0.0, None, float("nan"), 7.25, 0.5])
    schema = Schema.of(quasi=["x"], sensitive="y")
    distinct = pl.Series("x", [7.25, None, 0.0, 0.5])
    attribute, codes = encode_column(distinct, schema, "x", Tally(np.array([1, 2, 2, 2])))
    book = Codebook(attribute, distinct, codes, np.zeros(0, np.int64))
    table = pc.read(pl.DataFrame({"x": values, "y": ["a"] * 7}), schema=schema)
    assert attribute.values.to_list() == table.attributes[0].values.to_list()
    assert book.encode(values).tolist() == table.codes[0].tolist()
    with pytest.raises(pc.InputError, match="other values when it is read again"):
        book.encode(pl.Series("x", [1.0]))


def test_origins_are_in_the_order_of_their_names() -> None:
    assert offsets_of([("b", 5), ("a", 3), ("c", 1)]) == {"a": 0, "b": 3, "c": 8}


def test_the_outline_of_a_table_has_its_columns_and_no_rows() -> None:
    engine = random_pass(1)[0]
    empty = engine.outline.without_rows()
    assert len(empty) == 0
    assert [empty.attributes[i].name for i in empty.having(Role.QUASI)] == ["a", "b"]
