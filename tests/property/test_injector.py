"""Injector gives exactly the groups of its definition, and they keep what it promises."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.methods.injector import Injector
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from plain import injector as plain
from plain.random_tables import random_table
from plain.tables import line, secret, table_of


def vectors(table: Table) -> tuple[list[tuple[int, ...]], list[int]]:
    (column,) = table.having(Role.SENSITIVE)
    columns = [table.codes[i].tolist() for i in table.having(Role.QUASI)]
    return list(zip(*columns, strict=True)), table.codes[column].tolist()


def by_definition(table: Table, method: Injector, coins: Coins) -> tuple[plain.Labels, list[set[int]]]:
    order = table.order if table.order is not None else coins.order(len(table))
    rows, values = vectors(table)
    never = plain.excluded(rows, values, Fraction(repr(method.expectation)), method.size)
    draws = coins.draws(order, purpose="injector").tolist()
    begin = coins.draws(order, purpose="injector joining").tolist()
    groups = plain.deal(values, never, method.l, draws)
    if not groups:
        return (), never
    groups = plain.join(groups, values, never, draws, begin)
    return plain.labels(groups, len(table)), never


def compare(random: Random, table: Table, l: int, threads: int) -> tuple[int, int, int]:
    """The package against the definition; rows with rules, joined rows, suppressed rows."""
    coins = Coins.from_seed(random.getrandbits(64))
    method = Injector(
        l=l, expectation=random.choice([0.1, 0.5, 0.9, 0.9, 1.0, 1.7, 3.0]), size=random.choice([1, 1, 2, 2, 3])
    )
    expected, never = by_definition(table, method, coins)
    if not expected:
        with pytest.raises(Infeasible):
            method.group(table, coins, threads=threads)
        return 0, 0, 0
    found = method.group(table, coins, threads=threads)
    assert tuple(found.labels.tolist()) == expected
    _, values = vectors(table)
    for group in range(len(found)):
        rows = np.flatnonzero(found.labels == group).tolist()
        assert len(rows) >= l
        assert len({values[row] for row in rows}) == len(rows)
        assert not any(never[row] & {values[other] for other in rows} for row in rows)
    assert found.suppressed == expected.count(-1)
    return sum(map(bool, never)), int((found.sizes - l).sum()), found.suppressed


@pytest.mark.parametrize("chunk", range(10))
def test_groups_are_those_of_the_definition(chunk: int) -> None:
    seen = np.zeros(3, int)
    for number in range(120):
        random = Random(f"injector {chunk} {number}")
        table, l = random_table(random, largest=70, identifier=random.random() < 0.8)
        seen += compare(random, table, min(l, 5), threads=1)
    assert (seen > 20).all()  # there are rules, and rows that join, and rows that fit nowhere


def test_groups_of_a_larger_table_on_two_threads_are_those_of_the_definition() -> None:
    random = Random("large")
    n = 2500
    sex = [random.randrange(2) for _ in range(n)]
    job = [random.randrange(6) for _ in range(n)]
    own = [3 * s + j % 3 for s, j in zip(sex, job, strict=True)]
    disease = [6 + random.randrange(60) if random.random() < 0.5 else value for value in own]
    table = table_of([line("sex", sex), line("job", job), secret("s", disease)], random.sample(range(n), n))
    joined = compare(random, table, 4, threads=2)
    assert joined[0] == n


def test_nobody_is_mixed_with_people_whose_values_they_cannot_have() -> None:
    """Men without ovarian cancer and women without prostate cancer: anatomy mixes them, Injector does not."""
    n = 400
    sex = [row % 2 for row in range(n)]
    disease = [row // 2 % 4 if row // 2 % 4 < 3 else 3 + row % 2 for row in range(n)]
    table = table_of([line("sex", sex), secret("disease", disease)], range(n))
    found = Injector(l=3).group(table, Coins.from_seed(1))
    for group in range(len(found)):
        rows = np.flatnonzero(found.labels == group)
        values = {disease[row] for row in rows}
        assert not ({3, 4} <= values)
        if 3 in values:
            assert {sex[row] for row in rows} == {0}
    careless = Injector(l=3, expectation=1e9).group(table, Coins.from_seed(1))
    assert any(
        len({sex[row] for row in np.flatnonzero(careless.labels == g)}) == 2
        and {disease[row] for row in np.flatnonzero(careless.labels == g)} & {3, 4}
        for g in range(len(careless))
    )


def test_rules_that_leave_nobody_together_name_the_largest_l() -> None:
    """Each of two jobs has two diseases of its own: two rows fit together, three do not."""
    table = table_of(
        [line("job", [row // 20 for row in range(40)]), secret("s", [2 * (row // 20) + row % 2 for row in range(40)])],
        range(40),
    )
    assert len(Injector(l=2).group(table, Coins.from_seed(1))) == 20
    with pytest.raises(Infeasible, match="use l = 2 or less"):
        Injector(l=3).group(table, Coins.from_seed(1))


def test_the_threshold_is_exact() -> None:
    """27 of 30 rows at 1 of 30 is 0.9 expected rows, which no float of 0.9 * 30 may miss."""
    values = [5] * 1 + [row % 4 for row in range(29)]
    table = table_of([line("q", [1] * 3 + [0] * 27), secret("s", values)], range(30))
    rows, codes = vectors(table)
    assert table.codes[1][0] in plain.excluded(rows, codes, Fraction("0.9"), 1)[29]
    for expectation in (0.9, 0.90001):
        method = Injector(l=2, expectation=expectation, size=1)
        coins = Coins.from_seed(1)
        expected, _ = by_definition(table, method, coins)
        assert tuple(method.group(table, coins).labels.tolist()) == expected


@pytest.mark.parametrize("parameters", [{"expectation": 0.0}, {"expectation": float("inf")}, {"size": 0}, {"l": 0}])
def test_parameters_out_of_range_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(MethodError, match=next(iter(parameters))):
        Injector(**{"l": 2, **parameters})
