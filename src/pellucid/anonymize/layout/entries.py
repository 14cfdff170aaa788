"""Lays a table out for the compiled methods: rows sorted by quasi-identifier vector, one entry per distinct vector."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table, compact
from pellucid.errors import MethodError
from pellucid.kernels import entries as kernel
from pellucid.kernels.penalty import Geometry
from pellucid.runtime.parallel import SHORT, in_stretches, run, stretches
from pellucid.runtime.records import record

Keys = NDArray[np.uint32] | NDArray[np.uint64]
MOST_QUASI = 60
BLOCK = 1 << 16  # rows whose keys stay in the cache while they are made


@record(eq=False)
class Entries:
    """Positions are rows sorted by (quasi-identifiers, row order).

    ``records[e]`` holds entry e's codes (padded to a multiple of four), the position of its first row and how many
    rows it has; ``rows``, ``orders`` and ``sensitive[column]`` give the row, its row order and its sensitive codes
    by position. The codes of several sensitive columns are shifted so that they do not overlap, but for columns of one
    name, which share a codebook; ``values`` counts them all.
    """

    geometry: Geometry
    records: Codes
    rows: Codes
    orders: NDArray[np.int64]
    sensitive: Codes
    values: int


def geometry_of(table: Table) -> Geometry:
    """The penalty's view of the quasi-identifiers."""
    quasi = table.having(Role.QUASI)
    if len(quasi) > MOST_QUASI:
        raise MethodError(
            "{quasi} quasi-identifiers",
            "at most {most_quasi} are supported, drop some or carry them",
            quasi=len(quasi),
            most_quasi=MOST_QUASI,
        )
    attributes = [table.attributes[i] for i in quasi]
    return Geometry(
        [
            {
                "positions": a.positions,
                "width": a.width,
                "nullable": a.has_null,
                "chains": a.chains,
                "leaves": a.leaves,
                "importance": a.importance,
            }
            for a in attributes
        ],
        len(table),
    )


def row_order(table: Table, coins: Coins, threads: int) -> NDArray[np.int64]:
    """The total order on the rows: the identifier's, or one drawn from the coins, never the file's."""
    return table.order if table.order is not None else coins.order(len(table), threads=threads)


Places = NDArray[np.int64]


def _order_in_entries(table: Table, coins: Coins, rows: Codes, starts: Places, threads: int) -> Places:
    """Sort the rows of each entry by their order, and that order."""
    orders = np.empty(len(table), np.int64)
    key0, key1 = coins.subkey("order")  # as in coins.order, without an array of it
    # entries in some stretches per thread, about equally many rows each
    cuts = np.searchsorted(starts, np.linspace(0, len(table), 4 * threads + 1)[1:-1])
    bounds = pairwise([0, *cuts.tolist(), len(starts) - 1])
    sort_some = (
        partial(kernel.drawn_within, starts, rows=rows, key0=key0, key1=key1, orders_out=orders)
        if table.order is None
        else partial(kernel.order_within, starts, rows=rows, order=table.order, orders_out=orders)
    )
    run([partial(sort_some, first=a, last=b) for a, b in bounds if a < b], threads)
    return orders


def lay_out(table: Table, coins: Coins, threads: int) -> Entries:
    """Sort the rows into entries."""
    threads = threads if len(table) >= SHORT else 1
    quasi = [table.codes[i] for i in table.having(Role.QUASI)]
    sizes = [len(table.attributes[i]) for i in table.having(Role.QUASI)]
    rows, starts = sort_rows(quasi, sizes, threads)
    orders = _order_in_entries(table, coins, rows, starts, threads)
    blocks = -(-len(quasi) // 4)
    records = np.empty((len(starts) - 1, 4 * blocks + 2), np.int32)

    def fill(first: int, last: int) -> None:
        for a in range(first, last, BLOCK // 8):
            b = min(a + BLOCK // 8, last)
            for i, codes in enumerate(quasi):
                kernel.fill_codes(records[a:b], i, codes, rows, starts[a : b + 1])
            kernel.fill_ranges(records[a:b], len(quasi), starts[a : b + 1])

    columns = table.having(Role.SENSITIVE)
    sensitive = np.empty((len(columns), len(table)), np.int32)
    shifts, values = shifts_of([table.attributes[i] for i in columns])
    jobs: list[Callable[[], object]] = [partial(fill, a, b) for a, b in stretches(len(records), threads)]
    jobs += [
        partial(kernel.gather, small, rows[a:b], shifts[j], sensitive[j, a:b])
        for j, small in enumerate(compact(table.codes[i], len(table.attributes[i]), threads) for i in columns)
        for a, b in stretches(len(table), threads)
    ]
    run(jobs, threads)
    return Entries(geometry_of(table), records, rows, orders, sensitive, values)


def shifts_of(attributes: Sequence[Attribute]) -> tuple[list[int], int]:
    """What is added to the codes of each sensitive column so that none overlap, and how many codes there are then.

    Columns of one name hold values of one codebook, and keep the same numbers.
    """
    begins: dict[str, int] = {}
    codes = 0
    for attribute in attributes:
        if attribute.name not in begins:
            begins[attribute.name] = codes
            codes += len(attribute)
    return [begins[attribute.name] for attribute in attributes], codes


def sort_rows(columns: list[Codes], sizes: list[int], threads: int) -> tuple[Codes, NDArray[np.int64]]:
    """Rows in lexicographic order of their codes, and where each distinct vector begins (with the end appended)."""
    n = len(columns[0])
    keys: Keys = np.zeros(n, np.uint32) if math.prod(sizes) <= 2**32 else np.zeros(n, np.uint64)
    bound = 1
    together: list[tuple[Codes, int]] = []

    def extend(first: int, last: int) -> None:
        for a in range(first, last, BLOCK):
            b = min(a + BLOCK, last)
            for codes, size in together:
                kernel.extend_keys(keys[a:b], codes[a:b], size)

    for codes, size in zip(columns, sizes, strict=True):
        if bound * size >= 2**62:
            in_stretches(extend, n, threads)
            together.clear()
            bound = number_vectors(keys, bound, threads)
        together.append((codes, size))
        bound *= size
    in_stretches(extend, n, threads)
    if bound <= max(1 << 16, min(2 * n, 1 << 22)):
        return counting_sort(keys, bound, threads)
    keys, rows = radix_sort(keys, bound, threads)
    return rows, starts_of(keys, threads)


def starts_of(keys: Keys, threads: int) -> NDArray[np.int64]:
    """Where each distinct one of sorted keys begins, with the end appended."""
    parts = stretches(len(keys), threads)
    changes = np.zeros(len(parts) + 1, np.int64)

    def count(i: int, a: int, b: int) -> None:
        changes[i + 1] = kernel.count_changes(keys, a, b)

    run([partial(count, i, a, b) for i, (a, b) in enumerate(parts)], threads)
    places = np.cumsum(changes)
    starts = np.empty(int(places[-1]) + 1, np.int64)
    starts[-1] = len(keys)
    run([partial(kernel.list_changes, keys, *part, starts[places[i] :]) for i, part in enumerate(parts)], threads)
    return starts


def number_vectors(keys: Keys, bound: int, threads: int) -> int:
    """Replace keys by the ranks of their distinct values, so that further columns fit; returns how many there are."""
    ordered, rows = radix_sort(keys, bound, threads)
    starts = starts_of(ordered, threads)
    keys[rows] = np.repeat(np.arange(len(starts) - 1, dtype=keys.dtype), np.diff(starts))
    return len(starts) - 1


def places_of(counts: Codes) -> Codes:
    """Where each stretch puts its first row of each digit, from counts[stretch, digit]."""
    flat = counts.T.ravel()
    places = np.cumsum(flat, dtype=np.int32) - flat
    return np.ascontiguousarray(places.reshape(counts.shape[1], counts.shape[0]).T)


def counting_sort(keys: Keys, bound: int, threads: int) -> tuple[Codes, NDArray[np.int64]]:
    """Few possible keys: one pass puts every row in its place."""
    parts = stretches(len(keys), threads)
    counts = np.zeros((len(parts), 1 << max(1, (bound - 1).bit_length())), np.int32)
    run([partial(kernel.count_digits, keys[a:b], 0, counts[i]) for i, (a, b) in enumerate(parts)], threads)
    total = counts.sum(axis=0, dtype=np.int64)
    places = places_of(counts)
    rows = np.empty(len(keys), np.int32)
    run([partial(kernel.scatter_rows, keys[a:b], a, places[i], rows) for i, (a, b) in enumerate(parts)], threads)
    return rows, np.append(0, np.cumsum(total[total > 0])).astype(np.int64)


def radix_sort(keys: Keys, bound: int, threads: int) -> tuple[Keys, Codes]:
    """Many possible keys: digit by digit from the lowest, stable. The keys that were given are scratch afterwards."""
    rows = np.arange(len(keys), dtype=np.int32)
    keys_out, rows_out = np.empty_like(keys), np.empty_like(rows)
    bits = max(1, (bound - 1).bit_length())
    passes = math.ceil(bits / 11)
    digit = math.ceil(bits / passes)
    parts = stretches(len(keys), threads)
    for shift in range(0, bits, digit):
        counts = np.zeros((len(parts), 1 << digit), np.int32)
        run([partial(kernel.count_digits, keys[a:b], shift, counts[i]) for i, (a, b) in enumerate(parts)], threads)
        places = places_of(counts)
        run(
            [
                partial(kernel.scatter, keys[a:b], rows[a:b], shift, places[i], keys_out, rows_out)
                for i, (a, b) in enumerate(parts)
            ],
            threads,
        )
        keys, keys_out, rows, rows_out = keys_out, keys, rows_out, rows
    return keys, rows
