"""Mask and SpuriousRecords publish exactly what their definitions say, and what is published keeps the model."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.methods.alpha_k import AlphaK
from pellucid.anonymize.methods.incognito import Incognito
from pellucid.anonymize.methods.mask import Mask
from pellucid.anonymize.methods.mdav import Mdav
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.anonymize.methods.spurious_records import SpuriousRecords
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError, ModelError
from pellucid.kernels import keyed
from plain import disguise
from plain.random_tables import random_table
from plain.tables import line, secret, table_of


def rows_of(grouping: Grouping) -> list[list[int]]:
    return [grouping.members[a:b].tolist() for a, b in zip(grouping.starts[:-1], grouping.starts[1:], strict=True)]


def values_of(table: Table) -> list[int]:
    (column,) = table.having(Role.SENSITIVE)
    return table.codes[column].tolist()


def order_of(table: Table, coins: Coins) -> np.ndarray:
    return table.order if table.order is not None else coins.order(len(table))


def random_case(name: str, largest: int = 70) -> tuple[Random, Table, int, Coins]:
    random = Random(name)
    table, _ = random_table(random, largest=largest, identifier=random.random() < 0.8)
    k = random.randint(1, min(8, len(table)))
    return random, table, k, Coins.from_seed(random.getrandbits(64))


def draw(coins: Coins, purpose: str, word: int) -> int:
    return int(coins.draws(np.array([word], np.int64), purpose=purpose)[0])


def expect_refusal(method: Method, table: Table, coins: Coins, threads: int) -> tuple[int, int]:
    with pytest.raises(Infeasible):
        method.group(table, coins, threads=threads)
    return 1, 0


def compare_mask(name: str, threads: int = 1, largest: int = 70) -> tuple[int, int]:
    random, table, k, coins = random_case(name, largest)
    values = values_of(table)
    known = table.attributes[table.having(Role.SENSITIVE)[0]].values.to_list()
    protected = set(random.sample(range(len(known)), random.randint(1, max(1, len(known) // 2))))
    l, rule = random.randint(1, 6), random.choice(["highest", "all"])
    method = Mask(k=k, l=l, sensitive=[known[code] for code in protected], donors=rule)
    groups = rows_of(Mondrian(k=k).group(table, coins, threads=1))
    order = order_of(table, coins)
    expected = disguise.mask(
        groups,
        values,
        protected,
        l,
        rule,
        lambda group: draw(coins, "mask donors", group),
        coins.draws(order, purpose="mask rows").tolist(),
        coins.draws(order, purpose="mask values").tolist(),
    )
    if expected is None:
        return expect_refusal(method, table, coins, threads)
    made = method.group(table, coins, threads=threads)
    assert rows_of(made) == groups
    assert made.sensitive is not None
    assert made.sensitive.tolist() == expected
    for group in groups:
        assert sum(expected[row] in protected for row in group) * l <= len(group)
    return 0, sum(a != b for a, b in zip(values, expected, strict=True))


@pytest.mark.parametrize("chunk", range(10))
def test_mask_publishes_what_the_definition_says(chunk: int) -> None:
    refused, changed = np.sum([compare_mask(f"mask {chunk} {number}") for number in range(120)], axis=0)
    assert refused > 2
    assert changed > 100


FIRST: dict[str, Callable[[int], Method]] = {
    "mondrian": lambda k: Mondrian(k=k),
    "incognito": lambda k: Incognito(k=k),
    "alpha-k": lambda k: AlphaK(alpha=1, k=k),
    "mdav": lambda k: Mdav(k=k),
}


def compare_each(name: str, threads: int = 1, largest: int = 70) -> tuple[int, int]:
    random, table, k, coins = random_case(name, largest)
    values = values_of(table)
    known = table.attributes[table.having(Role.SENSITIVE)[0]].values.to_list()
    some = None if random.random() < 0.6 else random.sample(range(len(known)), random.randint(1, len(known)))
    protected = set(range(len(known)) if some is None else some)
    l, first = random.randint(1, 4), random.choice(sorted(FIRST))
    method = Mask(k=k, l=l, each=True, sensitive=None if some is None else [known[code] for code in some], first=first)
    groups = rows_of(FIRST[first](k).group(table, coins, threads=1))
    order = order_of(table, coins)
    expected = disguise.mask_each(
        groups,
        values,
        protected,
        l,
        len(known),
        lambda group: draw(coins, "mask donors", group),
        coins.draws(order, purpose="mask rows").tolist(),
        coins.draws(order, purpose="mask values").tolist(),
        lambda group, turn: draw(coins, "mask left over", (group << 32) + turn),
    )
    if expected is None:
        return expect_refusal(method, table, coins, threads)
    made = method.group(table, coins, threads=threads)
    assert rows_of(made) == groups
    assert made.sensitive is not None
    assert made.sensitive.tolist() == expected
    for group in groups:
        held = [expected[row] for row in group]
        assert all(held.count(value) * l <= len(group) for value in protected)
    return 0, sum(a != b for a, b in zip(values, expected, strict=True))


@pytest.mark.parametrize("chunk", range(10))
def test_mask_of_each_value_publishes_what_the_definition_says(chunk: int) -> None:
    refused, changed = np.sum([compare_each(f"each {chunk} {number}") for number in range(60)], axis=0)
    assert refused > 2
    assert changed > 30


def test_mask_of_each_value_in_small_parts_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.anonymize.methods.mask.CELLS", 8)
    assert sum(compare_each(f"parts {number}")[1] for number in range(30)) > 20


def compare_spurious(name: str, threads: int = 1, largest: int = 70) -> tuple[int, int]:
    random, table, k, coins = random_case(name, largest)
    values = values_of(table)
    known = len(table.attributes[table.having(Role.SENSITIVE)[0]])
    l = random.randint(1, 6)
    method = SpuriousRecords(k=k, l=l)
    groups = rows_of(Mondrian(k=k).group(table, coins, threads=1))
    key = coins.subkey("spurious records")

    def drawn(group: int, turn: int) -> int:
        word = np.empty(1, np.int64)
        keyed.hash_range(*key, (group << 32) + turn, word)
        return int(word[0]) % known

    expected = disguise.spurious(groups, values, l, drawn)
    if expected is None:
        return expect_refusal(method, table, coins, threads)
    made = method.group(table, coins, threads=threads)
    assert rows_of(made) == groups
    assert made.added is not None
    assert made.added[0].tolist() == [g for g, new in enumerate(expected) for _ in new]
    assert made.added[1].tolist() == [value for new in expected for value in new]
    for group, new in zip(groups, expected, strict=True):
        published = [values[row] for row in group] + new
        assert all(published.count(value) * l <= len(published) for value in published)
        assert len(set(published)) >= l
        assert not set(new) & {values[row] for row in group}
    return 0, sum(map(len, expected))


@pytest.mark.parametrize("chunk", range(10))
def test_spurious_records_are_those_of_the_definition(chunk: int) -> None:
    refused, added = np.sum([compare_spurious(f"spurious {chunk} {number}") for number in range(120)], axis=0)
    assert refused > 2
    assert added > 100


@pytest.mark.parametrize("seed", range(3))
def test_larger_tables_on_two_threads_are_disguised_as_defined(seed: int) -> None:
    compare_mask(f"large mask {seed}", threads=2, largest=4000)
    compare_spurious(f"large spurious {seed}", threads=2, largest=4000)


def people(values: list[int]) -> Table:
    return table_of([line("age", list(range(len(values)))), secret("s", values)], range(len(values)))


def test_mask_without_a_group_to_look_like_names_the_largest_l() -> None:
    table = people([0, 0, 0, 1, 0, 0, 1, 1])  # two groups of four with 3 and 2 of value 0
    with pytest.raises(Infeasible, match="use l = 2 or less"):
        Mask(k=4, l=3, sensitive="s 0").group(table, Coins.from_seed(1))
    found = Mask(k=4, l=2, sensitive="s 0").group(table, Coins.from_seed(1))
    assert found.sensitive is not None
    assert np.bincount(found.labels[found.sensitive == 0]).tolist() == [2, 2]


def test_mask_takes_the_donors_with_the_highest_share_or_all() -> None:
    """Groups with shares 1, 1/3, 0 and 1/3 at l = 3 and k = 3: two donors are needed, and there are two with 1/3."""
    table = people([0, 0, 0, 0, 1, 1, 2, 2, 2, 0, 1, 2])
    kept = set()
    for seed in range(60):
        found = Mask(k=3, l=3, sensitive="s 0").group(table, Coins.from_seed(seed))
        assert found.sensitive is not None
        kept.add(int((found.sensitive[:3] == 0).sum()))
    assert kept == {1}
    kept = set()
    for seed in range(60):
        found = Mask(k=3, l=3, sensitive="s 0", donors="all").group(table, Coins.from_seed(seed))
        assert found.sensitive is not None
        kept.add(int((found.sensitive[:3] == 0).sum()))
    assert kept == {0, 1}


def test_spurious_records_without_enough_values_name_the_largest_l() -> None:
    table = people([0, 0, 0, 1, 2, 3, 1, 2])  # a group of four with three of value 0 and two values to add
    with pytest.raises(Infeasible, match=r"'s 0' is the 's' of 3 of 4 rows.*use l = 2 or less"):
        SpuriousRecords(k=4, l=3).group(table, Coins.from_seed(1))
    assert SpuriousRecords(k=4, l=2).group(table, Coins.from_seed(1)).added is not None


def test_everybody_with_the_same_value_cannot_be_disguised() -> None:
    table = people([0] * 6)
    with pytest.raises(Infeasible, match="no l above 1 is"):
        SpuriousRecords(k=2, l=2).group(table, Coins.from_seed(1))
    with pytest.raises(Infeasible, match="no l above 1 is"):
        Mask(k=2, l=2, sensitive="s 0").group(table, Coins.from_seed(1))
    assert len(Mask(k=2, l=1, sensitive="s 0").group(table, Coins.from_seed(1))) == 2


def test_a_sensitive_set_is_a_value_or_several_and_must_occur() -> None:
    assert Mask(k=2, l=2, sensitive="HIV").sensitive == ("HIV",)
    assert Mask(k=2, l=2, sensitive={"b", "a"}).sensitive == ("a", "b")
    assert Mask(k=2, l=2, sensitive=[3]) == Mask(k=2, l=2, sensitive=(3,))
    with pytest.raises(MethodError, match="sensitive"):
        Mask(k=2, l=2, sensitive=[])
    with pytest.raises(MethodError, match="donors"):
        Mask(k=2, l=2, sensitive="a", donors="some")
    with pytest.raises(ModelError, match="did you mean 's 0'"):
        Mask(k=2, l=2, sensitive="s 00").group(people([0, 1, 2, 3]), Coins.from_seed(1))


def test_a_hundred_thousand_values_are_drawn_from_without_looking_at_each() -> None:
    n = 100_000
    values = np.arange(n) // 2 * 2  # pairs
    table = table_of([line("age", (np.arange(n) // 2).tolist()), secret("s", values.tolist())], range(n))
    found = SpuriousRecords(k=2, l=2).group(table, Coins.from_seed(1))
    assert found.added is not None
    assert len(found.added[0]) >= 2 * (n // 8)
