"""What workers do for methods that draw rows by lot: count bins of drawn numbers, and send rows to their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pellucid.coins import Coins
from pellucid.group.by_draws import Shares
from pellucid.spark.engine.blocks import Rows
from pellucid.spark.engine.operations import Longs, Outline
from pellucid.spark.engine.shared_files import read, small
from pellucid.spark.engine.sieve import Sieve
from pellucid.spark.engine.stored_blocks import Block
from pellucid.spark.engine.workers import Batches, blocks_of, to_parts

BINNED = "bin long, times long"
MOST_MARKS = 1 << 24  # parts times values: how much is known of every part
LINES = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Lot:
    """One pass over all blocks: which shares there are, and what is known so far of the numbers that are drawn."""

    outline: Outline
    work: Path
    blocks: Sequence[Block]
    shares: Shares
    sieve: Sieve

    def draws(self, rows: Rows, coins: Coins) -> Longs:
        """The number that each row draws."""
        return coins.draws(rows.orders, purpose=self.shares.purpose)

    def parts(self, rows: Rows, coins: Coins) -> Longs:
        """The part that each row goes to."""
        parts = self.sieve.parts(rows.sensitive[0], self.draws(rows, coins))
        rest = np.flatnonzero(parts == len(self.shares.taken) - 1)
        if len(rest):
            parts[rest] = self.shares.joined(rows.sensitive[0][rest], rows.orders[rest], coins)
        return parts


def binning(asked: Path, ordering: Coins | None, coins: Coins) -> Callable[[Batches], Batches]:
    """Adds up how many rows of a partition are in each bin that waits; ``ordering`` is what orders the rows."""

    def run(batches: Batches) -> Batches:
        import pyarrow as pa

        lot: Lot = read(asked)
        counts = np.zeros(lot.sieve.waiting, np.int64)
        for rows in blocks_of(batches, lot, ordering):
            counts += lot.sieve.count(rows.sensitive[0], lot.draws(rows, coins))
        some = np.flatnonzero(counts)
        for a in range(0, len(some), LINES):
            bins = some[a : a + LINES]
            yield pa.RecordBatch.from_pydict({"bin": bins, "times": counts[bins]})

    return small(run)


def drawing(asked: Path, ordering: Coins | None, coins: Coins) -> Callable[[Batches], Batches]:
    """Sends the rows of each block to their parts."""

    def run(batches: Batches) -> Batches:
        lot: Lot = read(asked)
        for rows in blocks_of(batches, lot, ordering):
            yield from to_parts(lot.parts(rows, coins), rows)

    return small(run)
