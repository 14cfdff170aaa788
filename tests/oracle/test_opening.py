"""SoftCut's first cut where none is certain: refused or accepted, nobody's value is believed above 1/l.

With tries below it that are accepted and refused, with values that are not protected, and with groups of k rows.

SoftCut with its first cut over all worlds of a tiny table: the same draws decide over that cut and fill the buckets.

In each world every order in which the rows of a value may be drawn is tried, and every way the dice below the first cut
may fall, with its probability. What the definition says is :mod:`plain.protected`; the smallest side of a cut is a
parameter here, as with the real one no table this small is cut.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any, NamedTuple

import pytest

from oracle.soft_cut import CachedCuts, at_least
from oracle.worlds import PUBLICATIONS, Population, World, beliefs, worlds
from plain.laws import Law
from plain.opening import Allowing, allowed, allowed_by_peeking
from plain.protected import ace, drawn_leaf, opened, parted, soft_leaves
from plain.soft_cut import Leaf, PlainCuts, Refusal, Rules, Sides, refusal_law
from plain.transparent import Grouping, Inputs, as_grouping

Trees = list[tuple[Fraction, list[Leaf]]]


@dataclass
class Opening:
    """A method on one population; ``seen`` counts what happened to first cuts and to tries below them."""

    population: Population
    l: int
    values: tuple[int, ...] | None = None
    k: int = 1
    low: int = 1
    allowing: Allowing = allowed
    refusal: Refusal | None = None
    buckets_anew: bool = False  # wrong on purpose: after a refusal other buckets are sliced than those looked at
    seen: Counter[str] = field(default_factory=Counter)
    groups: dict[object, Grouping] = field(default_factory=dict)
    cuts: CachedCuts | None = None

    def law(self, world: World) -> Law:
        """The law of the grouping in one world."""
        t = self.population.inputs(world)
        if self.cuts is None:  # they are the same in all worlds
            self.cuts = CachedCuts(PlainCuts(t.codes, t.order, t.geometry))
        trees: dict[object, Trees] = {}
        weights: dict[Grouping, Fraction] = defaultdict(Fraction)
        draws = list(self.draws(t))
        for number, draw in enumerate(draws):
            sides = opened(t, self.l, draw, self.values, self.k, at_least(self.low), self.allowing, self.cuts)
            key = None if sides is None else tuple(map(tuple, sides))
            if key not in trees:
                trees[key] = self.trees(t, sides)
            self.seen["whole" if sides is None else "opened"] += 1
            used = draws[number - 1] if self.buckets_anew and sides is None else draw
            for p, leaves in trees[key]:
                groups = (group for leaf in leaves for group in self.divided(t, leaf, used))
                weights[tuple(sorted(groups))] += p
        return {grouping: p / len(draws) for grouping, p in weights.items()}

    def draws(self, t: Inputs) -> Iterator[Sequence[int]]:
        """Every order of the rows of each value, and of all whose value is not protected."""
        columns, fillers = parted(range(len(t.codes)), t, self.values)
        for orders in product(*(permutations(rows) for rows in [*columns.values(), fillers])):
            places = {row: place for order in orders for place, row in enumerate(order)}
            yield [places[row] for row in range(len(t.codes))]

    def trees(self, t: Inputs, sides: Sides | None) -> Trees:
        """What can become of the table, or of the two sides of its first cut."""
        law = self.refusal or refusal_law(self.l)

        def watched(path: tuple[int, ...], slack: int) -> Fraction:
            lost = law(path, slack)
            self.seen["hopeless" if slack < 0 else "sure" if lost == 0 else "die"] += 1
            return lost

        rules = Rules(low=at_least(self.low))
        starts: list[tuple[Sequence[int] | None, tuple[int, ...]]] = (
            [(None, ())] if sides is None else [(sides[0], (0,)), (sides[1], (1,))]
        )
        found: Trees = [(Fraction(1), [])]
        for start, path in starts:
            below = list(soft_leaves(t, self.l, watched, self.values, self.k, rules, start, 0, path))
            found = [(p * q, [*ones, *others]) for p, ones in found for q, others in below]
        return found

    def divided(self, t: Inputs, leaf: Leaf, draw: Sequence[int]) -> Grouping:
        """The groups of a leaf; they depend on its values and on the order in which its rows are drawn."""
        of_values = tuple(t.sensitive[row] for row in leaf.rows)
        key = leaf, of_values, tuple(sorted(leaf.rows, key=lambda row: (self.drawn_with(t, row), draw[row])))
        if key not in self.groups:
            divide = drawn_leaf if leaf.refused else ace
            self.groups[key] = as_grouping(divide(t, self.l, draw, self.values, self.k, leaf.rows))
        return self.groups[key]

    def drawn_with(self, t: Inputs, row: int) -> int:
        """The value among whose rows a row is drawn, -1 for all that are not protected."""
        value = t.sensitive[row][0]
        return value if self.values is None or value in self.values else -1


class Case(NamedTuple):
    population: Population
    multiset: tuple[int, ...]
    l: int
    values: tuple[int, ...] | None
    k: int
    low: int


# (counts of the values, l, the protected ones)
SHAPES: list[tuple[Sequence[int], int, tuple[int, ...] | None]] = [
    ((2, 2, 2), 2, None),
    ((3, 3), 2, None),
    ((2, 2, 1, 1), 2, None),
    ((2, 2, 2), 3, None),
    ((2, 1, 1, 1), 2, None),
    ((2, 4), 2, (0,)),
    ((2, 3, 1), 2, (0,)),
    ((2, 2, 2), 2, (0, 1)),
    ((2, 5), 3, (0,)),
    ((3, 4), 2, (0,)),
]
# eight people: a side of six, in which a cut can be tried, and one of two
LARGER: list[tuple[Sequence[int], int, tuple[int, ...] | None]] = [
    ((3, 3, 2), 2, None),
    ((3, 2, 2, 1), 2, None),
    ((3, 5), 2, (0,)),
    ((3, 3, 2), 2, (0, 1)),
]


def case_of(number: int, *, larger: bool = False) -> Case:
    """The number-th random table."""
    random = Random(f"opening {number} {larger}")
    counts, l, values = random.choice(LARGER if larger else SHAPES)
    multiset = tuple(value for value, count in enumerate(counts) for _ in range(count))
    population = Population.random(random, len(multiset), random.choice([1, 2]), random.choice([2, 3, 4]))
    k = random.choice([1, 1, 2, 3]) if values is not None or random.random() < 0.3 else 1
    return Case(population, multiset, l, values, k, random.choice([1, 2]))


def worst(case: Case, seen: Counter[str], forms: Sequence[str] = tuple(PUBLICATIONS), **wrong: Any) -> Fraction:
    """The highest belief in a protected value over these forms of publication."""
    population, multiset, l, values, k, low = case
    law = cache(Opening(population, l, values, k, low, seen=seen, **wrong).law)
    possible = list(worlds(len(multiset), multiset))
    return max(
        belief
        for form in forms
        for facts in beliefs(population, possible, law, PUBLICATIONS[form]).values()
        for (_, value), belief in facts.items()
        if values is None or value in values
    )


# in these the die decides over cuts below an accepted first cut: six people of whom two have a protected value
DECIDED = (4, 29)
# eight people, a minute each: (0, 1) protected; (0,) protected; all protected, with k = 2 and without
LARGER_DECIDED = (8, 50, 51, 87, 94)


def test_whether_the_first_cut_is_made_tells_nothing(thorough: bool) -> None:
    """Thorough: 300 tables."""
    seen: Counter[str] = Counter()
    for number in range(300 if thorough else 10):
        case = case_of(number)
        assert worst(case, seen) <= Fraction(1, case.l), number
    assert min(seen["opened"], seen["whole"]) > 500  # both happened, to one and the same world and draws


def test_a_try_below_an_accepted_first_cut_tells_no_more_than_promised(thorough: bool) -> None:
    """Whole tables: accepted and refused first cuts, and below them dice that accept and that refuse."""
    cases = [case_of(number) for number in DECIDED]
    if thorough:
        cases += [case_of(number, larger=True) for number in LARGER_DECIDED]
    for case in cases:
        seen: Counter[str] = Counter()
        assert worst(case, seen, ("composition",)) <= Fraction(1, case.l), case
        assert min(seen["opened"], seen["whole"], seen["die"]) > 0, case


def hard(path: Sequence[int], slack: int) -> Fraction:  # noqa: ARG001
    return Fraction(slack < 0)


@pytest.mark.parametrize(
    ("wrong", "numbers"),
    [
        ({"allowing": allowed_by_peeking}, (9, 17, 24, 28)),  # with values, without, with k
        ({"buckets_anew": True}, (9, 17, 24, 28)),
        ({"refusal": hard}, DECIDED),
    ],
)
def test_a_first_cut_or_a_try_below_it_that_tells_is_caught(wrong: dict[str, Any], numbers: Sequence[int]) -> None:
    """On the very tables, and in the weakest form of publication."""
    for number in numbers:
        case = case_of(number)
        assert worst(case, Counter(), ("intervals",), **wrong) > Fraction(1, case.l), number
        assert worst(case, Counter(), ("intervals",)) <= Fraction(1, case.l), number
