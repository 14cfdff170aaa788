"""The rows of a table in one line, so that rows which look alike stand close to each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.likelihoods import order_of
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import sort_within
from pellucid.anonymize.layout.entries import row_order, sort_rows
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.kernels import hilbert as kernel
from pellucid.runtime.parallel import SHORT, in_stretches

Order = Literal["lexicographic", "hilbert"]
Longs = NDArray[np.int64]

WORD = 30  # bits of a place on the curve that are sorted at a time


def in_line(table: Table, order: Order, coins: Coins, threads: int) -> tuple[Codes, Longs]:
    """The rows sorted by quasi-identifiers, then by row order; and the row orders in that sequence."""
    threads = threads if len(table) >= SHORT else 1
    quasi = [table.codes[i] for i in table.having(Role.QUASI)]
    sizes = [len(table.attributes[i]) for i in table.having(Role.QUASI)]
    rows, starts = sort_rows(quasi, sizes, threads)
    if order == "hilbert":
        rows, starts = along_curve(rows, starts, quasi, sizes, threads)
    orders = np.empty(len(table), np.int64)
    sort_within(starts, rows, row_order(table, coins, threads), orders, threads)
    return rows, orders


def along_curve(rows: Codes, starts: Longs, quasi: list[Codes], sizes: list[int], threads: int) -> tuple[Codes, Longs]:
    """Rows that are sorted by vector, sorted by the place of the vector on a Hilbert curve instead.

    The curve runs through a cube of as many bits per side as the attribute with the most values needs; the codes of
    the others are spread evenly over the side.
    """
    examples = rows[starts[:-1]]
    vectors = np.stack([codes[examples] for codes in quasi])
    bits = max(size - 1 for size in sizes).bit_length()
    words = np.zeros((max(1, -(-bits * len(sizes) // WORD)), len(examples)), np.int32)
    bounds = np.array(sizes, np.int64)

    def place(a: int, b: int) -> None:
        part = np.zeros((len(words), b - a), np.int32)
        kernel.places(np.ascontiguousarray(vectors[:, a:b]), bounds, bits, part)
        words[:, a:b] = part

    in_stretches(place, len(examples), threads)
    turn, _ = sort_rows(list(words), [1 << WORD] * len(words), threads)
    lengths = np.diff(starts)[turn]
    ends = np.append(0, np.cumsum(lengths)).astype(np.int64)
    return rows[np.repeat(starts[:-1][turn] - ends[:-1], lengths) + np.arange(len(rows))], ends


def places_in_line(people: Table, grouping: Grouping, order: Order) -> Longs:
    """Each row's place in the line, for somebody who knows the row order (without an identifier: as if it were)."""
    ordered = replace(people, order=order_of(people, grouping))
    rows, _ = in_line(ordered, order, Coins(bytes(16)), 1)  # with a row order, no coin is drawn
    place = np.empty(len(people), np.int64)
    place[rows] = np.arange(len(people))
    return place
