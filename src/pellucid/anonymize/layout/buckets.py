"""Assign and Slice over a whole table (Ace), bucket by bucket on several threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import geometry_of, row_order, sort_rows
from pellucid.anonymize.layout.tree import collect
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table, compact, frequencies
from pellucid.kernels import entries as sorting
from pellucid.kernels import slice as kernel
from pellucid.runtime.parallel import SHORT, in_stretches, run, stretches
from pellucid.runtime.progress import Progress

BLOCK = 1 << 14
Longs = NDArray[np.int64]
Step = tuple[int, list[int]]  # a bucket: so many rows of each of these values


def assign_and_slice(table: Table, column: int, l: int, coins: Coins, threads: int, progress: Progress) -> Grouping:
    """Ace's groups: bucket after bucket, each left to right.

    Rows are numbered in row order throughout; ``by_order`` leads back to the table's rows.
    """
    n = len(table)
    threads = threads if n >= SHORT else 1
    progress.stage("grouping", n)
    by_order, ordered = sort_by_order(row_order(table, coins, threads), threads)
    draws = coins.draws(ordered, threads=threads)
    del ordered
    distinct = len(table.attributes[column])
    values = gathered(table.codes[column], distinct, by_order, threads)
    assigned = assign(values, distinct, draws, l, threads)
    del draws, values
    return slice_buckets(table, by_order, *assigned, threads, progress)


def slice_buckets(
    table: Table,
    by_order: Codes,
    bucket_of: Codes,
    column_of: Codes,
    heights: list[int],
    threads: int,
    progress: Progress,
) -> Grouping:
    """The groups of buckets: each row's bucket and its column there, rows numbered in row order."""
    n = len(table)
    members, starts = sort_rows([bucket_of], [len(heights)], threads)
    del bucket_of
    records = code_matrix(table, threads)
    geometry = geometry_of(table)
    places, first = np.empty(n, np.int32), np.zeros(n, np.uint8)
    done = 0

    def slice_one(bucket: int) -> None:
        nonlocal done
        a, b = starts[bucket], starts[bucket + 1]
        rows = members[a:b]
        codes = np.empty((b - a, records.shape[1]), np.int32)
        sorting.take_records(records, by_order, rows, codes)
        kernel.slice_rows(geometry, codes, column_of[rows], (b - a) // heights[bucket], places[a:b], first[a:b])
        places[a:b] = rows[places[a:b]]
        done += b - a
        progress.advance(int(done))

    largest_first = np.argsort(-np.diff(starts), kind="stable").tolist()
    run([partial(slice_one, bucket) for bucket in largest_first], threads)
    return collect(places, first, by_order, threads)


def sort_by_order(order: Longs, threads: int) -> tuple[Codes, Longs]:
    """The rows in row order, and their row orders: dealt by leading bits first, then sorted inside each deal."""
    bits = min(16, len(order).bit_length())  # about one row per deal, or a cache full of deals
    shift = max(0, int(order.max()).bit_length() - bits)
    deals = (order >> shift).astype(np.int32)
    rows, starts = sort_rows([deals], [int(deals.max()) + 1], threads)
    ordered = np.empty_like(order)
    sort_within(starts, rows, order, ordered, threads)
    return rows, ordered


def sort_within(starts: Longs, rows: Codes, keys: Longs, sorted_keys: Longs, threads: int) -> None:
    """Sort the rows of every range by their keys."""
    parts = stretches(len(starts) - 1, 8 * threads)
    run([partial(sorting.order_within, starts, a, b, rows, keys, sorted_keys) for a, b in parts], threads)


def assign(values: Codes, distinct: int, draws: Longs, l: int, threads: int) -> tuple[Codes, Codes, list[int]]:
    """Each row's bucket and its column there, and the buckets' heights; a value's rows are taken in ascending draw."""
    rows, starts = sort_rows([values], [distinct], threads)
    sort_within(starts, rows, draws, np.empty_like(draws), threads)
    counts = frequencies(values, distinct, threads)
    firsts = np.append(0, np.cumsum(counts))[:-1]
    return hand_out(rows, firsts, steps_of(counts, l), threads)


def steps_of(counts: Longs, l: int) -> list[Step]:
    """The buckets of Assign, from the counts of the values."""
    present = np.flatnonzero(counts)
    ranking = np.lexsort((present, -counts[present]))
    steps: list[Step] = kernel.assign_steps(counts[present[ranking]], present[ranking].astype(np.int32), l)
    return steps


def hand_out(rows: Codes, firsts: Longs, steps: Sequence[Step], threads: int = 1) -> tuple[Codes, Codes, list[int]]:
    """Each row's bucket and its column there, and the buckets' heights.

    ``rows`` has the rows value after value in the order in which they are taken; value v's begin at ``firsts[v]``.
    """
    taken = firsts.tolist()
    bucket_of, column_of = np.empty_like(rows), np.empty_like(rows)
    columns: list[tuple[Codes, int, int]] = []
    for bucket, (alpha, chosen) in enumerate(steps):
        for place, value in enumerate(chosen):
            columns.append((rows[taken[value] : taken[value] + alpha], bucket, place))
            taken[value] += alpha

    def write(some: Sequence[tuple[Codes, int, int]]) -> None:
        for column, bucket, place in some:
            bucket_of[column] = bucket
            column_of[column] = place

    run([partial(write, columns[i::threads]) for i in range(threads)], threads)
    return bucket_of, column_of, [alpha for alpha, _ in steps]


def gathered(codes: Codes, distinct: int, rows: Codes, threads: int) -> Codes:
    """The codes of these rows."""
    small, picked = compact(codes, distinct, threads), np.empty(len(rows), np.int32)
    in_stretches(lambda a, b: sorting.gather(small, rows[a:b], 0, picked[a:b]), len(rows), threads)
    return picked


def code_matrix(table: Table, threads: int) -> Codes:
    """The quasi-identifier codes of the table, row by row, padded to a multiple of four."""
    quasi = table.having(Role.QUASI)
    codes = np.zeros((len(table), 4 * -(-len(quasi) // 4)), np.int32)

    def fill(first: int, last: int) -> None:
        for a in range(first, last, BLOCK):  # the rows of a block stay in the cache until all columns are written
            b = min(a + BLOCK, last)
            for i, attribute in enumerate(quasi):
                codes[a:b, i] = table.codes[attribute][a:b]

    in_stretches(fill, len(table), threads)
    return codes
