"""The operations of an engine on Spark: rows are encoded once into blocks, and stay on the machines of the cluster.

What comes to the driver: the distinct values of each column with their counts, how many rows each block has, bins and
sensitive counts of large nodes, and figures about the release. Rows never do.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.anonymize.disclosure.strata_pins import known_columns, told
from pellucid.anonymize.layout.by_cuts import Above
from pellucid.anonymize.layout.by_draws import Shares
from pellucid.core.attribute_disclosure import Says
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.errors import EngineError
from pellucid.runtime.progress import Progress
from pellucid.spark.engine.blocks import PassTally, merged
from pellucid.spark.engine.by_draws import Lot, binning
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.group_lines import Parting, Spelling, Written, grouping_of_parts, writing
from pellucid.spark.engine.operations import Bins, Outline, Request, ValueCounts
from pellucid.spark.engine.ordered_lines import BOXES, Lines, Ordered, Sample, bounds
from pellucid.spark.engine.pair_counts import Counting, counting, pairs_of, said
from pellucid.spark.engine.shared_files import shared
from pellucid.spark.engine.shipments import SHIPPED, Shipment
from pellucid.spark.engine.sieve import Sieve
from pellucid.spark.engine.stored_blocks import FOLDER, Block
from pellucid.spark.engine.tasks import added_up, answers
from pellucid.spark.engine.two_tables import TABLES, Pairs, writing_two_tables
from pellucid.spark.engine.workers import Asked, Pass, tallying

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS_PER_FILE = 1_000_000
TASKS_OF_PARTS = 64  # at least so many, where there are so many parts: a core that is free takes the next

Answers = tuple[list[Bins], dict[int, list[ValueCounts]]]
Route = Callable[[Path], Callable[[Iterator[int]], Iterator[Shipment]]]


@dataclass(slots=True)
class SparkEngine:
    """Operations on a table whose rows are with Spark, as blocks in the folder ``work``.

    ``told`` is how much columns say about sensitive ones, and ``seen`` what was asked already, where it is known.
    """

    spark: SparkSession
    outline: Outline
    work: Path
    coins: Coins | None  # what orders the rows, where no identifier does
    blocks: Sequence[Block] = ()
    told: list[Says] | None = None
    seen: tuple[Sequence[Request], Answers] | None = None
    boxes: Sequence[str] = ()  # files
    samples: Sequence[Sample] = ()
    groups: int = 0
    steps: int = 0
    above: Mapping[str, Above] = field(default_factory=dict)  # by column the groups of which more is believed

    def look(self, cuts: Cuts, requests: Sequence[Request], nodes: Sequence[int]) -> Answers:
        """One pass over all rows."""
        if self.seen is not None and (len(cuts), list(requests), list(nodes)) == (1, list(self.seen[0]), [0]):
            return self.seen[1]
        tally = PassTally(self.outline, cuts, requests, nodes)
        asked = Pass(self.outline, self.work, self.blocks, cuts, requests, nodes)
        with self.shared(asked) as told_by:
            tally.take(added_up(self.spark, tallying(told_by, self.coins), len(self.blocks), merged))
        return tally.answers()

    def said(self) -> list[Says]:
        """How much each column says about each sensitive one, from one pass over all rows."""
        if self.told is not None:
            return self.told
        asked = Counting(self.outline, self.work, self.blocks, pairs_of(self.outline))
        with self.shared(asked) as told_by:
            slots_and_times = added_up(self.spark, counting(told_by), len(self.blocks), merged)
        return said(asked, slots_and_times["slot"], slots_and_times["times"])

    def sift(self, shares: Shares, coins: Coins, progress: Progress) -> Sieve:
        """Pass over all rows until it is known which rows each share takes."""
        (column,) = self.outline.having(Role.SENSITIVE)
        sieve = Sieve(shares.taken, self.outline.counts[column])
        while sieve.waiting:
            with self.shared(Lot(self.outline, self.work, self.blocks, shares, sieve)) as told_by:
                bins = added_up(self.spark, binning(told_by, self.coins, coins), len(self.blocks), merged)
            counts = np.zeros(sieve.waiting, np.int64)
            counts[bins["slot"]] = bins["times"]
            sieve.take(counts)
            progress.stage("drawing", self.outline.rows)
        return sieve

    def finish(self, asked: Asked, route: Route, parting: Parting, coins: Coins) -> dict[str, Any]:
        """Send every row to its part, as ``route`` says from what is asked, and let workers group the parts.

        Returns how many groups of which size there are, what was lost over all, and of which groups more is believed
        than may be, part by part.
        """
        self.folder(SHIPPED)
        with self.shared(asked) as told_by:
            shipments = answers(self.spark, route(told_by), len(self.blocks))
        self.gone(FOLDER)
        self.folder(BOXES)
        parting = replace(parting, shipments=shipments)
        parts = len(parting.parts)
        with self.shared(parting) as parted_by:
            work = grouping_of_parts(parted_by, self.work, coins)
            finished = answers(self.spark, work, parts, min(parts, TASKS_OF_PARTS))
        self.gone(SHIPPED)
        self.boxes, self.samples = [part.file for part in finished], [part.sample for part in finished]
        sizes: Counter[int] = Counter()
        for part in finished:
            sizes.update(dict(zip(part.sizes.tolist(), part.groups.tolist(), strict=True)))
        self.groups = sizes.total()
        lost = [float(sum(part.lost[j] for part in finished)) for j in range(parting.losses)]
        found = {"sizes": dict(sorted(sizes.items())), "lost": lost, "above": [p.above for p in finished if p.above]}
        if any(part.strata for part in finished):
            found["strata"] = told(
                known_columns(self.outline.attributes), sum(p.strata for p in finished), [p.spreads for p in finished]
            )
        return found

    def write(self, spelling: Spelling, rows_per_file: int) -> dict[str, Path]:
        """Write the release as Parquet files in canonical order; returns their folder by name."""
        folder = self.folder("data")
        self._write(spelling, rows_per_file, lambda told_by: writing(told_by, folder))
        return {"data": folder}

    def write_two_tables(self, pairs: Pairs, rows_per_file: int) -> dict[str, Path]:
        """Write the two tables of the release, with numbers for the groups; returns their folders by name."""
        folders = {name: self.folder(name) for name in TABLES}
        groups = self.groups
        self._write(pairs, rows_per_file, lambda told_by: writing_two_tables(told_by, folders, groups))
        return folders

    def _write(
        self, lines: Lines, rows_per_file: int, work: Callable[[Path], Callable[[Iterator[int]], Iterator[Written]]]
    ) -> None:
        """Let workers write the lines of all groups in order, in as many files as their rows need."""
        rows = self.outline.rows
        ordered = Ordered(lines, self.work, self.boxes, bounds(self.samples, rows, -(-rows // rows_per_file)))
        with self.shared(ordered) as told_by:
            files = answers(self.spark, work(told_by), ordered.stretches, ordered.stretches)
        written = sum(file.rows for file in files)
        if written != rows:
            raise EngineError(
                f"Spark wrote {written:,} of {rows:,} rows; nothing was published: look into Spark's log, and publish "
                "again"
            )
        self.gone(BOXES)
        self.above = {column: Above.together(file.above[column] for file in files) for column in files[0].above}

    def folder(self, name: str) -> Path:
        """A new folder inside the work folder."""
        folder = self.work / name
        folder.mkdir(mode=0o700)
        return folder

    def shared(self, value: Any) -> AbstractContextManager[Path]:
        """The value as a file of the work folder, while it lasts."""
        self.steps += 1
        return shared(self.work, f"step-{self.steps}", value)

    def gone(self, name: str) -> None:
        """Remove a folder of the work folder."""
        shutil.rmtree(self.work / name, ignore_errors=True)
