"""A published table before its rows are made: boxes of rows that are published alike, and a number for each row.

Most releases are written and never looked at in memory. What is written is put together from the cells of boxes
(:mod:`pellucid.io.csv_lines`), and the frame, whose texts take more memory than all else, is made when it is asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.recode.published import PIECE, in_pieces
from pellucid.core.table import Codes, frequencies
from pellucid.io.csv_lines import Column, Lines, lines_of


class BoxedRows:
    """Rows in canonical order: box b is the rows starts[b]..starts[b + 1] - 1, and ``keys`` has a number for each row.

    A column has its distinct values, which hold memory of their own, and which of them each box, or each key, has.
    """

    def __init__(self, columns: Sequence[Column], starts: NDArray[np.int64], keys: Codes, threads: int) -> None:
        self.columns, self.starts, self.keys, self.threads = list(columns), starts, keys, threads
        self._made: dict[int, pl.Series] = {}

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each box."""
        return np.diff(self.starts)

    def counts(self, column: Column) -> NDArray[np.int64]:
        """How many rows have each of a column's distinct values."""
        rows = self.sizes
        if column.of_row:
            rows = frequencies(self.keys, len(column.places), self.threads)
        return np.bincount(column.places, rows, len(column.values)).astype(np.int64)

    def frame(self) -> pl.DataFrame:
        """The rows; the numbers of rows are then given up. Whoever was stopped may ask again."""
        pieces = max(1, int(self.starts[-1]) // PIECE)
        cuts = np.unique(np.searchsorted(self.starts, np.linspace(0, self.starts[-1], pieces + 1))).tolist()
        # the columns of rows first: the keys are then done with, and a table of millions of rows has the room again
        for i in sorted(range(len(self.columns)), key=lambda i: not self.columns[i].of_row):
            if not self.columns[i].of_row:
                self.keys = self.keys[:0].copy()
            if i not in self._made:
                self._made[i] = (self._of_rows if self.columns[i].of_row else self._of_boxes)(self.columns[i], cuts)
        return pl.DataFrame([self._made[i] for i in range(len(self.columns))])

    def lines(self) -> Lines | None:
        """The lines of the table as CSV; None where they can be made of the frame only."""
        whole = len(self.keys) == self.starts[-1]
        return lines_of(self.columns, self.starts, self.keys) if whole else None

    def _of_rows(self, column: Column, cuts: Sequence[int]) -> pl.Series:
        as_they_are = np.array_equal(column.places, np.arange(len(column.places)))
        keys = self.keys

        def piece(a: int, b: int) -> pl.Series:
            return column.values.gather(
                pl.Series(keys[a:b].view(np.uint32) if as_they_are else column.places[keys[a:b]])
            )

        return in_pieces(piece, self.starts[cuts].tolist(), self.threads)

    def _of_boxes(self, column: Column, cuts: Sequence[int]) -> pl.Series:
        """Piece by piece, between boxes that are cuts, so that the index of all rows never exists at once."""

        def piece(a: int, b: int) -> pl.Series:
            return column.values.gather(pl.Series(np.repeat(column.places[a:b], np.diff(self.starts[a : b + 1]))))

        return in_pieces(piece, cuts, self.threads)


class MadeWhenAsked(Mapping[str, pl.DataFrame]):
    """The frame ``data``, made when somebody asks for it; until then it is known as boxes."""

    name = "data"

    def __init__(self, boxes: BoxedRows) -> None:
        self._boxes: BoxedRows | None = boxes
        self._frame: pl.DataFrame | None = None
        self._making = threading.Lock()

    @property
    def boxes(self) -> BoxedRows | None:
        """The boxes; None once the frame is made, which has all that they had."""
        return self._boxes

    def write_csv(self, name: str, path: Path) -> bool:
        """Write a table without making it; False where that cannot be."""
        boxes = self._boxes
        lines = None if boxes is None or name != self.name else boxes.lines()
        if boxes is None or lines is None:
            return False
        lines.write(path, boxes.threads)
        return True

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name != self.name:
            raise KeyError(name)
        with self._making:
            if self._frame is None:
                assert self._boxes is not None
                self._frame = self._boxes.frame()
                self._boxes = None
            return self._frame

    def __iter__(self) -> Iterator[str]:
        return iter((self.name,))

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __reduce__(self) -> tuple[type[dict[str, pl.DataFrame]], tuple[dict[str, pl.DataFrame]]]:
        """Elsewhere it is a plain dictionary."""
        return dict, ({self.name: self[self.name]},)
