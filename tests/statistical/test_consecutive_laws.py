"""Over the coins, Anatomy and randomised greedy grouping follow exactly their laws; biased coins are noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from random import Random
from typing import Any

import pytest

import pellucid as pc
from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods.anatomy import Anatomy
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from plain import consecutive as plain
from plain import laws
from plain.tables import line, secret, table_of
from statistical.frequencies import SAMPLES, follows, frequencies, is_far_enough

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Case:
    """People in a line with their sensitive values, and l."""

    name: str
    places: tuple[int, ...]
    values: tuple[int, ...]
    l: int

    def table(self, file_order: Sequence[int] | None = None) -> Table:
        """The people as rows, in this order of the file; without it, in order of an identifier."""
        people = range(len(self.values)) if file_order is None else file_order
        columns = [line("a", [self.places[p] for p in people]), secret("s", [self.values[p] for p in people])]
        return table_of(columns, list(people) if file_order is None else None)

    def line(self, order: Sequence[int] | None = None) -> list[int]:
        rows = range(len(self.values))
        return plain.in_line([(place,) for place in self.places], rows if order is None else order)

    def holds(self) -> plain.Holds:
        return plain.diverse(self.l)


SIX = Case("three pairs", (0,) * 6, (0, 1, 2, 0, 1, 2), 2)
LEFT = Case("one is left", (0,) * 5, (0, 0, 1, 1, 2), 2)
TWO_LEFT = Case("two are left", (0,) * 8, (0, 1, 2, 3, 4, 5, 6, 7), 3)
JOIN = Case("one joins one of two", (0,) * 7, (0, 0, 1, 1, 2, 2, 3), 3)
ROW = Case("ten in a row", tuple(range(10)), (0, 1, 0, 0, 1, 2, 0, 1, 2, 3), 2)
SHORT = Case("six in a row", tuple(range(6)), (0, 0, 1, 2, 3, 4), 2)
PAIRS = Case("seven in a row", tuple(range(7)), (0, 0, 1, 2, 1, 0, 2), 2)
ALIKE = Case("six alike", (7,) * 6, (0, 0, 1, 1, 2, 3), 2)


def anatomy_law(case: Case) -> plain.Law:
    return plain.anatomy_law(range(len(case.values)), case.values, case.l)


def greedy_law(case: Case, p: Fraction = HALF, order: Sequence[int] | None = None) -> plain.Law:
    return plain.greedy_law(case.line(order), case.values, case.holds(), case.l, p)


def symmetric_law(case: Case, order: Sequence[int] | None = None) -> plain.Law:
    return {plain.canonical(plain.symmetric(case.line(order), case.values, case.holds())): Fraction(1)}


def divided_law(case: Case, p: Fraction = HALF) -> plain.Law:
    return plain.anatomized(greedy_law(case, p), case.values, case.l)


def of_one_value(case: Case) -> plain.Law:
    law = plain.greedy_law(case.line(), case.values, plain.diverse(case.l, {0}), case.l, HALF)
    return plain.anatomized(law, case.values, case.l, positive=0)


def randomized(l: int, p: float = 0.5, **more: Any) -> Method:
    return pc.RandomizedGreedyGrouping(l=l, p=p, **more)


LAWS: list[tuple[str, Case, Callable[[int], Method], Callable[[Case], plain.Law]]] = [
    *[("anatomy", case, lambda l: Anatomy(l=l), anatomy_law) for case in (SIX, LEFT, TWO_LEFT, JOIN)],
    ("randomized", ROW, randomized, greedy_law),
    ("randomized, divided", SHORT, lambda l: randomized(l, anatomize=True), divided_law),
    (
        "greedy, divided",
        SHORT,
        lambda l: pc.GreedyGrouping(l=l, anatomize=True),
        lambda case: divided_law(case, Fraction(0)),
    ),
    ("randomized, one value, divided", PAIRS, lambda l: randomized(l, anatomize=True, binary=("s 0",)), of_one_value),
]


def sample(
    method: Method, case: Case, coins: Iterator[Coins], file_order: Sequence[int] | None = None
) -> list[plain.Grouping]:
    """What the package does with these coins, as groups of people."""
    table = case.table(file_order)
    people = range(len(case.values)) if file_order is None else file_order
    outcomes = []
    for one in coins:
        found = method.group(table, one, threads=1)
        bounds = zip(found.starts[:-1].tolist(), found.starts[1:].tolist(), strict=True)
        outcomes.append(plain.canonical([[people[row] for row in found.members[a:b].tolist()] for a, b in bounds]))
    return outcomes


def fresh() -> Iterator[Coins]:
    return (Coins.fresh() for _ in range(SAMPLES))


each = pytest.mark.parametrize(
    ("case", "method", "law"), [one[1:] for one in LAWS], ids=[f"{name}: {case.name}" for name, case, *_ in LAWS]
)


@each
def test_the_method_follows_its_law_over_fresh_coins(
    case: Case, method: Callable[[int], Method], law: Callable[[Case], plain.Law]
) -> None:
    exact = law(case)
    assert len(exact) > 1
    assert sum(exact.values()) == 1
    assert follows(sample(method(case.l), case, fresh()), exact)


def test_anatomy_follows_its_law_over_consecutive_seeds() -> None:
    coins = (Coins.from_seed(seed) for seed in range(SAMPLES))
    assert follows(sample(Anatomy(l=JOIN.l), JOIN, coins), anatomy_law(JOIN))


def drawn(case: Case, draws: Sequence[int], picks: Sequence[int]) -> plain.Grouping:
    rows = range(len(case.values))
    groups = plain.anatomy(rows, case.values, case.l, draws.__getitem__, lambda row, of: picks[row] % of)
    return plain.canonical(groups)


def no_coins(case: Case) -> list[plain.Grouping]:
    """A value's rows are taken in their order."""
    n = len(case.values)
    return [drawn(case, range(n), [pick] * n) for pick in range(12)]


def one_bit(case: Case) -> list[plain.Grouping]:
    """Draws of one random bit each; rows with the same bit keep their order."""
    n = len(case.values)
    draws = [[bit * n + row for row, bit in enumerate(bits)] for bits in product((0, 1), repeat=n)]
    return [drawn(case, draw, [pick] * n) for draw in draws for pick in range(2)]


def first_group(case: Case) -> list[plain.Grouping]:
    """A row that is left always joins the first group that lacks its value."""
    n = len(case.values)
    random = Random(2)
    return [drawn(case, random.sample(range(n), n), [0] * n) for _ in range(200)]


@pytest.mark.parametrize(
    ("biased", "case"), [(no_coins, SIX), (one_bit, SIX), (no_coins, LEFT), (first_group, TWO_LEFT)]
)
def test_a_biased_anatomy_is_rejected(biased: Callable[[Case], list[plain.Grouping]], case: Case) -> None:
    outcomes = biased(case)
    law = anatomy_law(case)
    assert is_far_enough(frequencies(outcomes), law)
    random = Random(1)
    assert not follows([random.choice(outcomes) for _ in range(SAMPLES)], law)


@pytest.mark.parametrize("wrong", [Fraction(1, 5), Fraction(4, 5)])
def test_another_probability_of_going_on_is_rejected(wrong: Fraction) -> None:
    law = greedy_law(ROW)
    assert is_far_enough(greedy_law(ROW, wrong), law)
    assert not follows(sample(randomized(ROW.l, float(wrong)), ROW, fresh()), law)


def test_one_coin_for_the_whole_table_is_rejected() -> None:
    """Every group goes on, or none does: half and half each, but not independently."""
    one = greedy_law(ROW, Fraction(0))
    other = greedy_law(ROW, Fraction(1))
    shared = {grouping: (one.get(grouping, 0) + other.get(grouping, 0)) * HALF for grouping in {*one, *other}}
    assert is_far_enough(shared, greedy_law(ROW))


FILES = [
    ("greedy", lambda l: pc.GreedyGrouping(l=l), lambda order: greedy_law(ALIKE, Fraction(0), order)),
    ("symmetric", lambda l: pc.SymmetricGrouping(l=l), lambda order: symmetric_law(ALIKE, order)),
]


@pytest.mark.parametrize(("name", "method", "law"), FILES, ids=[name for name, *_ in FILES])
def test_without_an_identifier_the_order_of_the_file_does_not_matter(
    name: str, method: Callable[[int], Method], law: Callable[[Sequence[int]], plain.Law]
) -> None:
    """Rows that are alike are ordered by the coins, on a file that is sorted by disease."""
    by_disease = sorted(range(len(ALIKE.values)), key=lambda person: (ALIKE.values[person], person))
    exact = laws.mixture(permutations(range(len(ALIKE.values))), law)
    assert len(exact) > 1
    assert follows(sample(method(ALIKE.l), ALIKE, fresh(), by_disease), exact), name
    assert is_far_enough(law([by_disease.index(person) for person in range(len(ALIKE.values))]), exact)
