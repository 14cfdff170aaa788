"""Ace, Hybrid and Anatomy with ``values`` and ``k`` give the groups of the plain definitions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.methods.ace import Ace
from pellucid.anonymize.methods.anatomy import Anatomy
from pellucid.anonymize.methods.hybrid import Hybrid
from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible
from plain import protected
from plain.random_tables import FAMILIES, random_table
from plain.soft_cut import CoinsDie, WatchedDie
from plain.tables import line, secret, sorted_groups, table_of
from plain.transparent import Inputs, NotEligibleError, inputs_of

CHUNKS = 8
QUICK, THOROUGH = 14, 650  # tables per chunk


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
    for kind in (Ace, Hybrid, Anatomy, SoftCut):
        method = kind(l=l, values=names, k=k)
        try:
            if kind is SoftCut:
                groups = protected.soft_cut(t, l, draws["assign"], CoinsDie(coins, l), codes, k)
            else:
                groups = expected(kind.name, t, l, draws, codes, k)
        except NotEligibleError:
            with pytest.raises(Infeasible):
                method.group(table, coins)
            continue
        assert sorted_groups(method.group(table, coins, threads=threads)) == sorted(
            sorted(group) for group in groups
        ), kind.name


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


def soft_table(number: int) -> Table:
    """A table with one value that others fill up: a cut is certain at first, then cuts are tried."""
    random = Random(f"soft values {number}")
    n = random.randint(90, 130)
    codes = [random.randrange(12) for _ in range(n)]
    sick = [random.random() < (0.36 if code < 3 or code > 8 else 0.1) for code in codes]
    hidden = secret("s", [0 if one else 1 + random.randrange(3) for one in sick])
    quasi = [line("a", codes), line("b", [random.randrange(3) for _ in range(n)])]
    return table_of([*quasi, hidden], random.sample(range(n), n))


# (table, k, seed of the coins): most of these dice refuse a cut, the last three accept one
TRIED = [
    (24, 1, 24),
    (102, 1, 102),
    (24, 2, 7),
    (24, 3, 8),
    (24, 5, 10),
    (102, 3, 5),
    (17, 2, 17),
    (25, 1, 25),
    (31, 6, 31),
]


def test_tried_cuts_are_those_of_the_definition(thorough: bool) -> None:
    decided: list[bool] = []
    more = [(number, 1 + number % 5, number) for number in range(110)] if thorough else []
    for number, k, seed in TRIED + more:
        table, coins = soft_table(number), Coins.from_seed(seed)
        if (table.codes[-1] == 0).sum() * 2 > len(table):
            continue
        draws = coins.draws(table.order).tolist()  # type: ignore[arg-type]
        groups = protected.soft_cut(inputs_of(table), 2, draws, WatchedDie(coins, 2, decided), [0], k)
        method = SoftCut(l=2, values=("s 0",), k=k)
        assert sorted_groups(method.group(table, coins, threads=1 + number % 2)) == sorted(
            sorted(group) for group in groups
        ), number
    assert decided.count(True) >= 6
    assert decided.count(False) >= 3


def test_rows_that_are_all_alike_are_divided_by_row_order() -> None:
    n = 60
    for share, k in ((30, 1), (10, 4), (3, 7)):
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
    for kind in (Ace, Hybrid, Anatomy, SoftCut):
        one = kind(l=l, values=("s 0",), k=k).group(table, coins, threads=1)
        two = kind(l=l, values=("s 0",), k=k).group(table, coins, threads=2)
        assert np.array_equal(one.labels, two.labels)
        assert one.sizes.min() >= k
        held = np.bincount(one.labels, weights=table.codes[-1] == table.codes[-1].min(), minlength=len(one))
        assert (held * l <= one.sizes).all()
        assert held.sum() == sick.sum()
