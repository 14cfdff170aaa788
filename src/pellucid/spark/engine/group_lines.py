"""Groups on their way to a release: what each publishes as sortable keys, with its sensitive codes; then rows again.

A worker turns the groups of its subtree into *boxes*: one line per group, with a key per published column that means
the same everywhere, and the sensitive codes of its rows. Sorted by their keys, boxes are the release in canonical
order:
those with the same keys are published alike, so their rows are put together and sorted by their sensitive values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.strata_pins import Spread, spreads_of, strata_of
from pellucid.anonymize.layout.by_cuts import Above, CutBetweenCodes, InParts, TriedInParts
from pellucid.anonymize.layout.by_draws import Shares
from pellucid.anonymize.layout.tentative_cuts import Place
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.published import own_copy
from pellucid.anonymize.recode.recoder import RowRecoder, alike_as_one, require_different
from pellucid.anonymize.self_check import Countable
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import MethodError
from pellucid.kernels import canonical as kernel
from pellucid.spark.engine.operations import Longs, Outline
from pellucid.spark.engine.ordered_lines import BOXES, Lines, Ordered, Sample, keep
from pellucid.spark.engine.shared_files import read, small, unseen
from pellucid.spark.engine.shipments import Shipment, arrived
from pellucid.spark.engine.workers import TaskTry

if TYPE_CHECKING:
    import pyarrow as pa

BEYOND = "beyond "  # of a line: how much is believed of its group at most, of the column that is named behind
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
        single = Grouping(np.zeros(1, np.int32), np.array([0, 1]), 1)
        found = [
            alike_as_one(recoder.spell(table.attributes[i], np.zeros(1, np.int32), single, 1), table.attributes[i])
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


@dataclass(frozen=True, eq=False)
class Parting:
    """How parts are grouped: by which method and counts of the whole, or by shares, and what is told of the groups."""

    spelling: Lines
    method: InParts | Shares
    counts: Sequence[Longs]
    lost: Lost | None
    places: Mapping[int, Place]  # of parts that are subtrees, by their number
    promised: Countable  # of every group, whichever part it is of
    shipments: Sequence[Shipment] = ()

    @cached_property
    def parts(self) -> list[int]:
        """The parts that have rows, the largest first: they take longest."""
        sizes: Counter[int] = Counter()
        for shipment in self.shipments:
            sizes.update(dict(zip(shipment.parts.tolist(), np.diff(shipment.ends, prepend=0).tolist(), strict=True)))
        return sorted(sizes, key=lambda part: (-sizes[part], part))

    @property
    def losses(self) -> int:
        """How many figures there are of what was lost."""
        return len(self.spelling.columns) if self.lost is not None else 0

    def group(self, part: int, table: Table, coins: Coins) -> Grouping:
        """The groups of one part, each of which was counted once more."""
        grouping = self._grouped(part, table, coins)
        self.promised.require_kept(table, grouping, whole=self.counts)
        return grouping

    def _grouped(self, part: int, table: Table, coins: Coins) -> Grouping:
        if isinstance(self.method, TriedInParts):
            return self.method.group_part(table, self.counts, coins, self.places[part])
        if isinstance(self.method, InParts):
            return self.method.group_part(table, self.counts, coins)
        return self.method.group(part, table, coins)


class Grouped(NamedTuple):
    """What is told of a part: the file of its lines, its groups by size, losses, and a sample of the lines' keys.

    ``above``: where a share may be asked of all parts together, the groups of this one that have a larger one.
    ``strata``: how many there are, where the method makes some, and how far apart values are in them.
    """

    file: str
    sizes: Longs
    groups: Longs
    lost: Sequence[float]
    sample: Sample
    above: Above | None
    strata: int = 0
    spreads: Sequence[Spread] = ()


class Written(NamedTuple):
    """How many rows a file has, and by sensitive column the groups of which more is believed than of the others."""

    rows: int
    above: Mapping[str, Above]


def grouping_of_parts(parting: Path, work: Path, coins: Coins) -> Callable[[Iterator[int]], Iterator[Grouped]]:
    """Groups parts, and writes the lines of the groups of each, sorted, to a file of the work folder."""

    def run(numbers: Iterator[int]) -> Iterator[Grouped]:
        told: Parting = read(parting)
        outline = told.spelling.outline
        for part in (told.parts[number] for number in numbers):
            rows = arrived(part, told.shipments, work, outline)
            if not isinstance(told.method, InParts):  # those look at the order themselves
                rows = rows.at(np.argsort(rows.orders, kind="stable"))
            table = rows.table(outline)
            grouping = told.group(part, table, coins)
            file = f"{part}-{TaskTry.now().name}"
            lines, above = told.spelling.lines(table, grouping), None
            if isinstance(told.method, CutBetweenCodes):
                above = told.method.above_most(table, grouping)
                lines |= {BEYOND + column: bounds for column, bounds in told.method.beyond(table, grouping).items()}
            sample = keep(lines, told.spelling.keys, work / BOXES / file)
            sizes, groups = np.unique(grouping.sizes, return_counts=True)
            lost = told.lost(table, grouping) if told.lost is not None else []
            strata = strata_of(grouping)
            apart = (0, []) if strata is None else (len(strata), spreads_of(table, strata))
            yield Grouped(file, sizes, groups, lost, sample, above, *apart)

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


def as_bytes(codes: NDArray[np.int32], starts: Longs) -> pa.Array:
    """The codes of each group's rows as bytes, row by row; group g has the rows starts[g]..starts[g + 1] - 1."""
    import pyarrow as pa

    offsets = (starts * (codes.shape[1] * codes.itemsize)).astype(np.int64)
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(np.ascontiguousarray(codes).data)]
    return pa.Array.from_buffers(pa.large_binary(), len(starts) - 1, buffers)


def above_of(lines: pa.Table, keys: Sequence[str]) -> dict[str, Above]:
    """By sensitive column the groups of sorted lines of which more is believed; of those alike the most counts."""
    found, sizes = {}, lines["rows"].to_numpy()
    begins = np.flatnonzero(_changes([pl.Series(pl.from_arrow(lines[name])) for name in keys]))
    for name in lines.column_names:
        if name.startswith(BEYOND):
            largest = np.maximum.reduceat(lines[name].to_numpy(), begins)
            of_each = np.repeat(largest, np.diff(np.append(begins, len(sizes))))
            found[name.removeprefix(BEYOND)] = Above.of(of_each, sizes)
    return found


def writing(asked: Path, folder: Path) -> Callable[[Iterator[int]], Iterator[Written]]:
    """Writes stretches of the sorted lines, each as one Parquet file of the release; tells how many rows they have."""

    def run(numbers: Iterator[int]) -> Iterator[Written]:
        ordered: Ordered = read(asked)
        spelling = ordered.lines
        assert isinstance(spelling, Spelling)
        for number in numbers:
            lines, _ = ordered.stretch(number)
            if len(lines):
                table = expanded(spelling, lines)
                put(table, folder, number)
                yield Written(len(table), above_of(lines, spelling.keys))

    return small(run)


def put(table: pa.Table, folder: Path, part: int) -> None:
    """Write a table as one Parquet file of a folder, all of it or nothing."""
    import pyarrow.parquet as pq

    unfinished = folder / f".part-{TaskTry.now().name}-{part}"
    try:
        # without Arrow's own schema beside that of Parquet, which would call text a dictionary
        pq.write_table(table, unfinished, compression="zstd", write_statistics=False, store_schema=False)
        unfinished.replace(folder / f"part-{part:05d}.parquet")
    except FileNotFoundError:
        raise unseen() from None
    finally:
        unfinished.unlink(missing_ok=True)


def expanded(spelling: Spelling, boxes: pa.Table) -> pa.Table:
    """The published rows of sorted boxes."""
    import pyarrow as pa

    attributes = spelling.outline.attributes
    sensitive = spelling.outline.having(Role.SENSITIVE)
    keys = [pl.Series(pl.from_arrow(boxes[name])) for name in spelling.keys]
    sizes = boxes["rows"].to_numpy()
    # groups that are published alike are one box
    codes = _sorted_inside(codes_in(boxes["secrets"], len(sensitive)), sizes, np.flatnonzero(_changes(keys)))
    columns: dict[int, dict[str, pa.Array]] = {}
    for j, i in enumerate(spelling.columns):
        if spelling.by_text[j]:
            distinct, ranks = _numbered(keys[j])
            spelled = [distinct.alias(attributes[i].name)]
        else:
            numbers, ranks = np.unique(keys[j].to_numpy(), return_inverse=True)
            spelled = spelling.recoder.spell_keys(attributes[i], numbers)
        places = np.repeat(ranks.astype(np.int32), sizes)
        columns[i] = {column.name: _gathered(column, places) for column in spelled}
    for j, i in enumerate(sensitive):
        occurs = np.bincount(codes[:, j]) > 0
        values = attributes[i].values.gather(np.flatnonzero(occurs).astype(np.uint32))
        places = np.cumsum(occurs, dtype=np.int32) - 1
        columns[i] = {values.name: _gathered(values, np.take(places, codes[:, j]))}
    return pa.table({name: column for i in sorted(columns) for name, column in columns[i].items()})


def _numbered(texts: pl.Series) -> tuple[pl.Series, Longs]:
    """The different texts, and the place of each line's among them."""
    distinct = texts.unique(maintain_order=True)
    places = pl.DataFrame({"text": distinct, "place": np.arange(len(distinct))})
    with_places = texts.to_frame("text").join(places, on="text", how="left", nulls_equal=True, maintain_order="left")
    return distinct, with_places["place"].to_numpy()


def _gathered(values: pl.Series, places: NDArray[np.int32]) -> pa.Array:
    """A published column, given its different values, each of which occurs, and the place of each row's among them.

    Text becomes a dictionary, which Parquet stores as it is: several times as fast as to find it again.
    """
    import pyarrow as pa

    own = own_copy(values)
    if own.dtype != pl.String or own.null_count():
        return own.gather(places.astype(np.uint32)).to_arrow(compat_level=pl.CompatLevel.oldest())
    return pa.DictionaryArray.from_arrays(pa.array(places), own.to_arrow(compat_level=pl.CompatLevel.oldest()))


def _changes(keys: Sequence[pl.Series]) -> NDArray[np.bool_]:
    """Where a box begins: a key differs from the one before."""
    n = len(keys[0])
    changes = np.zeros(n, np.bool_)
    changes[0] = True
    for key in keys:
        changes[1:] |= key.slice(1).ne_missing(key.slice(0, n - 1)).to_numpy()
    return changes


def _sorted_inside(codes: NDArray[np.int32], sizes: Longs, boxes: Longs) -> NDArray[np.int32]:
    """The codes of each box in ascending order: ``sizes`` are the rows of the groups, ``boxes`` their first groups."""
    starts = np.append(0, np.cumsum(sizes))
    ends = starts[np.append(boxes, len(sizes))]
    if codes.shape[1] > 1:
        return codes[np.lexsort((*codes.T[::-1], np.repeat(np.arange(len(boxes)), np.diff(ends))))]
    in_order = np.empty(len(codes), np.int32)
    members, groups = np.arange(len(codes), dtype=np.int32), np.arange(len(sizes), dtype=np.int32)
    distinct = int(codes.max(initial=0)) + 1
    bounds = np.append(boxes, len(sizes)).astype(np.int64)
    kernel.sorted_within(codes[:, 0], members, starts, groups, bounds, 0, len(boxes), distinct, ends, in_order)
    return in_order[:, None]


def codes_in(column: pa.ChunkedArray, width: int) -> NDArray[np.int32]:
    """The bytes of a binary column as codes, so many in a row."""
    return np.concatenate([_codes(chunk) for chunk in column.chunks]).reshape(-1, width)


def _codes(chunk: Any) -> NDArray[np.int32]:
    """The bytes of a binary column as one array of codes."""
    _, offsets, data = chunk.buffers()
    bounds = np.frombuffer(offsets, np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
    if data is None:
        return np.zeros(0, np.int32)
    return np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]].view(np.int32)
