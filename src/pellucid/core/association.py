"""How much one column says about another: figures between 0 (nothing) and 1 (determines).

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
``one``
    Where the first column tells who has one common value of the second, and nothing about the others (a race that is
    written down of the dead alone, beside how badly people were hurt): ``value`` of whether somebody has it, for the
    value where it is largest, times 5 p where fewer than a fifth of the people have it, or do not: p is their share.
    Whoever is alone with their first value is guessed. It counts from 0.5 on, and never for what is missing.
``near``
    For numbers, dates and ordered values of which two people seldom have the same: ``value`` of the tenth of the people
    that somebody's second value belongs to. So a function that rises and falls is found as well. It counts from 0.5 on.
``rare``
    ``one`` without its factor, for values that fewer than a fifth of the people have: a drug that is given for one
    disease alone. It is no figure of the column as a whole, and is told beside it.

**False alarms.** Let the columns have nothing to do with each other, so that all ways of handing out the values of the
second are equally likely. Nearest others are then others like any, and each agrees with probability at most b: the
chance that a share h of m independent comparisons agrees is at most exp(-m D(h, b)), D being the divergence of two
coins (Chernoff). ``value`` and ``part`` count only where that is below 1e-9; m is the number of comparisons that can
be independent (of c people with one value c - 1, of people alone with theirs one for two). ``order`` has a standard
deviation of about 2 / (3 sqrt(n)) and is looked at from 60 people and five values on, where 0.8 is eight deviations
away. ``one`` counts by the bound of ``value``. So tables of a few rows, papers' examples among them, never count as
determined.

Reference: L. Goodman, W. Kruskal, Measures of association for cross classifications, JASA 1954; R. Somers, A new
asymmetric measure of association for ordinal variables, ASR 1962.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes, frequencies
from pellucid.kernels.counts import by_code, foretold_by_others, tally_pairs
from pellucid.runtime.records import record

SURE = log(1e9)  # a chance agreement is rarer than one in so many
ENOUGH = 0.1  # of the people must have a value that repeats, to look at them alone
FORETOLD = 0.9  # so well the second column must foretell the first, to make that a part of it
FEWEST = 60  # people, for the order of two columns
SEVERAL = 5.0  # values, counted as the inverse of the chance that two people have the same
TABLE = 1 << 16  # pairs that are counted in a table of all possible ones in any case
COMMON = 0.2  # of the people have, and do not have, a value that counts in full where it is told alone
ONE_VALUE = 0.5  # so much of one value must be told, to be told at all
TENTHS = 10
SELDOM = 20.0  # values, counted as in SEVERAL, from which on tenths are looked at
BINS = 512  # ranks are kept to one part in so many, and so is the figure

Integers = NDArray[np.int64]


@record(eq=False)
class CodePairs:
    """The pairs of codes of two columns that occur, sorted by the first, and how many rows have each."""

    first: Integers
    second: Integers
    rows: Integers

    @classmethod
    def of(cls, first: Codes, firsts: int, second: Codes, seconds: int) -> CodePairs:
        """Count the pairs in one pass, or where many are possible in two that put them in order; nothing is compared.

        >>> cells = CodePairs.of(np.array([1, 0, 1], np.int32), 2, np.array([2, 5, 2], np.int32), 6)
        >>> cells.first.tolist(), cells.second.tolist(), cells.rows.tolist()
        ([0, 1], [5, 2], [1, 2])
        """
        if firsts * seconds > max(len(first) // 2, TABLE):
            return cls._sorted(first, firsts, second, seconds)
        counts = np.zeros(firsts * seconds, np.int64)
        tally_pairs(first, second, seconds, counts)
        occurring = np.flatnonzero(counts)
        return cls(occurring // seconds, occurring % seconds, counts[occurring])

    @classmethod
    def _sorted(cls, first: Codes, firsts: int, second: Codes, seconds: int) -> CodePairs:
        """By the second column, then by the first: equal ones stay in their order."""
        of_second, of_first = frequencies(second, seconds), frequencies(first, firsts)
        firsts_of, seconds_of = np.empty_like(first), np.empty_like(second)
        by_code(first, second, np.cumsum(of_second) - of_second, firsts_of)
        codes = np.arange(seconds, dtype=np.int32)
        by_code(np.repeat(codes, of_second), firsts_of, np.cumsum(of_first) - of_first, seconds_of)
        firsts_of = np.repeat(np.arange(firsts, dtype=np.int32), of_first)
        begins = np.ones(len(first), np.bool_)
        begins[1:] = (firsts_of[1:] != firsts_of[:-1]) | (seconds_of[1:] != seconds_of[:-1])
        places = np.flatnonzero(begins)
        rows = np.diff(np.append(places, len(first)))
        return cls(firsts_of[places].astype(np.int64), seconds_of[places].astype(np.int64), rows)

    def turned(self) -> CodePairs:
        """The same, sorted by the second."""
        # numpy sorts small integers by their digits, stable ones in the order of the first column
        few = int(self.second.max(initial=0)) < 1 << 16
        order = np.argsort(self.second.astype(np.uint16) if few else self.second, kind="stable")
        return CodePairs(self.second[order], self.first[order], self.rows[order])

    def without_nulls(self, first: bool, second: bool) -> CodePairs:
        """Only where both columns have a value; null is code 0 of a column that has any."""
        kept = ((self.first > 0) | (not first)) & ((self.second > 0) | (not second))
        return CodePairs(self.first[kept], self.second[kept], self.rows[kept])


def foretold(cells: CodePairs) -> float:
    """How well the nearest others by the first column foretell the second: ``value`` of the definition above.

    >>> ages, bands = np.arange(200, dtype=np.int32), (np.arange(200) // 20).astype(np.int32)
    >>> round(foretold(CodePairs.of(ages, 200, bands, 10)), 2)  # nine borders, each half missed on both sides
    0.95
    """
    values = int(cells.second.max()) + 1
    of_all, of_repeating = np.zeros(values, np.int64), np.zeros(values, np.int64)
    hits, classes, hits_again, repeating = foretold_by_others(
        cells.first, cells.second, cells.rows, of_all, of_repeating
    )
    rows, rows_again = int(of_all.sum()), int(of_repeating.sum())
    # of c people with one value c - 1 comparisons can be independent, of people alone with theirs one for two
    whole = _lambda(hits, of_all, rows - classes + (classes - repeating) / 2)
    if rows_again < ENOUGH * rows:
        return whole
    return max(whole, _lambda(hits_again, of_repeating, rows_again - repeating))


def _lambda(hits: float, counts: Integers, comparisons: float) -> float:
    """(h - b) / (1 - b) from how many people are foretold and the counts of the values; 0 where chance does as well."""
    rows = int(counts.sum())
    base, hit = float(counts.max()) / rows, hits / rows
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


def in_order(cells: CodePairs) -> float:
    """Somers' d of the second column by the first, without its sign: ``order`` of the definition above.

    >>> incomes = np.random.default_rng(0).permutation(1000).astype(np.int32)
    >>> round(in_order(CodePairs.of(incomes, 1000, 999 - incomes, 1000)), 2)
    1.0
    """
    total = int(cells.rows.sum())
    if total < FEWEST or _apart(cells.second, cells.rows) < 1 - 1 / SEVERAL:
        return 0.0
    rows, height = _binned(cells.first, cells.rows)
    columns, width = _binned(cells.second, cells.rows)
    table = np.bincount(rows * width + columns, weights=cells.rows, minlength=height * width).reshape(height, width)
    before = np.zeros_like(table)
    before[1:] = np.cumsum(table, axis=0)[:-1]  # rows with less of the first
    below = np.zeros_like(table)
    below[:, 1:] = np.cumsum(before, axis=1)[:, :-1]  # and with less of the second
    above = before.sum(axis=1, keepdims=True) - below - before
    right, wrong = float((table * below).sum()), float((table * above).sum())
    different = (total**2 - float((table.sum(axis=0) ** 2).sum())) / 2
    return abs(right - wrong) / different


def in_tenths(cells: CodePairs) -> float:
    """How well the first column foretells the tenth that the second belongs to: ``near`` of the definition above.

    >>> place = np.arange(2000, dtype=np.int32)
    >>> round(in_tenths(CodePairs.of(place, 2000, np.abs(place - 777), 2000)), 2)  # falls, then rises
    0.99
    """
    if int(cells.rows.sum()) < FEWEST or _apart(cells.second, cells.rows) < 1 - 1 / SELDOM:
        return 0.0
    counts = np.bincount(cells.second, weights=cells.rows)
    middle = np.cumsum(counts) - counts / 2
    tenth = (middle * (TENTHS / counts.sum())).astype(np.int64)[cells.second]
    begins = np.ones(len(tenth), np.bool_)  # pairs are in the order of both columns, so equal ones stay together
    begins[1:] = (cells.first[1:] != cells.first[:-1]) | (tenth[1:] != tenth[:-1])
    places = np.flatnonzero(begins)
    told = foretold(CodePairs(cells.first[places], tenth[places], np.add.reduceat(cells.rows, places)))
    return told if told >= ONE_VALUE else 0.0


def _binned(codes: Integers, rows: Integers) -> tuple[Integers, int]:
    """The rank of each code in the middle of its rows, to one part in ``BINS``; of parts in use, and how many are.

    >>> _binned(np.array([0, 3, 0]), np.array([1, 2, 1]))
    (array([0, 2, 0]), 3)
    """
    counts = np.bincount(codes, weights=rows)
    middle = np.cumsum(counts) - counts / 2
    part = (middle * (BINS / rows.sum())).astype(np.int64)
    number = np.cumsum(np.diff(part, prepend=part[0]) > 0)  # ranks rise with codes: a part without a code has no number
    return number[codes], int(number[-1]) + 1


def _apart(codes: Integers, rows: Integers) -> float:
    """The share of pairs of people who differ."""
    total = float(rows.sum())
    return 1 - float((np.bincount(codes, weights=rows) ** 2).sum()) / total**2


def as_a_part(cells: CodePairs) -> float:
    """How much a coarser first column leaves of the second: ``part`` of the definition above.

    >>> deciles, incomes = (np.arange(1000, dtype=np.int32) // 100), np.arange(1000, dtype=np.int32)
    >>> round(as_a_part(CodePairs.of(deciles, 10, incomes, 1000)), 2)
    0.89
    """
    if not _may_be_foretold(cells):
        return 0.0
    back = foretold(cells.turned())
    if back < FORETOLD:
        return 0.0
    return back * min(1.0, _apart(cells.first, cells.rows) / _apart(cells.second, cells.rows))


def _may_be_foretold(cells: CodePairs) -> bool:
    """Whether the second column can foretell the first as well as a part needs: a bound that needs no sorting.

    Of the people with one second value no more are foretold than have the most frequent first one.
    """
    sizes = np.bincount(cells.second, weights=cells.rows)
    most = np.zeros(len(sizes), np.int64)
    np.maximum.at(most, cells.second, cells.rows)
    return any(kept.any() and most[kept].sum() >= FORETOLD * sizes[kept].sum() for kept in (sizes > 0, sizes > 1))


def of_one_value(cells: CodePairs, *, null: bool = False) -> tuple[float, int]:
    """How well the first column tells who has one value of the second, and which: ``one`` of the definition above.

    ``null``: whether code 0 of the second column stands for a missing value.

    >>> race = np.repeat(np.array([0, 1, 2], np.int32), [60, 30, 10])  # 0: not written down of the living
    >>> hurt = np.concatenate([np.arange(60) % 4 + 1, np.zeros(40)]).astype(np.int32)
    >>> of_one_value(CodePairs.of(race, 3, hurt, 5))
    (1.0, 0)
    """
    people, having = int(cells.rows.sum()), np.bincount(cells.second, weights=cells.rows)
    common = np.minimum(having, people - having) >= ONE_VALUE * COMMON * people  # so few that others need no look
    common[: int(null)] = False
    sizes = np.bincount(cells.first, weights=cells.rows)
    comparisons = people - int(np.count_nonzero(sizes))
    by_value = [
        (_told_of_one(_foretold_of_one(cells, sizes, code), int(having[code]), people, comparisons), code)
        for code in np.flatnonzero(common).tolist()
    ]
    share, code = max(by_value, key=lambda one: one[0], default=(0.0, 0))
    return (share, code) if share >= ONE_VALUE - 1e-9 else (0.0, code)  # a float may miss one half by its last digit


def of_rare_value(cells: CodePairs, *, null: bool = False) -> tuple[float, int]:
    """How well the first column tells who has one value that few have, and which: ``rare`` of the definition above.

    Of the people with one first value those others foretell it who are more than half of them: one value of them all.

    >>> drug = np.repeat(np.array([0, 1], np.int32), [970, 30])  # given for 3 alone
    >>> disease = np.concatenate([np.arange(970) % 3, np.full(30, 3)]).astype(np.int32)
    >>> of_rare_value(CodePairs.of(drug, 2, disease, 4))
    (1.0, 3)
    """
    people, having = int(cells.rows.sum()), np.bincount(cells.second, weights=cells.rows)
    sizes = np.bincount(cells.first, weights=cells.rows)
    of, here = sizes[cells.first], cells.rows.astype(np.float64)
    # whoever has it is foretold so by most of the others, whoever has not is missed; an even tie is a coin
    gained = here * _likelier(2 * here - 1 - of) - (of - here) * _likelier(2 * here + 1 - of)
    gained[of == 1] = 0.0
    told = np.bincount(cells.second, weights=gained, minlength=len(having))
    share = having / people
    comparisons = people - int(np.count_nonzero(sizes))
    few = (having > SURE / 1.2) & (share < COMMON)  # fewer are never sure
    few[: int(null)] = False
    for code in np.argsort(-np.where(few, told / np.maximum(having, 1), 0), kind="stable").tolist():
        figure = float(told[code] / max(having[code], 1))
        if not few[code] or figure < ONE_VALUE:
            break
        hit = min(1.0, 1 - share[code] + told[code] / people)
        if comparisons * divergence(hit, 1 - share[code]) >= SURE:
            return figure, code
    return 0.0, 0


def _foretold_of_one(cells: CodePairs, sizes: NDArray[Any], code: int) -> float:
    """Of how many people with others of their first value these foretell whether they have one second value."""
    here = np.zeros(len(sizes))
    here[cells.first[cells.second == code]] = cells.rows[cells.second == code]
    right = here * _likelier(2 * here - 1 - sizes) + (sizes - here) * _likelier(sizes - 2 * here - 1)
    share = float(here.sum() / sizes.sum())
    return float(right[sizes > 1].sum()) + int((sizes == 1).sum()) * max(share, 1 - share)


def _told_of_one(hits: float, having: int, people: int, comparisons: int) -> float:
    """(h - b) / (1 - b), less where few have the value or few do not; 0 where chance does as well."""
    base, hit = max(having, people - having) / people, hits / people
    if hit <= base or comparisons * divergence(hit, base) < SURE:
        return 0.0
    return (hit - base) / (1 - base) * min(1.0, (1 - base) / COMMON)


def _likelier(lead: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where the others say so, one half where they are even."""
    decided: NDArray[np.float64] = (np.sign(lead) + 1) / 2
    return decided
