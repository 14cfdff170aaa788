"""What workers do for methods that draw rows by lot: count bins of drawn numbers, and send rows to their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pellucid.anonymize.layout.by_draws import Shares
from pellucid.core.coins import Coins
from pellucid.spark.engine.blocks import BySlot, Rows
from pellucid.spark.engine.operations import Longs, Outline
from pellucid.spark.engine.shared_files import read, small
from pellucid.spark.engine.shipments import Shipment, shipped
from pellucid.spark.engine.sieve import Sieve
from pellucid.spark.engine.stored_blocks import Block
from pellucid.spark.engine.workers import blocks_of

MOST_MARKS = 1 << 24  # parts times values: how much is known of every part


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


def binning(asked: Path, ordering: Coins | None, coins: Coins) -> Callable[[Iterator[int]], Iterator[BySlot]]:
    """Adds up how many rows of a task are in each bin that waits; ``ordering`` is what orders the rows."""

    def run(numbers: Iterator[int]) -> Iterator[BySlot]:
        lot: Lot = read(asked)
        counts = np.zeros(lot.sieve.waiting, np.int64)
        for rows in blocks_of(numbers, lot, ordering):
            counts += lot.sieve.count(rows.sensitive[0], lot.draws(rows, coins))
        some = np.flatnonzero(counts)
        yield {"slot": some, "times": counts[some]}

    return small(run)


def drawing(asked: Path, ordering: Coins | None, coins: Coins) -> Callable[[Iterator[int]], Iterator[Shipment]]:
    """Sends the rows of each block to their parts."""

    def run(numbers: Iterator[int]) -> Iterator[Shipment]:
        lot: Lot = read(asked)
        yield from shipped(((lot.parts(rows, coins), rows) for rows in blocks_of(numbers, lot, ordering)), lot.work)

    return small(run)
