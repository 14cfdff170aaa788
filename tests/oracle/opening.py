"""SoftCut with its first cut over all worlds of a tiny table: the same draws decide over that cut and fill the buckets.

In each world every order in which the rows of a value may be drawn is tried, and every way the dice below the first
cut may fall, with its probability. What the definition says is :mod:`plain.protected`; the smallest side of a cut is a
parameter here, as with the real one no table this small is cut.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product

from oracle.soft_cut import CachedCuts, at_least
from oracle.worlds import Population, World
from plain.laws import Law
from plain.opening import Allowing, allowed
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
