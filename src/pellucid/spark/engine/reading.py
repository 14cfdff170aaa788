"""From a table to blocks on Spark's machines: values are counted, and rows become codes.

Parquet files that all machines see, without an identifier, are read once, by the workers themselves. Where Spark has
to read or sort rows (a DataFrame, an identifier, an address that only Spark opens) it reads them twice: to count
values, then to encode.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pellucid.core.coins import Coins
from pellucid.core.schema import Role, Schema
from pellucid.errors import InputError
from pellucid.io.columns import asked_by, choose
from pellucid.io.encode import coded_names
from pellucid.runtime.progress import Progress
from pellucid.spark.engine.blocks import PassTally
from pellucid.spark.engine.codebooks import Codebook, codebook, counted_by_spark, require_readable
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.local_codes import (
    CODED,
    COUNTS,
    Read,
    Recoded,
    Recoding,
    coding,
    counting_values,
    in_all,
    recoding,
)
from pellucid.spark.engine.on_cluster import SparkEngine
from pellucid.spark.engine.operations import Outline
from pellucid.spark.engine.pair_counts import Counting, pairs_of, said
from pellucid.spark.engine.parquet_files import ParquetFiles, require_readable_file, rows_of_files
from pellucid.spark.engine.parquet_reader import Pieces, pieces_of
from pellucid.spark.engine.stored_blocks import FOLDER, Block
from pellucid.spark.engine.tasks import added_up, answers
from pellucid.spark.engine.top_tree import first_requests
from pellucid.spark.engine.workers import FILE, ROW, STORED, Reading, encoding, offsets_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BATCHES = "spark.sql.execution.arrow.maxRecordsPerBatch"
LINES_AT_ONCE = 50_000
COLUMNS_AT_ONCE = 4


@dataclass(frozen=True, eq=False)
class SparkSource:
    """Where rows come from: a DataFrame of somebody's, or files that were named."""

    spark: SparkSession
    given: DataFrame | None = None
    named: ParquetFiles | None = None

    @property
    def files(self) -> Sequence[Path]:
        """Those that workers can open themselves."""
        return self.named.files if self.named is not None else ()

    @cached_property
    def frame(self) -> DataFrame:
        """The rows as Spark reads them; those of files have two more columns, which say where each is."""
        if self.given is not None:
            return self.given
        assert self.named is not None
        return rows_of_files(self.spark, self.named)

    @cached_property
    def columns(self) -> list[str]:
        """The names of the table's columns."""
        if self.files:
            return list(pl.read_parquet_schema(self.files[0]))
        return self.frame.columns if self.given is not None else self.frame.columns[:-2]


def read_by_workers(named: ParquetFiles, schema: Schema) -> bool:
    """Whether no row passes Java: workers open the files, and no identifier has to be sorted by."""
    return bool(named.files) and not schema.names(Role.IDENTIFIER)


@dataclass(slots=True)
class TableReader:
    """Makes an engine of a source."""

    source: SparkSource
    schema: Schema
    engine: SparkEngine
    keys: Mapping[str, str]  # what columns are called inside Spark: by their place, so that no two are mistaken
    progress: Progress

    @classmethod
    def of(cls, source: SparkSource, schema: Schema, work: Path, coins: Coins, progress: Progress) -> TableReader:
        """Look at names and types first."""
        names, identifiers = coded_names(schema), schema.names(Role.IDENTIFIER)
        present = source.columns
        with asked_by(schema):
            choose(present, [*identifiers, *names], "the table")
        if source.files and not identifiers:
            require_readable_file(source.files[0], names)
        else:
            require_readable(source.frame, [*identifiers, *names])
        _require_different(source.spark, names)
        keys = {name: f"c{present.index(name)}" for name in [*identifiers, *names]}
        empty = Outline((), (), 0, bool(identifiers))
        return cls(
            source, schema, SparkEngine(source.spark, empty, work, None if identifiers else coins), keys, progress
        )

    @property
    def names(self) -> list[str]:
        """The columns that become codes."""
        return coded_names(self.schema)

    def read(self, bins: int | None, rows_per_worker: int) -> SparkEngine:
        """The engine with all rows; with ``bins`` the first question of whoever cuts is answered on the way."""
        pieces = pieces_of(self.source.files, {self.keys[name]: name for name in self.names})
        if pieces.pieces and not self.engine.outline.ordered:
            self._once(pieces, bins, rows_per_worker)
        else:
            self._twice(pieces)
        return self.engine

    def _once(self, pieces: Pieces, bins: int | None, rows_per_worker: int) -> None:
        """Let workers read the files, into codes of their own first."""
        engine = self.engine
        self.progress.stage("encoding", pieces.rows)
        engine.folder(COUNTS)
        engine.folder(CODED)
        with engine.shared(pieces) as told_by:
            read_parts = answers(engine.spark, coding(told_by, engine.work), len(pieces.pieces))
        books = self._books(read_parts)
        engine.gone(COUNTS)
        outline = engine.outline
        requests = first_requests(outline, bins) if bins is not None and outline.rows > rows_per_worker else []
        self.progress.stage("measuring what columns say about the sensitive one", 0)
        pairs = Counting(outline, engine.work, (), pairs_of(outline))
        chunks = [chunk for part in read_parts for chunk in part.chunks]
        engine.folder(FOLDER)
        with engine.shared(
            Recoding(outline, engine.work, chunks, books, pairs, requests, [0] if requests else [])
        ) as by:
            recoded = added_up(engine.spark, recoding(by, engine.coins), len(chunks), Recoded.and_also)
        engine.gone(CODED)
        engine.blocks = sorted(recoded.blocks, key=lambda block: block.first)
        engine.told = said(pairs, recoded.pairs["slot"], recoded.pairs["times"])
        if requests:
            tally = PassTally(outline, Cuts(), requests, [0])
            tally.take(recoded.found)
            engine.seen = requests, tally.answers()

    def _books(self, read_parts: Sequence[Read]) -> dict[str, Codebook]:
        """The codebooks of the table, from what tasks counted; the outline follows from them."""
        folder = self.engine.work / COUNTS

        def counts(key: str) -> pl.DataFrame:
            parts = [pl.read_ipc((folder / part.counts[key]).read_bytes()) for part in read_parts if key in part.counts]
            return in_all(parts) if parts else pl.DataFrame()

        books = {self.keys[name]: codebook(counts(self.keys[name]), self.schema, name) for name in self.names}
        self._outlined(books)
        return books

    def _outlined(self, books: Mapping[str, Codebook]) -> None:
        rows = int(next(iter(books.values())).counts.sum())
        self.engine.outline = _outline_of(books.values(), rows, ordered=self.engine.outline.ordered)

    def _twice(self, pieces: Pieces) -> None:
        """Let Spark read the rows: count the values of every column, then encode."""
        numbered = _numbered(self.source)
        self.progress.stage("counting values", len(self.names))
        books: dict[str, Codebook] = {}
        for name, counts in self._counted(numbered, pieces):
            books[self.keys[name]] = codebook(counts, self.schema, name)
            self.progress.advance(len(books))
        self._outlined(books)
        rows = self.engine.outline.rows
        self.progress.stage("encoding", rows)
        identifier = None
        if identifiers := self.schema.names(Role.IDENTIFIER):
            identifier = self.keys[identifiers[0]], identifiers[0], self.schema.columns[identifiers[0]]
        self._encode(numbered, Reading(books, identifier))
        self._require_unchanged()
        self.progress.advance(rows)

    def _counted(self, frame: DataFrame, pieces: Pieces) -> Iterator[tuple[str, pl.DataFrame]]:
        """The values of each column and how often each occurs, by name; counts of one value may come in parts."""
        if not pieces.pieces:
            with ThreadPoolExecutor(COLUMNS_AT_ONCE) as pool:
                pending = {name: pool.submit(counted_by_spark, frame, name, self.keys[name]) for name in self.names}
                for name, future in pending.items():
                    yield name, future.result()
            return
        engine = self.engine
        folder = engine.folder(COUNTS)
        with engine.shared(pieces) as told_by:
            counted_parts = answers(engine.spark, counting_values(told_by, engine.work), len(pieces.pieces))
        for name in self.names:
            parts = [folder / counted[self.keys[name]] for counted in counted_parts if self.keys[name] in counted]
            yield name, in_all([pl.read_ipc(part.read_bytes()) for part in parts]) if parts else pl.DataFrame()
        engine.gone(COUNTS)

    def _encode(self, frame: DataFrame, reading: Reading) -> None:
        identifier, engine = reading.identifier, self.engine
        engine.folder(FOLDER)
        chosen = frame.select(*reading.books, *((FILE, ROW) if self.source.given is None else ()))
        if identifier is not None:
            chosen = frame.select(identifier[0], *reading.books).orderBy(identifier[0])
        with engine.shared(reading) as read_by, batches_of(engine.spark, LINES_AT_ONCE):
            stored = chosen.mapInArrow(encoding(read_by, engine.work), STORED).toArrow()
        rows, nulls, repeated = (int(stored[name].to_numpy().sum()) for name in ("rows", "nulls", "repeated"))
        if identifier is not None and (nulls or repeated):
            _refuse_identifier(frame, identifier[0], identifier[1], nulls, engine.outline.rows)
        if rows != engine.outline.rows:
            raise InputError(
                "the table has another number of rows when it is read again; write it to Parquet and publish that"
            )
        engine.blocks = _blocks_of(stored.to_pylist())

    def _require_unchanged(self) -> None:
        """Refuse rows whose sensitive values are not those that were counted: guarantees are decided by the counts."""
        outline = self.engine.outline
        _, by_node = self.engine.look(Cuts(), [], [0])
        for i, counts in zip(outline.having(Role.SENSITIVE), by_node[0], strict=True):
            again = np.zeros_like(outline.counts[i])
            again[counts.codes] = counts.counts
            if not np.array_equal(again, outline.counts[i]):
                raise InputError(
                    f"column {outline.attributes[i].name!r} has other values when it is read again; write the table to "
                    "Parquet and publish that"
                )


def _require_different(spark: SparkSession, names: Sequence[str]) -> None:
    """Refuse to publish columns that the session takes for one."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name and spark.conf.get("spark.sql.caseSensitive") != "true":
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
    first_repeated = repeated.agg(
        f.min_by("count", "value").alias("times"), f.min("value").alias("value"), f.count("*").alias("n")
    )
    line = pl.DataFrame(pl.from_arrow(first_repeated.toArrow())).row(0, named=True)
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


def _numbered(source: SparkSource) -> DataFrame:
    """The frame with its columns called by their place."""
    places = [f"c{place}" for place in range(len(source.columns))]
    return source.frame.toDF(*places, *((FILE, ROW) if source.given is None else ()))


def _outline_of(books: Collection[Codebook], rows: int, *, ordered: bool) -> Outline:
    before = {book.attribute.name: book.before for book in books if book.before is not None}
    return Outline(tuple(book.attribute for book in books), tuple(book.counts for book in books), rows, ordered, before)


def _blocks_of(lines: Sequence[Mapping[str, Any]]) -> list[Block]:
    """The blocks that workers say they wrote, in the order of their rows."""
    offsets = offsets_of((line["origin"], line["rows"]) for line in lines)
    blocks = [
        Block(line["file"], line["held"], line["at"], line["rows"], offsets[line["origin"]] + line["start"])
        for line in lines
    ]
    return sorted(blocks, key=lambda block: block.first)
