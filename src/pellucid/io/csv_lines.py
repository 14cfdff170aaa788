"""A table as CSV where most cells are the same from line to line: each is spelled once, and lines are copies of bytes.

The bytes are those of polars' writer, which spells the cells here too; where it might spell a cell of a whole table in
another way, there are no such lines, and the table is written by it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from itertools import compress
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.kernels import lines as kernel
from pellucid.runtime.parallel import run, stretches
from pellucid.runtime.records import record

PIECE = 1 << 19  # lines that a thread writes before it looks for more
BUFFER = 1 << 20  # bytes handed to the system at a time
SPARE = 16  # bytes that the kernel may touch behind what it copies
NEWLINE = 10

Cells = NDArray[np.uint32]


@record(eq=False)
class Column:
    """A column of a table of boxes: its distinct values, and which of them each box, or each row by its key, has."""

    values: pl.Series
    places: Cells
    of_row: bool = False


@record(eq=False)
class Lines:
    """The lines of a table whose rows starts[b]..starts[b + 1] - 1 are box b; ``keys`` has a number for each row.

    ``of_box`` and ``of_key`` say which cells these have, ``before`` how many cells of the box stand before each one of
    the row, ``begins`` and ``lengths`` where cells are in ``texts``.
    """

    head: bytes
    starts: NDArray[np.int64]
    keys: NDArray[np.int32]
    of_box: Cells
    of_key: Cells
    before: NDArray[np.int64]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]
    texts: NDArray[np.uint8]
    longest: int

    def write(self, path: Path, threads: int) -> None:
        """Write the file; several threads write to it at once, each where its lines belong."""
        with path.open("wb") as file:
            file.write(self.head)
        parts = stretches(len(self.keys), max(1, len(self.keys) // PIECE))
        sizes = np.zeros(len(parts) + 1, np.int64)
        sizes[0] = len(self.head)

        def measure(i: int) -> None:
            sizes[i + 1] = kernel.bytes_of_lines(
                *self._from(*parts[i]), self.starts, self.keys, self.of_box, self.of_key, self.lengths
            )

        if len(parts) > 1:
            run([partial(measure, i) for i in range(len(parts))], threads)
        places = np.cumsum(sizes).tolist()
        run([partial(self._write_part, path, places[i], *part) for i, part in enumerate(parts)], threads)

    def _write_part(self, path: Path, place: int, first: int, last: int) -> None:
        shared = np.empty(self.longest + SPARE, np.uint8)
        out = np.empty(max(BUFFER, self.longest) + SPARE, np.uint8)
        _, _, box = self._from(first, last)
        reached = np.array([first, box, 0], np.int64)
        with path.open("r+b", buffering=0) as file:
            file.seek(place)
            while reached[0] < last:
                kernel.fill(
                    int(reached[0]),
                    last,
                    int(reached[1]),
                    self.starts,
                    self.keys,
                    self.of_box,
                    self.of_key,
                    self.before,
                    self.begins,
                    self.lengths,
                    self.texts,
                    self.longest,
                    shared,
                    out,
                    reached,
                )
                left = out[: int(reached[2])].data
                while left:
                    left = left[file.write(left) :]

    def _from(self, first: int, last: int) -> tuple[int, int, int]:
        """These rows, and the box of the first one."""
        return first, last, int(np.searchsorted(self.starts, first, side="right")) - 1


def lines_of(columns: Sequence[Column], starts: NDArray[np.int64], keys: NDArray[np.int32]) -> Lines | None:
    """The lines of a table of these columns; None where polars has to write it.

    >>> ages, ill = pl.Series("age", ["[1, 2]", "7"]), pl.Series("ill", ["a", None])
    >>> of_box, of_key = (np.array(places, np.uint32) for places in ([0, 1], [0, 1]))
    >>> starts, keys = np.array([0, 2, 3]), np.array([0, 1, 0], np.int32)
    >>> made = lines_of([Column(ages, of_box), Column(ill, of_key, True)], starts, keys)
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "data.csv"
    >>> made.write(file, 1)
    >>> file.read_text().splitlines()
    ['age,ill', '"[1, 2]",a', '"[1, 2]",', '7,a']
    """
    if len(columns) < 2 or not len(keys) or _several_units([column.values.dtype for column in columns]):
        return None
    cells = _spelled(columns)
    if cells is None:
        return None
    firsts = np.cumsum([0, *map(len, cells)])
    places = [column.places + np.uint32(first) for column, first in zip(columns, firsts, strict=False)]
    of_row = np.array([column.of_row for column in columns])
    together = _Spelled.together(cells)
    return Lines(
        head=pl.DataFrame([column.values.clear() for column in columns]).write_csv().encode(),
        starts=starts,
        keys=keys,
        of_box=_chosen(places, ~of_row, len(starts) - 1),
        of_key=_chosen(places, of_row, 1),
        before=np.cumsum(~of_row)[of_row].astype(np.int64),
        begins=together.begins,
        lengths=together.lengths,
        texts=together.texts,
        longest=sum(int(cell.lengths.max()) for cell in cells),
    )


def _chosen(places: Sequence[Cells], which: NDArray[np.bool_], width: int) -> Cells:
    return np.stack(list(compress(places, which))) if which.any() else np.zeros((0, width), np.uint32)


def _several_units(types: Sequence[pl.DataType]) -> bool:
    """Whether datetimes of several precisions are there, of which a writer may make one."""
    return len({kind.time_unit for kind in types if isinstance(kind, pl.Datetime | pl.Duration)}) > 1


@record(eq=False)
class _Spelled:
    """Cells one after the other, each with the separator, or the end of the line, behind it."""

    texts: NDArray[np.uint8]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.begins)

    @classmethod
    def together(cls, several: Sequence[_Spelled]) -> _Spelled:
        """The cells of several columns, with room behind them."""
        shifts = np.cumsum([0, *(len(cells.texts) for cells in several)])
        return cls(
            np.concatenate([*(cells.texts for cells in several), np.zeros(SPARE, np.uint8)]),
            np.concatenate([cells.begins + shift for cells, shift in zip(several, shifts, strict=False)]),
            np.concatenate([cells.lengths for cells in several]),
        )


def _spelled(columns: Sequence[Column]) -> list[_Spelled] | None:
    """The cells of all columns; None where one cannot be spelled alone."""
    several = [spell(column.values, last=column is columns[-1]) for column in columns]
    cells = [cells for cells in several if cells is not None]
    return cells if len(cells) == len(columns) else None


def spell(values: pl.Series, *, last: bool) -> _Spelled | None:
    """The cells of some values as polars writes them, before other columns or as the last one.

    None where a cell has several lines: the end of a line does not tell then where a cell ends.
    """
    file = io.BytesIO()
    beside = pl.DataFrame([values.alias("cell"), pl.Series("nothing", [None] * len(values), dtype=pl.String)])
    beside.write_csv(file, include_header=False)
    texts = np.frombuffer(file.getvalue(), np.uint8)
    ends = np.flatnonzero(texts == NEWLINE)
    if len(ends) != len(values):
        return None
    begins = np.append(0, ends[:-1] + 1)
    if last:  # in place of the separator
        texts = texts.copy()
        texts[ends - 1] = NEWLINE
    return _Spelled(texts, begins.astype(np.int64), (ends - begins).astype(np.int64))
