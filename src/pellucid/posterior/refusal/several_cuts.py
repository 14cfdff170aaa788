"""What several refused cuts of one group tell together, for models that limit the share of each protected value.

The cuts divide the group into cells, at most 2**d of them for d cuts. Values are dealt to the cells one after the
other; a state says how many rows of each cell are taken and which of the cuts some value has already made fail. This
is inclusion and exclusion over the cuts without subtracting anything. The cost is polynomial in the number of rows for
a given number of cuts, whatever the number of values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from pellucid.advice import SAMPLE_OR_MORE_BUDGET
from pellucid.posterior.exclusion import BUDGET, Impossible, OverBudget, Vector, multinomial
from pellucid.posterior.refusal.one_cut import SideLimits

State = tuple[Vector, int]  # rows of each cell that are taken, and the cuts that fail as a set of bits
Step = tuple[Vector, int, int]  # rows of each cell, the cuts that they make fail, and in how many ways


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

    >>> from pellucid.model.l_diversity import LDiversity
    >>> limits = SideLimits.of(LDiversity(l=2, sensitive=("yes",)))
    >>> found = refused_cuts([1, 1, 3], [[True, True, False], [True, False, True]], {"yes": 2, "no": 3}, limits)
    >>> [str(cell["yes"]) for cell in found]
    ['1', '1', '0']
    """
    sides = [(sum(n for n, side in zip(sizes, cut, strict=True) if side), cut) for cut in left]
    whole = sum(sizes)
    looked = [(a, cut) for a, cut in sides if min(a, whole - a) >= limits.least]  # the others fail by their size
    most = [(int(limits.share * a), int(limits.share * (whole - a))) for a, _ in looked]
    cuts = [cut for _, cut in looked]
    lowest = min((min(pair) for pair in most), default=whole)
    acting = [(held, n) for held in limits.sets(counts) if (n := sum(counts[v] for v in held)) > lowest]
    acting.sort(key=lambda one: -one[1])
    rest = whole - sum(n for _, n in acting)
    if sum(prod(min(n, size) + 1 for size in sizes[:-1]) for n in {n for _, n in acting}) > budget // 4:
        raise _too_many(len(cuts), whole, len(acting), budget)
    steps_by_count = {n: _steps(n, sizes, cuts, most) for _, n in acting}
    steps = [steps_by_count[n] for _, n in acting]
    ahead: list[dict[State, int]] = [{((0,) * len(sizes), 0): 1}]
    spent = 0
    for of_value in steps:
        spent += len(ahead[-1]) * len(of_value)
        if spent > budget:
            raise _too_many(len(cuts), whole, len(acting), budget)
        reached: dict[State, int] = defaultdict(int)
        for (taken, failing), ways in ahead[-1].items():
            for vector, fails, here in of_value:
                now = tuple(t + j for t, j in zip(taken, vector, strict=True))
                if all(t <= n for t, n in zip(now, sizes, strict=True)):
                    reached[now, failing | fails] += ways * here
        ahead.append(dict(reached))
    every = (1 << len(cuts)) - 1
    behind: dict[State, int] = {
        (taken, failing): multinomial([n - t for n, t in zip(sizes, taken, strict=True)])
        for taken, failing in ahead[-1]
        if failing == every
    }
    total = sum(ahead[-1][state] * ways for state, ways in behind.items())
    if not total:
        raise Impossible("no arrangement of these values makes every cut fail", "not all of them can have been refused")
    found: list[dict[Any, Fraction]] = [{} for _ in sizes]
    taken_by_acting = [Fraction(0)] * len(sizes)
    for i in range(len(acting) - 1, -1, -1):
        held, n = acting[i]
        rows = [0] * len(sizes)
        before: dict[State, int] = {}
        for (taken, failing), ways in ahead[i].items():
            later = 0
            for vector, fails, here in steps[i]:
                now = tuple(t + j for t, j in zip(taken, vector, strict=True))
                after = behind.get((now, failing | fails))
                if after:
                    later += here * after
                    for cell, j in enumerate(vector):
                        if j:
                            rows[cell] += j * ways * here * after
            if later:
                before[taken, failing] = later
        behind = before
        for cell, count in enumerate(rows):
            mean = Fraction(count, total)
            taken_by_acting[cell] += mean
            for value in held:
                found[cell][value] = mean * Fraction(counts[value], n * sizes[cell]) if sizes[cell] else Fraction(0)
    for cell, size in enumerate(sizes):
        for value, count in counts.items():
            if value not in found[cell]:
                left_over = size - taken_by_acting[cell]
                found[cell][value] = left_over * Fraction(count, rest * size) if rest and size else Fraction(0)
    return found


def _too_many(cuts: int, rows: int, values: int, budget: int) -> OverBudget:
    return OverBudget(
        f"{cuts} refused cuts of {rows} rows with {values} values take more than {budget:.1e} steps",
        f"{SAMPLE_OR_MORE_BUDGET}",
    )


def _steps(
    count: int, sizes: Sequence[int], cuts: Sequence[Sequence[bool]], most: Sequence[tuple[int, int]]
) -> list[Step]:
    """Every way to deal so many rows of one value to the cells."""
    found = []
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
        found.append((vector, fails, multinomial(vector)))
    return found
