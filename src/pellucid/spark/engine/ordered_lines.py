"""Lines of groups in the order of the release, where no machine has them all.

Every part's lines are sorted where they are made, in a file of the work folder. A sample of their keys, which are what
is published, says where to divide the order into files of about equal size. Whoever writes such a file finds its
stretch of every part by halving, and how many lines are before it in all of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from pellucid.anonymize.methods import Grouping
from pellucid.core.table import Table
from pellucid.spark.engine.operations import Outline
from pellucid.spark.engine.shared_files import unseen

if TYPE_CHECKING:
    import pyarrow as pa

BOXES = "boxes"  # the folder of the parts' lines, inside the work folder
MOST_SAMPLED = 64  # lines of a part
LEAST_BETWEEN = 16  # lines from one that is sampled to the next

Key = tuple[Any, ...]
Sample = list[tuple[Key, int]]  # keys, each with how many rows are between it and the one before


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


def keep(lines: dict[str, Any], keys: Sequence[str], path: Path) -> Sample:
    """Write lines, sorted by their keys, and give a sample of these."""
    import pyarrow as pa

    table = _sorted(_arrow(lines), keys)
    try:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    except FileNotFoundError:
        raise unseen() from None
    every = max(LEAST_BETWEEN, -(-len(table) // MOST_SAMPLED))
    places = np.arange(every, len(table), every)
    rows = np.append(0, np.cumsum(table["rows"].to_numpy()))[places]
    sampled = table.select(list(keys)).take(places)
    return [(_key(sampled, keys, at), int(n)) for at, n in enumerate(np.diff(rows, prepend=0))]


def _sorted(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """The lines by their keys, null first."""
    frame = pl.DataFrame({name: pl.Series(pl.from_arrow(table[name])) for name in keys})
    order = frame.select(pl.arg_sort_by(*keys, nulls_last=False)).to_series().to_numpy()
    return table.take(order).combine_chunks()


def _arrow(columns: dict[str, Any]) -> pa.Table:
    import pyarrow as pa

    def made(column: Any) -> Any:
        if isinstance(column, pl.Series):
            return column.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(pa.large_string())
        return pa.array(column) if isinstance(column, np.ndarray) else column

    return pa.table({name: made(column) for name, column in columns.items()})


def _key(lines: pa.Table, keys: Sequence[str], at: int) -> Key:
    """The keys of a line as one value with the order of the lines: null comes first."""
    return tuple((value is not None, value) for value in (lines[name][at].as_py() for name in keys))


def bounds(samples: Iterable[Sample], rows: int, files: int) -> list[Key]:
    """Keys that divide so many rows into at most so many stretches of about equal size.

    >>> bounds([[((1,), 10), ((4,), 10)], [((2,), 10), ((3,), 10)]], 40, 2)
    [(2,)]
    """
    ordered = sorted((line for sample in samples for line in sample), key=lambda line: line[0])
    before = np.cumsum([n for _, n in ordered])
    keys: list[Key] = []
    for file in range(1, files):
        at = int(np.searchsorted(before, rows * file // files))
        if at < len(ordered) and (not keys or keys[-1] < ordered[at][0]):
            keys.append(ordered[at][0])
    return keys


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """All lines in order: the files of the parts, and the keys that divide the whole into stretches."""

    lines: Lines
    work: Path
    files: Sequence[str]
    bounds: Sequence[Key]

    @property
    def stretches(self) -> int:
        """How many there are."""
        return len(self.bounds) + 1

    def stretch(self, number: int) -> tuple[pa.Table, int]:
        """The lines of a stretch, sorted, and how many lines are before them."""
        import pyarrow as pa

        pieces, before = [], 0
        for file in self.files:
            lines = _mapped(self.work / BOXES / file)
            first = self._place(lines, number - 1)
            before += first
            pieces.append(lines.slice(first, self._place(lines, number) - first))
        return _sorted(pa.concat_tables(pieces), self.lines.keys), before

    def _place(self, lines: pa.Table, bound: int) -> int:
        """Where the lines of a part that are behind a bound begin."""
        if bound < 0:
            return 0
        if bound == len(self.bounds):
            return len(lines)
        keys = self.lines.keys
        return bisect_left(range(len(lines)), self.bounds[bound], key=lambda at: _key(lines, keys, at))


def _mapped(path: Path) -> pa.Table:
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as file:
            return pa.ipc.open_file(file).read_all()
    except FileNotFoundError:
        raise unseen() from None
