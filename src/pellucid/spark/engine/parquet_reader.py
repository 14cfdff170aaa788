"""Parquet files that all machines see, read by the workers themselves: rows need not pass through Java.

The driver looks at the footers only. A piece is a run of row groups of one file; a worker streams its pieces, a chunk
of rows at a time, so the size of a row group does not decide how much memory it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from pellucid.errors import InputError
from pellucid.io.codes import plain
from pellucid.spark.engine.codebooks import as_read
from pellucid.spark.engine.shared_files import read, small, unseen
from pellucid.spark.engine.workers import CHUNK_ROWS, Batches, Reading, TaskTry, store

if TYPE_CHECKING:
    import pyarrow as pa

COUNTED = "file string"
COUNTS = "counts"  # the folder of value counts, inside the work folder


class Piece(NamedTuple):
    """Row groups ``groups`` to ``end - 1`` of a file: their rows, and the place of the first in the table.

    ``written`` is the size of the file and when it was last written.
    """

    file: Path
    groups: int
    end: int
    rows: int
    first: int
    written: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """All pieces of a table, and which columns are read: by the name that they have inside Spark, that in the file."""

    pieces: Sequence[Piece]
    columns: Mapping[str, str]

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return sum(piece.rows for piece in self.pieces)

    def tables(self, number: int) -> Iterator[pa.Table]:
        """The rows of a piece, a chunk at a time."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        piece, found = self.pieces[number], 0
        try:
            same = written(piece.file) == piece.written
            # times of Spark's older kind are read as others are: to the microsecond, which is what it knows
            with pq.ParquetFile(piece.file, coerce_int96_timestamp_unit="us") as file:
                groups = list(range(piece.groups, piece.end))
                batches = file.iter_batches(CHUNK_ROWS, groups, list(self.columns.values()), use_threads=False)
                for batch in batches if same else ():
                    found += len(batch)
                    yield pa.table({key: batch.column(name) for key, name in self.columns.items()})
        except FileNotFoundError:
            raise unseen(piece.file.name) from None
        except (pa.ArrowException, OSError, IndexError, KeyError) as error:
            reason = str(error).partition("\n")[0][:100]
            raise InputError(f"{piece.file.name} is damaged or changes ({reason}); write it again") from None
        if not same or found != piece.rows:
            raise InputError(f"{piece.file.name} changes while it is read; write it again, and publish that")


def written(file: Path) -> tuple[int, int]:
    """The size of a file and when it was last written, in nanoseconds."""
    told = file.stat()
    return told.st_size, told.st_mtime_ns


def pieces_of(files: Sequence[Path], columns: Mapping[str, str], rows: int = CHUNK_ROWS) -> Pieces:
    """The pieces of some files, in the order of the files; small row groups are put together to about so many rows."""
    import pyarrow.parquet as pq

    found: list[Piece] = []
    first = 0
    for file in files:
        told = pq.read_metadata(file)
        begun = held = 0
        for group in range(told.num_row_groups):
            held += told.row_group(group).num_rows
            if held >= rows or group == told.num_row_groups - 1:
                found.append(Piece(file.absolute(), begun, group + 1, held, first, written(file)))
                first += held
                begun, held = group + 1, 0
    return Pieces(found, columns)


def counting(told_by: Path, work: Path) -> Callable[[Batches], Batches]:
    """Counts the values of every column over a task's pieces, into a file for each column."""

    def run(batches: Batches) -> Batches:
        import pyarrow as pa

        told: Pieces = read(told_by)
        partial: dict[str, list[pl.DataFrame]] = {key: [] for key in told.columns}
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for table in told.tables(number):
                    for key, counts in partial.items():
                        values = plain(as_read(table[key], told.columns[key]))
                        counts.append(
                            values.to_frame("value").group_by("value").agg(pl.len().cast(pl.Int64).alias("times"))
                        )
                        if sum(map(len, counts)) > 2 * len(counts[0]) + CHUNK_ROWS:
                            counts[:] = [added_up(counts)]
        files = []
        for key, counts in partial.items():
            if counts:
                files.append(f"{key}-{TaskTry.now().name}")
                try:
                    added_up(counts).write_ipc(work / COUNTS / files[-1], compat_level=pl.CompatLevel.oldest())
                except FileNotFoundError:
                    raise unseen() from None
        yield pa.RecordBatch.from_pydict({"file": files}, pa.schema([("file", pa.string())]))

    return small(run)


def added_up(counts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Counts of the same values as one."""
    return pl.concat(counts).group_by("value").agg(pl.col("times").sum())


def encoding_pieces(told_by: Path, reading: Path, work: Path) -> Callable[[Batches], Batches]:
    """Stores the rows of a task's pieces as codes, and tells which blocks there are."""

    def run(batches: Batches) -> Batches:
        told: Pieces = read(told_by)
        how: Reading = read(reading)
        task, number = TaskTry.now(), 0
        for batch in batches:
            for at in batch.column(0).to_pylist():
                first = told.pieces[at].first
                for table in told.tables(at):
                    yield store(table, how, work, task, number, [("", first, 0, len(table))])
                    first += len(table)
                    number += 1

    return small(run)
