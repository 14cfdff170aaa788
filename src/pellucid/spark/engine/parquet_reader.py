"""Parquet files that all machines see, read by the workers themselves: rows need not pass through Java.

The driver looks at the footers only. A piece is a run of row groups of one file; a worker streams its pieces, a chunk
of rows at a time, so the size of a row group does not decide how much memory it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pellucid.errors import InputError, first_line
from pellucid.spark.engine.shared_files import unseen
from pellucid.spark.engine.workers import CHUNK_ROWS

if TYPE_CHECKING:
    import pyarrow as pa


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

        piece, rows_read = self.pieces[number], 0
        try:
            same = written(piece.file) == piece.written
            # times of Spark's older kind are read as others are: to the microsecond, which is what it knows
            with pq.ParquetFile(piece.file, coerce_int96_timestamp_unit="us") as file:
                groups = list(range(piece.groups, piece.end))
                batches = file.iter_batches(CHUNK_ROWS, groups, list(self.columns.values()), use_threads=False)
                for batch in batches if same else ():
                    rows_read += len(batch)
                    yield pa.table({key: batch.column(name) for key, name in self.columns.items()})
        except FileNotFoundError:
            raise unseen(piece.file.name) from None
        except (pa.ArrowException, OSError, IndexError, KeyError) as error:
            reason = first_line(error)[:100]
            raise InputError(
                "{file} is damaged or changes ({reason}); write it again", file=piece.file.name, reason=reason
            ) from None
        if not same or rows_read != piece.rows:
            raise InputError("{file} changes while it is read; write it again, and publish that", file=piece.file.name)


def written(file: Path) -> tuple[int, int]:
    """The size of a file and when it was last written, in nanoseconds."""
    status = file.stat()
    return status.st_size, status.st_mtime_ns


def pieces_of(files: Sequence[Path], columns: Mapping[str, str], rows: int = CHUNK_ROWS) -> Pieces:
    """The pieces of some files, in the order of the files; small row groups are put together to about so many rows."""
    import pyarrow.parquet as pq

    pieces: list[Piece] = []
    first = 0
    for file in files:
        metadata = pq.read_metadata(file)
        begun = in_piece = 0
        for group in range(metadata.num_row_groups):
            in_piece += metadata.row_group(group).num_rows
            if in_piece >= rows or group == metadata.num_row_groups - 1:
                pieces.append(Piece(file.absolute(), begun, group + 1, in_piece, first, written(file)))
                first += in_piece
                begun, in_piece = group + 1, 0
    return Pieces(pieces, columns)
