"""What is known when at least one of several parts violates a model: counting arrangements, all of them exactly.

Rows with known sensitive counts are spread over parts of known sizes, every arrangement equally likely. Somebody knows
that at least one part violates the model. One pass over the parts from either end carries, for every choice of what is
left of each value, the number of arrangements, and of those in which some part violates; all terms are positive, so
nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.posterior.limited_parts import LimitedGroups
from pellucid.runtime.arguments import several, whole_number
from pellucid.text.figures import in_powers

Vector = tuple[int, ...]
Violates = Callable[[int, NDArray[np.int64]], NDArray[np.bool_]]  # (part, one row of counts per vector) -> which
BUDGET = 3_000_000  # vectors that are looked at; a few seconds


class OverBudget(ModelError):
    """An exact count would take more steps than allowed; sample, ask for less, or allow more."""


class Impossible(ModelError):
    """The release contradicts what is assumed of it: no arrangement violates the model."""


def nothing_forced() -> Impossible:
    """What to say where no class can violate the model."""
    return Impossible("no arrangement of these values violates the model in any class", "nothing forced the merge")


def posterior_of_parts(
    sizes: Sequence[int], counts: Sequence[int], violates: Violates, *, budget: int = BUDGET
) -> list[list[Fraction]]:
    """For each part the share of each value among its rows, given that some part violates.

    ``violates(i, vectors)`` says for each vector of counts whether part i with these counts violates.
    """
    check_sizes(sizes, counts)
    refuse_above(budget, _work(sizes, counts), f"{len(sizes)} classes of {len(counts)} values")
    parts = [_Part(n, counts, violates, i) for i, n in enumerate(sizes)]
    prefixes, suffixes = [_nothing_used(counts)], [_nothing_used(counts)]
    for part in parts:
        prefixes.append(part.extend(prefixes[-1]))
    for part in reversed(parts):
        suffixes.append(part.extend(suffixes[-1]))
    suffixes.reverse()
    bad = int(prefixes[-1].some[tuple(counts[:-1])])
    if bad == 0:
        raise nothing_forced()
    shares = []
    for part, before, after in zip(parts, prefixes[:-1], suffixes[1:], strict=True):
        rows = part.rows(before, after)
        shares.append([Fraction(row, part.size * bad) if part.size else Fraction(0) for row in rows])
    return shares


def _work(sizes: Sequence[int], counts: Sequence[int]) -> int:
    """The steps of counting: for each part the vectors that it may have, times the states in which it may."""
    return sum(prod(min(c, n) + 1 for c in counts[:-1]) for n in sizes) * prod(c + 1 for c in counts[:-1])


def posterior_of_classes(
    sizes: Sequence[int],
    counts: Sequence[int],
    limits: Sequence[Sequence[int]] | None,
    violates: Violates,
    *,
    budget: int = BUDGET,
) -> list[list[Fraction]]:
    """The same, by limits where the model comes down to such, which takes fewer states."""
    if limits is not None:
        return posterior_by_limits(sizes, counts, limits, budget=budget)
    return posterior_of_parts(sizes, counts, violates, budget=budget)


def posterior_by_limits(
    sizes: Sequence[int], counts: Sequence[int], limits: Sequence[Sequence[int]], *, budget: int = BUDGET
) -> list[list[Fraction]]:
    """The same when part i violates by having more than ``limits[i][v]`` rows of some value v.

    Values that cannot exceed any limit are counted together as one and told apart by their counts in the end. The
    kernel counts what it can; the rest, and what is too much, is left to :func:`posterior_of_parts`.

    >>> posterior_by_limits([2, 5], [2, 1, 4], [[1, 1, 1], [2, 2, 5]])[0]
    [Fraction(1, 7), Fraction(0, 1), Fraction(6, 7)]
    """
    check_sizes(sizes, counts)
    alone = LimitedGroups.of([(sizes, counts, limits)])
    if alone.countable(whole_number(budget, "budget", ModelError))[0]:
        return _of_one_group(alone)
    acting = _acting(sizes, counts, limits)
    inert = [v for v in range(len(counts)) if v not in acting]
    together = sum(counts[v] for v in inert)
    most = np.array([[row[v] for v in acting] for row in limits], dtype=np.int64).reshape(len(sizes), len(acting))
    posteriors = posterior_of_parts(
        sizes,
        [*(counts[v] for v in acting), together],
        lambda i, vectors: (vectors[:, :-1] > most[i]).any(axis=1),
        budget=budget,
    )
    rest_of = {v: Fraction(counts[v], together) if together else Fraction(0) for v in inert}
    return [_told_apart(shares, acting, rest_of) for shares in posteriors]


def _of_one_group(alone: LimitedGroups) -> list[list[Fraction]]:
    """The posteriors of a single group, which the kernel counts."""
    having, of = (numbers.tolist() for numbers in alone.beyond(np.zeros(1, np.int64)))
    if not of[0]:
        raise nothing_forced()
    shares = [Fraction(*pair) for pair in zip(having, of, strict=True)]
    values = int(alone.values[0])
    return [shares[first : first + values] for first in range(0, len(shares), values)]


def _told_apart(shares: Sequence[Fraction], acting: Sequence[int], rest_of: Mapping[int, Fraction]) -> list[Fraction]:
    """The shares of all values, of which the last one is that of the others together, who have so much of it each."""
    of_value = dict(zip(acting, shares, strict=False))
    of_value |= {v: shares[-1] * part for v, part in rest_of.items()}
    return [of_value[v] for v in range(len(of_value))]


def _acting(sizes: Sequence[int], counts: Sequence[int], limits: Sequence[Sequence[int]]) -> list[int]:
    """The values that can exceed the limit of some part."""
    return [v for v, c in enumerate(counts) if any(min(c, n) > limits[i][v] for i, n in enumerate(sizes))]


Ways = NDArray[Any]  # by the rows used of every value but the last: in how many ways; the last value follows


@dataclass(frozen=True)
class _Reached:
    """The arrangements of some parts, by what they use of each value, and those in which some part violates."""

    every: Ways
    some: Ways


def _nothing_used(counts: Sequence[int]) -> _Reached:
    every = _zeros(counts)
    every[(0,) * (len(counts) - 1)] = 1
    return _Reached(every, _zeros(counts))


def _zeros(counts: Sequence[int]) -> Ways:
    """No arrangements. Machine words where the largest sum fits: they wrap around, and so end right."""
    fits = multinomial(counts) * max(1, sum(counts)) < 2**63
    return np.zeros([c + 1 for c in counts[:-1]], dtype=np.int64 if fits else object)


class _Part:
    """One part: every vector of counts that it can have, in how many ways, and whether it violates."""

    def __init__(self, size: int, counts: Sequence[int], violates: Violates, number: int) -> None:
        self.size = size
        vectors = list(vectors_of(size, counts))
        breaks = violates(number, np.array(vectors, dtype=np.int64).reshape(len(vectors), len(counts)))
        self.vectors = [
            (vector, multinomial(vector), bool(bad)) for vector, bad in zip(vectors, breaks.tolist(), strict=True)
        ]
        self.counts = counts

    def extend(self, reached: _Reached) -> _Reached:
        """What is reached when this part takes its rows too."""
        every, some = _zeros(self.counts), _zeros(self.counts)
        for vector, ways, breaks in self.vectors:
            from_, to = self._before_and_after(vector)
            every[to] += reached.every[from_] * ways
            some[to] += (reached.every if breaks else reached.some)[from_] * ways
        return _Reached(every, some)

    def rows(self, before: _Reached, after: _Reached) -> list[int]:
        """The rows of each value in this part, over all arrangements in which some part violates.

        What the parts after this one use is what those before it and the part itself leave.
        """
        rows = [0] * len(self.counts)
        every_after, some_after = np.flip(after.every), np.flip(after.some)
        fine = before.every - before.some
        for vector, ways, breaks in self.vectors:
            from_, to = self._before_and_after(vector)
            if breaks:
                others = (before.every[from_] * every_after[to]).sum()
            else:
                others = (before.some[from_] * every_after[to]).sum() + (fine[from_] * some_after[to]).sum()
            for v, count in enumerate(vector):
                rows[v] += count * ways * int(others)
        return rows

    def _before_and_after(self, vector: Vector) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Where there is room for a vector, and where one gets with it."""
        used = list(zip(vector[:-1], self.counts, strict=False))
        return tuple(slice(0, c - v + 1) for v, c in used), tuple(slice(v, c + 1) for v, c in used)


def vectors_of(size: int, counts: Sequence[int]) -> Iterator[Vector]:
    """Every way to choose ``size`` rows by their values alone.

    >>> list(vectors_of(2, [1, 2]))
    [(0, 2), (1, 1)]
    """
    for head in product(*(range(min(c, size) + 1) for c in counts[:-1])):
        last = size - sum(head)
        if 0 <= last <= counts[-1]:
            yield (*head, last)


def multinomial(vector: Sequence[int]) -> int:
    """In how many orders these counts of values can be placed.

    >>> multinomial((2, 1, 1))
    12
    """
    ways, total = 1, 0
    for count in vector:
        total += count
        ways *= comb(total, count)
    return ways


def given_sizes(sizes: Any) -> list[int]:
    """The numbers of rows of classes."""
    given = several(sizes, "class_sizes", "a list of whole numbers, such as [2, 5]", ModelError)
    return [whole_number(size, "class_sizes", ModelError) for size in given]


def refuse_above(budget: Any, work: int, what: str) -> None:
    """Raise when a count takes more steps than allowed."""
    if work > whole_number(budget, "budget", ModelError):
        raise OverBudget(
            "{what} take about {work} steps, more than the budget of {budget:.1e}",
            "protect fewer values at once, or {MORE_BUDGET}",
            what=what,
            work=in_powers(work),
            budget=budget,
        )


def check_sizes(sizes: Sequence[int], counts: Sequence[int]) -> None:
    """Raise unless the parts have as many rows as there are values."""
    if sum(sizes) != sum(counts) or min(sizes, default=0) < 0 or not sizes:
        raise ModelError(
            f"classes of {', '.join(map(str, sizes))} rows and {sum(counts)} sensitive values",
            "every row has one value: the two must add up to the same number",
        )
