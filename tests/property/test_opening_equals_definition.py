"""SoftCut, compiled, on tables in which no cut is certain: the first cut and what follows are the definition's."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from pellucid.coins import Coins
from pellucid.group.ace import Ace
from pellucid.group.grouping import Grouping
from pellucid.group.hybrid import Hybrid
from pellucid.group.soft_cut import SoftCut
from pellucid.schema import Role
from plain import protected
from plain.random_tables import table_without_certain_cut
from plain.soft_cut import BELOW_FIRST_CUT, SOFT_CUT, CoinsDie, RunningCuts, leaves, opened, soft_cut
from plain.tables import line, secret, table_of
from plain.transparent import inputs_of, labels

RULES = (BELOW_FIRST_CUT, SOFT_CUT)


@pytest.mark.parametrize("chunk", range(4))
def test_groups_are_those_of_the_definition(chunk: int, thorough: bool) -> None:
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
        assert sets(found) == sorted(sorted(group) for group in groups), number
        accepted = protected.opened(inputs, l, draws, codes, k) is not None
        seen[accepted] += 1
        if not accepted:
            assert sets(found) == sets(Ace(l=l, values=names, k=k).group(table, coins, threads=1))
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


def sets(grouping: Grouping) -> list[list[int]]:
    """The groups in any order: numbers of groups are never published."""
    return sorted(sorted(group.tolist()) for group in np.split(grouping.members, grouping.starts[1:-1]))
