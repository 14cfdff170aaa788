"""SoftCut over all worlds of a tiny table, by the plain definition with the exact law of the die and of the draws.

The adversary is told who is in which group and each group's values, which is more than any publication shows; a belief
given less is a mixture of these. Weights are whole numbers: every probability is a multiple of one over a common
denominator, which is asserted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, product
from math import prod
from random import Random

from oracle.worlds import Population, World, arrangements
from plain.soft_cut import (
    Leaf,
    PlainCuts,
    Refusal,
    Rules,
    Sides,
    divided_by_lot,
    divided_by_slice,
    leaf_law,
    leaves,
    refusal_law,
)
from plain.transparent import Grouping

Release = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def at_least(rows: int) -> Callable[[int, int, int], int]:
    """Tried cuts leave each side so many rows: small enough for tiny tables, where the real threshold allows none."""
    return lambda n, c, l: rows  # noqa: ARG005


@dataclass
class CachedCuts:
    """The plain cuts of one population; they depend on quasi-identifiers alone, so no world needs them twice."""

    plain: PlainCuts
    found: dict[object, Sides | None] = field(default_factory=dict)

    def sure(self, rows: Sequence[int], least: int) -> Sides:
        key = tuple(rows), least, "sure"
        if key not in self.found:
            self.found[key] = self.plain.sure(rows, least)
        return self.found[key]  # type: ignore[return-value]

    def between_codes(self, rows: Sequence[int], low: int) -> Sides | None:
        key = tuple(rows), low, "between"
        if key not in self.found:
            self.found[key] = self.plain.between_codes(rows, low)
        return self.found[key]


@dataclass
class Enumeration:
    """All worlds of one population and one multiset of values."""

    population: Population
    multiset: tuple[int, ...]
    l: int
    rules: Rules
    refusal: Refusal | None = None
    tries: Counter[str] = field(default_factory=Counter)  # how often cuts were certain to be refused, and so on
    laws: dict[object, dict[Grouping, Fraction]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        people = tuple(range(len(self.multiset)))
        inputs = self.population.inputs(World(people, self.multiset))
        self.cuts = CachedCuts(PlainCuts(inputs.codes, inputs.order, inputs.geometry))
        law = self.refusal or refusal_law(self.l)

        def watched(path: tuple[int, ...], t: int) -> Fraction:
            lost = law(path, t)
            self.tries["hopeless" if t < 0 else "sure" if lost == 0 else "die"] += 1
            return lost

        self.watched = watched

    def leaf_law(self, leaf: Leaf, values: Sequence[int]) -> dict[Grouping, Fraction]:
        key = leaf, tuple(values[row] for row in leaf.rows)
        if key not in self.laws:
            lot = bool(leaf.refused) and not self.rules.slices
            dividing = divided_by_lot if lot else divided_by_slice(self.cuts.plain)
            size = self.l + self.rules.more if leaf.refused else self.l
            self.laws[key] = leaf_law(leaf.rows, [(v,) for v in values], size, dividing)
        return self.laws[key]

    def law(self, values: Sequence[int]) -> dict[Grouping, Fraction]:
        """The law of the grouping in one world."""
        law: dict[Grouping, Fraction] = defaultdict(Fraction)
        sensitive = [(v,) for v in values]
        for probability, found in leaves(self.cuts, sensitive, self.l, self.watched, self.rules, range(len(values))):
            partial: dict[Grouping, Fraction] = {(): probability}
            for leaf in found:
                of_leaf = self.leaf_law(leaf, values)
                partial = {head + tail: p * q for head, p in partial.items() for tail, q in of_leaf.items()}
            for grouping, p in partial.items():
                law[tuple(sorted(grouping))] += p
        assert sum(law.values()) == 1
        return law

    def chance(self, grouping: Grouping, values: Sequence[int]) -> Fraction:
        """How likely one world leads to these groups."""
        chance, sensitive = Fraction(0), [(v,) for v in values]
        for p, found in leaves(self.cuts, sensitive, self.l, self.watched, self.rules, range(len(values))):
            parts = [tuple(sorted(group for group in grouping if set(group) <= set(leaf.rows))) for leaf in found]
            if sum(map(len, parts)) == len(grouping):  # no group reaches across leaves
                of_leaves = (self.leaf_law(leaf, values).get(part, 0) for leaf, part in zip(found, parts, strict=True))
                chance += p * prod(of_leaves)
        return chance

    def beliefs_of(self, grouping: Grouping, values: Sequence[int], varied: Sequence[int]) -> dict[int, Fraction]:
        """What is believed of the first person of the first group, by value, after this release.

        Worlds in which each group has its values can have led to it. Those arrangements are tried in which the groups
        with the numbers ``varied`` differ from the true world.
        """
        true = [[tuple(values[row] for row in group)] for group in grouping]
        held = [list(arrangements(one)) if g in varied else [one] for g, (one,) in enumerate(true)]
        weights: Counter[int] = Counter()
        for world in product(*held):
            arranged = dict(zip(chain(*grouping), chain(*world), strict=True))
            weights[world[0][0]] += self.chance(grouping, [arranged[row] for row in range(len(values))])  # type: ignore[assignment]
        return {value: Fraction(weight, weights.total()) for value, weight in weights.items()}

    def highest_after(self, grouping: Grouping, values: Sequence[int]) -> Fraction:
        """The most that is believed of anyone after this one release, over all worlds that can have led to it.

        These are the ways to arrange each group's values inside the group, so tables can be larger than where every
        release is looked at.
        """
        held = [list(arrangements([values[row] for row in group])) for group in grouping]
        rows = list(chain(*grouping))
        total, having = Fraction(0), Counter[tuple[int, int]]()
        for world in product(*held):
            arranged = dict(zip(rows, chain(*world), strict=True))
            weight = self.chance(grouping, [arranged[row] for row in range(len(values))])
            total += weight
            for fact in arranged.items():
                having[fact] += weight  # type: ignore[assignment]
        return max(having.values()) / total

    def highest(self) -> Fraction:
        """The most that can be believed of anyone after any release."""
        return max(self.beliefs().values())

    def beliefs(self) -> dict[Release, Fraction]:
        """For each release the most that is believed of anyone."""
        whole = self.l**8 * 40320 * 720
        total: Counter[Release] = Counter()
        having: dict[Release, Counter[tuple[int, int]]] = defaultdict(Counter)
        for values in arrangements(self.multiset):
            for grouping, p in self.law(values).items():
                weight, rest = divmod(whole, p.denominator)
                assert rest == 0
                weight *= p.numerator
                release = tuple((group, tuple(sorted(values[row] for row in group))) for group in grouping)
                total[release] += weight
                seen = having[release]
                for fact in enumerate(values):
                    seen[fact] += weight
        return {release: Fraction(max(having[release].values()), weight) for release, weight in total.items()}


# (counts of the values, l, how often): tables in which a cut is tried and its slack depends on who has which value.
# There are few of them below 9 rows: a tried node has 2 * l * c > n >= (l + 1) * c, and with c = 1 both sides of a cut
# are known to be short of rows.
SMALL = (
    ((2, 2, 2), 2, 2),
    ((2, 2, 1, 1), 2, 12),
    ((2, 1, 1, 1, 1), 2, 2),
    ((2, 2, 2, 1), 2, 3),
    ((1, 1, 1, 1, 1), 3, 1),
)
LARGE = (((2, 2, 2, 2), 3, 4), ((3, 3, 3), 2, 2), ((2, 2, 1, 1, 1), 2, 1), ((2, 2, 2, 2), 2, 1))


def multiset_of(counts: Sequence[int]) -> tuple[int, ...]:
    return tuple(value for value, count in enumerate(counts) for _ in range(count))


def random_case(number: int, *, large: bool = False) -> tuple[Population, tuple[int, ...], int, Rules]:
    """The number-th random table: people with one or two quasi-identifiers, a multiset, l, and thresholds."""
    random = Random(f"soft cut worlds {number} {large}")
    shapes = LARGE if large else SMALL
    counts, l, _ = random.choices(shapes, [often for _, _, often in shapes])[0]
    shuffled = list(counts)
    random.shuffle(shuffled)  # which value is the frequent one
    multiset = multiset_of(shuffled)
    population = Population.random(random, len(multiset), random.choice([1, 2]), random.choice([2, 3, 4, 8]))
    return population, multiset, l, Rules(low=at_least(random.choice([1, 2, 2, 3])), at_root=True)
