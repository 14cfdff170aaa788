"""What runs on the machines of a cluster: functions from Arrow batches to Arrow batches, over blocks of rows.

Each is made on the driver and travels inside a task, with the coins and the name of a file (``engine/shared.py``) that
has everything else. The coins are in no plan, no setting, no log and no file; a task is bytes to Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.coins import Coins
from pellucid.engine.blocks import Rows, Tally, orders_from
from pellucid.engine.codebooks import Codebook, as_read
from pellucid.engine.cuts import Cuts
from pellucid.engine.operations import Longs, Outline, Request
from pellucid.engine.shared import read, small
from pellucid.io.encode import readable
from pellucid.schema import Column, Role

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]
BLOCK_ROWS = 1 << 17
FILE, ROW = "file", "row"  # where a row is, when the rows come from files; columns of tables are c0, c1, ... here
BLOCK = (
    "origin string, start long, rows long, nulls long, repeated long, quasi binary, sensitive binary, carried binary"
)
PART = "subtree int, orders binary, quasi binary, sensitive binary, carried binary"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How rows are read: a codebook for each column and the identifier, by the names that columns have inside Spark."""

    books: Mapping[str, Codebook]
    identifier: tuple[str, str, Column] | None  # inside Spark, in the table, what it is


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One pass over all blocks: where rows go by the cuts, and what is asked of them there."""

    outline: Outline
    offsets: Mapping[str, int]
    cuts: Cuts
    requests: Sequence[Request] = ()
    nodes: Sequence[int] = ()


def encoding(reading: Path, block_rows: int = BLOCK_ROWS) -> Callable[[Batches], Batches]:
    """Turns rows into blocks of codes. Their origin is a file, or the partition that they are in."""

    def run(batches: Batches) -> Batches:
        import pyarrow as pa
        from pyspark import TaskContext

        told: Reading = read(reading)
        books, identifier = told.books, told.identifier
        context = TaskContext.get()
        partition = f"{context.partitionId() if context is not None else 0:010d}"
        done, last = 0, None
        for table in chunks(batches, block_rows):
            columns = {
                role: [
                    book.encode(as_read(table[key], book.attribute.name))
                    for key, book in books.items()
                    if book.attribute.role is role
                ]
                for role in (Role.QUASI, Role.SENSITIVE, Role.CARRY)
            }
            nulls = repeated = 0
            if identifier is not None:
                key, name, column = identifier
                names = readable(as_read(table[key], name), column, name)
                nulls = names.null_count()
                before = names.slice(0, 1) if last is None else last
                repeated = int((names == pl.concat([before, names]).slice(0, len(names))).sum()) - int(last is None)
                last = names.tail(1)
            quasi = np.stack(columns[Role.QUASI], axis=1)
            rest = [np.array(columns[role], np.int32).reshape(-1, len(quasi)) for role in (Role.SENSITIVE, Role.CARRY)]
            for origin, start, a, b in runs(table, partition, done):
                yield pa.RecordBatch.from_pydict(
                    {
                        "origin": [origin],
                        "start": [start],
                        "rows": [b - a],
                        "nulls": [nulls],
                        "repeated": [repeated],
                        "quasi": [np.ascontiguousarray(quasi[a:b]).tobytes()],
                        "sensitive": [np.ascontiguousarray(rest[0][:, a:b]).tobytes()],
                        "carried": [np.ascontiguousarray(rest[1][:, a:b]).tobytes()],
                    }
                )
                nulls = repeated = 0
            done += len(quasi)

    return small(run)


def chunks(batches: Batches, rows: int) -> Iterator[pa.Table]:
    """The batches put together to tables of about so many rows."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= rows:
            yield pa.Table.from_batches(held)
            held = []
    if sum(map(len, held)):
        yield pa.Table.from_batches(held)


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


def rows_of(batch: Any, at: int, outline: Outline, orders: Longs) -> Rows:
    """One block of a batch."""
    sizes = [len(outline.having(role)) for role in (Role.QUASI, Role.SENSITIVE, Role.CARRY)]
    raw = [
        np.frombuffer(batch.column(batch.schema.get_field_index(name))[at].as_buffer(), np.int32)
        for name in ("quasi", "sensitive", "carried")
    ]
    n = len(orders)
    return Rows(raw[0].reshape(n, sizes[0]), raw[1].reshape(sizes[1], n), raw[2].reshape(sizes[2], n), orders)


def blocks_of(batches: Batches, outline: Outline, offsets: Mapping[str, int], coins: Coins | None) -> Iterator[Rows]:
    """The blocks in these batches, with their row orders."""
    for batch in batches:
        told = batch.select(["origin", "start", "rows"]).to_pylist()
        for at, block in enumerate(told):
            first = offsets[block["origin"]] + block["start"]
            yield rows_of(batch, at, outline, orders_from(first, block["rows"], coins))


def tallying(asked: Path, coins: Coins | None) -> Callable[[Batches], Batches]:
    """Adds up the bins and counts of the blocks of a partition; gives those that are not empty, by slot."""

    def run(batches: Batches) -> Batches:
        import pyarrow as pa

        told: Pass = read(asked)
        tally = Tally(told.outline, told.cuts, told.requests, told.nodes)
        for rows in blocks_of(batches, told.outline, told.offsets, coins):
            tally.add(rows)
        columns = tally.sparse()
        for a in range(0, len(columns["slot"]), 1 << 14):
            yield pa.RecordBatch.from_pydict({name: column[a : a + (1 << 14)] for name, column in columns.items()})

    return small(run)


def routing(asked: Path, coins: Coins | None) -> Callable[[Batches], Batches]:
    """Sends the rows of each block to their subtrees."""

    def run(batches: Batches) -> Batches:
        told: Pass = read(asked)
        for rows in blocks_of(batches, told.outline, told.offsets, coins):
            yield from to_parts(told.cuts.route(rows.quasi, rows.orders), rows)

    return small(run)


def to_parts(parts: NDArray[np.integer], rows: Rows) -> Batches:
    """The rows of a block by the part that they go to."""
    import pyarrow as pa

    order = np.argsort(parts, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(parts[order])) + 1, len(order))
    for a, b in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        some = rows.at(order[a:b])
        yield pa.RecordBatch.from_pydict(
            {
                "subtree": pa.array([int(parts[order[a]])], pa.int32()),
                "orders": [some.orders.tobytes()],
                "quasi": [np.ascontiguousarray(some.quasi).tobytes()],
                "sensitive": [np.ascontiguousarray(some.sensitive).tobytes()],
                "carried": [np.ascontiguousarray(some.carried).tobytes()],
            }
        )


def gathered(table: Any, outline: Outline) -> Rows:
    """The rows of a subtree from wherever they came, in row order."""
    parts = []
    for batch in table.to_batches():
        for at in range(len(batch)):
            orders = np.frombuffer(batch.column(batch.schema.get_field_index("orders"))[at].as_buffer(), np.int64)
            parts.append(rows_of(batch, at, outline, orders))
    whole = Rows.joined(parts)
    return whole.at(np.argsort(whole.orders, kind="stable"))


def offsets_of(rows: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Where the rows of each origin begin, the origins in the order of their names.

    Spark tells the file of a row as an address, where letters may be written as their bytes.

    >>> offsets_of([("file:///a%20b", 2), ("file:///a!", 3)])
    {'file:///a%20b': 0, 'file:///a!': 2}
    """
    offsets, total = {}, 0
    for origin, count in sorted(rows, key=lambda told: unquote(told[0])):
        offsets[origin] = total
        total += count
    return offsets
