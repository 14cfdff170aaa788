"""Numbers, dates and ordered values with a taxonomy: their codes follow their own order, not that of the leaves."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import networkx as nx
import polars as pl
import pytest

import pellucid as pc

Path = tuple[str, ...]


def nested(paths: dict[str, Path]) -> dict[str, Any]:
    """The tree of the paths from below the root down to each value."""
    tree: dict[str, Any] = {}
    for value, path in paths.items():
        at = tree
        for node in path:
            at = at.setdefault(node, {})
        at[value] = {}
    return {"*": tree}


def cheapest(own: Counter[Any], whole: Counter[Any], paths: dict[str, Path]) -> Fraction:
    """What it costs to move one distribution into the other, over the height of the tree."""
    height = 1 + max(len(path) for path in paths.values())

    def cost(one: Any, two: Any) -> int:
        if one == two:
            return 0
        if one is None or two is None:
            return height
        a, b = (*paths[one], one), (*paths[two], two)
        return height - next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)

    size, rows = own.total(), whole.total()
    network = nx.DiGraph()
    for one in whole:
        network.add_node(("group", one), demand=-own[one] * rows)
        network.add_node(("table", one), demand=whole[one] * size)
    for one in whole:
        for two in whole:
            network.add_edge(("group", one), ("table", two), weight=cost(one, two))
    return Fraction(nx.min_cost_flow_cost(network), size * rows * height)


@pytest.mark.parametrize("kind", ["number", "ordered", "date", "category"])
@pytest.mark.parametrize("seed", range(15))
def test_the_distance_is_the_cheapest_flow_whatever_the_kind(kind: str, seed: int) -> None:
    random = Random(seed)
    values: list[Any] = list(range(8))
    if kind == "date":
        values = [date(2024, 1, 1) + timedelta(days=number) for number in values]
    names = [str(value) for value in values]
    paths = {}
    for name in random.sample(names, len(names)):  # leaves in any order
        deep = random.randrange(3)
        x = f"x{random.randrange(2)}"
        paths[name] = ((), (f"{x}",), (f"{x}", f"{x}y{random.randrange(2)}"))[deep]
    column: dict[str, Any] = {"role": "sensitive", "kind": kind, "taxonomy": {"tree": nested(paths)}}
    if kind == "ordered":
        column["order"] = names
    schema = pc.Schema(columns={"q": pc.Column(role="quasi"), "s": pc.Column(**column)})
    rows = random.randint(2, 25)
    picked = [random.choice([*range(8), None]) if seed % 2 else random.randrange(8) for _ in range(rows - 1)] + [0]
    held = [None if i is None else values[i] if kind in ("number", "date") else names[i] for i in picked]
    groups = [random.choice("uvw") for _ in picked]
    (verdict,) = pc.verify(
        pl.DataFrame({"q": groups, "s": held}), [pc.TCloseness(t=1, distance="hierarchical")], schema=schema
    )
    spelled = [None if i is None else names[i] for i in picked]
    whole = Counter(spelled)
    own: dict[str, Counter[Any]] = {}
    for group, value in zip(groups, spelled, strict=True):
        own.setdefault(group, Counter())[value] += 1
    assert verdict.exact == max(cheapest(counts, whole, paths) for counts in own.values())
