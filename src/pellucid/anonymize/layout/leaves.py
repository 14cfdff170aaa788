"""Ace inside leaves where some values only are protected, or where groups need k rows; and the pools of leaves.

The definition, and why it keeps the promise, stands in :class:`pellucid.anonymize.protecting.ProtectingMethod`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import code_matrix, sort_within
from pellucid.anonymize.layout.entries import geometry_of, row_order, sort_rows
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.kernels import leaves as kernel
from pellucid.runtime.parallel import run
from pellucid.runtime.records import record

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
COMPANY, POOL = -1, -2  # labels of fillers that were drawn for no pseudo-value
SINGLE: Final[Mapping[str, Any]] = {}  # labels are values of one sensitive column


@record(eq=False)
class Leaves:
    """Rows leaf after leaf, leaf i from ``starts[i]`` on, each leaf's in row order; and what is known of every row.

    ``by_lot`` marks leaves below a refused cut of SoftCut, whose groups need one value more and are drawn by lot.
    """

    rows: Codes
    starts: Longs
    by_lot: NDArray[np.uint8]
    orders: Longs
    draws: Longs

    @classmethod
    def of(
        cls,
        table: Table,
        rows: Codes,
        starts: Longs,
        by_lot: NDArray[np.uint8],
        coins: Coins,
        purpose: str,
        threads: int,
    ) -> Leaves:
        """Sort the rows of each leaf by row order and draw a number for every row."""
        order = row_order(table, coins, threads)
        rows, orders = rows.copy(), np.empty(len(rows), np.int64)
        sort_within(starts, rows, order, orders, threads)
        return cls(rows, starts, by_lot, orders, coins.draws(orders, purpose=purpose, threads=threads))

    @classmethod
    def whole(cls, table: Table, coins: Coins, purpose: str, threads: int) -> Leaves:
        """The whole table as one leaf."""
        rows, starts = np.arange(len(table), dtype=np.int32), np.array([0, len(table)])
        return cls.of(table, rows, starts, np.zeros(1, np.uint8), coins, purpose, threads)

    @property
    def leaf_of(self) -> Longs:
        """The leaf of every row."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def label(leaves: Leaves, values: Codes, protected: Flags, l: int, k: int) -> Codes:
    """Of every row the number of its value, or of its pseudo-value (behind all values), COMPANY or POOL.

    How many fillers become what follows from the counts of each leaf; who they are is drawn by lot.
    """
    labels = values.astype(np.int32)
    is_filler = ~protected[values]
    if not is_filler.any():
        return labels
    leaf_of, count = leaves.leaf_of, len(leaves.starts) - 1
    pairs, rows_of = np.unique((leaf_of * len(protected) + values)[~is_filler], return_counts=True)
    most = np.zeros(count, np.int64)
    np.maximum.at(most, pairs // len(protected), rows_of)
    fillers = np.bincount(leaf_of[is_filler], minlength=count)
    drawn, company = shares(most, np.diff(leaves.starts) - fillers, fillers, l + leaves.by_lot.astype(np.int64), k)
    places = np.flatnonzero(is_filler)
    places = places[np.lexsort((leaves.draws[places], leaf_of[places]))]
    of = leaf_of[places]
    rank = np.arange(len(places)) - np.repeat(np.cumsum(fillers) - fillers, fillers)
    pseudo = len(protected) + rank // np.maximum(most[of], 1)
    behind = np.where(rank < (drawn + company)[of], COMPANY, POOL)
    labels[places] = np.where(rank < drawn[of], pseudo, behind)
    return labels


def shares(most: Longs, protected: Longs, fillers: Longs, l: Longs, k: int) -> tuple[Longs, Longs]:
    """Leaf by leaf: how many fillers are drawn for pseudo-values, and how many keep company.

    >>> drawn, company = shares(*map(np.array, ([4, 4, 1, 0], [4, 5, 1, 0], [20, 7, 11, 9], [3, 3, 3, 3])), k=10)
    >>> drawn.tolist(), company.tolist()
    ([8, 7, 2, 0], [0, 0, 9, 0])
    """
    some = most > 0
    needed = np.where(some, np.maximum(0, -(-(l * most - protected) // np.maximum(most, 1))), 0)
    drawn = np.minimum(needed * most, fillers)
    return drawn, company_of(some, protected, drawn, fillers, k)


def company_of(some: Flags, protected: Longs, drawn: Longs, fillers: Longs, k: int) -> Longs:
    """Leaf by leaf how many fillers keep company, where some row is protected."""
    rest = fillers - drawn
    missing = np.maximum(0, k - protected - drawn)
    return np.where(some, np.where(rest - missing >= k, missing, rest), 0)


def divide_leaves(
    table: Table, leaves: Leaves, labels: Codes, l: int, k: int, threads: int, vectors: Mapping[str, Any] = SINGLE
) -> Grouping:
    """The groups of the leaves, leaf after leaf; in each first those of Ace, then those of its pool.

    ``vectors``: what the kernel is told where labels are vectors of several sensitive columns.
    """
    inside = labels != POOL
    aced = ace_part(table, leaves, labels, inside, l, k, threads, vectors)
    return together([aced, pool_part(table, leaves, ~inside, k, threads)], len(table))


@record(eq=False)
class Part:
    """Some rows in groups: rows group after group, marks where groups begin, and the leaf of every row."""

    rows: Codes
    first: NDArray[np.uint8]
    leaf_of: Longs


def ace_part(
    table: Table,
    leaves: Leaves,
    labels: Codes,
    chosen: Flags,
    l: int,
    k: int,
    threads: int,
    vectors: Mapping[str, Any] = SINGLE,
) -> Part:
    """Assign, Slice and company."""
    leaf_of, starts = kept(leaves, chosen)
    rows, labels, draws = leaves.rows[chosen], labels[chosen], leaves.draws[chosen]
    out, first = np.empty(len(rows), np.int32), np.zeros(len(rows), np.uint8)
    geometry, codes = geometry_of(table), code_matrix(table, threads)[rows]
    several = int(labels.max(initial=0)) + 1

    def divide(a: int, b: int) -> None:
        kernel.divide_leaves(
            geometry, codes, draws, labels, several, starts, leaves.by_lot, a, b, l, k, out, first, **vectors
        )

    in_leaves(divide, starts, threads)
    return Part(rows[out], first, leaf_of)


def pool_part(table: Table, leaves: Leaves, chosen: Flags, k: int, threads: int) -> Part:
    """The fillers that were not drawn, grouped by quasi-identifiers and row order alone."""
    leaf_of, starts = kept(leaves, chosen)
    rows, orders = leaves.rows[chosen], leaves.orders[chosen]
    if k == 1 or not len(rows):
        return Part(rows, np.ones(len(rows), np.uint8), leaf_of)
    quasi = table.having(Role.QUASI)
    alike, _ = sort_rows(
        [leaf_of.astype(np.int32), *(table.codes[i][rows] for i in quasi)],
        [len(starts) - 1, *(len(table.attributes[i]) for i in quasi)],
        threads,
    )  # stable: equal rows stay in row order
    rows, orders = rows[alike], orders[alike]
    out, first = np.empty(len(rows), np.int32), np.zeros(len(rows), np.uint8)
    geometry, codes = geometry_of(table), code_matrix(table, threads)[rows]

    def cut(a: int, b: int) -> None:
        kernel.cut_pools(geometry, codes, orders, starts, a, b, k, out, first)

    in_leaves(cut, starts, threads)
    return Part(rows[out], first, leaf_of)


def kept(leaves: Leaves, chosen: Flags) -> tuple[Longs, Longs]:
    """The leaf of each chosen row, and where each leaf's begin."""
    leaf_of = leaves.leaf_of[chosen]
    counts = np.bincount(leaf_of, minlength=len(leaves.starts) - 1)
    return leaf_of, np.append(0, np.cumsum(counts)).astype(np.int64)


def in_leaves(work: Callable[[int, int], None], starts: Longs, threads: int) -> None:
    """Do the leaves in some stretches per thread, about equally many rows each."""
    if starts[-1] == 0:
        return
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], 4 * threads + 1)[1:-1])
    bounds = pairwise([0, *cuts.tolist(), len(starts) - 1])
    run([partial(work, a, b) for a, b in bounds if a < b], threads)


def together(parts: list[Part], rows: int) -> Grouping:
    """The groups of several parts, leaf after leaf."""
    leaf_of = np.concatenate([part.leaf_of for part in parts])
    place = np.argsort(leaf_of, kind="stable")
    members = np.concatenate([part.rows for part in parts])[place]
    first = np.concatenate([part.first for part in parts])[place]
    return Grouping(members, np.append(np.flatnonzero(first), len(members)).astype(np.int64), rows)
