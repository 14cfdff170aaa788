"""Tailor with a model gives exactly the groups of its definition, and worst-case sizes are those of all choices."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.layout.side_sizes import Sides
from pellucid.anonymize.methods.tailor import Tailor
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table
from pellucid.errors import Infeasible
from pellucid.models import PrivacyModel, models, parse
from pellucid.models.groups import Groups
from pellucid.models.threshold import Threshold
from plain import models as predicates
from plain.random_tables import random_table
from plain.tables import line, secret, table_of
from plain.tailor_cases import CASES, Case, RunningTailored, needed, of_numbers, tailored, with_numbers
from plain.transparent import as_grouping, inputs_of

CHUNKS = 4
TABLES_PER_CHUNK = 250  # 4 * 250 = 1,000 tables for every model

every_model = pytest.mark.parametrize("name", CASES)


def compare(table: Table, case: Case, coins: Coins, threads: int, *, literally: bool = False) -> int:
    """Whether the groups are those of the definition, or both say that there are none; how many there are."""
    model, least, _ = case
    order = table.order if table.order is not None else coins.order(len(table))
    inputs = inputs_of(table, order.tolist())
    rows = range(len(table))
    sides = [needed(inputs, column, least) for column in range(len(inputs.sensitive[0]))]
    if max(side(rows) for side in sides) > len(table):
        with pytest.raises(Infeasible):
            Tailor(model=model).group(table, coins, threads=threads)
        return 0
    found = Tailor(model=model).group(table, coins, threads=threads).labels
    expected = tailored(inputs, sides) if literally else RunningTailored(inputs).tailored(sides)
    groups = tuple(tuple(np.flatnonzero(found == group).tolist()) for group in range(int(found.max()) + 1))
    assert groups == as_grouping(expected), repr(model)
    return len(groups)


def sensitive(table: Table) -> Attribute:
    return table.attributes[table.having(Role.SENSITIVE)[0]]


def sets_of(model: PrivacyModel) -> bool:
    return model.protects is not None


def of_numbers_of_its_own(model: PrivacyModel) -> bool:
    return any(part.name == "(k,e)-anonymity" for part in model.parts)


def case_for(name: str, random: Random, table: Table) -> Case:
    """Sets of values are named in one column; with several columns all values are protected."""
    case = CASES[name](random, sensitive(table))
    while len(table.having(Role.SENSITIVE)) > 1 and (sets_of(case[0]) or of_numbers_of_its_own(case[0])):
        if name == "(k,e)-anonymity":  # its numbers are a column's own
            return CASES["k-anonymity"](random, sensitive(table))
        case = CASES[name](random, sensitive(table))
    return case


@every_model
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definition(name: str, chunk: int) -> None:
    cut = 0
    for number in range(TABLES_PER_CHUNK):
        random = Random(f"tailored {name} {chunk} {number}")
        secrets = random.choice([1, 1, 1, 1, 2])
        largest = 60 if number % 25 == 0 else 14
        table, _ = random_table(random, largest=largest, attributes=3, secrets=secrets, identifier=number % 5 > 0)
        table = with_numbers(random, table)
        coins = Coins.from_seed(random.getrandbits(64))
        groups = compare(table, case_for(name, random, table), coins, 1 + number % 2, literally=number % 70 == 0)
        cut += groups > 1
    assert cut >= (0 if name == "delta-disclosure" else 12)  # a comparison of uncut tables would say nothing


@every_model
def test_the_worst_choice_of_the_definition_is_the_worst_of_all_choices(name: str) -> None:
    """By brute force; and what the package computes for many groups of a table is what it computes for one."""
    for number in range(120):
        random = Random(f"choices {name} {number}")
        counts = [random.choice([0, 1, 1, 2, 3]) for _ in range(random.randint(1, 5))]
        counts[0] = counts[0] or 1
        table = [count + random.choice([0, 0, 1, 4]) for count in counts]
        table = [max(1, whole) for whole in table]
        attribute = of_numbers(random, secret("s", range(len(table)))[0])
        model, least, holds = CASES[name](random, attribute)
        expected, _ = predicates.worst_case_size(counts, lambda some: holds(some, table))  # noqa: B023
        assert least(counts, table) == expected
        held, whole = np.array(counts), np.array(table)
        assert model.worst_case_size(held, whole, attribute=attribute) == expected
        codes = np.flatnonzero(held)
        most = random.randint(1, sum(counts))
        sizes = model.worst_case_sizes(whole, attribute)(codes, held[codes], most)
        threshold = model.threshold(attribute)
        for found in [sizes] if threshold is None else [sizes, threshold.of(held)]:
            assert found > most if expected is None or expected > most else found == expected


@every_model
def test_worst_case_sizes_of_larger_groups_are_those_of_the_definition(name: str) -> None:
    for number in range(25):
        random = Random(f"larger {name} {number}")
        values = random.choice([2, 7, 30])
        table = [random.choice([1, 3, 20]) for _ in range(values)]
        counts = [random.randint(0, whole) for whole in table]
        counts[0] = table[0]
        attribute = of_numbers(random, secret("s", range(values))[0])
        model, least, _ = CASES[name](random, attribute)
        held, whole = np.array(counts), np.array(table)
        codes = np.flatnonzero(held)
        expected = least(counts, table)
        found = model.worst_case_sizes(whole, attribute)(codes, held[codes], sum(counts))
        assert found > sum(counts) if expected is None else found == expected


@every_model
@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_rows_that_are_all_alike_are_cut_by_row_order(name: str, n: int) -> None:
    for number in range(6):
        random = Random(f"alike {name} {n} {number}")
        values = random.choice([1, 2, 5, n])
        columns = [secret("s", [random.randrange(values) for _ in range(n)])]
        if number % 3 == 2:
            columns.append(secret("t", [random.randrange(values) for _ in range(n)]))
        quasi = [line("a", [5] * n), line("b", [None] * n)]
        table = with_numbers(random, table_of([*quasi, *columns], random.sample(range(n), n)))
        compare(table, case_for(name, random, table), Coins.from_seed(1), threads=1)


@every_model
def test_as_many_values_as_rows_fall_into_the_groups_of_the_definition(name: str) -> None:
    """Nodes with far fewer rows than there are values are counted in another way."""
    for number in range(4):
        random = Random(f"unique {name} {number}")
        n = 60
        quasi = [
            line("a", [random.randrange(9) for _ in range(n)]),
            line("b", [random.randrange(40) for _ in range(n)]),
        ]
        hidden = [secret("s", range(n)), secret("t", [row // 2 for row in range(n)])][: 1 + number % 2]
        table = with_numbers(random, table_of([*quasi, *hidden], random.sample(range(n), n)))
        compare(table, case_for(name, random, table), Coins.from_seed(1), threads=1)


LARGE = [
    "k-anonymity=20",
    "l-diversity=8",
    "distinct l-diversity=5",
    "recursive (c,l)-diversity=2,4",
    "(alpha,k)-anonymity=0.15,9",
    "entropy l-diversity=7",
    "t-closeness=0.6",
    "ordered t-closeness=0.35",
    "(k,e)-anonymity=5,20",
    "beta-likeness=6",
    "enhanced beta-likeness=6",
]


@pytest.mark.parametrize("text", LARGE)
def test_sixty_thousand_rows_keep_what_the_definition_implies(text: str) -> None:
    """The plain version is too slow here; these hold for its result and fail for most wrong ones."""
    table = large(60_000)
    model = parse(text)
    found = Tailor(model=model).group(table, Coins.from_seed(1), threads=2).labels
    assert np.array_equal(found, Tailor(model=model).group(table, Coins.from_seed(1), threads=1).labels)
    assert found.max() > 0
    groups = Groups.of(found, table.codes[-1], table.attributes[-1])
    assert model.check(groups).holds
    for group in range(0, len(groups), max(1, len(groups) // 40)):  # nothing is left to cut
        part = slice(int(groups.starts[group]), int(groups.starts[group + 1]))
        counts = np.zeros(len(groups.table_counts), np.int64)
        counts[groups.codes[part]] = groups.counts[part]
        size = model.worst_case_size(counts, groups.table_counts, attribute=groups.attribute)
        assert size is not None
        assert groups.sizes[group] < 2 * size


@pytest.mark.parametrize("text", LARGE[1:5])
def test_what_the_kernel_computes_is_what_the_model_answers_when_asked(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, model = large(60_000), parse(text)
    computed = Tailor(model=model).group(table, Coins.from_seed(1), threads=2).labels
    assert Sides.of(table, model).sizes is None
    monkeypatch.setattr(type(model), "threshold", lambda _self, _attribute: None)
    assert Sides.of(table, model).sizes is not None
    assert np.array_equal(computed, Tailor(model=model).group(table, Coins.from_seed(1), threads=2).labels)


def test_a_failure_of_the_model_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel without the interpreter's lock asks the model; what goes wrong there must not be lost."""

    def fails(*_: object) -> object:
        raise ZeroDivisionError("asked")

    monkeypatch.setattr(models()["entropy l-diversity"], "worst_case_sizes", lambda *_: fails)
    for rows in (100, 60_000):  # in the calling thread, and in others
        with pytest.raises(ZeroDivisionError, match="asked"):
            Tailor(model=parse("entropy l-diversity=2")).group(large(rows), Coins.from_seed(1), threads=2)


def test_a_threshold_that_64_bits_cannot_hold_is_asked_of_the_model() -> None:
    assert Threshold(rows=5, above=2**31 - 1).fits
    assert not Threshold(above=10**12, below=10**12 - 1).fits
    table = large(500)
    assert Sides.of(table, parse("(alpha,k)-anonymity=0.499999999999,3")).sizes is not None


@cache
def large(n: int) -> Table:
    generator = np.random.default_rng(5)
    columns = [
        line("age", generator.integers(0, 79, n).tolist()),
        line("gender", generator.integers(0, 2, n).tolist()),
        line("income", (generator.pareto(2, n) * 20_000).astype(int).tolist()),
    ]
    job = secret("job", generator.triangular(0, 3, 50, n).astype(int).tolist())
    return with_numbers(Random(1), table_of([*columns, job], generator.permutation(n).tolist()))
