"""Groups on their way to a release: what each publishes as sortable keys, with its sensitive codes; then rows again.

A worker turns the groups of its subtree into *boxes*: one line per group, with a key per published column that means
the same everywhere, and the sensitive codes of its rows. Sorted by their keys, boxes are the release in canonical
order:
those with the same keys are published alike, so their rows are put together and sorted by their sensitive values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.coins import Coins
from pellucid.errors import MethodError
from pellucid.group import Grouping
from pellucid.group.by_cuts import InParts, TriedInParts
from pellucid.group.by_draws import Shares
from pellucid.group.trying import Place
from pellucid.recode.published import own_copy
from pellucid.recode.recoder import RowRecoder, alike_as_one, require_different
from pellucid.schema import Role
from pellucid.spark.engine.operations import Longs, Outline
from pellucid.spark.engine.shared_files import read, small, unseen
from pellucid.spark.engine.workers import Batches, TaskTry, gathered
from pellucid.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

BOXES = "boxes"  # their folder, inside the work folder
Lost = Callable[[Table, Grouping], Sequence[float]]  # one number per published column, to be added up over subtrees


@dataclass(frozen=True, slots=True, eq=False)
class Spelling:
    """How the groups of a table are published by a recoder: which columns, by what they are sorted."""

    outline: Outline
    recoder: RowRecoder
    columns: tuple[int, ...]  # quasi-identifiers and carried columns, in schema order
    by_text: tuple[bool, ...]  # whether a column's key is its text, not a number

    @classmethod
    def of(cls, outline: Outline, recoder: RowRecoder) -> Spelling:
        """Find out from one group of one row."""
        table = outline.without_rows()
        columns = tuple(i for i, a in enumerate(table.attributes) if a.role in (Role.QUASI, Role.CARRY))
        one = Grouping(np.zeros(1, np.int32), np.array([0, 1]), 1)
        found = [
            alike_as_one(recoder.spell(table.attributes[i], np.zeros(1, np.int32), one, 1), table.attributes[i])
            for i in columns
        ]
        spelled = dict(zip(columns, found, strict=True))
        require_different(
            [
                name
                for i, attribute in enumerate(table.attributes)
                for name in ([c.name for c in spelled[i].columns] if i in spelled else [attribute.name])
            ]
        )
        return cls(outline, recoder, columns, tuple(published.keys is None for published in found))

    @property
    def keys(self) -> list[str]:
        """The names of the key columns."""
        return [f"key{j}" for j in range(len(self.columns))]

    def lines(self, table: Table, grouping: Grouping) -> dict[str, Any]:
        """The boxes of some groups, as columns."""
        columns: dict[str, Any] = {}
        for j, i in enumerate(self.columns):
            columns[f"key{j}"] = _keys(self, table, grouping, i, by_text=self.by_text[j])
        codes = np.stack([table.codes[i][grouping.members] for i in table.having(Role.SENSITIVE)], axis=1)
        return columns | {"rows": grouping.sizes, "secrets": as_bytes(codes, grouping.starts)}


class Lines(Protocol):
    """What becomes of a group on its way to a release: a line of columns, sorted by the ``keys``; ``rows`` is one."""

    @property
    def outline(self) -> Outline:
        """The table that is published."""

    @property
    def columns(self) -> tuple[int, ...]:
        """Its quasi-identifiers and carried columns, in schema order."""

    @property
    def keys(self) -> list[str]:
        """The names of the columns that lines are sorted by."""

    def lines(self, table: Table, grouping: Grouping) -> dict[str, Any]:
        """The lines of some groups, as columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Parting:
    """How parts are grouped: by which method and counts of the whole, or by shares, and what is told of the groups."""

    spelling: Lines
    method: InParts | Shares
    counts: Sequence[Longs]
    lost: Lost | None
    places: Mapping[int, Place]  # of parts that are subtrees, by their number

    @property
    def losses(self) -> int:
        """How many figures there are of what was lost."""
        return len(self.spelling.columns) if self.lost is not None else 0

    def group(self, part: int, table: Table, coins: Coins) -> Grouping:
        """The groups of one part."""
        if isinstance(self.method, TriedInParts):
            return self.method.group_part(table, self.counts, coins, self.places[part])
        if isinstance(self.method, InParts):
            return self.method.group_part(table, self.counts, coins)
        return self.method.group(part, table, coins)


def boxed(losses: int) -> str:
    """What is told of the boxes of a subtree, a line for each size of its groups; losses stand in the first."""
    return ", ".join(["file string", "rows long", "groups long", *(f"lost{j} double" for j in range(losses))])


def grouping_of_parts(parting: Path, folder: Path, coins: Coins) -> Callable[[pa.Table], pa.Table]:
    """Groups one part, and writes the lines of its groups to a file of the folder."""

    def run(shipped: pa.Table) -> pa.Table:
        import pyarrow.parquet as pq

        told: Parting = read(parting)
        outline, part = told.spelling.outline, shipped["subtree"][0].as_py()
        file = f"{part}-{TaskTry.now().name}.parquet"
        table = gathered(shipped, outline).table(outline)
        grouping = told.group(part, table, coins)
        try:
            pq.write_table(_arrow(told.spelling.lines(table, grouping)), folder / file, write_statistics=False)
        except FileNotFoundError:
            raise unseen() from None
        sizes, groups = np.unique(grouping.sizes, return_counts=True)
        lines: dict[str, Any] = {"file": pl.Series([file] * len(sizes)), "rows": sizes, "groups": groups}
        lost = told.lost(table, grouping) if told.lost is not None else []
        for j in range(told.losses):
            lines[f"lost{j}"] = np.append([lost[j]], np.zeros(len(sizes) - 1))
        return _arrow(lines)

    return small(run)


def _keys(spelling: Spelling, table: Table, grouping: Grouping, i: int, *, by_text: bool) -> Any:
    attribute = table.attributes[i]
    published = alike_as_one(spelling.recoder.spell_column(table, i, grouping, 1), attribute)
    if by_text:
        return published.columns[0].gather(published.ranks.astype(np.uint32))
    if published.keys is None:  # texts that were thought to differ are alike
        raise MethodError(
            f"column {attribute.name!r} has values that read like generalisations of others; rename them, or publish "
            "without Spark"
        )
    return published.keys[published.ranks]


def as_bytes(codes: NDArray[np.int32], starts: Longs) -> pa.ChunkedArray:
    """The codes of each group's rows as bytes, row by row; group g has the rows starts[g]..starts[g + 1] - 1."""
    import pyarrow as pa

    width = codes.shape[1] * codes.itemsize
    pieces = []
    for a in range(0, len(starts) - 1, 1 << 16):  # offsets of 32 bits are enough for a piece
        some = starts[a : a + (1 << 16) + 1]
        offsets = ((some - some[0]) * width).astype(np.int32)
        data = np.ascontiguousarray(codes[some[0] : some[-1]]).tobytes()
        buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(data)]
        pieces.append(pa.Array.from_buffers(pa.binary(), len(some) - 1, buffers))
    return pa.chunked_array(pieces)


def _arrow(columns: dict[str, Any]) -> pa.Table:
    import pyarrow as pa

    def made(column: Any) -> Any:
        if isinstance(column, pl.Series):
            return column.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(pa.string())
        return pa.array(column) if isinstance(column, np.ndarray) else column

    return pa.table({name: made(column) for name, column in columns.items()})


def writing(spelled: Path, folder: Path) -> Callable[[Batches], Batches]:
    """Writes the boxes of a partition, which come sorted, as one Parquet file of the release."""

    def run(batches: Batches) -> Batches:
        import pyarrow as pa

        spelling: Spelling = read(spelled)
        held = [batch for batch in batches if len(batch)]
        if not held:
            return
        part = int(TaskTry.now().partition)
        frame = expanded(spelling, pa.Table.from_batches(held))
        put(frame, folder, part)
        yield pa.RecordBatch.from_pydict({"part": [part], "rows": [frame.height]})

    return small(run)


def put(frame: pl.DataFrame, folder: Path, part: int) -> None:
    """Write a frame as one Parquet file of a folder, all of it or nothing."""
    unfinished = folder / f".part-{TaskTry.now().name}-{part}"
    try:
        frame.write_parquet(unfinished, statistics=False)
        unfinished.replace(folder / f"part-{part:05d}.parquet")
    except FileNotFoundError:
        raise unseen() from None
    finally:
        unfinished.unlink(missing_ok=True)


def expanded(spelling: Spelling, boxes: pa.Table) -> pl.DataFrame:
    """The published rows of sorted boxes."""
    attributes = spelling.outline.attributes
    sensitive = spelling.outline.having(Role.SENSITIVE)
    keys = [pl.Series(pl.from_arrow(boxes[name])) for name in spelling.keys]
    sizes = boxes["rows"].to_numpy()
    box_of = np.cumsum(_changes(keys))  # groups that are published alike are one box
    codes = codes_in(boxes["secrets"], len(sensitive))
    box_of_row = np.repeat(box_of, sizes)
    codes = codes[np.lexsort((*codes.T[::-1], box_of_row))]
    group_of_row = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    columns: dict[int, list[pl.Series]] = {}
    for j, i in enumerate(spelling.columns):
        if spelling.by_text[j]:
            columns[i] = [own_copy(keys[j]).gather(group_of_row).alias(attributes[i].name)]
            continue
        distinct, ranks = np.unique(keys[j].to_numpy(), return_inverse=True)
        spelled = spelling.recoder.spell_keys(attributes[i], distinct)
        columns[i] = [own_copy(column).gather(ranks[group_of_row].astype(np.uint32)) for column in spelled]
    for j, i in enumerate(sensitive):
        columns[i] = [own_copy(attributes[i].values).gather(codes[:, j].astype(np.uint32))]
    return pl.DataFrame([column for i in sorted(columns) for column in columns[i]])


def _changes(keys: Sequence[pl.Series]) -> NDArray[np.bool_]:
    """Where a box begins: a key differs from the one before."""
    n = len(keys[0])
    changes = np.zeros(n, np.bool_)
    for key in keys:
        changes[1:] |= key.slice(1).ne_missing(key.slice(0, n - 1)).to_numpy()
    return changes


def codes_in(column: pa.ChunkedArray, width: int) -> NDArray[np.int32]:
    """The bytes of a binary column as codes, so many in a row."""
    return np.concatenate([_codes(chunk) for chunk in column.chunks]).reshape(-1, width)


def _codes(chunk: Any) -> NDArray[np.int32]:
    """The bytes of a binary column as one array of codes."""
    _, offsets, data = chunk.buffers()
    bounds = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    if data is None:
        return np.zeros(0, np.int32)
    return np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]].view(np.int32)
