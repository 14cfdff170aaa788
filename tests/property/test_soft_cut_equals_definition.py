"""The compiled SoftCut gives exactly the groups of the plain definition, in the same order, on thousands of tables.

SoftCut, compiled, on tables in which no cut is certain: the first cut and what follows are the definition's.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.methods.ace import Ace
from pellucid.anonymize.methods.hybrid import Hybrid
from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from plain import protected
from plain.random_tables import random_table, soft_table, table_without_certain_cut
from plain.soft_cut import BELOW_FIRST_CUT, SOFT_CUT, CoinsDie, PlainCuts, RunningCuts, leaves, opened, soft_cut
from plain.tables import inputs_and_draws, line, secret, sorted_groups, table_of
from plain.transparent import inputs_of, labels

CHUNKS = 10
RULES = (BELOW_FIRST_CUT, SOFT_CUT)


def expected(table: Table, l: int, coins: Coins) -> list[int]:
    """The label of each row by the definition."""
    inputs, draws = inputs_and_draws(table, coins)
    return labels(soft_cut(inputs, l, draws, CoinsDie(coins, l), RunningCuts(inputs)))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definition(chunk: int, thorough: bool) -> None:
    """Thorough: 5,200 tables."""
    for number in range(520 if thorough else 40):
        random = Random(f"soft cut {chunk} {number}")
        table, l = soft_table(random, identifier=random.random() < 0.8)
        coins = Coins.from_seed(random.getrandbits(64))
        found = SoftCut(l=l).group(table, coins, threads=1 if number % 4 else 2)
        assert found.labels.tolist() == expected(table, l, coins), number


@pytest.mark.parametrize("chunk", range(2))
def test_groups_of_tables_of_any_kind_are_those_of_the_definition(chunk: int, thorough: bool) -> None:
    for number in range(300 if thorough else 40):
        random = Random(f"any kind {chunk} {number}")
        table, l = random_table(random, identifier=random.random() < 0.8)
        coins = Coins.from_seed(random.getrandbits(64))
        assert SoftCut(l=l).group(table, coins, threads=1).labels.tolist() == expected(table, l, coins), number


def test_the_tables_see_tries_of_every_kind() -> None:
    """Otherwise the comparison above would say little: refused at once, refused by the die, accepted."""
    seen = {"hopeless": 0, "unlucky": 0, "accepted": 0}

    class Watched(CoinsDie):
        def __call__(self, path, t):  # type: ignore[no-untyped-def]
            lost = super().__call__(path, t)
            seen["hopeless" if t < 0 else "unlucky" if lost else "accepted"] += 1
            return lost

    for number in range(60):
        random = Random(f"soft cut 0 {number}")
        table, l = soft_table(random, identifier=random.random() < 0.8)
        coins = Coins.from_seed(random.getrandbits(64))
        inputs, draws = inputs_and_draws(table, coins)
        soft_cut(inputs, l, draws, Watched(coins, l), RunningCuts(inputs))
    assert seen["accepted"] >= 30, seen
    assert seen["hopeless"] >= 5, seen
    assert seen["unlucky"] >= 1, seen


def test_running_cuts_are_the_plain_ones() -> None:
    for number in range(8):
        random = Random(f"running {number}")
        table, l = soft_table(random, largest=90)
        inputs = inputs_of(table)
        die = CoinsDie(Coins.from_seed(number), l)
        plain = PlainCuts(inputs.codes, inputs.order, inputs.geometry)
        rows = range(len(table))
        assert list(leaves(plain, inputs.sensitive, l, die, SOFT_CUT, rows)) == list(
            leaves(RunningCuts(inputs), inputs.sensitive, l, die, SOFT_CUT, rows)
        )


def test_the_order_of_the_file_does_not_matter_when_there_is_an_identifier() -> None:
    for number in range(40):
        random = Random(f"permuted {number}")
        table, l = soft_table(random)
        coins = Coins.from_seed(number)
        shuffled = np.array(random.sample(range(len(table)), len(table)))
        assert table.order is not None
        other = table.rows(shuffled)
        here, there = (SoftCut(l=l).group(one, coins, threads=2).labels for one in (table, other))
        assert np.array_equal(here[shuffled], there)


def test_a_large_table_falls_into_the_same_groups_on_any_number_of_threads(thorough: bool) -> None:
    """Enough rows for the threads to share the tree, and for cuts of it to be tried and refused by themselves."""
    random = Random("sixty thousand")
    n, l = 60_000, 2
    quasi = [
        line("age", [random.randrange(79) for _ in range(n)]),
        line("income", [int(500 * random.paretovariate(2)) for _ in range(n)]),
    ]
    hidden = secret("s", [0 if random.random() < 0.24 else random.randrange(1, 30) for _ in range(n)])
    table, coins = table_of([*quasi, hidden], random.sample(range(n), n)), Coins.from_seed(1)
    found = SoftCut(l=l).group(table, coins, threads=2)
    assert np.array_equal(found.labels, SoftCut(l=l).group(table, coins, threads=1).labels)
    assert found.sizes.max() > Hybrid(l=l).group(table, coins, threads=2).sizes.max()  # some cuts were refused
    if thorough:
        assert found.labels.tolist() == expected(table, l, coins)


def test_many_wide_attributes_fall_into_the_groups_of_the_definition() -> None:
    random = Random("wide soft cut")
    n, l = 100, 2
    quasi = [line(f"q{i}", [random.randrange(2**31 - 1 - i) for _ in range(n)], (0, 2**31 - 1 - i)) for i in range(9)]
    hidden = secret("s", [0 if random.random() < 0.2 else random.randrange(1, 12) for _ in range(n)])
    table = table_of([*quasi, hidden], random.sample(range(n), n))
    for seed in range(2):
        coins = Coins.from_seed(seed)
        assert SoftCut(l=l).group(table, coins).labels.tolist() == expected(table, l, coins)


def common_in_a_region(share: int) -> Table:
    """1,400 people in a region on two sides, ``share`` of whom have one value; 1,300 elsewhere, all different."""
    region, side, values = [0] * 1300 + [9] * 1400, [0] * 1300 + [0, 1] * 700, list(range(1, 1301))
    values += [0 if row < share else 1 + row % 600 for row in range(1400)]
    return table_of([line("region", region), line("side", side), secret("s", values)], list(range(2700)))


@pytest.mark.parametrize(("share", "tried"), [(160, True), (187, True), (200, True), (201, False)])
def test_below_a_certain_cut_one_is_tried_as_far_as_groups_of_one_more_row_have_room(share: int, tried: bool) -> None:
    """At l = 6: (l + 1) * c <= n; by the kernel, and from counts, as on Spark."""
    table, coins, l = common_in_a_region(share), Coins.from_seed(share), 6
    found = SoftCut(l=l).group(table, coins, threads=1).labels.tolist()
    assert found == expected(table, l, coins)
    assert (found != Hybrid(l=l).group(table, coins, threads=1).labels.tolist()) == tried
    held = np.bincount(table.codes[2][1300:])
    side = SoftCut(l=l).trying(table, coins).side(1400, [(np.flatnonzero(held), held[np.flatnonzero(held)])])
    assert (side is not None) == tried


@pytest.mark.parametrize("chunk", range(4))
def test_groups_are_those_of_the_definition_where_no_cut_is_certain(chunk: int, thorough: bool) -> None:
    """Thorough: 1,600 tables. Where the first cut is refused, the groups are Hybrid's with the same coins."""
    seen: Counter[bool] = Counter()
    for number in range(400 if thorough else 40):
        random = Random(f"opening {chunk} {number}")
        table, l = table_without_certain_cut(random, identifier=random.random() < 0.8)
        coins = Coins.from_seed(random.getrandbits(64))
        order = table.order if table.order is not None else coins.order(len(table))
        inputs, draws = inputs_of(table, order.tolist()), coins.draws(order).tolist()
        cuts = RunningCuts(inputs)
        found = SoftCut(l=l).group(table, coins, threads=1 + number % 2).labels.tolist()
        assert found == labels(soft_cut(inputs, l, draws, CoinsDie(coins, l), cuts)), number
        accepted = opened(cuts, inputs.sensitive, l, draws, range(len(table))) is not None
        seen[accepted] += 1
        if not accepted:
            assert found == Hybrid(l=l).group(table, coins, threads=1).labels.tolist()
    assert min(seen[True], seen[False]) > 0


@pytest.mark.parametrize("chunk", range(2))
def test_groups_with_values_and_k_are_those_of_the_definition(chunk: int, thorough: bool) -> None:
    """Thorough: 600 tables. Where the first cut is refused, the groups are Ace's with the same coins."""
    seen: Counter[bool] = Counter()
    for number in range(300 if thorough else 12):
        random = Random(f"opening with values {chunk} {number}")
        table, l = table_without_certain_cut(random, identifier=random.random() < 0.8, most_rows=120)
        (column,) = table.having(Role.SENSITIVE)
        codes = random.choice([[0], [0], [0, 1], None])
        names = None if codes is None else tuple(table.attributes[column].values[code] for code in codes)
        k = random.choice([1, 2, 3, 12]) if codes is not None else random.choice([2, 3, 12])
        coins = Coins.from_seed(random.getrandbits(64))
        order = table.order if table.order is not None else coins.order(len(table))
        inputs, draws = inputs_of(table, order.tolist()), coins.draws(order).tolist()
        groups = protected.soft_cut(inputs, l, draws, CoinsDie(coins, l), codes, k)
        found = SoftCut(l=l, values=names, k=k).group(table, coins, threads=1 + number % 2)
        assert sorted_groups(found) == sorted(sorted(group) for group in groups), number
        accepted = protected.opened(inputs, l, draws, codes, k) is not None
        seen[accepted] += 1
        if not accepted:
            assert sorted_groups(found) == sorted_groups(Ace(l=l, values=names, k=k).group(table, coins, threads=1))
    assert min(seen[True], seen[False]) > 1, seen


@pytest.mark.parametrize(("share", "tried"), [(120, True), (133, True), (134, False), (137, False)])
def test_below_the_first_cut_none_is_tried_where_a_value_takes_more_than_four_fifths_of_its_room(
    share: int, tried: bool
) -> None:
    """At l = 6, where (l + 1) * c <= n allows more: two regions of 1,000 people, ``share`` of one have one value."""
    l, coins = 6, Coins.from_seed(1)
    values = [0 if row < common else 1 + row % 14 for common in (share, 100) for row in range(1000)]
    quasi = [line("region", [0] * 1000 + [9] * 1000), line("side", [0, 1] * 1000)]
    table = table_of([*quasi, secret("s", values)], list(range(2000)))
    inputs, draws = inputs_of(table, list(range(2000))), coins.draws(np.arange(2000)).tolist()
    cuts, die = RunningCuts(inputs), CoinsDie(coins, l)
    assert opened(cuts, inputs.sensitive, l, draws, range(2000)) is not None
    either = [list(leaves(cuts, inputs.sensitive, l, die, rules, range(1000), path=(0,))) for rules in RULES]
    assert (either[0] == either[1]) == tried
    for threads in (1, 2):
        found = SoftCut(l=l).group(table, coins, threads=threads).labels.tolist()
        assert found == labels(soft_cut(inputs, l, draws, die, cuts))
