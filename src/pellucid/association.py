"""How much one column says about another: three figures between 0 (nothing) and 1 (determines).

``value``
    Let h be the share of people whose value in the second column is the most frequent one among the *nearest others*:
    the others with the same value of the first column or, for somebody alone with theirs, those next below and next
    above in its order. Nobody is among their own nearest others, so a column of distinct values determines nothing by
    being distinct; it does if sorting by it sorts the other. Let b be the share of the most frequent value, which is
    what a guess without the column gets. The figure is (h - b) / (1 - b): Goodman and Kruskal's lambda, each person
    left out once. It is also taken over the people whose value repeats, where they are a tenth of the table or more.
``order``
    For numbers, dates and ordered values: of all pairs of people with different ones, those that the first column puts
    in the right order minus those in the wrong one (Somers' d; the right direction is the one that fits).
``part``
    Where the first column is the coarser one (a decile beside an income, a chapter beside a diagnosis): how well the
    second foretells the first (at least 0.9, as in ``value``), times the share of pairs of people who differ in the
    second and also in the first: such a pair is told apart with certainty.

**False alarms.** Let the columns have nothing to do with each other, so that all ways of handing out the values of the
second are equally likely. Nearest others are then others like any, and each agrees with probability at most b: the
chance that a share h of m independent comparisons agrees is at most exp(-m D(h, b)), D being the divergence of two
coins (Chernoff). ``value`` and ``part`` count only where that is below 1e-9; m is the number of comparisons that can
be independent (of c people with one value c - 1, of people alone with theirs one for two). ``order`` has a standard
deviation of about 2 / (3 sqrt(n)) and is looked at from 60 people and five values on, where 0.8 is eight deviations
away. So tables of a few rows, papers' examples among them, never count as determined.

Reference: L. Goodman, W. Kruskal, Measures of association for cross classifications, JASA 1954; R. Somers, A new
asymmetric measure of association for ordinal variables, ASR 1962.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from pellucid.table import Codes

SURE = log(1e9)  # a chance agreement is rarer than one in so many
ENOUGH = 0.1  # of the people must have a value that repeats, to look at them alone
FORETOLD = 0.9  # so well the second column must foretell the first, to make that a part of it
FEWEST = 60  # people, for the order of two columns
SEVERAL = 5.0  # values, counted as the inverse of the chance that two people have the same
BINS = 512  # ranks are kept to one part in so many, and so is the figure

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The pairs of codes of two columns that occur, sorted by the first, and how many rows have each."""

    first: Integers
    second: Integers
    rows: Integers

    @classmethod
    def of(cls, first: Codes, firsts: int, second: Codes, seconds: int) -> Cells:
        """Count the pairs in one pass; where few are possible, without sorting."""
        key = first.astype(np.int64) * seconds + second
        if firsts * seconds <= max(4 * len(key), 1 << 16):
            counts = np.bincount(key, minlength=firsts * seconds)
            occurring = np.flatnonzero(counts)
            return cls(occurring // seconds, occurring % seconds, counts[occurring])
        occurring, counts = np.unique(key, return_counts=True)
        return cls(occurring // seconds, occurring % seconds, counts)

    def turned(self) -> Cells:
        """The same, sorted by the second."""
        order = np.lexsort((self.first, self.second))
        return Cells(self.second[order], self.first[order], self.rows[order])

    def without_nulls(self, first: bool, second: bool) -> Cells:
        """Only where both columns have a value; null is code 0 of a column that has any."""
        kept = ((self.first > 0) | (not first)) & ((self.second > 0) | (not second))
        return Cells(self.first[kept], self.second[kept], self.rows[kept])


def foretold(cells: Cells) -> float:
    """How well the nearest others by the first column foretell the second: ``value`` of the definition above.

    >>> ages, bands = np.arange(200, dtype=np.int32), (np.arange(200) // 20).astype(np.int32)
    >>> round(foretold(Cells.of(ages, 200, bands, 10)), 2)  # nine borders, each half missed on both sides
    0.95
    """
    classes = _Classes.of(cells)
    repeating = classes.sizes > 1
    all_of_them = _lambda(classes, np.ones(len(repeating), bool))
    if classes.sizes[repeating].sum() < ENOUGH * classes.sizes.sum():
        return all_of_them
    return max(all_of_them, _lambda(classes, repeating))


@dataclass(frozen=True, slots=True, eq=False)
class _Classes:
    """Rows by the value of the first column: how many, and how many of them their nearest others foretell."""

    sizes: Integers
    hits: NDArray[np.float64]
    of_cell: Integers
    cells: Cells

    @classmethod
    def of(cls, cells: Cells) -> _Classes:
        starts = np.flatnonzero(np.append(True, np.diff(cells.first) != 0))
        lengths = np.diff(np.append(starts, len(cells.rows)))
        of_cell = np.repeat(np.arange(len(starts)), lengths)
        sizes = np.add.reduceat(cells.rows, starts)
        top = np.maximum.reduceat(cells.rows, starts)
        largest = np.flatnonzero(cells.rows == top[of_cell])
        best = largest[np.searchsorted(of_cell[largest], np.arange(len(starts)))]
        others = cells.rows.copy()
        others[best] = 0
        second = np.maximum.reduceat(others, starts)
        rivals = np.add.reduceat((others == second[of_cell]) & (others > 0), starts, dtype=np.int64)
        # without the row itself its value has top - 1 others; a tie with rivals is decided by a coin
        hits = np.where(top - 1 > second, top, np.where(top - 1 == second, top / (1 + rivals), 0.0))
        alone = np.flatnonzero(sizes == 1)
        hits[alone] = _by_neighbours(cells.second[best], alone)
        return cls(sizes, hits, of_cell, cells)


def _by_neighbours(tops: Integers, alone: Integers) -> NDArray[np.float64]:
    """For people alone with their value: the share of the values next below and above that foretell theirs."""
    if len(tops) == 1:
        return np.zeros(len(alone))
    below, above = alone > 0, alone < len(tops) - 1
    agree = np.zeros(len(alone))
    agree[below] += tops[alone[below] - 1] == tops[alone[below]]
    agree[above] += tops[alone[above] + 1] == tops[alone[above]]
    share: NDArray[np.float64] = agree / (below.astype(int) + above)
    return share


def _lambda(classes: _Classes, kept: NDArray[np.bool_]) -> float:
    """(h - b) / (1 - b) over the classes that are kept; 0 where chance could do as well."""
    sizes = classes.sizes[kept]
    rows = int(sizes.sum())
    counts = np.bincount(classes.cells.second, weights=classes.cells.rows * kept[classes.of_cell])
    base = float(counts.max()) / rows
    hit = float(classes.hits[kept].sum()) / rows
    comparisons = int((sizes - 1).sum()) + int((sizes == 1).sum()) / 2
    if base >= 1 or hit <= base or comparisons * divergence(hit, base) < SURE:
        return 0.0
    return (hit - base) / (1 - base)


def divergence(one: float, other: float) -> float:
    """Kullback and Leibler's divergence of two coins, in nats.

    >>> divergence(1.0, 0.5) == log(2), divergence(0.25, 0.25)
    (True, 0.0)
    """
    parts = ((one, other), (1 - one, 1 - other))
    return sum(p * log(p / q) for p, q in parts if p > 0)


def in_order(cells: Cells) -> float:
    """Somers' d of the second column by the first, without its sign: ``order`` of the definition above.

    >>> incomes = np.random.default_rng(0).permutation(1000).astype(np.int32)
    >>> round(in_order(Cells.of(incomes, 1000, 999 - incomes, 1000)), 2)
    1.0
    """
    total = int(cells.rows.sum())
    if total < FEWEST or _apart(cells.second, cells.rows) < 1 - 1 / SEVERAL:
        return 0.0
    rows, columns = _binned(cells.first, cells.rows), _binned(cells.second, cells.rows)
    table = np.bincount(rows * BINS + columns, weights=cells.rows, minlength=BINS * BINS).reshape(BINS, BINS)
    before = np.zeros_like(table)
    before[1:] = np.cumsum(table, axis=0)[:-1]  # rows with less of the first
    below = np.zeros_like(table)
    below[:, 1:] = np.cumsum(before, axis=1)[:, :-1]  # and with less of the second
    above = before.sum(axis=1, keepdims=True) - below - before
    right, wrong = float((table * below).sum()), float((table * above).sum())
    different = (total**2 - float((table.sum(axis=0) ** 2).sum())) / 2
    return abs(right - wrong) / different


def _binned(codes: Integers, rows: Integers) -> Integers:
    """The rank of each code in the middle of its rows, to one part in ``BINS``."""
    counts = np.bincount(codes, weights=rows)
    middle = np.cumsum(counts) - counts / 2
    binned: Integers = (middle * (BINS / rows.sum())).astype(np.int64)[codes]
    return binned


def _apart(codes: Integers, rows: Integers) -> float:
    """The share of pairs of people who differ."""
    total = float(rows.sum())
    return 1 - float((np.bincount(codes, weights=rows) ** 2).sum()) / total**2


def as_a_part(cells: Cells) -> float:
    """How much a coarser first column leaves of the second: ``part`` of the definition above.

    >>> deciles, incomes = (np.arange(1000, dtype=np.int32) // 100), np.arange(1000, dtype=np.int32)
    >>> round(as_a_part(Cells.of(deciles, 10, incomes, 1000)), 2)
    0.89
    """
    back = foretold(cells.turned())
    if back < FORETOLD:
        return 0.0
    return back * min(1.0, _apart(cells.first, cells.rows) / _apart(cells.second, cells.rows))
