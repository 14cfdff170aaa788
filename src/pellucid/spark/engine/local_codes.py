"""Rows of Parquet files are read once: into codes of their chunk's own values, and later from these into the table's.

Which code a value has in the table is known only when all values are. Until then a chunk has codebooks of its own. The
second step looks at no value any more: it replaces codes by codes, counts pairs, and answers the first questions about
the whole table on the way.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes
from pellucid.io.codes import coded, plain
from pellucid.spark.engine.blocks import BySlot, PassTally, Rows, merged, orders_from
from pellucid.spark.engine.codebooks import Codebook, as_read
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.operations import Outline, Request
from pellucid.spark.engine.pair_counts import Counting, PairTally
from pellucid.spark.engine.parquet_reader import Pieces
from pellucid.spark.engine.shared_files import read, small, unseen
from pellucid.spark.engine.stored_blocks import FOLDER, Block, mapped, save
from pellucid.spark.engine.workers import CHUNK_ROWS, TaskTry

COUNTS = "counts"  # the folder of value counts, inside the work folder
CODED = "coded"  # the folder of chunks with codes of their own


class Chunk(NamedTuple):
    """So many rows with codes of their own; the first has place ``first`` in the table."""

    file: str
    rows: int
    first: int


class Read(NamedTuple):
    """What a task tells of its pieces: the chunks, and for each column the file with its counts."""

    chunks: list[Chunk]
    counts: dict[str, str]


def coding(told_by: Path, work: Path) -> Callable[[Iterator[int]], Iterator[Read]]:
    """Stores the rows of a task's pieces as codes of their own, and counts the values of every column."""

    def run(numbers: Iterator[int]) -> Iterator[Read]:
        told: Pieces = read(told_by)
        task = TaskTry.now()
        chunks: list[Chunk] = []
        counts: dict[str, list[pl.DataFrame]] = {key: [] for key in told.columns}
        for number in numbers:
            first = told.pieces[number].first
            for table in told.tables(number):
                books = {key: own_codes(as_read(table[key], name)) for key, name in told.columns.items()}
                chunks.append(Chunk(f"{task.name}-{len(chunks)}", len(table), first))
                _keep(work / CODED / chunks[-1].file, books)
                first += len(table)
                for key, (values, codes) in books.items():
                    _count(counts[key], values, codes)
        yield Read(chunks, {key: _counted(found, work, f"{key}-{task.name}") for key, found in counts.items() if found})

    return small(run)


def counting_values(told_by: Path, work: Path) -> Callable[[Iterator[int]], Iterator[dict[str, str]]]:
    """Counts the values of every column over a task's pieces, into a file for each column."""

    def run(numbers: Iterator[int]) -> Iterator[dict[str, str]]:
        told: Pieces = read(told_by)
        task = TaskTry.now()
        counts: dict[str, list[pl.DataFrame]] = {key: [] for key in told.columns}
        for number in numbers:
            for table in told.tables(number):
                for key, name in told.columns.items():
                    _count(counts[key], *own_codes(as_read(table[key], name)))
        yield {key: _counted(found, work, f"{key}-{task.name}") for key, found in counts.items() if found}

    return small(run)


def own_codes(column: pl.Series) -> tuple[pl.Series, Codes]:
    """The different values of a column, null first, and the code of each row among them.

    >>> values, codes = own_codes(pl.Series(["b", None, "a", "b"]))
    >>> values.to_list(), codes.tolist()
    ([None, 'a', 'b'], [2, 0, 1, 2])
    """
    book = coded(plain(column))
    values = book.values
    if book.has_null:
        values = pl.concat([pl.Series(values.name, [None], dtype=values.dtype), values])
    return values.alias("value"), book.codes


def _keep(path: Path, books: Mapping[str, tuple[pl.Series, Codes]]) -> None:
    """Write codes, and beside them the values that they stand for."""
    try:
        with path.open("xb") as file:
            for _, codes in books.values():
                file.write(np.ascontiguousarray(codes, np.int32).data)
        with path.with_suffix(".values").open("xb") as file:
            pickle.dump({key: values for key, (values, _) in books.items()}, file)
    except FileNotFoundError:
        raise unseen() from None


def _count(counts: list[pl.DataFrame], values: pl.Series, codes: Codes) -> None:
    """Add a chunk to the counts of a column."""
    times = np.bincount(codes, minlength=len(values)).astype(np.int64)
    counts.append(pl.DataFrame({"value": values, "times": times}))
    if sum(map(len, counts)) > 2 * len(counts[0]) + CHUNK_ROWS:
        counts[:] = [in_all(counts)]


def _counted(counts: Sequence[pl.DataFrame], work: Path, file: str) -> str:
    """Write the counts of a column, and tell where."""
    try:
        in_all(counts).write_ipc(work / COUNTS / file, compat_level=pl.CompatLevel.oldest())
    except FileNotFoundError:
        raise unseen() from None
    return file


def in_all(counts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Counts of the same values as one."""
    return pl.concat(counts).group_by("value").agg(pl.col("times").sum())


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """The second step: all chunks, the codebooks of the table, and what is asked of all rows."""

    outline: Outline
    work: Path
    chunks: Sequence[Chunk]
    books: Mapping[str, Codebook]
    pairs: Counting
    requests: Sequence[Request] = ()
    nodes: Sequence[int] = ()


class Recoded(NamedTuple):
    """What it tells: blocks, how often each pair of codes occurs, and the answers to what was asked."""

    blocks: list[Block]
    pairs: BySlot
    found: BySlot

    def and_also(self, other: Recoded) -> Recoded:
        """What two tasks tell, as one."""
        return Recoded(self.blocks + other.blocks, merged(self.pairs, other.pairs), merged(self.found, other.found))


def recoding(asked: Path, coins: Coins | None) -> Callable[[Iterator[int]], Iterator[Recoded]]:
    """Stores a task's chunks as blocks, and answers what is asked of all rows."""

    def run(numbers: Iterator[int]) -> Iterator[Recoded]:
        told: Recoding = read(asked)
        task = TaskTry.now()
        blocks: list[Block] = []
        pairs = PairTally(told.pairs)
        tally = PassTally(told.outline, Cuts(), told.requests, told.nodes)
        for number in numbers:
            chunk = told.chunks[number]
            rows = recoded(chunk, told, coins)
            blocks.append(Block(f"{task.name}-{len(blocks)}", chunk.rows, 0, chunk.rows, chunk.first))
            save(told.work / FOLDER / blocks[-1].file, rows.quasi, rows.sensitive, rows.carried)
            pairs.add(rows)
            if told.requests or told.nodes:
                tally.add(rows)
        yield Recoded(blocks, pairs.sparse(), tally.sparse())

    return small(run)


def recoded(chunk: Chunk, told: Recoding, coins: Coins | None) -> Rows:
    """The rows of a chunk with the codes of the table."""
    path = told.work / CODED / chunk.file
    own = mapped(path, chunk.rows * len(told.books)).reshape(len(told.books), chunk.rows)
    try:
        values: Mapping[str, pl.Series] = pickle.loads(path.with_suffix(".values").read_bytes())
    except FileNotFoundError:
        raise unseen() from None
    codes: dict[Role, list[Codes]] = {Role.QUASI: [], Role.SENSITIVE: [], Role.CARRY: []}
    for (key, book), column in zip(told.books.items(), own, strict=True):
        codes[book.attribute.role].append(np.take(book.encode(values[key]), column))
    quasi = np.stack(codes[Role.QUASI], axis=1)
    sensitive, carried = (
        np.array(codes[role], np.int32).reshape(-1, chunk.rows) for role in (Role.SENSITIVE, Role.CARRY)
    )
    return Rows(quasi, sensitive, carried, orders_from(chunk.first, chunk.rows, coins))
