"""The operations of an engine on Spark: rows are encoded once into blocks, and stay on the machines of the cluster.

What comes to the driver: the distinct values of each column with their counts, how many rows each partition has, bins
and sensitive counts of large nodes, and figures about the release. Rows never do.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pellucid.coins import Coins
from pellucid.engine.blocks import Tally
from pellucid.engine.boxes import Lost, Spelling, grouping_of_parts, writing
from pellucid.engine.codebooks import Codebook, codebook, quoted, require_readable
from pellucid.engine.cuts import Cuts
from pellucid.engine.files import address
from pellucid.engine.operations import Bins, Held, Outline, Request
from pellucid.engine.workers import BLOCK, FILE, PART, ROW, encoding, offsets_of, routing, tallying
from pellucid.errors import InputError
from pellucid.group.in_parts import InParts
from pellucid.io.columns import asked_by, choose
from pellucid.io.encode import CODED_ROLES
from pellucid.progress import Progress
from pellucid.schema import Role, Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_PER_FILE = 1_000_000
BATCHES = "spark.sql.execution.arrow.maxRecordsPerBatch"
BLOCKS_AT_ONCE = 8
LINES_AT_ONCE = 50_000
COLUMNS_AT_ONCE = 4


@dataclass(slots=True)
class SparkEngine:
    """Operations on a table whose rows are with Spark, as blocks in the folder ``work``."""

    spark: SparkSession
    outline: Outline
    work: Path
    offsets: Mapping[str, int]
    coins: Coins | None  # what orders the rows, where no identifier does
    made: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, frame: DataFrame, schema: Schema, work: Path, coins: Coins, progress: Progress, *, from_files: bool
    ) -> SparkEngine:
        """Count the values of every column, then encode all rows into blocks."""
        names = [name for name, column in schema.columns.items() if column.role in CODED_ROLES]
        identifiers = schema.names(Role.IDENTIFIER)
        with asked_by(schema):
            choose([name for name in frame.columns if name not in (FILE, ROW)], [*identifiers, *names], "the table")
        require_readable(frame, [*identifiers, *names])
        progress.stage("counting values", len(names))
        books: dict[str, Codebook] = {}
        with ThreadPoolExecutor(COLUMNS_AT_ONCE) as pool:
            pending = {name: pool.submit(codebook, frame, schema, name) for name in names}
            for name, future in pending.items():
                books[name] = future.result()
                progress.advance(len(books))
        rows = int(next(iter(books.values())).counts.sum())
        outline = Outline(
            tuple(book.attribute for book in books.values()),
            tuple(book.counts for book in books.values()),
            rows,
            bool(identifiers),
        )
        engine = cls(frame.sparkSession, outline, work, {}, None if identifiers else coins)
        progress.stage("encoding", rows)
        engine._encode(frame, schema, books, identifiers, from_files=from_files)
        progress.advance(rows)
        return engine

    def _encode(
        self, frame: DataFrame, schema: Schema, books: Mapping[str, Codebook], identifiers: list[str], from_files: bool
    ) -> None:
        from pyspark.sql import functions as f

        chosen = frame.select(*(quoted(name) for name in [*identifiers, *books]))
        identifier = None
        if identifiers:
            identifier = identifiers[0], schema.columns[identifiers[0]]
            chosen = chosen.orderBy(quoted(identifiers[0]))
        elif from_files:
            chosen = frame.select(*(quoted(name) for name in [*books, FILE, ROW]))
        with batches_of(self.spark, LINES_AT_ONCE):
            chosen.mapInArrow(encoding(books, identifier), BLOCK).write.parquet(self._new("blocks"))
        sums = [f.sum(name).alias(name) for name in ("rows", "nulls", "repeated")]
        told = self._blocks().groupBy("origin").agg(*sums).toArrow().to_pylist()
        if identifier is not None:
            nulls, repeated = (sum(line[name] for line in told) for name in ("nulls", "repeated"))
            if nulls or repeated:
                _refuse_identifier(frame, identifiers[0], nulls, self.outline.rows)
        if sum(line["rows"] for line in told) != self.outline.rows:
            raise InputError(
                "the table has another number of rows when it is read again; write it to Parquet and publish that"
            )
        self.offsets = offsets_of((line["origin"], line["rows"]) for line in told)

    def look(
        self, cuts: Cuts, requests: Sequence[Request], nodes: Sequence[int]
    ) -> tuple[list[Bins], dict[int, list[Held]]]:
        """One pass over all rows, added up by Spark."""
        from pyspark.sql import functions as f

        tally = Tally(self.outline, cuts, requests, nodes)
        empty = tally.sparse()
        kinds = ", ".join(f"{name} {'long' if column.dtype == np.int64 else 'int'}" for name, column in empty.items())
        found = self._blocks("origin", "start", "rows", "quasi", "sensitive", "carried").mapInArrow(
            tallying(self.outline, cuts, requests, nodes, self.offsets, self.coins), kinds
        )
        least = [f.min(name).alias(name) for name in empty if name.startswith(("low", "earliest"))]
        most = [f.max(name).alias(name) for name in empty if name.startswith(("high", "latest"))]
        with batches_of(self.spark, BLOCKS_AT_ONCE):
            merged = found.groupBy("slot").agg(f.sum("times").alias("times"), *least, *most).toArrow()
        tally.take({name: merged[name].to_numpy() for name in empty})
        return tally.answers()

    def finish(
        self,
        cuts: Cuts,
        spelling: Spelling,
        method: InParts,
        counts: Sequence[Any],
        coins: Coins,
        lost: Lost | None,
    ) -> None:
        """Send every row to its subtree, and let workers group the subtrees into boxes."""
        losses = len(spelling.columns) if lost is not None else 0
        shipped = self._blocks("origin", "start", "rows", "quasi", "sensitive", "carried").mapInArrow(
            routing(self.outline, cuts, self.offsets, self.coins), PART
        )
        grouped = shipped.groupBy("subtree").applyInArrow(
            grouping_of_parts(spelling, method, counts, coins, lost, losses), spelling.schema(losses)
        )
        with batches_of(self.spark, BLOCKS_AT_ONCE):
            grouped.write.parquet(self._new("boxes"))
        self._gone("blocks")

    def figures(self, losses: int) -> dict[str, Any]:
        """How many groups of which size there are, and what was lost over all."""
        from pyspark.sql import functions as f

        boxes = self.spark.read.parquet(address(self.work / "boxes"))
        lost = [f.sum(f"lost{j}").alias(f"lost{j}") for j in range(losses)]
        told = boxes.groupBy("rows").agg(f.count("*").alias("groups"), *lost).toArrow()
        sizes, groups = told["rows"].to_numpy(), told["groups"].to_numpy()
        return {
            "sizes": dict(sorted(zip(sizes.tolist(), groups.tolist(), strict=True))),
            "lost": [float(told[f"lost{j}"].to_numpy().sum()) for j in range(losses)],
        }

    def write(self, spelling: Spelling, rows_per_file: int = ROWS_PER_FILE) -> Path:
        """Sort the boxes and write the release as Parquet files in canonical order; returns their folder."""
        from pyspark.sql import functions as f

        folder = self.work / "data"
        folder.mkdir(mode=0o700)
        boxes = self.spark.read.parquet(address(self.work / "boxes")).select(*spelling.keys, "rows", "secrets")
        files = max(1, -(-self.outline.rows // rows_per_file))
        order = [f.col(name).asc_nulls_first() for name in spelling.keys]
        ordered = boxes.repartitionByRange(files, *order).sortWithinPartitions(*order)
        with batches_of(self.spark, LINES_AT_ONCE):
            told = ordered.mapInArrow(writing(spelling, folder), "part long, rows long").toArrow()
        written = int(told["rows"].to_numpy().sum())
        assert written == self.outline.rows, "every row is published once"
        self._gone("boxes")
        return folder

    def _blocks(self, *columns: str) -> DataFrame:
        frame = self.spark.read.parquet(address(self.work / "blocks"))
        return frame.select(*columns) if columns else frame

    def _new(self, name: str) -> str:
        return address(self.work / name)

    def _gone(self, name: str) -> None:
        shutil.rmtree(self.work / name, ignore_errors=True)


def _refuse_identifier(frame: DataFrame, name: str, nulls: int, rows: int) -> None:
    """The error that reading the table into memory would give."""
    from pyspark.sql import functions as f

    if nulls:
        raise InputError(
            f"identifier {name!r} is null in {nulls} of {rows} rows; every row needs one: fill it, drop these rows, or "
            "leave the identifier out"
        )
    repeated = frame.select(quoted(name).alias("value")).groupBy("value").count().filter("count > 1")
    told = repeated.agg(
        f.min_by("count", "value").alias("times"), f.min("value").alias("value"), f.count("*").alias("n")
    )
    line = pl.DataFrame(pl.from_arrow(told.toArrow())).row(0, named=True)
    others = f", as do {line['n'] - 1} others" if line["n"] > 1 else ""
    raise InputError(
        f"identifier {name!r}: {line['value']!r} occurs {line['times']} times{others}; identifiers must be distinct: "
        "merge the rows of one person, choose another identifier, or leave it out"
    )


@contextmanager
def batches_of(spark: SparkSession, lines: int) -> Iterator[None]:
    """While it lasts, so many lines go to Python at a time; then the session's own setting comes back."""
    before = spark.conf.get(BATCHES) or "10000"
    spark.conf.set(BATCHES, str(lines))
    try:
        yield
    finally:
        spark.conf.set(BATCHES, before)
