"""What runs on the machines of a cluster: functions over blocks of rows, which they are given by their numbers.

Each is made on the driver and travels inside a task, with the coins and the name of a file
(``spark/engine/shared_files.py``) that has everything else. The coins are in no plan, no setting, no log and no
file; a task is bytes to Spark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

import numpy as np
import polars as pl

from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Role
from pellucid.io.encode import readable
from pellucid.spark.engine.blocks import BySlot, PassTally, Rows, orders_from
from pellucid.spark.engine.codebooks import Codebook, as_read
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.operations import Outline, Request
from pellucid.spark.engine.shared_files import read, small
from pellucid.spark.engine.stored_blocks import FOLDER, Block, load, save

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]
CHUNK_ROWS = 1 << 17
FILE, ROW = "file", "row"  # where a row is, when the rows come from files; columns of tables are c0, c1, ... here
STORED = "file string, held long, at long, rows long, origin string, start long, nulls long, repeated long"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How rows are read: a codebook for each column and the identifier, by the names that columns have inside Spark."""

    books: Mapping[str, Codebook]
    identifier: tuple[str, str, Column] | None  # inside Spark, in the table, what it is


class Asked(Protocol):
    """What workers need to walk over the blocks: where they lie and what is in them."""

    @property
    def outline(self) -> Outline:
        """The table."""

    @property
    def work(self) -> Path:
        """The work folder."""

    @property
    def blocks(self) -> Sequence[Block]:
        """All blocks; tasks are given their numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One pass over all blocks: where rows go by the cuts, and what is asked of them there."""

    outline: Outline
    work: Path
    blocks: Sequence[Block]
    cuts: Cuts
    requests: Sequence[Request] = ()
    nodes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class TaskTry:
    """Which part of a step this is, and which try: a second try must not meet the files of the first."""

    partition: str
    attempt: int

    @classmethod
    def now(cls) -> TaskTry:
        """The task that runs here."""
        from pyspark import TaskContext

        context = TaskContext.get()
        return cls("0" * 10, 0) if context is None else cls(f"{context.partitionId():010d}", context.taskAttemptId())

    @property
    def name(self) -> str:
        """A name that no other task and no other try has."""
        return f"{self.partition}-{self.attempt}"


def encoding(reading: Path, work: Path, chunk_rows: int = CHUNK_ROWS) -> Callable[[Batches], Batches]:
    """Stores rows as codes, and tells which blocks there are. Their origin is a file, or the partition they are in."""

    def run(batches: Batches) -> Batches:
        told: Reading = read(reading)
        task = TaskTry.now()
        done, last = 0, None
        for number, table in enumerate(chunks(batches, chunk_rows)):
            nulls = repeated = 0
            if told.identifier is not None:
                key, name, column = told.identifier
                names = readable(as_read(table[key], name), column, name)
                nulls = names.null_count()
                before = names.slice(0, 1) if last is None else last
                repeated = int((names == pl.concat([before, names]).slice(0, len(names))).sum()) - int(last is None)
                last = names.tail(1)
            stretches = list(runs(table, task.partition, done))
            yield store(table, told, work, task, number, stretches, nulls, repeated)
            done += len(table)

    return small(run)


def store(
    table: pa.Table,
    reading: Reading,
    work: Path,
    task: TaskTry,
    number: int,
    stretches: Sequence[tuple[str, int, int, int]],
    nulls: int = 0,
    repeated: int = 0,
) -> pa.RecordBatch:
    """Encode a chunk into a file; returns a line for each of its stretches: (origin, place there, first row, end)."""
    import pyarrow as pa

    columns = {
        role: [
            book.encode(as_read(table[key], book.attribute.name))
            for key, book in reading.books.items()
            if book.attribute.role is role
        ]
        for role in (Role.QUASI, Role.SENSITIVE, Role.CARRY)
    }
    rows, others = len(table), len(stretches) - 1
    quasi = np.stack(columns[Role.QUASI], axis=1)
    rest = [np.array(columns[role], np.int32).reshape(-1, rows) for role in (Role.SENSITIVE, Role.CARRY)]
    file = f"{task.name}-{number}"
    save(work / FOLDER / file, quasi, *rest)
    return pa.RecordBatch.from_pydict(
        {
            "file": [file] * len(stretches),
            "held": [rows] * len(stretches),
            "at": [a for _, _, a, _ in stretches],
            "rows": [b - a for _, _, a, b in stretches],
            "origin": [origin for origin, _, _, _ in stretches],
            "start": [start for _, start, _, _ in stretches],
            "nulls": [nulls] + [0] * others,
            "repeated": [repeated] + [0] * others,
        }
    )


def chunks(batches: Batches, rows: int) -> Iterator[pa.Table]:
    """The batches put together to tables of about so many rows."""
    import pyarrow as pa

    batches_so_far: list[pa.RecordBatch] = []
    for batch in batches:
        batches_so_far.append(batch)
        if sum(map(len, batches_so_far)) >= rows:
            yield pa.Table.from_batches(batches_so_far)
            batches_so_far = []
    if sum(map(len, batches_so_far)):
        yield pa.Table.from_batches(batches_so_far)


def runs(table: pa.Table, partition: str, done: int) -> Iterator[tuple[str, int, int, int]]:
    """Stretches of consecutive rows: (origin, place of the first in its origin, first row, end)."""
    if FILE not in table.column_names:
        yield partition, done, 0, len(table)
        return
    files, rows = pl.Series(pl.from_arrow(table[FILE])), pl.Series(pl.from_arrow(table[ROW])).to_numpy()
    breaks = (files.slice(1) != files.slice(0, len(files) - 1)).to_numpy() | (np.diff(rows) != 1)
    bounds = [0, *(np.flatnonzero(breaks) + 1).tolist(), len(rows)]
    for a, b in pairwise(bounds):
        yield files[a], int(rows[a]), a, b


def blocks_of(numbers: Iterable[int], told: Asked, coins: Coins | None) -> Iterator[Rows]:
    """The blocks with these numbers, with their row orders."""
    for number in numbers:
        block = told.blocks[number]
        yield load(told.work, block, told.outline, orders_from(block.first, block.rows, coins))


def tallying(asked: Path, coins: Coins | None) -> Callable[[Iterator[int]], Iterator[BySlot]]:
    """Adds up the bins and counts of a task's blocks; gives those that are not empty, by slot."""

    def run(numbers: Iterator[int]) -> Iterator[BySlot]:
        told: Pass = read(asked)
        tally = PassTally(told.outline, told.cuts, told.requests, told.nodes)
        for rows in blocks_of(numbers, told, coins):
            tally.add(rows)
        yield tally.sparse()

    return small(run)


def offsets_of(rows: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Where the rows of each origin begin, the origins in the order of their names; each may be told several times.

    Spark tells the file of a row as an address, where letters may be written as their bytes.

    >>> offsets_of([("file:///a%20b", 2), ("file:///a!", 3), ("file:///a%20b", 1)])
    {'file:///a%20b': 0, 'file:///a!': 3}
    """
    counts: Counter[str] = Counter()
    for origin, count in rows:
        counts[origin] += count
    offsets, total = {}, 0
    for origin in sorted(counts, key=unquote):
        offsets[origin] = total
        total += counts[origin]
    return offsets
