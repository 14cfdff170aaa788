"""What every method promises, whichever it is: a new one is held to this from the moment it is registered."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from pellucid.coins import Coins
from pellucid.errors import Infeasible, PellucidError
from pellucid.group import methods
from pellucid.schema import Role
from pellucid.table import Table
from plain.random_tables import FAMILIES, random_secret, random_table
from plain.tables import line, secret, table_of

METHODS = methods()

every_method = pytest.mark.parametrize("name", sorted(METHODS))


def labels(name: str, table: Table, l: int, *, seed: int = 1, threads: int = 1) -> NDArray[np.int32]:
    return METHODS[name](l=l).group(table, Coins.from_seed(seed), threads=threads).labels


def assert_groups_are_diverse(table: Table, found: NDArray[np.int32], l: int) -> None:
    """One label per row, groups numbered without gaps, and in each group no value in more than one row of l."""
    assert found.shape == (len(table),)
    assert found.dtype == np.int32
    kept = found >= 0
    assert (found[~kept] == -1).all()
    assert kept.any()
    sizes = np.bincount(found[kept])
    assert sizes.min() > 0
    for column in table.having(Role.SENSITIVE):
        width = len(table.attributes[column])
        cells, counts = np.unique(found[kept].astype(np.int64) * width + table.codes[column][kept], return_counts=True)
        assert (counts * l <= sizes[cells // width]).all()


def permuted(table: Table, rows: NDArray[np.int64]) -> Table:
    assert table.order is not None
    return replace(table, codes=tuple(codes[rows] for codes in table.codes), order=table.order[rows])


@every_method
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("identifier", [True, False])
def test_every_row_is_in_one_diverse_group_or_suppressed(name: str, family: str, identifier: bool) -> None:
    for seed in range(40):
        table, l = random_table(Random(f"diverse {seed}"), family=family, identifier=identifier)
        assert_groups_are_diverse(table, labels(name, table, l), l)


@every_method
def test_the_same_coins_give_the_same_groups_for_any_number_of_threads(name: str) -> None:
    for seed in range(60):
        table, l = random_table(Random(f"threads {seed}"), identifier=seed % 2 == 0)
        one = labels(name, table, l, seed=seed, threads=1)
        assert np.array_equal(one, labels(name, table, l, seed=seed, threads=2))
        assert np.array_equal(one, labels(name, table, l, seed=seed, threads=2))
    big = shaped(60_000, [79, 2, 17, 57])
    assert np.array_equal(labels(name, big, 8, threads=1), labels(name, big, 8, threads=2))


@every_method
def test_with_an_identifier_the_order_of_the_input_rows_does_not_matter(name: str) -> None:
    for seed in range(60):
        random = Random(f"permuted {seed}")
        table, l = random_table(random)
        rows = np.array(random.sample(range(len(table)), len(table)))
        found = labels(name, table, l, seed=seed)
        assert np.array_equal(labels(name, permuted(table, rows), l, seed=seed), found[rows])


@every_method
def test_arguments_are_left_as_they_were(name: str) -> None:
    table, l = random_table(Random("untouched"), largest=100)
    before = [codes.copy() for codes in table.codes]
    order = None if table.order is None else table.order.copy()
    labels(name, table, l)
    assert all(np.array_equal(now, then) for now, then in zip(table.codes, before, strict=True))
    assert order is not None
    assert np.array_equal(table.order, order)


@every_method
def test_read_only_arrays_are_accepted(name: str) -> None:
    """What polars and Arrow hand out without a copy is not writable."""
    table, l = random_table(Random("read-only"), largest=100, family="tree")
    found = labels(name, table, l)
    for array in (*table.codes, table.order):
        assert array is not None
        array.flags.writeable = False
    for attribute in table.attributes:
        for array in (attribute.positions, attribute.chains, attribute.leaves):
            if array is not None:
                array.flags.writeable = False
    assert np.array_equal(labels(name, table, l), found)


@every_method
def test_a_single_row_is_a_group_at_l_1_and_infeasible_above(name: str) -> None:
    table = table_of([line("age", [40]), secret("disease", [3])], [0])
    assert labels(name, table, 1).tolist() == [0]
    with pytest.raises(Infeasible):
        labels(name, table, 2)


@every_method
@pytest.mark.parametrize("l", [2, 3, 8])
def test_fewer_rows_than_l_are_infeasible(name: str, l: int) -> None:
    table = table_of([line("age", list(range(l - 1))), secret("disease", list(range(l - 1)))], list(range(l - 1)))
    with pytest.raises(Infeasible):
        labels(name, table, l)
    assert_groups_are_diverse(table, labels(name, table, l - 1), l - 1)


@every_method
@pytest.mark.parametrize(("held", "of", "feasible"), [(307, 1024, 3), (1024, 1024, 1), (205, 1024, 4), (129, 1024, 7)])
def test_a_value_that_is_too_frequent_is_named_with_the_largest_feasible_l(
    name: str, held: int, of: int, feasible: int
) -> None:
    """The message lets the user act: which value, and what would work. And what it says would work does."""
    random = Random(held)
    others = [1 + row % 200 for row in range(of - held)]
    hidden, codes = secret("disease", [0] * held + others)
    table = table_of([line("age", [random.randrange(90) for _ in range(of)]), (hidden, codes)], list(range(of)))
    with pytest.raises(Infeasible) as refusal:
        labels(name, table, feasible + 1)
    message = str(refusal.value)
    assert "\n" not in message
    assert hidden.values[0] in message
    assert re.search(rf"\b{feasible}\b", message)
    assert_groups_are_diverse(table, labels(name, table, feasible), feasible)


@every_method
def test_exactly_one_row_in_l_is_still_feasible(name: str) -> None:
    table = table_of(
        [line("age", [row // 3 for row in range(40)]), secret("s", [row % 5 for row in range(40)])], range(40)
    )
    assert_groups_are_diverse(table, labels(name, table, 5), 5)
    with pytest.raises(Infeasible):
        labels(name, table, 6)


@every_method
@pytest.mark.parametrize("l", [0, -1, 1.5, "many", None])
def test_an_l_that_is_not_a_positive_integer_is_refused(name: str, l: object) -> None:
    with pytest.raises((PellucidError, ValueError)):
        METHODS[name](l=l)


@every_method
@pytest.mark.parametrize("identifier", [True, False])
def test_rows_that_are_all_alike_are_grouped(name: str, identifier: bool) -> None:
    n = 3000
    hidden = secret("s", [row % 30 for row in range(n)])
    table = table_of([line("a", [7] * n), line("b", [None] * n), hidden], range(n) if identifier else None)
    found = labels(name, table, 5, threads=2)
    assert_groups_are_diverse(table, found, 5)
    assert np.array_equal(found, labels(name, table, 5, threads=1))


def shaped(n: int, distinct: list[int], jobs: int = 50) -> Table:
    """A table of so many rows with so many distinct values per quasi-identifier."""
    generator = np.random.default_rng(n + len(distinct))
    quasi = [line(f"q{i}", generator.integers(0, width, n).tolist()) for i, width in enumerate(distinct)]
    hidden = secret("s", generator.triangular(0, jobs / 9, jobs, n).astype(int).tolist())
    return table_of([*quasi, hidden], generator.permutation(n))


@every_method
@pytest.mark.parametrize(
    "distinct",
    [[50], [9] * 12, [2] * 30, [1000] * 30],
    ids=["1 attribute", "12 attributes", "30 narrow attributes", "30 wide attributes"],
)
def test_any_number_of_quasi_identifiers_is_grouped(name: str, distinct: list[int]) -> None:
    table = shaped(4000, distinct)
    found = labels(name, table, 4, threads=2)
    assert_groups_are_diverse(table, found, 4)
    assert len(np.unique(found)) > 10


@every_method
def test_a_hundred_thousand_distinct_values_are_grouped(name: str) -> None:
    n = 100_000
    generator = np.random.default_rng(7)
    unique = line("zip", generator.permutation(n).tolist())
    other = line("age", generator.integers(0, 79, n).tolist())
    hidden = secret("s", generator.integers(0, 40, n).tolist())
    table = table_of([other, unique, hidden], generator.permutation(n))
    assert len(table.attributes[1]) == n
    assert_groups_are_diverse(table, labels(name, table, 8, threads=2), 8)


@every_method
def test_as_many_sensitive_values_as_rows_are_grouped(name: str) -> None:
    n = 20_000
    generator = np.random.default_rng(8)
    hidden = secret("s", generator.permutation(n).tolist())
    table = table_of([line("age", generator.integers(0, 79, n).tolist()), hidden], generator.permutation(n))
    assert_groups_are_diverse(table, labels(name, table, 8, threads=2), 8)


@every_method
def test_several_sensitive_columns_are_each_diverse_or_the_method_says_which_methods_can(name: str) -> None:
    random = Random("several")
    n, l = 200, 3
    quasi = [line(f"q{i}", [random.randrange(9) for _ in range(n)]) for i in range(2)]
    table = table_of([*quasi, *(random_secret(random, n, l, f"s{j}") for j in range(3))], random.sample(range(n), n))
    refusal = ""
    try:
        assert_groups_are_diverse(table, labels(name, table, l), l)
    except PellucidError as error:
        refusal = str(error)
    assert refusal == "" or "tailor" in refusal.lower()


def test_tailor_treats_several_sensitive_columns() -> None:
    """At least one method can, so the refusal above names a way out that exists."""
    table, l = random_table(Random("tailor"), secrets=3)
    assert_groups_are_diverse(table, labels("tailor", table, l), l)


@every_method
def test_a_method_describes_itself(name: str) -> None:
    kind = METHODS[name]
    table = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    assert kind.name == name
    assert "\n" not in kind.summary
    assert kind.guarantee in {"none", "frequency", "minimality", "algorithm"}
    assert kind.reference
    sentence = kind(l=7).sentence(table)
    assert "1/7" in sentence
    assert "disease" in sentence
