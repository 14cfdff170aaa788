"""What every method promises, whichever it is: a new one is held to this from the moment it is registered."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

import pellucid as pc
from pellucid.anonymize.methods import Grouping, methods
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError, PellucidError
from pellucid.models import Groups
from pellucid.publishing import release_of
from plain.random_tables import FAMILIES, random_secret, random_table
from plain.settings import COARSE, QUADRATIC, REFUSING, SETTINGS, SEVERAL_ROWS, SIZES, TINY, grouped, promised
from plain.tables import line, secret, table_of

METHODS = methods()
LARGE = sorted(set(METHODS) - TINY)

every_method = pytest.mark.parametrize("name", sorted(METHODS))
every_large_method = pytest.mark.parametrize("name", LARGE)


def test_every_method_has_a_setting() -> None:
    assert set(METHODS) == set(SETTINGS)


def decisions(grouping: Grouping | None) -> list[NDArray[np.int32]] | None:
    """All that a method decides, as arrays."""
    if grouping is None:
        return None
    added = grouping.added or (np.zeros(0, np.int32), np.zeros(0, np.int32))
    return [grouping.labels, grouping.sensitive if grouping.sensitive is not None else np.zeros(0, np.int32), *added]


def alike(one: Grouping | None, other: Grouping | None) -> bool:
    mine, theirs = decisions(one), decisions(other)
    if mine is None or theirs is None:
        return mine is theirs
    return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


def assert_as_promised(name: str, table: Table, found: Grouping, l: int) -> None:
    """One label per row, groups numbered without gaps, and what is published of each group satisfies the model."""
    assert found.labels.shape == (len(table),)
    assert found.labels.dtype == np.int32
    kept = found.labels >= 0
    assert (found.labels[~kept] == -1).all()
    assert kept.any()
    assert np.bincount(found.labels[kept]).min() > 0
    assert found.suppressed == int((~kept).sum())
    shown, formed = found.as_published(table)
    model = promised(name, table, l)
    for column in table.having(Role.SENSITIVE):
        groups = Groups.of(formed.labels, shown.codes[column], table.attributes[column])
        assert model.met(groups).all()


def permuted(table: Table, rows: NDArray[np.int64]) -> Table:
    assert table.order is not None
    return table.rows(rows)


def tiny(name: str) -> int:
    return 12 if name in TINY else 60


@every_method
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("identifier", [True, False])
def test_every_row_is_in_one_group_as_promised_or_suppressed(name: str, family: str, identifier: bool) -> None:
    done = 0
    for seed in range(25):
        table, l = random_table(Random(f"diverse {seed}"), family=family, identifier=identifier, largest=tiny(name))
        found = grouped(name, table, l)
        if found is not None:
            assert_as_promised(name, table, found, l)
            done += 1
    assert done > 3


@every_method
def test_pc_verify_says_the_same_of_the_release(name: str) -> None:
    done = 0
    for seed in range(20):
        table, l = random_table(Random(f"verify {seed}"), family="ties", largest=tiny(name))
        if grouped(name, table, l, seed=1) is None:
            continue
        named = [
            replace(a, name=f"column {i}", values=a.values.alias(f"column {i}")) for i, a in enumerate(table.attributes)
        ]
        table = replace(table, attributes=tuple(named))
        recode = pc.Intervals() if name == "spurious-records" else pc.Anatomy()  # which would show what is added
        release = release_of(table, SETTINGS[name](l, table), recode=recode, seed=1)
        assert all(pc.verify(release, [promised(name, table, l)])), (seed, l)
        done += 1
    assert done > 2


@every_method
def test_the_same_coins_give_the_same_groups_for_any_number_of_threads(name: str) -> None:
    for seed in range(40):
        table, l = random_table(Random(f"threads {seed}"), identifier=seed % 2 == 0, largest=tiny(name))
        one = grouped(name, table, l, seed=seed, threads=1)
        assert alike(one, grouped(name, table, l, seed=seed, threads=2))
    if name not in TINY:
        big = shaped(8_000 if name in QUADRATIC else 60_000, [79, 2, 17, 57])
        assert alike(grouped(name, big, 8, threads=1), grouped(name, big, 8, threads=2))


@every_method
def test_with_an_identifier_the_order_of_the_input_rows_does_not_matter(name: str) -> None:
    done = 0
    for seed in range(40):
        random = Random(f"permuted {seed}")
        table, l = random_table(random, largest=tiny(name))
        rows = np.array(random.sample(range(len(table)), len(table)))
        found, again = (grouped(name, one, l, seed=seed) for one in (table, permuted(table, rows)))
        assert (found is None) == (again is None)
        if found is None or again is None:
            continue
        done += 1
        assert np.array_equal(again.labels, found.labels[rows])
        if found.sensitive is not None:
            assert again.sensitive is not None
            assert np.array_equal(again.sensitive, found.sensitive[rows])
    assert done > 3


@every_method
def test_arguments_are_left_as_they_were(name: str) -> None:
    table, l = random_table(Random("untouched 3"), largest=tiny(name))
    before = [codes.copy() for codes in table.codes]
    order = None if table.order is None else table.order.copy()
    grouped(name, table, l)
    assert all(np.array_equal(now, then) for now, then in zip(table.codes, before, strict=True))
    assert order is not None
    assert np.array_equal(table.order, order)


@every_method
def test_read_only_arrays_are_accepted(name: str) -> None:
    """What polars and Arrow hand out without a copy is not writable."""
    table, l = random_table(Random("read-only"), largest=tiny(name), family="tree")
    found = grouped(name, table, l)
    for array in (*table.codes, table.order):
        assert array is not None
        array.flags.writeable = False
    for attribute in table.attributes:
        for array in (attribute.positions, attribute.chains, attribute.leaves):
            if array is not None:
                array.flags.writeable = False
    assert alike(grouped(name, table, l), found)


@every_method
def test_a_single_row_is_a_group_at_l_1_and_infeasible_above(name: str) -> None:
    table = table_of([line("age", [40]), secret("disease", [3])], [0])
    if name not in SEVERAL_ROWS:
        found = grouped(name, table, 1)
        assert found is not None
        assert found.labels.tolist() == [0]
    with pytest.raises(Infeasible):
        SETTINGS[name](2, table).group(table, Coins.from_seed(1), threads=1)


@every_method
def test_a_table_without_rows_is_refused(name: str) -> None:
    whole = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    empty = Table(whole.attributes, tuple(codes[:0] for codes in whole.codes), np.zeros(0, np.int64))
    with pytest.raises(MethodError, match="no rows"):
        SETTINGS[name](2, whole).group(empty, Coins.from_seed(1), threads=1)


@every_method
@pytest.mark.parametrize("l", [2, 3, 8])
def test_fewer_rows_than_l_are_infeasible(name: str, l: int) -> None:
    table = table_of([line("age", list(range(l - 1))), secret("disease", list(range(l - 1)))], list(range(l - 1)))
    with pytest.raises(Infeasible):
        SETTINGS[name](l, table).group(table, Coins.from_seed(1), threads=1)
    if l == 2 and name in SEVERAL_ROWS:
        return
    found = grouped(name, table, l - 1)
    if found is not None:
        assert_as_promised(name, table, found, l - 1)


@every_large_method
@pytest.mark.parametrize(("held", "of", "feasible"), [(307, 1024, 3), (1024, 1024, 1), (205, 1024, 4), (129, 1024, 7)])
def test_a_value_that_is_too_frequent_is_named_with_the_largest_feasible_l(
    name: str, held: int, of: int, feasible: int
) -> None:
    """The message lets the user act: which value, and what would work. And what it says would work does."""
    if name in ("mask", "spurious-records"):
        pytest.skip("what they publish is not the true counts; tests/contract/test_disguising_methods.py")
    if name in SIZES | SEVERAL_ROWS:
        pytest.skip("values may be as frequent as they are")
    random = Random(held)
    others = [1 + row % 200 for row in range(of - held)]
    hidden, codes = secret("disease", [0] * held + others)
    table = table_of([line("age", [random.randrange(90) for _ in range(of)]), (hidden, codes)], list(range(of)))
    with pytest.raises(Infeasible) as refusal:
        SETTINGS[name](feasible + 1, table).group(table, Coins.from_seed(1), threads=1)
    message = str(refusal.value)
    assert "\n" not in message
    assert hidden.values[0] in message
    assert re.search(rf"\b{feasible}\b", message)
    found = grouped(name, table, feasible)
    if found is not None:
        assert_as_promised(name, table, found, feasible)
    else:
        assert name in REFUSING


@every_method
@pytest.mark.parametrize("l", [0, -1, 1.5, "many", None])
def test_an_l_that_is_not_a_positive_integer_is_refused(name: str, l: object) -> None:
    table = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    with pytest.raises((PellucidError, ValueError)):
        SETTINGS[name](l, table)  # type: ignore[arg-type]


@every_large_method
@pytest.mark.parametrize("identifier", [True, False])
def test_rows_that_are_all_alike_are_grouped(name: str, identifier: bool) -> None:
    n = 3000
    hidden = secret("s", [row % 30 for row in range(n)])
    table = table_of([line("a", [7] * n), line("b", [None] * n), hidden], range(n) if identifier else None)
    found = grouped(name, table, 5, threads=2)
    assert found is not None
    assert_as_promised(name, table, found, 5)
    assert alike(found, grouped(name, table, 5, threads=1))


def shaped(n: int, distinct: list[int], jobs: int = 50) -> Table:
    """A table of so many rows with so many distinct values per quasi-identifier."""
    generator = np.random.default_rng(n + len(distinct))
    quasi = [line(f"q{i}", generator.integers(0, width, n).tolist()) for i, width in enumerate(distinct)]
    hidden = secret("s", generator.triangular(0, jobs / 9, jobs, n).astype(int).tolist())
    return table_of([*quasi, hidden], generator.permutation(n))


@every_large_method
@pytest.mark.parametrize(
    "distinct",
    [[50], [9] * 12, [2] * 30, [1000] * 30],
    ids=["1 attribute", "12 attributes", "30 narrow attributes", "30 wide attributes"],
)
def test_any_number_of_quasi_identifiers_is_grouped(name: str, distinct: list[int]) -> None:
    if name == "incognito" and len(distinct) == 30:
        pytest.skip("a lattice of 2**30 nodes is refused; tests/contract/test_taxonomic_methods.py")
    table = shaped(4000, distinct)
    found = grouped(name, table, 4, threads=2)
    assert found is not None
    assert_as_promised(name, table, found, 4)
    assert len(found) > 10 or name in COARSE


@every_large_method
def test_a_hundred_thousand_distinct_values_are_grouped(name: str) -> None:
    n = 20_000 if name in QUADRATIC else 100_000
    generator = np.random.default_rng(7)
    unique = line("zip", generator.permutation(n).tolist())
    other = line("age", generator.integers(0, 79, n).tolist())
    hidden = secret("s", generator.integers(0, 40, n).tolist())
    table = table_of([other, unique, hidden], generator.permutation(n))
    assert len(table.attributes[1]) == n
    found = grouped(name, table, 8, threads=2)
    assert found is not None
    assert_as_promised(name, table, found, 8)


@every_large_method
def test_as_many_sensitive_values_as_rows_are_grouped(name: str) -> None:
    n = 20_000
    generator = np.random.default_rng(8)
    hidden = secret("s", generator.permutation(n).tolist())
    table = table_of([line("age", generator.integers(0, 79, n).tolist()), hidden], generator.permutation(n))
    found = grouped(name, table, 8, threads=2)
    assert found is not None
    assert_as_promised(name, table, found, 8)


@every_method
def test_several_sensitive_columns_are_each_protected_or_the_method_says_which_methods_can(name: str) -> None:
    random = Random("several")
    n, l = 200, 3
    quasi = [line(f"q{i}", [random.randrange(9) for _ in range(n)]) for i in range(2)]
    several = table_of([*quasi, *(random_secret(random, n, l, f"s{j}") for j in range(3))], random.sample(range(n), n))
    one = table_of([*quasi, random_secret(random, n, l, "s0")], random.sample(range(n), n))
    refusal = ""
    try:
        found = SETTINGS[name](l, one).group(several, Coins.from_seed(1), threads=1)
        assert_as_promised(name, several, found, l)
    except PellucidError as error:
        refusal = str(error)
    assert (refusal == "") == methods()[name].several
    assert refusal == "" or ", which protects each of them on its own" in refusal


def test_tailor_treats_several_sensitive_columns() -> None:
    """At least one method can, so the refusal above names a way out that exists."""
    table, l = random_table(Random("tailor"), secrets=3)
    found = pc.Tailor(l=l).group(table, Coins.from_seed(1), threads=1)
    assert_as_promised("tailor", table, found, l)


@every_method
def test_a_method_describes_itself(name: str) -> None:
    kind = METHODS[name]
    table = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    assert kind.name == name
    assert "\n" not in kind.summary
    assert kind.guarantee in {"none", "frequency", "minimality", "algorithm"}
    assert kind.reference
    assert len(kind.explanation) > 100
    assert all(declared.description for declared in kind.model_fields.values())
    method = SETTINGS[name](7, table)
    sentence = method.sentence(table)
    assert "disease" in sentence
    assert "\n" not in sentence
    if method.claim == "algorithm":
        assert method.warning is None
        assert "at least 7 rows" in sentence if name in SIZES else "1/7" in sentence or "2/13" in sentence
    else:
        assert kind.attack
        assert method.warning is not None
        assert kind.attack in method.warning
        assert "use strata" in method.warning


@every_method
def test_publishing_warns_exactly_when_an_informed_attacker_may_win(name: str) -> None:
    table, l = random_table(Random("warned 2"), family="ties", largest=12)
    method = SETTINGS[name](l, table)
    if grouped(name, table, l) is None:
        pytest.skip("the table is infeasible for this method")
    if method.warning is None:
        assert pc.publish(table, method).recipe["guarantee"] == "algorithm"
    else:
        with pytest.warns(pc.InformedAttackerWarning, match="somebody who knows how it works"):
            recipe = pc.publish(table, method).recipe
        assert recipe["guarantee"] == method.claim
        assert recipe["suppressed"] + recipe["rows"] >= len(table)


@every_method
def test_a_recipe_makes_the_same_method_again(name: str) -> None:
    table, l = random_table(Random("warned 2"), family="ties", largest=12)
    method = SETTINGS[name](l, table)
    parameters = method.model_dump(mode="json", exclude_none=True)
    again = METHODS[name](**{k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()})
    assert again == method
