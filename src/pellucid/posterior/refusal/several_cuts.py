"""What several refused cuts of one group tell together, for models that limit the share of each protected value.

The cuts divide the group into cells, at most 2**d of them for d cuts. Values are dealt to the cells one after the
other; a state says how many rows of each cell are taken and which of the cuts some value has already made fail. This
is inclusion and exclusion over the cuts without subtracting anything. The cost is polynomial in the number of rows for
a given number of cuts, whatever the number of values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from pellucid.posterior.exclusion import BUDGET, Impossible, OverBudget, Vector, multinomial
from pellucid.posterior.refusal.side_limits import SideLimits

State = int  # the free rows of each cell and the cuts that fail, in the bits of one number
Step = tuple[Vector, int, int, int]  # rows of each cell; the same as bits; the cuts that they make fail; how many ways


class Places:
    """Where a state has the free rows of each cell: above one bit for every cut, a field for each cell.

    Above its rows a field has a guard, a bit that is lost when more rows are taken than are free.

    >>> places = Places([2, 1], cuts=1)
    >>> after = places.all_free - places.taken([1, 1])
    >>> places.free(after), places.fits(after), places.fits(after - places.taken([0, 1]))
    ([1, 0], True, False)
    """

    def __init__(self, sizes: Sequence[int], cuts: int) -> None:
        widths = [size.bit_length() + 1 for size in sizes]
        self.shifts = [cuts + sum(widths[:cell]) for cell in range(len(sizes))]
        self.masks = [(1 << (width - 1)) - 1 for width in widths]
        self.guards = sum((mask + 1) << shift for mask, shift in zip(self.masks, self.shifts, strict=True))
        self.all_free = self.guards + self.taken(sizes)
        self.every_cut = (1 << cuts) - 1

    def taken(self, rows: Sequence[int]) -> int:
        """So many rows of each cell, as a number to subtract from a state."""
        return sum(n << shift for n, shift in zip(rows, self.shifts, strict=True))

    def fits(self, state: State) -> bool:
        """Whether no cell gave more rows than it had."""
        return state & self.guards == self.guards

    def free(self, state: State) -> list[int]:
        """The rows of each cell that are free."""
        return [(state >> shift) & mask for shift, mask in zip(self.shifts, self.masks, strict=True)]


def refused_cuts(
    sizes: Sequence[int],
    left: Sequence[Sequence[bool]],
    counts: Mapping[Any, int],
    limits: SideLimits,
    *,
    budget: int = BUDGET,
) -> list[dict[Any, Fraction]]:
    """For each cell the share of each value among its rows, given that every cut has a side that fails.

    Cells of ``sizes`` rows; ``left[cut][cell]`` says whether a cell is on the left of a cut.

    >>> from pellucid.models.l_diversity import LDiversity
    >>> limits = SideLimits.of(LDiversity(l=2, sensitive=("yes",)))
    >>> shares = refused_cuts([1, 1, 3], [[True, True, False], [True, False, True]], {"yes": 2, "no": 3}, limits)
    >>> [str(cell["yes"]) for cell in shares]
    ['1', '1', '0']
    """
    deal = _Deal.of(sizes, left, counts, limits, budget)
    means = _mean_rows(deal)
    rest = sum(sizes) - sum(n for _, n in deal.acting)
    return [
        _shares_of_cell(deal.acting, [mean[cell] for mean in means], counts, size, rest)
        for cell, size in enumerate(sizes)
    ]


def _shares_of_cell(
    acting: Sequence[tuple[list[Any], int]],
    means: Sequence[Fraction],
    counts: Mapping[Any, int],
    size: int,
    rest: int,
) -> dict[Any, Fraction]:
    """The share of each value among the rows of a cell, of which the sets that count have so many on average.

    The other values have ``rest`` rows in all cells, and share what is left of this one in proportion.
    """
    shares: dict[Any, Fraction] = {}
    for (values, n), mean in zip(reversed(acting), reversed(means), strict=True):
        shares |= {v: mean * Fraction(counts[v], n * size) if size else Fraction(0) for v in values}
    left_over = size - sum(means)
    for value, count in counts.items():
        if value not in shares:
            shares[value] = left_over * Fraction(count, rest * size) if rest and size else Fraction(0)
    return shares


@dataclass(frozen=True)
class _Deal:
    """Cells of so many rows, the cuts through them, and the values that can make a cut fail."""

    sizes: Sequence[int]
    cuts: Sequence[Sequence[bool]]  # without those that fail by the sizes of their sides
    most: Sequence[tuple[int, int]]  # rows of one set of values that the two sides of each cut may have
    acting: Sequence[tuple[list[Any], int]]  # values that count as one, and their rows; the largest first
    budget: int

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        left: Sequence[Sequence[bool]],
        counts: Mapping[Any, int],
        limits: SideLimits,
        budget: int,
    ) -> _Deal:
        whole = sum(sizes)
        on_left = [(_rows_on_left(sizes, cut), cut) for cut in left]
        open_cuts = [(a, cut) for a, cut in on_left if min(a, whole - a) >= limits.least]
        most = [(int(limits.share * a), int(limits.share * (whole - a))) for a, _ in open_cuts]
        lowest = min((min(pair) for pair in most), default=whole)
        acting = [(values, n) for values, n in limits.rows_of_sets(counts) if n > lowest]
        acting.sort(key=lambda of_set: -of_set[1])
        return cls(sizes, [cut for _, cut in open_cuts], most, acting, budget)

    def steps(self, places: Places) -> list[list[Step]]:
        """For each set of values every way to deal its rows to the cells."""
        different = {n for _, n in self.acting}
        if sum(prod(min(n, size) + 1 for size in self.sizes[:-1]) for n in different) > self.budget // 4:
            raise self.too_many()
        by_count = {n: _steps(n, self.sizes, self.cuts, self.most, places) for n in different}
        return [by_count[n] for _, n in self.acting]

    def too_many(self) -> OverBudget:
        return OverBudget(
            "{cuts} refused cuts of {sizes} rows with {acting} values take more than {budget:.1e} steps",
            "{SAMPLE_OR_MORE_BUDGET}",
            cuts=len(self.cuts),
            sizes=sum(self.sizes),
            acting=len(self.acting),
            budget=self.budget,
        )


def _mean_rows(deal: _Deal) -> list[list[Fraction]]:
    """For each acting set of values how many of its rows are in each cell, on average, when every cut fails."""
    places = Places(deal.sizes, len(deal.cuts))
    steps = deal.steps(places)
    reached: list[dict[State, int]] = [{places.all_free: 1}]
    spent = 0
    for of_set in steps:
        spent += len(reached[-1]) * len(of_set)
        if spent > deal.budget:
            raise deal.too_many()
        reached.append(_after(reached[-1], of_set, places.guards))
    following: dict[State, int] = {
        state: multinomial(places.free(state)) for state in reached[-1] if state & places.every_cut == places.every_cut
    }
    total = sum(reached[-1][state] * ways for state, ways in following.items())
    if not total:
        raise Impossible("no arrangement of these values makes every cut fail", "not all of them can have been refused")
    means = []
    for of_set, before in zip(reversed(steps), reversed(reached[:-1]), strict=True):
        rows, following = _before(before, of_set, following, len(deal.sizes))
        means.append([Fraction(count, total) for count in rows])
    return means[::-1]


def _after(states: Mapping[State, int], steps: Sequence[Step], guards: int) -> dict[State, int]:
    """In how many ways each state is reached when one more set of values is dealt."""
    reached: dict[State, int] = defaultdict(int)
    for _, taken, fails, here in steps:
        for state, ways in states.items():
            now = state - taken
            if now & guards == guards:  # that is Places.fits, in the innermost loop
                reached[now | fails] += ways * here
    return dict(reached)


def _before(
    states: Mapping[State, int], steps: Sequence[Step], following: Mapping[State, int], cells: int
) -> tuple[list[int], dict[State, int]]:
    """The rows of a set of values in each cell, over all arrangements, and how many follow each state before it."""
    rows = [0] * cells
    earlier: dict[State, int] = defaultdict(int)
    for vector, taken, fails, here in steps:
        arrangements = 0
        for state, ways in states.items():
            after = following.get((state - taken) | fails)  # never one that lost a guard
            if after:
                earlier[state] += here * after
                arrangements += ways * after
        for cell, j in enumerate(vector):
            rows[cell] += j * here * arrangements
    return rows, dict(earlier)


def _steps(
    count: int, sizes: Sequence[int], cuts: Sequence[Sequence[bool]], most: Sequence[tuple[int, int]], places: Places
) -> list[Step]:
    """Every way to deal so many rows of one value to the cells."""
    steps = []
    for head in product(*(range(min(count, n) + 1) for n in sizes[:-1])):
        last = count - sum(head)
        if not 0 <= last <= sizes[-1]:
            continue
        vector = (*head, last)
        fails = 0
        for k, cut in enumerate(cuts):
            on_left = sum(j for j, side in zip(vector, cut, strict=True) if side)
            if on_left > most[k][0] or count - on_left > most[k][1]:
                fails |= 1 << k
        steps.append((vector, places.taken(vector), fails, multinomial(vector)))
    return steps


def _rows_on_left(sizes: Sequence[int], cut: Sequence[bool]) -> int:
    return sum(n for n, side in zip(sizes, cut, strict=True) if side)
