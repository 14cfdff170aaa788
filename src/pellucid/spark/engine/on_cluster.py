"""The operations of an engine on Spark: rows are encoded once into blocks, and stay on the machines of the cluster.

What comes to the driver: the distinct values of each column with their counts, how many rows each partition has, bins
and sensitive counts of large nodes, and figures about the release. Rows never do.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pellucid.coins import Coins
from pellucid.determined import Says
from pellucid.errors import EngineError, InputError
from pellucid.group.by_draws import Shares
from pellucid.io.columns import asked_by, choose
from pellucid.io.encode import CODED_ROLES
from pellucid.progress import Progress
from pellucid.schema import Role, Schema
from pellucid.spark.engine.blocks import PassTally
from pellucid.spark.engine.by_draws import BINNED, Lot, binning
from pellucid.spark.engine.codebooks import Codebook, codebook, counted_by_spark, require_readable
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.group_lines import BOXES, Lines, Parting, Spelling, boxed, grouping_of_parts, writing
from pellucid.spark.engine.operations import Bins, Outline, Request, ValueCounts
from pellucid.spark.engine.pair_counts import PAIRS, Counting, pairs_of, said
from pellucid.spark.engine.pair_counts import counting as counting_pairs
from pellucid.spark.engine.parquet_reader import COUNTED, COUNTS, Pieces, added_up, counting, encoding_pieces, pieces_of
from pellucid.spark.engine.shared_files import shared
from pellucid.spark.engine.sieve import Sieve
from pellucid.spark.engine.stored_blocks import FOLDER, Block
from pellucid.spark.engine.two_tables import TABLES, Numbering, Pairs, keeping, numbering
from pellucid.spark.engine.workers import (
    FILE,
    PART,
    ROW,
    STORED,
    Asked,
    Batches,
    Pass,
    Reading,
    encoding,
    offsets_of,
    tallying,
)
from pellucid.spark.frames import pattern

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
    coins: Coins | None  # what orders the rows, where no identifier does
    blocks: Sequence[Block] = ()
    boxes: Sequence[str] = ()  # files
    steps: int = 0

    @classmethod
    def of(
        cls,
        frame: DataFrame,
        schema: Schema,
        work: Path,
        coins: Coins,
        progress: Progress,
        *,
        from_files: bool,
        files: Sequence[Path] = (),
    ) -> SparkEngine:
        """Count the values of every column, then encode all rows into blocks.

        With ``from_files`` the last two columns say where a row is, as
        :func:`pellucid.spark.engine.parquet_files.rows_of_files` has it; ``files`` are those that workers can open
        themselves. Inside Spark columns are called by their place, so that no name can be mistaken for another.
        """
        names = [name for name, column in schema.columns.items() if column.role in CODED_ROLES]
        identifiers = schema.names(Role.IDENTIFIER)
        present = frame.columns[:-2] if from_files else frame.columns
        with asked_by(schema):
            choose(present, [*identifiers, *names], "the table")
        require_readable(frame, [*identifiers, *names])
        _require_different(frame.sparkSession, names)
        keys = {name: f"c{present.index(name)}" for name in [*identifiers, *names]}
        numbered = frame.toDF(*(f"c{place}" for place in range(len(present))), *((FILE, ROW) if from_files else ()))
        empty = Outline((), (), 0, bool(identifiers))
        engine = cls(frame.sparkSession, empty, work, None if identifiers else coins)
        pieces = pieces_of(files, {keys[name]: name for name in names}) if files else None
        progress.stage("counting values", len(names))
        books: dict[str, Codebook] = {}
        for name, counts in engine._count(numbered, {name: keys[name] for name in names}, pieces):
            books[keys[name]] = codebook(counts, schema, name)
            progress.advance(len(books))
        rows = int(next(iter(books.values())).counts.sum())
        engine.outline = Outline(
            tuple(book.attribute for book in books.values()),
            tuple(book.counts for book in books.values()),
            rows,
            bool(identifiers),
        )
        progress.stage("encoding", rows)
        identifier = None
        if identifiers:
            identifier = keys[identifiers[0]], identifiers[0], schema.columns[identifiers[0]]
        engine._encode(numbered, Reading(books, identifier), pieces, from_files=from_files)
        engine._require_unchanged()
        progress.advance(rows)
        return engine

    def _count(
        self, frame: DataFrame, keys: Mapping[str, str], pieces: Pieces | None
    ) -> Iterator[tuple[str, pl.DataFrame]]:
        """The values of each column and how often each occurs, by name; counts of one value may come in parts."""
        if pieces is None:
            with ThreadPoolExecutor(COLUMNS_AT_ONCE) as pool:
                pending = {name: pool.submit(counted_by_spark, frame, name, key) for name, key in keys.items()}
                for name, future in pending.items():
                    yield name, future.result()
            return
        folder = self.work / COUNTS
        folder.mkdir(mode=0o700)
        with self._shared(pieces) as told_by:
            told = self.spark.range(len(pieces.pieces)).mapInArrow(counting(told_by, self.work), COUNTED).toArrow()
        files = told["file"].to_pylist()
        for name, key in keys.items():
            parts = [pl.read_ipc((folder / file).read_bytes()) for file in files if file.startswith(f"{key}-")]
            yield name, added_up(parts) if parts else pl.DataFrame()
        self._gone(COUNTS)

    def _encode(self, frame: DataFrame, reading: Reading, pieces: Pieces | None, *, from_files: bool) -> None:
        identifier = reading.identifier
        (self.work / FOLDER).mkdir(mode=0o700)
        if pieces is not None and identifier is None:
            with self._shared(pieces) as pieces_by, self._shared(reading) as read_by:
                numbers = self.spark.range(len(pieces.pieces))
                told = numbers.mapInArrow(encoding_pieces(pieces_by, read_by, self.work), STORED).toArrow()
        else:
            chosen = frame.select(*reading.books, *((FILE, ROW) if from_files else ()))
            if identifier is not None:
                chosen = frame.select(identifier[0], *reading.books).orderBy(identifier[0])
            with self._shared(reading) as read_by, batches_of(self.spark, LINES_AT_ONCE):
                told = chosen.mapInArrow(encoding(read_by, self.work), STORED).toArrow()
        rows, nulls, repeated = (int(told[name].to_numpy().sum()) for name in ("rows", "nulls", "repeated"))
        if identifier is not None and (nulls or repeated):
            _refuse_identifier(frame, identifier[0], identifier[1], nulls, self.outline.rows)
        if rows != self.outline.rows:
            raise InputError(
                "the table has another number of rows when it is read again; write it to Parquet and publish that"
            )
        lines = told.to_pylist()
        offsets = offsets_of((line["origin"], line["rows"]) for line in lines)
        blocks = [
            Block(line["file"], line["held"], line["at"], line["rows"], offsets[line["origin"]] + line["start"])
            for line in lines
        ]
        self.blocks = sorted(blocks, key=lambda block: block.first)

    def _require_unchanged(self) -> None:
        """Refuse rows whose sensitive values are not those that were counted: guarantees are decided by the counts."""
        _, found = self.look(Cuts(), [], [0])
        for i, held in zip(self.outline.having(Role.SENSITIVE), found[0], strict=True):
            again = np.zeros_like(self.outline.counts[i])
            again[held.codes] = held.counts
            if not np.array_equal(again, self.outline.counts[i]):
                raise InputError(
                    f"column {self.outline.attributes[i].name!r} has other values when it is read again; write the "
                    "table to Parquet and publish that"
                )

    def look(
        self, cuts: Cuts, requests: Sequence[Request], nodes: Sequence[int]
    ) -> tuple[list[Bins], dict[int, list[ValueCounts]]]:
        """One pass over all rows, added up by Spark."""
        from pyspark.sql import functions as f

        tally = PassTally(self.outline, cuts, requests, nodes)
        empty = tally.sparse()
        kinds = ", ".join(f"{name} {'long' if column.dtype == np.int64 else 'int'}" for name, column in empty.items())
        least = [f.min(name).alias(name) for name in empty if name.startswith(("low", "earliest"))]
        most = [f.max(name).alias(name) for name in empty if name.startswith(("high", "latest"))]
        asked = Pass(self.outline, self.work, self.blocks, cuts, requests, nodes)
        with self._shared(asked) as told_by:
            found = self.spark.range(len(self.blocks)).mapInArrow(tallying(told_by, self.coins), kinds)
            merged = found.groupBy("slot").agg(f.sum("times").alias("times"), *least, *most).toArrow()
        tally.take({name: merged[name].to_numpy() for name in empty})
        return tally.answers()

    def said(self) -> list[Says]:
        """How much each column says about each sensitive one: one pass over all rows, added up by Spark."""
        from pyspark.sql import functions as f

        asked = Counting(self.outline, self.work, self.blocks, pairs_of(self.outline))
        with self._shared(asked) as told_by:
            found = self.spark.range(len(self.blocks)).mapInArrow(counting_pairs(told_by), PAIRS)
            merged = found.groupBy("slot").agg(f.sum("times").alias("times")).toArrow()
        return said(asked, merged["slot"].to_numpy(), merged["times"].to_numpy())

    def sift(self, shares: Shares, coins: Coins, progress: Progress) -> Sieve:
        """Pass over all rows until it is known which rows each share takes."""
        from pyspark.sql import functions as f

        (column,) = self.outline.having(Role.SENSITIVE)
        sieve = Sieve(shares.taken, self.outline.counts[column])
        while sieve.waiting:
            with self._shared(Lot(self.outline, self.work, self.blocks, shares, sieve)) as told_by:
                found = self.spark.range(len(self.blocks)).mapInArrow(binning(told_by, self.coins, coins), BINNED)
                merged = found.groupBy("bin").agg(f.sum("times").alias("times")).toArrow()
            counts = np.zeros(sieve.waiting, np.int64)
            counts[merged["bin"].to_numpy()] = merged["times"].to_numpy()
            sieve.take(counts)
            progress.stage("drawing", self.outline.rows)
        return sieve

    def finish(
        self, asked: Asked, route: Callable[[Path], Callable[[Batches], Batches]], parting: Parting, coins: Coins
    ) -> dict[str, Any]:
        """Send every row to its part, as ``route`` says from what is asked, and let workers group the parts.

        Returns how many groups of which size there are, and what was lost over all.
        """
        losses = parting.losses
        (self.work / BOXES).mkdir(mode=0o700)
        with (
            self._shared(asked) as told_by,
            self._shared(parting) as parted_by,
            batches_of(self.spark, BLOCKS_AT_ONCE),
        ):
            shipped = self.spark.range(len(self.blocks)).mapInArrow(route(told_by), PART)
            grouping = grouping_of_parts(parted_by, self.work / BOXES, coins)
            told = shipped.groupBy("subtree").applyInArrow(grouping, boxed(losses)).toArrow()
        self._gone(FOLDER)
        self.boxes = sorted(set(told["file"].to_pylist()))
        sizes: Counter[int] = Counter()
        for size, groups in zip(told["rows"].to_pylist(), told["groups"].to_pylist(), strict=True):
            sizes[size] += groups
        return {
            "sizes": dict(sorted(sizes.items())),
            "lost": [float(told[f"lost{j}"].to_numpy().sum()) for j in range(losses)],
        }

    def write(self, spelling: Spelling, rows_per_file: int) -> dict[str, Path]:
        """Sort the boxes and write the release as Parquet files in canonical order; returns their folder by name."""
        folder = self._folder("data")
        with self._shared(spelling) as spelled_by, batches_of(self.spark, LINES_AT_ONCE):
            ordered = self._ordered(spelling, rows_per_file)
            told = ordered.mapInArrow(writing(spelled_by, folder), "part long, rows long").toArrow()
        self._require_all(told["rows"])
        self._gone(BOXES)
        return {"data": folder}

    def write_two_tables(self, pairs: Pairs, rows_per_file: int) -> dict[str, Path]:
        """Sort the groups, number them, and write the two tables of the release; returns their folders by name."""
        kept = self._folder("ordered")
        with batches_of(self.spark, LINES_AT_ONCE):
            found = self._ordered(pairs, rows_per_file).mapInArrow(keeping(kept), "part long, groups long").toArrow()
        self._gone(BOXES)
        order = np.argsort(found["part"].to_numpy())
        groups = found["groups"].to_numpy()[order]
        parts = list(zip(found["part"].to_numpy()[order].tolist(), (np.cumsum(groups) - groups).tolist(), strict=True))
        folders = {name: self._folder(name) for name in TABLES}
        places = self.spark.range(0, len(parts), 1, len(parts))
        with self._shared(Numbering(pairs, kept, parts, int(groups.sum()), folders)) as told_by:
            told = places.mapInArrow(numbering(told_by), "part long, rows long").toArrow()
        self._require_all(told["rows"])
        self._gone("ordered")
        return folders

    def _ordered(self, lines: Lines, rows_per_file: int) -> DataFrame:
        """The lines of all groups, sorted, in as many partitions as there are to be files."""
        from pyspark.sql import functions as f

        files = max(1, -(-self.outline.rows // rows_per_file))
        order = [f.col(name).asc_nulls_first() for name in lines.keys]
        boxes = self.spark.read.parquet(*(pattern(self.work / BOXES / file) for file in self.boxes))
        return boxes.repartitionByRange(files, *order).sortWithinPartitions(*order)

    def _require_all(self, rows: Any) -> None:
        written = int(rows.to_numpy().sum())
        if written != self.outline.rows:
            raise EngineError(
                f"Spark wrote {written:,} of {self.outline.rows:,} rows; nothing was published: look into Spark's log, "
                "and publish again"
            )

    def _folder(self, name: str) -> Path:
        folder = self.work / name
        folder.mkdir(mode=0o700)
        return folder

    def _shared(self, value: Any) -> AbstractContextManager[Path]:
        self.steps += 1
        return shared(self.work, f"step-{self.steps}", value)

    def _gone(self, name: str) -> None:
        shutil.rmtree(self.work / name, ignore_errors=True)


def _require_different(spark: SparkSession, names: Sequence[str]) -> None:
    """Refuse to publish columns that the session takes for one."""
    if spark.conf.get("spark.sql.caseSensitive") == "true":
        return
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise InputError(
                f"columns {other!r} and {name!r} differ in case only, and this Spark session takes them for one; "
                "rename one of them, or set spark.sql.caseSensitive to true"
            )


def _refuse_identifier(frame: DataFrame, key: str, name: str, nulls: int, rows: int) -> None:
    """The error that reading the table into memory would give."""
    from pyspark.sql import functions as f

    if nulls:
        raise InputError(
            f"identifier {name!r} is null in {nulls} of {rows} rows; every row needs one: fill it, drop these rows, or "
            "leave the identifier out"
        )
    repeated = frame.select(f.col(key).alias("value")).groupBy("value").count().filter("count > 1")
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
    from py4j.protocol import Py4JError

    before = spark.conf.get(BATCHES) or "10000"
    spark.conf.set(BATCHES, str(lines))
    try:
        yield
    finally:
        with suppress(OSError, Py4JError):  # Java may have ended, and what went wrong is told already
            spark.conf.set(BATCHES, before)
