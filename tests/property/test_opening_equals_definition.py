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
from plain.soft_cut import CoinsDie, RunningCuts, opened, soft_cut
from plain.soft_tables import table_without_certain_cut
from plain.transparent import inputs_of, labels


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


def sets(grouping: Grouping) -> list[list[int]]:
    """The groups in any order: numbers of groups are never published."""
    return sorted(sorted(group.tolist()) for group in np.split(grouping.members, grouping.starts[1:-1]))
