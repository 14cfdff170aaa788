"""Anatomy and the methods of consecutive rows give exactly the groups of their plain definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods.anatomy import Anatomy
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible
from plain import consecutive as plain
from plain import models
from plain.random_tables import FAMILIES, random_table
from plain.tables import line, secret, table_of
from plain.transparent import inputs_of

CHUNKS = 8
TABLES_PER_CHUNK = 130  # 8 * 130 = 1,040 tables, each with every method

Groups = list[list[int]]


@dataclass
class Plainly:
    """A table and coins as the definitions take them."""

    table: Table
    coins: Coins

    def __post_init__(self) -> None:
        order = self.table.order if self.table.order is not None else self.coins.order(len(self.table))
        inputs = inputs_of(self.table, order.tolist())
        self.codes, self.order = inputs.codes, inputs.order
        self.values = [value for (value,) in inputs.sensitive]
        self.lines: dict[str, list[int]] = {}
        self.sizes = [len(self.table.attributes[i]) for i in self.table.having(Role.QUASI)]
        self.draws = {
            purpose: self.coins.draws(order, purpose=purpose).tolist()
            for purpose in ("anatomy", "anatomy leftover", "goes on")
        }

    def line(self, kind: str) -> list[int]:
        if kind not in self.lines:
            self.lines[kind] = plain.in_line(self.codes, self.order, kind, self.sizes)
        return self.lines[kind]

    def anatomy(self, rows: Sequence[int], l: int) -> Groups:
        left = self.draws["anatomy leftover"]
        return plain.anatomy(rows, self.values, l, self.draws["anatomy"].__getitem__, lambda row, of: left[row] % of)

    def greedy(self, kind: str, holds: plain.Holds, bucket: int, p: float = 0.0) -> Groups:
        def goes_on(row: int) -> bool:
            return self.draws["goes on"][row] < p * 2**63

        return plain.greedy(self.line(kind), self.values, holds, bucket, goes_on)

    def symmetric(self, kind: str, holds: plain.Holds) -> Groups:
        return plain.symmetric(self.line(kind), self.values, holds)


def same(method: Method, expected: Groups, of: Plainly, threads: int = 1) -> None:
    """The groups in their order; rows in none have the label -1."""
    labels = np.full(len(of.table), -1)
    for number, group in enumerate(expected):
        labels[group] = number
    assert method.group(of.table, of.coins, threads=threads).labels.tolist() == labels.tolist()


def compare(table: Table, l: int, random: Random, threads: int) -> None:
    """Every method with plain and with binary l-diversity, in one of the orders of the line."""
    t = Plainly(table, Coins.from_seed(random.getrandbits(64)))
    (column,) = table.having(Role.SENSITIVE)
    book = table.attributes[column].values.to_list()
    p = random.choice([0.0, 0.2, 0.5, 0.9, 1.0])
    same(Anatomy(l=l), t.anatomy(range(len(table)), l), t, threads)
    kind = random.choice(["lexicographic", "hilbert"])
    holds = plain.diverse(l)
    whole = t.greedy(kind, holds, l)
    same(pc.GreedyGrouping(l=l, order=kind), whole, t, threads)
    parts = [part for group in whole for part in t.anatomy(group, l)]
    same(pc.GreedyGrouping(l=l, order=kind, anatomize=True), parts, t, threads)
    drawn = t.greedy(kind, holds, l, p)
    same(pc.RandomizedGreedyGrouping(l=l, p=p, order=kind), drawn, t, threads)
    parts = [part for group in drawn for part in t.anatomy(group, l)]
    same(pc.RandomizedGreedyGrouping(l=l, p=p, order=kind, anatomize=True), parts, t, threads)
    same(pc.SymmetricGrouping(l=l, order=kind), t.symmetric(kind, holds), t, threads)
    chosen = random.sample(range(len(book)), random.randint(1, len(book)))
    names = tuple(book[code] for code in chosen)
    holds = plain.diverse(l, chosen)
    if holds(t.values):
        same(pc.GreedyGrouping(l=l, binary=names), t.greedy("lexicographic", holds, l), t, threads)
        drawn = t.greedy("lexicographic", holds, l, p)
        same(pc.RandomizedGreedyGrouping(l=l, p=p, binary=names), drawn, t, threads)
        same(pc.SymmetricGrouping(l=l, binary=names), t.symmetric("lexicographic", holds), t, threads)
    else:
        with pytest.raises(Infeasible):
            pc.GreedyGrouping(l=l, binary=names).group(table, t.coins)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_are_those_of_the_definitions(chunk: int) -> None:
    for number in range(TABLES_PER_CHUNK):
        random = Random(f"consecutive {chunk} {number}")
        table, l = random_table(random, largest=60, identifier=random.random() < 0.8)
        compare(table, l, random, threads=1 if number % 4 else 2)


@pytest.mark.parametrize("family", FAMILIES)
def test_groups_of_some_hundred_rows_are_those_of_the_definitions(family: str) -> None:
    random = Random(f"hundreds {family}")
    table, l = random_table(random, family=family, rows=800, attributes=3)
    compare(table, l, random, threads=2)


def test_groups_of_twenty_thousand_rows_on_two_threads_are_those_of_the_definitions() -> None:
    """Enough rows for the threads to share the work, and vectors that fill several words of a place on the curve."""
    random = Random("twenty thousand")
    n = 21_000
    quasi = [line(f"q{i}", [random.randrange(width) for _ in range(n)]) for i, width in enumerate((9, 700, 2, 5000))]
    hidden = secret("s", [min(random.randrange(50), random.randrange(80)) for _ in range(n)])
    compare(table_of([*quasi, hidden], random.sample(range(n), n)), 8, random, threads=2)


Setting = tuple[Any, int, Callable[[list[int], list[int]], bool]]


def settings(random: Random) -> list[Setting]:
    """Models with the rows of a bucket and their plain predicates on a group's counts and the table's."""
    k, l = random.randint(1, 6), random.randint(2, 4)
    t = Fraction(random.randint(1, 9), 10)
    alpha = Fraction(random.randint(2, 9), 10)
    return [
        (pc.KAnonymity(k=k), k, lambda counts, _: sum(counts) >= k),
        (pc.TCloseness(t=t), 2, lambda counts, table: models.total_variation(counts, table) <= t),
        (pc.DistinctLDiversity(l=l), l, lambda counts, _: models.distinct(counts, l)),
        (pc.EntropyLDiversity(l=l), l, lambda counts, _: models.entropy(counts, Fraction(l))),
        (pc.AlphaKAnonymity(alpha=alpha, k=k), k, lambda counts, _: models.alpha_k(counts, alpha, k)),
    ]


@pytest.mark.parametrize("chunk", range(4))
def test_groups_for_any_model_are_those_of_the_definitions(chunk: int) -> None:
    compared = 0
    for number in range(28):
        random = Random(f"any model {chunk} {number}")
        table, _ = random_table(random, largest=60, attributes=3)
        t = Plainly(table, Coins.from_seed(number))
        (column,) = table.having(Role.SENSITIVE)
        width = len(table.attributes[column])
        whole = np.bincount(t.values, minlength=width).tolist()
        for model, bucket, predicate in settings(random):

            def holds(
                values: Sequence[int], predicate: Any = predicate, whole: Any = whole, width: int = width
            ) -> bool:
                return predicate(np.bincount(values, minlength=width).tolist(), whole)

            if not holds(t.values):
                continue
            rows = random.choice([None, random.randint(1, 5)])
            p = random.choice([0.3, 0.8, 1.0])
            expected = t.greedy("lexicographic", holds, rows or bucket)
            chosen = pc.GreedyGrouping(model=model, bucket=rows)
            if expected:
                compared += 1
                same(chosen, expected, t)
                drawn = t.greedy("lexicographic", holds, rows or bucket, p)
                if drawn:
                    same(pc.RandomizedGreedyGrouping(model=model, bucket=rows, p=p), drawn, t)
            else:
                with pytest.raises(Infeasible, match=r"no number of buckets .*(smaller bucket|or less)"):
                    chosen.group(table, t.coins)
            same(pc.SymmetricGrouping(model=model), t.symmetric("lexicographic", holds), t)
    assert compared > 70


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        ("t-closeness=0.25", 9000),
        ("t-closeness=0.05", 9000),
        ("k-anonymity=3", 9000),
        ("distinct l-diversity=4", 9000),
    ],
)
def test_short_and_long_groups_of_any_model_are_those_of_one_bucket_at_a_time(model: str, rows: int) -> None:
    """Looking at many prefixes at once, ahead or not, changes nothing."""
    random = Random(model)
    table = table_of(
        [
            line("age", [random.randrange(90) for _ in range(rows)]),
            secret("s", [random.randrange(9) for _ in range(rows)]),
        ],
        random.sample(range(rows), rows),
    )
    method = pc.GreedyGrouping(model=model, bucket=3)
    found = method.group(table, Coins.from_seed(1))
    counts = np.zeros(9, np.int64)
    whole = np.bincount(table.codes[1], minlength=9)
    ends = []
    lined = np.lexsort((table.order, table.codes[0]))
    for end in range(3, rows + 1, 3):
        np.add.at(counts, table.codes[1][lined[end - 3 : end]], 1)
        if bool(method.required.check_counts(counts, whole)):
            ends.append(end)
            counts[:] = 0
    assert found.starts.tolist() == [0, *ends]
    assert np.array_equal(found.members, lined[: ends[-1]])


def test_l_diversity_of_single_values_goes_the_same_way_compiled_or_not() -> None:
    """A model that names values one by one is asked of every prefix in two ways."""
    for seed in range(60):
        random = Random(f"some {seed}")
        table, l = random_table(random, largest=80)
        (column,) = table.having(Role.SENSITIVE)
        book = table.attributes[column].values.to_list()
        names = tuple(random.sample(book, random.randint(1, len(book))))
        model = pc.LDiversity(l=l, sensitive=names)
        t = Plainly(table, Coins.from_seed(seed))
        whole = np.bincount(t.values, minlength=len(book))

        def holds(values: Sequence[int], model: Any = model, whole: Any = whole, table: Any = table) -> bool:
            counts = np.bincount(values, minlength=len(whole))
            return bool(model.check_counts(counts, whole, attribute=table.attributes[table.having(Role.SENSITIVE)[0]]))

        if holds(t.values) and (expected := t.greedy("lexicographic", holds, l)):
            same(pc.GreedyGrouping(model=model), expected, t)
            same(pc.SymmetricGrouping(model=model), t.symmetric("lexicographic", holds), t)


@pytest.mark.parametrize(("axes", "bits"), [(1, 4), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2), (12, 1)])
def test_the_curve_visits_every_point_and_steps_to_a_neighbour(axes: int, bits: int) -> None:
    """What makes it a Hilbert curve; the comparison above only says that both versions agree."""
    side = 2**bits
    points = list(product(range(side), repeat=axes))
    visited = sorted(points, key=lambda point: plain.hilbert_place(point, [side] * axes))
    assert sorted(plain.hilbert_place(point, [side] * axes) for point in points) == list(range(len(points)))
    for one, other in pairwise(visited):
        assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) == 1


def test_the_package_walks_along_the_curve() -> None:
    points = list(product(range(8), repeat=3))
    random = Random("curve")
    random.shuffle(points)
    columns = [line(f"q{i}", [point[i] for point in points]) for i in range(3)]
    table = table_of([*columns, secret("s", list(range(len(points))))], random.sample(range(512), 512))
    found = pc.GreedyGrouping(l=1, order="hilbert").group(table, Coins.from_seed(0))
    for one, other in pairwise(found.members.tolist()):
        assert sum(abs(a - b) for a, b in zip(points[one], points[other], strict=True)) == 1


@pytest.mark.parametrize("widths", [[3] * 30, [100_000, 2, 70_000, 5], [1], [1, 1, 2]])
def test_any_number_and_width_of_attributes_is_sorted_along_the_curve(widths: list[int]) -> None:
    """Places of up to 60 bits and more are sorted word by word."""
    random = Random(str(widths))
    n = 300
    quasi = [line(f"q{i}", [random.randrange(width) for _ in range(n)]) for i, width in enumerate(widths)]
    table = table_of([*quasi, secret("s", list(range(n)))], random.sample(range(n), n))
    t = Plainly(table, Coins.from_seed(0))
    assert pc.GreedyGrouping(l=1, order="hilbert").group(table, t.coins).members.tolist() == t.line("hilbert")
