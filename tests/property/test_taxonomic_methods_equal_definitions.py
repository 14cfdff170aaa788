"""AlphaK and Incognito give exactly the groups of the plain definitions, in the same order, on thousands of tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import numpy as np
import polars as pl
import pytest

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.methods.alpha_k import AlphaK
from pellucid.anonymize.methods.incognito import Incognito, is_monotone
from pellucid.anonymize.withholding import asks_of_group_alone, still_holds
from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.io import read
from pellucid.models import PrivacyModel, parse
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.k_e_anonymity import KEAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.maximum_risk import MaximumRisk
from pellucid.models.recursive_diversity import RecursiveDiversity
from plain.random_tables import random_table
from plain.tables import line, secret, table_of, tree
from plain.taxonomic import AlphaKPlain, Group, Plain, incognito, mean_loss, minimal_nodes, plain_of

CHUNKS = 20
ALPHA_K_TABLES = 80  # 20 * 80 = 1,600 tables
INCOGNITO_TABLES = 52  # 20 * 52 = 1,040 tables
WITHHELD_TABLES = 16  # 20 * 16 = 320 tables
ALPHAS = ("1", "1/2", "1/3", "0.4", "0.75", "1/7", "2/3", "99/100", "0.123456789012345678901234567890123456789")


def groups_of(found: Grouping) -> list[Group]:
    return [sorted(found.members[a:b].tolist()) for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)]


def ladder_table(random: Random, n: int) -> Table:
    """A number with a ladder, nulls among its values, beside a category: read as a user's table is."""
    ages = [None if random.random() < 0.1 else random.randrange(18, 80) for _ in range(n)]
    frame = pl.DataFrame(
        {
            "id": random.sample(range(n), n),
            "age": pl.Series(ages, dtype=pl.Int64),
            "town": [random.choice("abcd") for _ in range(n)],
            "s": [f"s{random.randrange(random.choice([2, 9]))}" for _ in range(n)],
        }
    )
    tree = {"*": {"north": ["a", "b"], "c": [], "south": ["d"]}}
    columns = {
        "id": Column(role="identifier"),
        "age": Column(role="quasi", taxonomy={"ladder": random.choice([[5, 10], [20], [7, 14, 28]])}),
        "town": Column(role="quasi", **({"taxonomy": {"tree": tree}} if random.random() < 0.7 else {})),
        "s": Column(role="sensitive"),
    }
    return read(frame, schema=Schema(columns=columns))


def some_table(random: Random, largest: int, attributes: int) -> tuple[Table, int]:
    if random.random() < 0.1:
        return ladder_table(random, random.randint(2, largest)), 1
    family = random.choice(["tree", "tree", "tree", "ties", "telling", "rounded"])
    return random_table(random, largest=largest, attributes=attributes, family=family, identifier=random.random() < 0.8)


def rank_of(table: Table, coins: Coins) -> list[int]:
    return (table.order if table.order is not None else coins.order(len(table))).tolist()


def feasible(random: Random, t: Plain, l: int) -> tuple[AlphaKPlain, tuple[int, ...] | None]:
    """An (alpha,k) that the whole table has, and the protected codes."""
    codes = sorted(set(t.values))
    chosen = tuple(random.sample(codes, random.randint(1, len(codes)))) if random.random() < 0.3 else None
    k = min(len(t.codes), random.choice([1, 2, l, random.randint(1, len(t.codes))]))
    for alpha in [*random.sample(ALPHAS, len(ALPHAS)), "1"]:
        plain = AlphaKPlain(t, Fraction(alpha), k, None if chosen is None else frozenset(chosen))
        if plain.holds(range(len(t.codes))):
            break
    return plain, chosen


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_alpha_k_gives_the_groups_of_its_definition(chunk: int) -> None:
    for number in range(ALPHA_K_TABLES):
        random = Random(f"alpha-k {chunk} {number}")
        table, l = some_table(random, 70, 6)
        coins = Coins.from_seed(number)
        t = plain_of(table, rank_of(table, coins))
        plain, codes = feasible(random, t, l)
        attribute = table.attributes[table.having(Role.SENSITIVE)[0]]
        values = None if codes is None else tuple(attribute.values[code] for code in codes)
        method = AlphaK(alpha=plain.alpha, k=plain.k, sensitive=values)
        found = method.group(table, coins, threads=1 + number % 2)
        assert groups_of(found) == plain.groups()


@dataclass(frozen=True)
class Watched(AlphaKPlain):
    """Notes whether rows that are taken back were spared by children; else whole children were dissolved."""

    seen: list[bool] = field(default_factory=list)

    def take_back(self, kept: Group, children: dict[int, Group]) -> tuple[Group, dict[int, Group]]:
        parent, left = super().take_back(kept, children)
        self.seen.append(len(left) == len(children))
        return parent, left


def test_every_way_of_taking_rows_back_is_among_the_random_tables() -> None:
    """Else the comparison above would not see a wrong one."""
    spared = dissolved = 0
    for number in range(150):
        random = Random(f"alpha-k 0 {number}")
        table, l = some_table(random, 70, 6)
        plain, _ = feasible(random, plain_of(table, rank_of(table, Coins.from_seed(number))), l)
        watched = Watched(plain.t, plain.alpha, plain.k, plain.protected)
        watched.groups()
        spared += watched.seen.count(True)
        dissolved += watched.seen.count(False)
    assert spared >= 20
    assert dissolved >= 20


def test_alpha_k_gives_the_groups_of_its_definition_on_larger_tables() -> None:
    for number in range(4):
        random = Random(f"larger {number}")
        table, l = random_table(random, rows=1200, attributes=4, family="tree")
        t = plain_of(table, rank_of(table, Coins.from_seed(1)))
        alpha, k = Fraction(1, l), random.choice([l, 10])
        found = AlphaK(alpha=alpha, k=k).group(table, Coins.from_seed(1), threads=2)
        assert groups_of(found) == AlphaKPlain(t, alpha, k).groups()


MODELS = (
    "k-anonymity=2",
    "k-anonymity=5",
    "maximum re-identification risk=0.3",
    "l-diversity=2",
    "l-diversity=3",
    "distinct l-diversity=2",
    "entropy l-diversity=1.9",
    "recursive (c,l)-diversity=3,2",
    "t-closeness=0.3",
    "(alpha,k)-anonymity=0.5,3",
    "beta-likeness=2",
    "enhanced beta-likeness=2",
    "delta-disclosure=1.5",
)


def asked(table: Table, t: Plain, model: PrivacyModel):  # type: ignore[no-untyped-def]
    """The model asked of one group of rows, given by its counts."""
    column = table.having(Role.SENSITIVE)[0]
    attribute = table.attributes[column]
    whole = np.bincount(table.codes[column], minlength=len(attribute))
    known: dict[tuple[int, ...], bool] = {}

    def holds(group: Group) -> bool:
        counts = np.bincount([t.values[row] for row in group], minlength=len(attribute))
        key = tuple(counts.tolist())
        if key not in known:
            known[key] = bool(model.check_counts(counts, whole, attribute=attribute))
        return known[key]

    return holds


def test_incognito_gives_the_minimal_nodes_and_groups_of_its_definition_for_each_model() -> None:
    """On few tables: asking a model group by group is slow."""
    several = 0
    for text in MODELS:
        for number in range(10):
            random = Random(f"{text} {number}")
            table, _ = some_table(random, 40, 3)
            t = plain_of(table, range(len(table)))
            holds = asked(table, t, parse(text))
            if holds(list(range(len(table)))):
                several += compare_incognito(table, t, Incognito(model=text), holds)
    assert several >= 12


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_incognito_gives_the_minimal_nodes_and_groups_of_its_definition(chunk: int) -> None:
    for number in range(INCOGNITO_TABLES):
        random = Random(f"incognito {chunk} {number}")
        table, l = some_table(random, 60, random.choice([2, 3, 4, 5]))
        t = plain_of(table, range(len(table)))
        if prod(one.top + 1 for one in t.levels) > 150:
            t, table = first_attributes(table, 2)
        k = min(len(table), random.choice([1, 2, l, random.randint(1, len(table))]))
        by_size = random.random() < 0.5
        plain = AlphaKPlain(t, Fraction(1), k) if by_size else AlphaKPlain(t, Fraction(1, l), 1)
        compare_incognito(table, t, Incognito(k=k) if by_size else Incognito(l=l), plain.holds)


BUDGETS = ("1%", "1/3", 0.1, "12.5 %", "0.6", "90%", 1)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_incognito_withholds_the_rows_of_its_definition(chunk: int) -> None:
    """Of k-anonymity and of l-diversity: with that, a node above a good one may be bad."""
    missing = 0
    for number in range(WITHHELD_TABLES):
        random = Random(f"withheld {chunk} {number}")
        table, l = some_table(random, 60, random.choice([2, 3, 4]))
        t = plain_of(table, range(len(table)))
        if prod(one.top + 1 for one in t.levels) > 150:
            t, table = first_attributes(table, 2)
        k, budget = min(len(table), random.choice([2, 3, 5, 9])), random.choice(BUDGETS)
        by_size = random.random() < 0.5
        plain = AlphaKPlain(t, Fraction(1), k) if by_size else AlphaKPlain(t, Fraction(1, l), 1)
        method = Incognito(k=k, max_suppressed=budget) if by_size else Incognito(l=l, max_suppressed=budget)
        compare_incognito(table, t, method, plain.holds)
        missing += method.group(table, Coins.from_seed(1)).suppressed > 0
    assert missing  # else nothing was compared


def test_a_larger_budget_never_loses_more() -> None:
    """By the loss that chooses, of k-anonymity and of l-diversity; a budget of everything included."""
    budgets = [Fraction(0), *(Fraction(i, 20) for i in (1, 2, 4, 7, 10, 14, 18, 20))]
    falls = 0
    for number in range(WITHHELD_TABLES):
        random = Random(f"budget {number}")
        table, l = some_table(random, 60, random.choice([2, 3, 4]))
        t = plain_of(table, range(len(table)))
        k = min(len(table), random.choice([2, 3, 5, 9]))
        losses = []
        for budget in budgets:
            given = {"k": k} if number % 2 else {"l": l}
            made = Incognito(**given, max_suppressed=budget).group(table, Coins.from_seed(1))
            assert made.suppressed <= min(budget * len(table), len(table) - 1)
            losses.append(mean_loss(t, made.levels, np.flatnonzero(made.labels < 0).tolist()))
        assert losses == sorted(losses, reverse=True), (number, losses)
        falls += losses[0] > losses[-1]
    assert falls  # else no budget changed anything


def test_incognito_withholds_for_each_model_that_asks_of_groups_alone() -> None:
    missing = 0
    for text in (text for text in MODELS if asks_of_group_alone(parse(text))):
        for number in range(10):
            random = Random(f"withheld {text} {number}")
            table, _ = some_table(random, 40, 3)
            t = plain_of(table, range(len(table)))
            holds = asked(table, t, parse(text))
            if holds(list(range(len(table)))):
                method = Incognito(model=text, max_suppressed="20%")
                compare_incognito(table, t, method, holds)
                missing += method.group(table, Coins.from_seed(1)).suppressed > 0
    assert missing >= 20


SOME_VALUES = (
    "distinct l-diversity=2", "distinct l-diversity=3", "l-diversity=2", "recursive (c,l)-diversity=2,2",
)  # fmt: skip


@pytest.mark.parametrize("number", range(12))
def test_incognito_withholds_as_defined_where_some_values_are_protected(number: int) -> None:
    """A group without a protected value is asked nothing, and breaks the model when a row with one joins it."""
    random = Random(f"protected {number}")
    compared = 0
    while compared < 12:
        n = random.randrange(5, 9)
        rows = {
            "id": range(n),
            "a": [random.randrange(12) for _ in range(n)],
            "b": [random.randrange(8) for _ in range(n)],
            "s": [random.choice("hxy") for _ in range(n)],
        }
        columns = {
            "id": Column(role="identifier"),
            "a": Column(role="quasi", taxonomy={"ladder": [3, 6, 12]}),
            "b": Column(role="quasi", taxonomy={"ladder": [2, 4]}),
            "s": Column(role="sensitive"),
        }
        table = read(pl.DataFrame(rows), schema=Schema(columns=columns))
        values = random.choice([["h"], ["h", "x"]])
        if not set(values) <= set(rows["s"]):
            continue
        model = parse(random.choice(SOME_VALUES)).model_copy(
            update={"sensitive": tuple(values), "together": random.random() < 0.3}
        )
        t = plain_of(table, range(n))
        holds = asked(table, t, model)
        if is_monotone(model) and holds(list(range(n))):
            budget = random.choice(["1/4", "1/3", "1/2"])
            compare_incognito(table, t, Incognito(model=model, max_suppressed=budget), holds)
            compared += 1


OF_NUMBERS = [
    KAnonymity(k=2), KAnonymity(k=3), MaximumRisk(risk=0.4), KEAnonymity(k=2, e=0), KEAnonymity(k=2, e=3),
    KEAnonymity(k=2, e=2, distinct=True), KEAnonymity(k=1, e=1), DistinctLDiversity(l=2), DistinctLDiversity(l=3),
    DistinctLDiversity(l=2, sensitive=(1,)), DistinctLDiversity(l=3, sensitive=(1, 2)),
    DistinctLDiversity(l=2, sensitive=(1, 2), together=True), DistinctLDiversity(l=2, sensitive=(None,)),
    LDiversity(l=2), LDiversity(l=2, sensitive=(1,)), EntropyLDiversity(l=2), RecursiveDiversity(c=2, l=2),
    AlphaKAnonymity(alpha=0.5, k=2),
]  # fmt: skip


def test_what_is_said_to_still_hold_with_any_row_added_does() -> None:
    """All groups of up to four rows of four values, a null among them, and each row that may join."""
    numbers = pl.DataFrame({"q": [1] * 4, "s": pl.Series([None, 1, 2, 5], dtype=pl.Int64)})
    attribute = read(numbers, quasi="q", sensitive="s").attributes[1]
    broken = set()
    for model in OF_NUMBERS:
        for counts in (np.array(c) for c in product(range(4), repeat=4) if 0 < sum(c) <= 4):
            more = counts + np.eye(4, dtype=np.int64)
            if model.check_counts(counts, counts + 1, attribute=attribute) and not all(
                model.check_counts(one, counts + 1, attribute=attribute) for one in more
            ):
                broken.add(repr(model))
    assert broken.isdisjoint(repr(model) for model in OF_NUMBERS if still_holds(model))
    assert repr(DistinctLDiversity(l=3, sensitive=(1, 2))) in broken
    assert sum(map(still_holds, OF_NUMBERS)) == 9  # so that not everything is looked at node by node


def first_attributes(table: Table, count: int) -> tuple[Plain, Table]:
    """The same table without the quasi-identifiers beyond the first few."""
    kept = sorted([*table.having(Role.QUASI)[:count], *table.having(Role.SENSITIVE)])
    short = Table(tuple(table.attributes[i] for i in kept), tuple(table.codes[i] for i in kept), table.order)
    return plain_of(short, range(len(short))), short


def compare_incognito(table: Table, t: Plain, method: Incognito, holds) -> bool:  # type: ignore[no-untyped-def]
    """Whether there were several minimal nodes to choose from."""
    most = method.max_suppressed or Fraction(0)
    expected = minimal_nodes(t, holds, most)
    assert method.minimal_nodes(table) == expected
    node, groups = incognito(t, holds, most)
    found = method.group(table, Coins.from_seed(1), threads=2)
    assert found.levels == node
    assert groups_of(found) == groups
    return len(expected) > 1


def test_incognito_of_many_wide_attributes_does_not_mix_up_keys() -> None:
    """The numbers of nodes multiply to more than a machine word holds."""
    random = Random("wide keys")
    n = 300
    people = [[random.randrange(10**6) for _ in range(11)] for _ in range(n // 3)]
    rows = [people[i % len(people)] for i in range(n)]
    wide = [line(f"q{i}", [row[i] for row in rows]) for i in range(11)]
    table = table_of([*wide, secret("s", [i % 7 for i in range(n)])], range(n))
    found = Incognito(k=3).group(table, Coins.from_seed(1))
    assert found.levels == (0,) * 11
    assert len(found) == n // 3


def test_incognito_prefers_the_smallest_levels_among_equal_losses() -> None:
    """Two alike columns, every pair of values four times: one of them must give, and either loses as much."""
    paths = [(0, 0), (0, 1), (1, 0), (1, 1)]
    first, second = (
        tree("a", paths, [row % 4 for row in range(64)]),
        tree("b", paths, [row // 4 % 4 for row in range(64)]),
    )
    table = table_of([first, second, secret("s", list(range(64)))], range(64))
    method = Incognito(k=8)
    assert method.minimal_nodes(table) == [(0, 1), (1, 0)]
    assert method.group(table, Coins.from_seed(1)).levels == (0, 1)
    assert Incognito(k=16).minimal_nodes(table) == [(0, 2), (1, 1), (2, 0)]
    assert Incognito(k=16).group(table, Coins.from_seed(1)).levels == (1, 1)  # 1/3 + 1/3, less than 1
