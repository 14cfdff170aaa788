"""The operations of an engine on a table in memory, as what Spark is compared to.

:func:`pellucid.publish` groups a table that fits by the method itself, which is faster; this engine looks at it block
by block, exactly as the Spark engine does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from pellucid.anonymize.layout.entries import row_order
from pellucid.core.coins import Coins
from pellucid.core.table import Table, frequencies
from pellucid.runtime.parallel import stretches
from pellucid.spark.engine.blocks import PassTally, Rows
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.operations import Bins, Outline, Request, ValueCounts

Result = TypeVar("Result")


class LocalEngine:
    """Operations on a table in memory, in so many blocks."""

    def __init__(self, table: Table, coins: Coins, blocks: int = 1) -> None:
        counts = tuple(
            frequencies(codes, len(attribute)) for codes, attribute in zip(table.codes, table.attributes, strict=True)
        )
        self.outline = Outline(table.attributes, counts, len(table), table.order is not None)
        rows = Rows.of(table, row_order(table, coins, 1))
        self.blocks = [rows.at(np.arange(a, b)) for a, b in stretches(len(rows), blocks)]
        self.passes = 0

    def look(
        self, cuts: Cuts, requests: Sequence[Request], nodes: Sequence[int]
    ) -> tuple[list[Bins], dict[int, list[ValueCounts]]]:
        """One pass over all rows."""
        tally = PassTally(self.outline, cuts, requests, nodes)
        for block in self.blocks:
            tally.add(block)
        self.passes += 1
        return tally.answers()

    def finish(self, cuts: Cuts, work: Callable[[Rows], Result]) -> list[Result]:
        """Do the work of each subtree, left to right."""
        whole = Rows.joined(self.blocks)
        nodes = cuts.route(whole.quasi, whole.orders)
        return [work(whole.at(np.flatnonzero(nodes == node))) for node in cuts.ends]
