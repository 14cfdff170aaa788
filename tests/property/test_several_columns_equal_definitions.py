"""Ace, Hybrid and SoftCut on tables with several sensitive columns give the groups of the plain definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from pellucid.anonymize import protecting
from pellucid.anonymize import several as compiled
from pellucid.anonymize.methods.ace import Ace
from pellucid.anonymize.methods.hybrid import Hybrid
from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible
from plain import several
from plain.pieces import watched
from plain.random_tables import random_table
from plain.soft_cut import WatchedDie
from plain.tables import line, secret, sorted_groups, table_of
from plain.transparent import NotEligibleError, inputs_of

CHUNKS = 4
QUICK, THOROUGH = 14, 650  # tables per chunk
Codes = Sequence[int] | None


def compare(table: Table, l: int, codes: Sequence[Codes], k: int, coins: Coins, threads: int) -> list[bool]:
    """Whether a die refused, for every cut that was tried."""
    order = table.order if table.order is not None else coins.order(len(table))
    t = inputs_of(table, order.tolist())
    draw = coins.draws(order).tolist()
    decided: list[bool] = []
    attributes = [table.attributes[column] for column in table.having(Role.SENSITIVE)]
    values = {
        one.name: tuple(one.values[code] for code in some)
        for one, some in zip(attributes, codes, strict=True)
        if some is not None
    }
    for kind in (Ace, Hybrid, SoftCut):
        method = kind(l=l, values=values or None, k=k)
        try:
            several.check(t, l, codes, k)
        except NotEligibleError:
            with pytest.raises(Infeasible):
                method.group(table, coins)
            continue
        if kind is Ace:
            groups = several.ace(t, l, draw, codes, k)
        else:
            groups = several.tree(t, l, draw, codes, k, WatchedDie(coins, l, decided) if kind is SoftCut else None)
        assert sorted_groups(method.group(table, coins, threads=threads)) == sorted(
            sorted(group) for group in groups
        ), kind.name
    return decided


def with_more_columns(random: Random, table: Table) -> Table:
    """The table with one or two sensitive columns more, of few values."""
    columns = list(zip(table.attributes, (codes.tolist() for codes in table.codes), strict=True))
    for number in range(random.choice([1, 1, 2])):
        weights = [random.random() + 0.05 for _ in range(random.randint(2, 6))]
        columns.append(secret(f"more{number}", random.choices(range(len(weights)), weights, k=len(table))))
    return replace(table_of(columns, None), order=table.order)


def random_codes(random: Random, table: Table) -> list[Codes]:
    chosen: list[Codes] = []
    for column in table.having(Role.SENSITIVE):
        held = Counter(table.codes[column].tolist())
        rare = [code for code, _ in held.most_common()[::-1]]
        chosen.append(random.choice([None, rare[: random.randint(1, len(rare))], rare[:1]]))
    return chosen


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definitions(chunk: int, thorough: bool) -> None:
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"several {chunk} {number}")
        table, l = random_table(random, largest=40, attributes=3, identifier=random.random() < 0.8)
        table = with_more_columns(random, table)
        k = random.choice([1, 1, 2, 3, 5, random.randint(1, len(table))])
        codes = random_codes(random, table)
        compare(table, min(l, 3), codes, k, Coins.from_seed(random.getrandbits(64)), threads=1 + number % 2)


def soft_table(number: int) -> Table:
    """A table with two columns in which a cut is certain at first, and then cuts are tried."""
    random = Random(f"several soft {number}")
    n = random.randint(90, 130)
    codes = [random.randrange(12) for _ in range(n)]
    ill = [random.random() < (0.36 if code < 3 or code > 8 else 0.1) for code in codes]
    sad = [random.random() < (0.3 if code > 6 else 0.1) for code in codes]
    hidden = [secret("ill", [not one for one in ill]), secret("sad", [not one for one in sad])]
    quasi = [line("a", codes), line("b", [random.randrange(3) for _ in range(n)])]
    return table_of([*quasi, *hidden], random.sample(range(n), n))


# (table, seed of the coins): most of these dice refuse a cut, the others accept one
TRIED = [(1, 14), (1, 80), (7, 8), (7, 10), (7, 24), (1, 1), (7, 1), (7, 2)]


def test_tried_cuts_are_those_of_the_definition(thorough: bool) -> None:
    decided: list[bool] = []
    more = [(number, number) for number in range(200)] if thorough else []
    for number, seed in TRIED + more:
        decided += compare(soft_table(number), 2, [[0], [0]], 1 + seed % 2, Coins.from_seed(seed), 1 + number % 2)
    assert decided.count(True) >= 4
    assert decided.count(False) >= 3


@pytest.mark.parametrize(("most", "rows"), [(3, 1000), (3, 7), (6, 12), (5, 3)])
def test_leaves_with_many_vectors_are_parted_as_in_the_definition(
    monkeypatch: pytest.MonkeyPatch, most: int, rows: int
) -> None:
    """With parts of a thousand rows nothing is parted: a leaf is one group."""
    for module in (several, protecting, compiled):
        monkeypatch.setattr(module, "MOST_VECTORS", most)
    for module in (several, compiled):
        monkeypatch.setattr(module, "PART_ROWS", rows)
    for number in range(12):
        random = Random(f"many vectors {number}")
        table = with_more_columns(random, random_table(random, largest=60, attributes=2)[0])
        codes = random_codes(random, table) if number % 2 else [None] * len(table.having(Role.SENSITIVE))
        k = random.choice([1, 1, 4])
        compare(table, 2, codes, k, Coins.from_seed(number), threads=1)
    for number, seed in TRIED[:4]:
        compare(soft_table(number), 2, [[0], [0]], 1, Coins.from_seed(seed), 1)


def dense_table(random: Random, l: int, columns: int, n: int) -> Table:
    """A table whose values are about as frequent as they may be, so that wide buckets are left to be taken apart."""
    rows = [[random.randrange(l + 1) for _ in range(columns)] for _ in range(n)]
    while True:
        (column, value), most = Counter((j, v) for row in rows for j, v in enumerate(row)).most_common(1)[0]
        if l * most <= len(rows):
            break
        rows.remove(random.choice([row for row in rows if row[column] == value]))
    quasi = [line("a", [random.randrange(12) for _ in rows]), line("b", [random.randrange(3) for _ in rows])]
    hidden = [secret(f"s{j}", [row[j] for row in rows]) for j in range(columns)]
    return table_of([*quasi, *hidden], random.sample(range(len(rows)), len(rows)))


COPIED = [7, 23, 35]  # tables with a piece that a bucket has several times
DENSE = [(2, 4, 60), (3, 3, 50), (3, 4, 50), (4, 3, 60), (4, 2, 180), (5, 2, 180)]  # l, columns, rows


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_buckets_are_taken_apart_as_in_the_definition(
    chunk: int, thorough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watched(monkeypatch)
    count = THOROUGH // 4 if thorough else QUICK
    for number in range(count):
        random = Random(f"dense {chunk} {number}")
        l, columns, n = random.choice(DENSE)
        table = dense_table(random, l, columns, n)
        k = random.choice([1, 1, 1, 4, len(table)])
        compare(table, l, [None] * columns, k, Coins.from_seed(number), threads=1 + number % 2)
    assert sum(one.found for one in seen) >= 2 * count
    assert sum(not one.found for one in seen) >= count
    assert sum(one.found and one.copies > 1 for one in seen) >= (count // 20 if thorough else 0)


@pytest.mark.parametrize("number", COPIED)
def test_pieces_that_a_bucket_has_several_times_are_those_of_the_definition(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watched(monkeypatch)
    compare(dense_table(Random(f"copied {number}"), 4, 2, 180), 4, [None, None], 1, Coins.from_seed(number), 1)
    assert any(one.found and one.copies > 1 for one in seen)


REFUSED = [25, 47, 50]  # tables in which a cut is refused, and a bucket below it taken apart


def test_buckets_below_a_refused_cut_are_taken_apart_for_one_value_more(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watched(monkeypatch)
    for number in REFUSED:
        seen.clear()
        assert True in compare(dense_below(number), 2, [[0], None, None, None], 1, Coins.from_seed(number), 1)
        assert any(one.found and one.l == 3 for one in seen)


def dense_below(number: int) -> Table:
    """A first cut is certain; of one side most who are ill are at one end, and other values have a quarter of it."""
    random = Random(f"dense below {number}")
    n = random.randint(90, 150)
    codes = [random.randrange(12) for _ in range(n)]
    ill = [random.random() < (0.55 if code < 3 else 0.06) for code in codes]
    hidden = [secret("ill", [not one for one in ill])]
    hidden += [secret(f"s{j}", [4 * (code > 5) + random.randrange(4) for code in codes]) for j in range(3)]
    quasi = [line("a", codes), line("b", [random.randrange(3) for _ in range(n)])]
    return table_of([*quasi, *hidden], random.sample(range(n), n))
