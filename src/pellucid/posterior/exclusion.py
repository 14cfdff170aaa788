"""What is known when at least one of several parts violates a model: counting arrangements, all of them exactly.

Rows with known sensitive counts are spread over parts of known sizes, every arrangement equally likely. Somebody knows
that at least one part violates the model. One pass over the parts from either end carries, for every choice of what is
left of each value, the number of arrangements, and of those in which some part violates; all terms are positive, so
nothing cancels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.advice import MORE_BUDGET
from pellucid.arguments import several, whole_number
from pellucid.errors import ModelError

Vector = tuple[int, ...]
Violates = Callable[[int, NDArray[np.int64]], NDArray[np.bool_]]  # (part, one row of counts per vector) -> which
BUDGET = 3_000_000  # vectors that are looked at; a few seconds


class OverBudget(ModelError):
    """An exact count would take more steps than allowed; sample, ask for less, or allow more."""


class Impossible(ModelError):
    """The release contradicts what is assumed of it: no arrangement violates the model."""


def posterior_of_parts(
    sizes: Sequence[int], counts: Sequence[int], violates: Violates, *, budget: int = BUDGET
) -> list[list[Fraction]]:
    """For each part the share of each value among its rows, given that some part violates.

    ``violates(i, vectors)`` says for each vector of counts whether part i with these counts violates.
    """
    check_sizes(sizes, counts)
    work = sum(prod(min(c, n) + 1 for c in counts[:-1]) for n in sizes) * prod(c + 1 for c in counts[:-1])
    refuse_above(budget, work, f"{len(sizes)} classes of {len(counts)} values")
    parts = [_Part(n, counts, violates, i) for i, n in enumerate(sizes)]
    prefixes, suffixes = [_START(counts)], [_START(counts)]
    for part in parts:
        prefixes.append(part.extend(prefixes[-1]))
    for part in reversed(parts):
        suffixes.append(part.extend(suffixes[-1]))
    suffixes.reverse()
    bad = prefixes[-1][tuple(counts)][1]
    if bad == 0:
        raise Impossible("no arrangement of these values violates the model in any class", "nothing forced the merge")
    shares = []
    for part, before, after in zip(parts, prefixes[:-1], suffixes[1:], strict=True):
        rows = part.rows(before, after)
        shares.append([Fraction(row, part.size * bad) if part.size else Fraction(0) for row in rows])
    return shares


def posterior_by_limits(
    sizes: Sequence[int], counts: Sequence[int], limits: Sequence[Sequence[int]], *, budget: int = BUDGET
) -> list[list[Fraction]]:
    """The same when part i violates by having more than ``limits[i][v]`` rows of some value v.

    Values that cannot exceed any limit are counted together as one and told apart by their counts in the end.

    >>> posterior_by_limits([2, 5], [2, 1, 4], [[1, 1, 1], [2, 2, 5]])[0]
    [Fraction(1, 7), Fraction(0, 1), Fraction(6, 7)]
    """
    acting = [v for v, c in enumerate(counts) if any(min(c, n) > limits[i][v] for i, n in enumerate(sizes))]
    inert = [v for v in range(len(counts)) if v not in acting]
    together = sum(counts[v] for v in inert)
    most = np.array([[row[v] for v in acting] for row in limits], dtype=np.int64).reshape(len(sizes), len(acting))
    found = posterior_of_parts(
        sizes,
        [*(counts[v] for v in acting), together],
        lambda i, vectors: (vectors[:, :-1] > most[i]).any(axis=1),
        budget=budget,
    )
    posterior = []
    for shares in found:
        of_value = dict(zip(acting, shares, strict=False))
        of_value |= {v: shares[-1] * Fraction(counts[v], together) if together else Fraction(0) for v in inert}
        posterior.append([of_value[v] for v in range(len(counts))])
    return posterior


States = dict[Vector, tuple[int, int]]  # used counts -> arrangements, and those in which some part violates


def _START(counts: Sequence[int]) -> States:  # noqa: N802
    return {(0,) * len(counts): (1, 0)}


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

    def extend(self, states: States) -> States:
        grown: dict[Vector, list[int]] = defaultdict(lambda: [0, 0])
        for used, (every, some) in states.items():
            for vector, ways, breaks in self.vectors:
                now = tuple(u + v for u, v in zip(used, vector, strict=True))
                if all(n <= c for n, c in zip(now, self.counts, strict=True)):
                    cell = grown[now]
                    cell[0] += every * ways
                    cell[1] += (every if breaks else some) * ways
        return {used: (every, some) for used, (every, some) in grown.items()}

    def rows(self, before: States, after: States) -> list[int]:
        """The rows of each value in this part, over all arrangements in which some part violates."""
        rows = [0] * len(self.counts)
        for used, (every, some) in before.items():
            for vector, ways, breaks in self.vectors:
                rest = tuple(c - u - v for c, u, v in zip(self.counts, used, vector, strict=True))
                if min(rest) < 0 or rest not in after:
                    continue
                every_after, some_after = after[rest]
                others = every * every_after if breaks else some * every_after + (every - some) * some_after
                if others:
                    for v, count in enumerate(vector):
                        rows[v] += count * ways * others
        return rows


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
            f"{what} take about {work:.1e} steps, more than the budget of {budget:.1e}",
            f"protect fewer values at once, or {MORE_BUDGET}",
        )


def check_sizes(sizes: Sequence[int], counts: Sequence[int]) -> None:
    """Raise unless the parts have as many rows as there are values."""
    if sum(sizes) != sum(counts) or min(sizes, default=0) < 0 or not sizes:
        raise ModelError(
            f"classes of {', '.join(map(str, sizes))} rows and {sum(counts)} sensitive values",
            "every row has one value: the two must add up to the same number",
        )
