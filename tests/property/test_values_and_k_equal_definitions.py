"""Ace, Hybrid and Anatomy with ``values`` and ``k`` give the groups of the plain definitions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from pellucid.coins import Coins
from pellucid.errors import Infeasible
from pellucid.group import Method
from pellucid.group.ace import Ace
from pellucid.group.anatomy import Anatomy
from pellucid.group.hybrid import Hybrid
from pellucid.schema import Role
from pellucid.table import Table
from plain import protected
from plain.random_tables import FAMILIES, random_table
from plain.tables import line, secret, table_of
from plain.transparent import Inputs, NotEligibleError, inputs_of

CHUNKS = 8
QUICK, THOROUGH = 20, 700  # tables per chunk


def found(method: Method, table: Table, coins: Coins, threads: int) -> list[list[int]]:
    """The groups in any order: numbers of groups are never published."""
    grouping = method.group(table, coins, threads=threads)
    assert sorted(grouping.members.tolist()) == list(range(len(table)))
    return sorted(sorted(group.tolist()) for group in np.split(grouping.members, grouping.starts[1:-1]))


def expected(name: str, t: Inputs, l: int, draws: dict[str, list[int]], values: Sequence[int] | None, k: int) -> list:  # type: ignore[type-arg]
    if name == "anatomy":
        left = draws["anatomy leftover"]
        return protected.anatomy(t, l, draws["anatomy"], lambda row, of: left[row] % of, values, k)
    return getattr(protected, name)(t, l, draws["assign"], values, k)  # type: ignore[no-any-return]


def compare(table: Table, l: int, codes: Sequence[int] | None, k: int, coins: Coins, threads: int) -> None:
    order = table.order if table.order is not None else coins.order(len(table))
    t = inputs_of(table, order.tolist())
    draws = {
        purpose: coins.draws(order, purpose=purpose).tolist() for purpose in ("assign", "anatomy", "anatomy leftover")
    }
    (column,) = table.having(Role.SENSITIVE)
    names = None if codes is None else tuple(table.attributes[column].values[code] for code in codes)
    for kind in (Ace, Hybrid, Anatomy):
        method = kind(l=l, values=names, k=k)
        try:
            groups = expected(kind.name, t, l, draws, codes, k)
        except NotEligibleError:
            with pytest.raises(Infeasible):
                method.group(table, coins)
            continue
        assert found(method, table, coins, threads) == sorted(sorted(group) for group in groups), kind.name


def random_choice(random: Random, table: Table) -> tuple[list[int] | None, int]:
    (column,) = table.having(Role.SENSITIVE)
    several = np.unique(table.codes[column]).tolist()
    codes = random.choice([None, random.sample(several, random.randint(1, len(several))), several[:1]])
    return codes, random.choice([1, 2, 3, 5, 10, random.randint(1, len(table))])


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definitions(chunk: int, thorough: bool) -> None:
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"values and k {chunk} {number}")
        table, l = random_table(random, largest=40, attributes=3, identifier=random.random() < 0.8)
        codes, k = random_choice(random, table)
        compare(table, l, codes, k, Coins.from_seed(random.getrandbits(64)), threads=1 + number % 2)


@pytest.mark.parametrize("family", FAMILIES)
def test_groups_of_some_hundred_rows_are_those_of_the_definitions(family: str) -> None:
    random = Random(f"values and k {family}")
    table, l = random_table(random, family=family, rows=150, attributes=2)
    codes, k = random_choice(random, table)
    compare(table, l, codes, random.choice([k, 4]), Coins.from_seed(1), threads=2)


def test_rows_that_are_all_alike_are_divided_by_row_order() -> None:
    n = 90
    for share, k in ((30, 1), (10, 4), (3, 10), (45, 7)):
        hidden = secret("s", [row % share != 0 for row in range(n)])
        table = table_of([line("a", [5] * n), line("b", [1] * n), hidden], Random(share).sample(range(n), n))
        compare(table, 2, [0], k, Coins.from_seed(k), threads=1)
        compare(table_of([line("a", [row % 2 for row in range(n)]), hidden], None), 2, [0], k, Coins.from_seed(k), 1)


def test_sixty_thousand_rows_give_the_same_on_one_thread_and_two() -> None:
    """Enough rows for the threads to share the tree, the leaves and the pools."""
    generator = np.random.default_rng(3)
    n, l, k = 60_000, 5, 10
    sick = generator.random(n) < 0.02
    columns = [
        line("age", generator.integers(0, 79, n).tolist()),
        line("zip", generator.integers(0, 900, n).tolist()),
        secret("s", np.where(sick, 0, generator.integers(1, 4, n)).tolist()),
    ]
    table, coins = table_of(columns, None), Coins.from_seed(2)
    for kind in (Ace, Hybrid, Anatomy):
        one = kind(l=l, values=("s 0",), k=k).group(table, coins, threads=1)
        two = kind(l=l, values=("s 0",), k=k).group(table, coins, threads=2)
        assert np.array_equal(one.labels, two.labels)
        assert one.sizes.min() >= k
        held = np.bincount(one.labels, weights=table.codes[-1] == table.codes[-1].min(), minlength=len(one))
        assert (held * l <= one.sizes).all()
        assert held.sum() == sick.sum()
