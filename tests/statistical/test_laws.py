"""Over the coins, Ace and Hybrid follow exactly the law that their definition gives; biased coins are noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from random import Random

import pytest

from pellucid.anonymize.methods.ace import Ace
from pellucid.anonymize.methods.hybrid import Hybrid
from pellucid.anonymize.methods.tailor import Tailor
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from plain import laws, transparent
from plain.tables import line, secret, table_of
from plain.transparent import Grouping, as_grouping, inputs_of
from statistical.frequencies import SAMPLES, distance, follows, frequencies, is_far_enough, tolerance

Law = laws.Law


@dataclass(frozen=True)
class Case:
    """A tiny table whose random choices matter: people with two numbers each, their sensitive values, and l."""

    name: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    values: tuple[int, ...]
    l: int

    def table(self, file_order: Sequence[int] | None = None) -> Table:
        """The people as rows, in this order of the file; without it, in order of an identifier."""
        people = range(len(self.values)) if file_order is None else file_order
        columns = [line("a", [self.first[p] for p in people]), line("b", [self.second[p] for p in people])]
        hidden = secret("s", [self.values[p] for p in people])
        return table_of([*columns, hidden], list(people) if file_order is None else None)

    def arguments(self) -> tuple[list[tuple[int, ...]], list[int], list[tuple[int, ...]], int, Sequence[object]]:
        t = inputs_of(self.table())
        return t.codes, t.order, t.sensitive, self.l, t.geometry


SIX = Case("three pairs", (1, 2, 3, 4, 5, 6), (9, 9, 1, 1, 5, 5), (0, 1, 2, 0, 1, 2), 2)
NINE = Case("buckets of two", (1, 4, 2, 5, 3, 3, 1, 5, 2), (1, 2, 3, 4, 4, 3, 2, 1, 1), (0, 0, 0, 1, 1, 1, 2, 2, 3), 3)
LEAVES = Case("two leaves", (1, 2, 3, 4, 11, 12, 13, 14), (5, 1, 4, 2, 3, 3, 1, 2), (0, 0, 1, 2, 1, 3, 3, 2), 2)
SKEW = Case("one frequent value", (1, 2, 3, 4, 5, 6, 7), (1, 5, 1, 5, 1, 5, 1), (0, 0, 0, 1, 1, 2, 3), 2)
TIED = Case("everybody alike", (7, 7, 7, 7), (1, 1, 1, 1), (0, 0, 1, 1), 2)
PLAIN = Case("everybody alike, all values different", (7, 7, 7, 7), (1, 1, 1, 1), (0, 1, 2, 3), 2)
FOUR = Case("four alike and two alike", (1, 1, 1, 1, 9, 9), (4,) * 6, (5, 4, 3, 2, 1, 0), 2)
HALVES = Case("three alike and three alike", (1, 1, 1, 2, 2, 2), (3,) * 6, (0, 0, 1, 0, 1, 1), 2)
TRIPLE = Case("six alike", (1,) * 6, (3,) * 6, (0, 0, 1, 1, 2, 2), 3)

LAWS = {Tailor: laws.tailor_law, Ace: laws.ace_law, Hybrid: laws.hybrid_law}
RANDOM = [(Ace, SIX), (Ace, NINE), (Ace, SKEW), (Hybrid, LEAVES), (Hybrid, SIX), (Hybrid, SKEW)]


def ids(argument: object) -> str:
    return argument.name if isinstance(argument, Case) else getattr(argument, "__name__", str(argument)).lower()


def exact(method: type, case: Case) -> Law:
    return LAWS[method](*case.arguments())


def sample(method: type, case: Case, coins: Iterator[Coins], file_order: Sequence[int] | None = None) -> list[Grouping]:
    """What the package does with these coins, as groups of people."""
    table = case.table(file_order)
    people = range(len(case.values)) if file_order is None else file_order
    outcomes = []
    for one in coins:
        labels = method(l=case.l).group(table, one, threads=1).labels.tolist()
        groups: list[list[int]] = [[] for _ in range(max(labels) + 1)]
        for row, label in enumerate(labels):
            groups[label].append(people[row])
        outcomes.append(as_grouping(groups))
    return outcomes


def fresh() -> Iterator[Coins]:
    return (Coins.fresh() for _ in range(SAMPLES))


@pytest.mark.parametrize(("method", "case"), RANDOM, ids=ids)
def test_the_method_follows_its_law_over_fresh_coins(method: type, case: Case) -> None:
    law = exact(method, case)
    assert len(law) > 1
    assert follows(sample(method, case, fresh()), law)


@pytest.mark.parametrize(("method", "case"), [(Ace, SIX), (Hybrid, LEAVES)], ids=ids)
def test_the_method_follows_its_law_over_consecutive_seeds(method: type, case: Case) -> None:
    coins = (Coins.from_seed(seed) for seed in range(SAMPLES))
    assert follows(sample(method, case, coins), exact(method, case))


def first_rows(n: int) -> list[list[int]]:
    """No coins at all: the draws follow the rows."""
    return [list(range(n))]


def one_bit(n: int) -> list[list[int]]:
    """Draws of one random bit each; rows with the same bit keep their order."""
    return [[bit * n + row for row, bit in enumerate(bits)] for bits in product((0, 1), repeat=n)]


def shared(n: int) -> list[list[int]]:
    """One coin for the whole table: the rows forwards or backwards."""
    return [list(range(n)), list(range(n, 0, -1))]


@pytest.mark.parametrize("bias", [first_rows, one_bit, shared])
@pytest.mark.parametrize(("method", "case"), [(Ace, SIX), (Hybrid, LEAVES)], ids=ids)
def test_biased_coins_are_rejected(method: type, case: Case, bias: Callable[[int], list[list[int]]]) -> None:
    """The same test, on samples of the definition with biased draws; their exact law says that it must notice."""
    definition = {Ace: transparent.ace, Hybrid: transparent.hybrid}[method]
    draws = bias(len(case.values))
    outcomes = [as_grouping(definition(*case.arguments(), draw)) for draw in draws]
    law = exact(method, case)
    assert is_far_enough(frequencies(outcomes), law)
    random = Random(1)
    assert not follows([random.choice(outcomes) for _ in range(SAMPLES)], law)


FILES = [(Tailor, PLAIN), (Tailor, FOUR), (Ace, TIED), (Ace, HALVES), (Ace, TRIPLE), (Hybrid, PLAIN), (Hybrid, TIED)]


@cache
def law_without_identifier(method: type, case: Case) -> Law:
    """Every row order is equally likely; the file does not matter."""
    codes, _, *rest = case.arguments()
    return laws.mixture(permutations(range(len(codes))), lambda order: LAWS[method](codes, order, *rest))


@pytest.mark.parametrize("file", ["sorted by disease", "sorted the other way", "shuffled"])
@pytest.mark.parametrize(("method", "case"), FILES, ids=ids)
def test_without_an_identifier_the_law_is_the_same_for_every_order_of_the_file(
    method: type, case: Case, file: str
) -> None:
    people = sorted(range(len(case.values)), key=lambda person: (case.values[person], person))
    file_order = {"sorted by disease": people, "sorted the other way": people[::-1]}.get(file)
    if file_order is None:
        file_order = Random(2).sample(people, len(people))
    law = law_without_identifier(method, case)
    assert len(law) > 1
    assert follows(sample(method, case, fresh(), file_order), law)


@pytest.mark.parametrize(("method", "case"), FILES, ids=ids)
def test_ties_broken_by_the_order_of_the_file_are_rejected(method: type, case: Case) -> None:
    """The law of a version that takes a file sorted by disease for the row order is far from ours."""
    codes, _, *rest = case.arguments()
    by_disease = sorted(range(len(codes)), key=lambda person: (case.values[person], person))
    order = [by_disease.index(person) for person in range(len(codes))]
    wrong = LAWS[method](codes, order, *rest)
    law = law_without_identifier(method, case)
    assert is_far_enough(wrong, law)


def test_frequencies_of_a_right_sample_are_accepted_and_of_a_slightly_wrong_one_rejected() -> None:
    """The test itself: a fair die, and one whose six comes up 25 times in 100."""
    random = Random(3)
    die = {face: Fraction(1, 6) for face in range(1, 7)}
    loaded = {**{face: Fraction(15, 100) for face in range(1, 6)}, 6: Fraction(25, 100)}
    assert follows([random.randint(1, 6) for _ in range(SAMPLES)], die)
    assert distance(loaded, die) > tolerance(6)
    assert not follows(random.choices(list(loaded), [float(p) for p in loaded.values()], k=4 * SAMPLES), die)
