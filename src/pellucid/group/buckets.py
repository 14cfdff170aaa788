"""Assign and Slice over a whole table (Ace), bucket by bucket on several threads."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from pellucid.coins import Coins
from pellucid.group.entries import geometry_of, row_order
from pellucid.group.grouping import Grouping
from pellucid.group.tree import collect
from pellucid.kernels import entries as sorting
from pellucid.kernels import slice as kernel
from pellucid.parallel import in_stretches, run, stretches
from pellucid.progress import Progress
from pellucid.schema import Role
from pellucid.table import Codes, Table


def assign_and_slice(table: Table, column: int, l: int, coins: Coins, threads: int, progress: Progress) -> Grouping:
    """Ace's groups: bucket after bucket, each left to right."""
    n = len(table)
    progress.stage("grouping", n)
    order = row_order(table, coins, threads)
    by_order = np.argsort(order).astype(np.int32)
    values = table.codes[column][by_order]
    rows, starts = columns_by_draw(values, coins.draws(order[by_order], threads=threads), threads)
    counts = np.diff(starts)
    ranking = np.lexsort((np.arange(len(counts)), -counts))
    steps = kernel.assign_steps(counts[ranking], ranking.astype(np.int32), l)
    codes = code_matrix(table, by_order, threads)
    geometry = geometry_of(table)
    places, first = np.empty(n, np.int32), np.zeros(n, np.uint8)
    taken = starts[:-1].copy()
    jobs, offset = [], 0
    for alpha, bucket_values in steps:
        bucket = np.concatenate([rows[taken[v] : taken[v] + alpha] for v in bucket_values])
        taken[bucket_values] += alpha
        jobs.append((offset, alpha, bucket))
        offset += len(bucket)
    done = 0

    def slice_one(start: int, alpha: int, bucket: Codes) -> None:
        nonlocal done
        end = start + len(bucket)
        by_row = np.argsort(bucket)
        members = bucket[by_row]
        kernel.slice_rows(
            geometry,
            codes[members],
            (by_row // alpha).astype(np.int32),
            len(bucket) // alpha,
            places[start:end],
            first[start:end],
        )
        places[start:end] = members[places[start:end]]
        done += len(bucket)
        progress.advance(done)

    jobs.sort(key=lambda job: -len(job[2]))
    run([partial(slice_one, *job) for job in jobs], threads)
    return collect(places, first, by_order, threads)


def columns_by_draw(values: Codes, draws: NDArray[np.int64], threads: int) -> tuple[Codes, NDArray[np.int64]]:
    """The rows of each sensitive value in the order of their draws, value after value, and where each value begins."""
    rows = np.argsort(values, kind="stable").astype(np.int32)
    starts = np.append(0, np.cumsum(np.bincount(values))).astype(np.int64)
    spare = np.empty(len(values), np.int64)
    parts = stretches(len(starts) - 1, 4 * threads)
    run([partial(sorting.order_within, starts, a, b, rows, draws, spare) for a, b in parts], threads)
    return rows, starts


def code_matrix(table: Table, rows: Codes, threads: int) -> Codes:
    """The quasi-identifier codes of these rows, row by row, padded to a multiple of four."""
    quasi = table.having(Role.QUASI)
    codes = np.zeros((len(rows), 4 * -(-len(quasi) // 4)), np.int32)

    def fill(a: int, b: int) -> None:
        for i, attribute in enumerate(quasi):
            codes[a:b, i] = table.codes[attribute][rows[a:b]]

    in_stretches(fill, len(rows), threads)
    return codes
