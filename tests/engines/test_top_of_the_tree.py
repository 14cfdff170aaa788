"""Cuts found from counts and boxes are the canonical cuts: the groups are those of the kernels on many tables."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from pellucid.coins import Coins
from pellucid.engine.local import LocalEngine
from pellucid.engine.top import grow_top
from pellucid.errors import Infeasible
from pellucid.group import Method
from pellucid.group.hybrid import Hybrid
from pellucid.group.in_parts import InParts
from pellucid.group.tailor import Tailor
from pellucid.schema import Role
from pellucid.table import Table
from plain.random_tables import FAMILIES, random_table

CHUNKS = 20
TABLES = 40


def groups(method: Method, table: Table, coins: Coins) -> set[frozenset[int]]:
    """The groups that the method itself makes, as sets of row orders."""
    order = table.order if table.order is not None else coins.order(len(table))
    grouping = method.group(table, coins, threads=1)
    cuts = zip(grouping.starts[:-1], grouping.starts[1:], strict=True)
    return {frozenset(order[grouping.members[a:b]].tolist()) for a, b in cuts}


def groups_in_parts(
    method: Method, table: Table, coins: Coins, rows_per_worker: int, bins: int, blocks: int
) -> tuple[set[frozenset[int]], int]:
    """The groups that the engine makes of parts, and how many parts there were."""
    assert isinstance(method, InParts)
    engine = LocalEngine(table, coins, blocks)
    outline = engine.outline
    empty = outline.without_rows()
    counts = [outline.counts[i] for i in outline.having(Role.SENSITIVE)]
    method.check_counts(empty, counts)
    top = grow_top(engine, method.rows_needed(empty, counts), rows_per_worker, bins=bins)
    found = set()
    for part in engine.finish(top.cuts, lambda rows: rows.table(outline)):
        grouping = method.group_part(part, counts, coins)
        assert part.order is not None
        for a, b in zip(grouping.starts[:-1], grouping.starts[1:], strict=True):
            found.add(frozenset(part.order[grouping.members[a:b]].tolist()))
    sizes = [top.sizes[node] for node in top.cuts.ends]
    assert sum(sizes) == len(table)
    assert all(size <= rows_per_worker or node in top.large for node, size in zip(top.cuts.ends, sizes, strict=True))
    return found, len(sizes)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_in_parts_are_the_groups(chunk: int) -> None:
    divided = 0
    for number in range(TABLES):
        random = Random(f"parts {chunk} {number}")
        family = FAMILIES[number % len(FAMILIES)]
        table, l = random_table(random, family=family, secrets=1 + (number % 5 == 4), identifier=random.random() < 0.7)
        coins = Coins.from_seed(f"{chunk} {number}")
        method: Method = Tailor(l=l) if len(table.having(Role.SENSITIVE)) > 1 or number % 2 else Hybrid(l=l)
        most = random.choice([1, 3, 10])
        found, parts = groups_in_parts(method, table, coins, most, random.choice([2, 4, 1024]), random.choice([1, 3]))
        assert found == groups(method, table, coins)
        divided += parts > 1
    assert divided > TABLES // 4  # the cuts were really tried


def test_groups_in_parts_with_some_protected_values_and_at_least_k_rows() -> None:
    divided = 0
    for number in range(40):
        random = Random(f"values in parts {number}")
        table, l = random_table(random, identifier=random.random() < 0.7, largest=120)
        (column,) = table.having(Role.SENSITIVE)
        book = table.attributes[column].values.to_list()
        values = tuple(random.sample(book, random.randint(1, len(book)))) if number % 4 else None
        method = Hybrid(l=l, values=values, k=min(random.choice([1, 2, 5]), len(table)))
        coins = Coins.from_seed(number)
        found, parts = groups_in_parts(method, table, coins, random.choice([1, 10]), 8, random.choice([1, 3]))
        assert found == groups(method, table, coins)
        divided += parts > 1
    assert divided > 10


@pytest.mark.parametrize(
    "model",
    [
        "k-anonymity=3",
        "entropy l-diversity=2",
        "t-closeness=0.6",
        "recursive (c,l)-diversity=2,2",
        "(alpha,k)-anonymity=0.5,3",
    ],
)
def test_groups_in_parts_by_a_model(model: str) -> None:
    method, divided = Tailor(model=model), 0
    for number in range(40):
        random = Random(f"{model} {number}")
        table, _ = random_table(random, secrets=1 + number % 2, largest=80)
        coins = Coins.from_seed(number)
        said = complaint(lambda: groups(method, table, coins))  # noqa: B023
        assert said == complaint(lambda: groups_in_parts(method, table, coins, 5, 8, 2))  # noqa: B023
        if said is None:
            found, parts = groups_in_parts(method, table, coins, 5, 8, 2)
            assert found == groups(method, table, coins)
            divided += parts > 1
    assert divided > 3


def complaint(work: Callable[[], object]) -> str | None:
    """What is not feasible about it; None when it is."""
    try:
        work()
    except Infeasible as problem:
        return str(problem)
    return None
