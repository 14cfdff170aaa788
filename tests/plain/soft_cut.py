"""SoftCut written down as it is defined, and its exact law, for reading and for comparison with the compiled kernel.

One function, :func:`leaves`, is the definition of the tree. What decides over a tried cut is a parameter: the die that
a release's coins give (:class:`CoinsDie`), or the law of the die (:func:`refusal_law`), under which every outcome comes
with its probability. The thresholds are parameters too (:class:`Rules`): the promise depends on none of them, and on
tables small enough to try every world no cut would be tried with the real ones. Some settings are wrong on purpose, for
the tests that catch them; the law over all worlds is in tests/oracle/soft_cut.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Protocol

import numpy as np

from pellucid.core.coins import Coins
from plain.laws import choices
from plain.opening import allowed
from plain.running import Running
from plain.transparent import (
    Geometry,
    Group,
    Grouping,
    Inputs,
    Vectors,
    ace,
    as_grouping,
    assign,
    assign_steps,
    canonical_cut,
    most_frequent,
    perimeter,
    slice_bucket,
)

Path = tuple[int, ...]  # the sides taken from the root: 0 left, 1 right
Refusal = Callable[[Path, int], Fraction]  # how likely a tried cut with this slack is refused at this node
Sides = tuple[Group, Group]


def smallest_side(n: int, c: int, l: int) -> int:
    """How many rows each side of a tried cut has at least.

    >>> smallest_side(100, 20, 2), smallest_side(9, 3, 2)
    (14, 24)
    """
    return -(-2 * l * l * n // (n - l * c))


def side_below_first_cut(n: int, c: int, l: int) -> int:
    """The same in a table that the first cut opened: nothing is tried where a value takes more than 4/5 of its room.

    >>> side_below_first_cut(100, 20, 2), side_below_first_cut(1000, 100, 8), side_below_first_cut(1000, 101, 8)
    (14, 640, 1000)
    """
    return smallest_side(n, c, l) if 5 * l * c <= 4 * n else n


@dataclass(frozen=True)
class Rules:
    """What the tests vary; the values here are SoftCut's."""

    low: Callable[[int, int, int], int] = smallest_side
    at_root: bool = False  # whether a cut is tried where Tailor made none above
    more: int = 1  # by how much groups below a refused cut are larger than l
    refusals: int = 1  # how many cuts may be refused above a person
    slices: bool = False  # whether buckets below a refused cut are divided by quasi-identifiers


SOFT_CUT = Rules()
BELOW_FIRST_CUT = Rules(low=side_below_first_cut)


@dataclass(frozen=True)
class Leaf:
    """Rows that are cut no further, and how many cuts above them were refused."""

    rows: tuple[int, ...]
    refused: int


class Cuts(Protocol):
    """Where groups can be cut; decided by quasi-identifiers and row order alone."""

    def sure(self, rows: Sequence[int], least: int) -> Sides:
        """Tailor's canonical cut with so many rows on each side at least."""

    def between_codes(self, rows: Sequence[int], low: int) -> Sides | None:
        """The canonical one of the cuts between different codes, if there are any."""


@dataclass(frozen=True)
class PlainCuts:
    """By trying every attribute and every size, in fractions."""

    codes: Vectors
    order: Sequence[int]
    geometry: Sequence[Geometry]

    def sure(self, rows: Sequence[int], least: int) -> Sides:
        return canonical_cut(rows, self.codes, self.order, self.geometry, range(least, len(rows) - least + 1))

    def between_codes(self, rows: Sequence[int], low: int) -> Sides | None:
        candidates = []
        for i in range(len(self.geometry)):
            for left, right in divisions(rows, self.codes, i):
                if min(len(left), len(right)) >= low:
                    total = perimeter(left, self.codes, self.geometry) + perimeter(right, self.codes, self.geometry)
                    candidates.append((total, i, len(left), left, right))
        return min(candidates, key=lambda candidate: candidate[:3])[3:] if candidates else None


def divisions(rows: Sequence[int], codes: Vectors, i: int) -> Iterator[Sides]:
    """Every cut between different codes of attribute i, from the left."""
    for code in sorted({codes[row][i] for row in rows})[1:]:
        yield [row for row in rows if codes[row][i] < code], [row for row in rows if codes[row][i] >= code]


class RunningCuts:
    """The same, fast enough for tables of some hundred rows; see :mod:`plain.running`."""

    def __init__(self, inputs: Inputs) -> None:
        self.running = Running(inputs)

    def sure(self, rows: Sequence[int], least: int) -> Sides:
        lines = [self.running.line(rows, i) for i in range(len(self.running.rulers))]
        i, k = self.running.best([[[row] for row in line] for line in lines], range(least, len(rows) - least + 1))
        return lines[i][:k], lines[i][k:]

    def between_codes(self, rows: Sequence[int], low: int) -> Sides | None:
        found = None
        for i in range(len(self.running.rulers)):
            line = self.running.line(rows, i)
            left = self.running.extents([[row] for row in line])
            right = self.running.extents([[row] for row in line[::-1]])[::-1]
            for k in range(low, len(rows) - low + 1):
                if self.running.codes[line[k - 1]][i] != self.running.codes[line[k]][i]:
                    total = k * left[k - 1] + (len(rows) - k) * right[k]
                    if found is None or total < found[0]:
                        found = total, (line[:k], line[k:])
        return None if found is None else found[1]


def slack(sides: Sides, sensitive: Vectors, l: int) -> int:
    """How many more rows of its most frequent value the tighter side could bear; negative: it has too many."""
    return min(len(side) // l - most_frequent(side, sensitive) for side in sides)


def leaves(
    cuts: Cuts,
    sensitive: Vectors,
    l: int,
    refusal: Refusal,
    rules: Rules,
    rows: Sequence[int],
    refused: int = 0,
    path: Path = (),
) -> Iterator[tuple[Fraction, list[Leaf]]]:
    """Every tree that can be grown over these rows, as its leaves from left to right, with its probability."""

    def both(sides: Sides) -> Iterator[tuple[Fraction, list[Leaf]]]:
        left, right = (
            list(leaves(cuts, sensitive, l, refusal, rules, side, refused, (*path, number)))
            for number, side in enumerate(sides)
        )
        return ((p * q, [*ones, *others]) for p, ones in left for q, others in right)

    n, c = len(rows), most_frequent(rows, sensitive)
    q = l + rules.more if refused else l
    if n >= 2 * q * c:
        yield from both(cuts.sure(rows, q * c))
        return
    sides = None
    if refused < rules.refusals and (path or rules.at_root) and (l + rules.more) * c <= n:
        low = rules.low(n, c, l)
        sides = cuts.between_codes(rows, low) if 2 * low <= n else None
    if sides is None:
        yield Fraction(1), [Leaf(tuple(sorted(rows)), refused)]
        return
    lost = refusal(path, slack(sides, sensitive, q))
    if lost < 1:
        yield from ((p * (1 - lost), found) for p, found in both(sides))
    if lost > 0:
        again = leaves(cuts, sensitive, l, refusal, rules, rows, refused + 1, path)
        yield from ((p * lost, found) for p, found in again)


def refusal_law(l: int) -> Refusal:
    """The law of the die: a cut is refused when more throws than its slack come before the first 1.

    >>> [str(refusal_law(3)((), t)) for t in (-2, -1, 0, 1)]
    ['1', '1', '2/3', '4/9']
    """
    return lambda path, t: Fraction(l - 1, l) ** max(0, t + 1)  # noqa: ARG005


class CoinsDie:
    """The die of a release: whether its throws refuse a cut, as 0 or 1."""

    def __init__(self, coins: Coins, l: int) -> None:
        self.coins, self.l = coins, l

    def name(self, path: Path) -> int:
        """The root is 0; a side is the keyed hash of its parent with the side in the lowest bit."""
        name = 0
        for side in path:
            name = self.hashed(name ^ side, "node")
        return name

    def hashed(self, word: int, purpose: str) -> int:
        return int(self.coins.draws(np.array([word % 2**64], dtype=np.uint64).view(np.int64), purpose=purpose)[0])

    def throws_before_one(self, path: Path) -> int:
        """How many throws come before the first 1; 63-bit numbers beyond the last multiple of l do not count."""
        word, before = self.name(path), 0
        while True:
            drawn = self.hashed(word, "die")
            word += 1
            if drawn >= 2**63 // self.l * self.l:
                continue
            if drawn % self.l == 0:
                return before
            before += 1

    def __call__(self, path: Path, t: int) -> Fraction:
        return Fraction(t < 0 or self.throws_before_one(path) > t)


class WatchedDie(CoinsDie):
    """The same, and ``decided`` tells of every cut that was tried whether it was refused."""

    def __init__(self, coins: Coins, l: int, decided: list[bool]) -> None:
        super().__init__(coins, l)
        self.decided = decided

    def __call__(self, path: Path, t: int) -> Fraction:
        lost = super().__call__(path, t)
        self.decided.append(bool(lost))
        return lost


def by_lot(rows: Sequence[int], sensitive: Vectors, l: int, draw: Sequence[int]) -> list[Group]:
    """Assign's buckets, the i-th drawn rows of all columns together."""
    buckets = assign(rows, sensitive, l, draw)
    return [sorted(group) for columns in buckets for group in zip(*columns, strict=True)]


def opened(cuts: Cuts, sensitive: Vectors, l: int, draw: Sequence[int], rows: Sequence[int]) -> Sides | None:
    """The first cut of a table in which none is certain, where the buckets of Ace allow it."""
    n, c = len(rows), most_frequent(rows, sensitive)
    if n >= 2 * l * c or n == l * c:
        return None
    low = smallest_side(n, c, l)
    sides = cuts.between_codes(rows, low) if 2 * low <= n else None
    return sides if sides is not None and allowed(assign(rows, sensitive, l, draw), sensitive, sides, l) else None


def soft_cut(inputs: Inputs, l: int, draw: Sequence[int], refusal: Refusal, cuts: Cuts | None = None) -> list[Group]:
    """The groups, left to right, when the die is thrown: every refusal has probability 0 or 1."""
    cuts = PlainCuts(inputs.codes, inputs.order, inputs.geometry) if cuts is None else cuts
    rows = range(len(inputs.codes))
    sides = opened(cuts, inputs.sensitive, l, draw, rows)
    starts: list[tuple[Sequence[int], Path]] = [(rows, ())] if sides is None else [(sides[0], (0,)), (sides[1], (1,))]
    rules = SOFT_CUT if sides is None else BELOW_FIRST_CUT
    found: list[Leaf] = []
    for start, path in starts:
        ((_, below),) = leaves(cuts, inputs.sensitive, l, refusal, rules, start, path=path)
        found += below
    groups: list[Group] = []
    for leaf in found:
        if leaf.refused:
            groups += by_lot(leaf.rows, inputs.sensitive, l + SOFT_CUT.more, draw)
        elif isinstance(cuts, RunningCuts):
            groups += cuts.running.ace(l, draw, leaf.rows)
        else:
            groups += ace(inputs.codes, inputs.order, inputs.sensitive, l, inputs.geometry, draw, leaf.rows)
    return groups


Columns = Sequence[Sequence[int]]  # a bucket, one list of rows per value
Dividing = Callable[[Columns], list[list[Group]]]  # every way a bucket can be divided, all equally likely


def divided_by_lot(columns: Columns) -> list[list[Group]]:
    """Every way to match the rows of the columns."""
    orders = product(*(permutations(column) for column in columns[1:]))
    return [[sorted(group) for group in zip(columns[0], *order, strict=True)] for order in orders]


def divided_by_slice(cuts: PlainCuts) -> Dividing:
    """The one way that Slice chooses."""
    return lambda columns: [slice_bucket(columns, cuts.codes, cuts.order, cuts.geometry)]


def leaf_law(rows: Sequence[int], sensitive: Vectors, l: int, dividing: Dividing) -> dict[Grouping, Fraction]:
    """The law of a leaf's groups: Assign's draws, then the division of each bucket."""
    columns: dict[int, list[int]] = {}
    for row in rows:
        columns.setdefault(sensitive[row][0], []).append(row)
    steps = assign_steps({value: len(column) for value, column in columns.items()}, l)
    law: dict[Grouping, Fraction] = {}
    filled = list(choices(columns, steps))
    for buckets in filled:
        ways = list(product(*map(dividing, buckets)))
        for way in ways:
            grouping = tuple(sorted(as_grouping(group for groups in way for group in groups)))
            law[grouping] = law.get(grouping, Fraction(0)) + Fraction(1, len(filled) * len(ways))
    return law
