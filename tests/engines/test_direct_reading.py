"""Workers that read files themselves say what is wrong with them, and never publish what was not counted."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pellucid as pc
from engines.tables import people
from pellucid.core.schema import Schema
from pellucid.spark.engine.blocks import Rows
from pellucid.spark.engine.codebooks import as_read, codebook
from pellucid.spark.engine.local_codes import in_all
from pellucid.spark.engine.operations import Outline
from pellucid.spark.engine.parquet_reader import Pieces, pieces_of
from pellucid.spark.engine.stored_blocks import FOLDER, Block, load, save
from pellucid.spark.errors import explained, interrupted

COLUMNS = {"c0": "age", "c1": "ill"}


def written_to(path: Path, frame: pl.DataFrame, rows: int = 10) -> Pieces:
    frame.write_parquet(path, row_group_size=rows)
    return pieces_of([path], COLUMNS, rows)


class TestPieces:
    def test_have_every_row_once_whatever_the_row_groups(self, tmp_path: Path) -> None:
        frame = people(95)
        for rows in (1, 7, 95):
            frame.write_parquet(tmp_path / "a.parquet", row_group_size=rows)
            frame.head(0).write_parquet(tmp_path / "b.parquet")
            frame.head(3).write_parquet(tmp_path / "c.parquet")
            files = [tmp_path / name for name in ("a.parquet", "b.parquet", "c.parquet")]
            pieces = pieces_of(files, COLUMNS, rows=20)
            assert pieces.rows == 98
            assert [piece.first for piece in pieces.pieces] == np.cumsum(
                [0, *(piece.rows for piece in pieces.pieces)]
            ).tolist()[:-1]
            tables = [table for number in range(len(pieces.pieces)) for table in pieces.tables(number)]
            found = pl.DataFrame(pl.from_arrow(pa.concat_tables(tables)))
            assert found["c0"].to_list() == [*frame["age"], *frame["age"].head(3)]

    def test_a_file_that_is_written_again_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "people.parquet"
        pieces = written_to(path, people(30))
        told = path.stat()
        people(30, seed=2).write_parquet(path, row_group_size=10)
        os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns + 1))
        with pytest.raises(pc.InputError, match=r"people\.parquet changes while it is read"):
            list(pieces.tables(0))

    def test_a_file_with_fewer_rows_than_its_footer_says(self, tmp_path: Path) -> None:
        pieces = written_to(tmp_path / "people.parquet", people(30))
        more = Pieces([piece._replace(rows=piece.rows + 1) for piece in pieces.pieces], COLUMNS)
        with pytest.raises(pc.InputError, match="changes while it is read"):
            list(more.tables(0))

    def test_damaged_pages_and_absent_columns_name_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "people.parquet"
        pieces = written_to(path, people(2000), 2000)
        absent = Pieces(pieces.pieces, {"c0": "height"})
        with pytest.raises(pc.InputError, match=r"people\.parquet is damaged or changes \(.*height"):
            list(absent.tables(0))
        told = path.stat()
        content = bytearray(path.read_bytes())
        content[200 : len(content) // 2] = b"\xff" * (len(content) // 2 - 200)
        path.write_bytes(content)
        os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))
        with pytest.raises(pc.InputError, match=r"people\.parquet is damaged"):
            list(pieces.tables(0))

    def test_a_file_that_a_machine_does_not_see(self, tmp_path: Path) -> None:
        pieces = written_to(tmp_path / "people.parquet", people(30))
        (tmp_path / "people.parquet").unlink()
        with pytest.raises(pc.EngineError, match=r"does not see people\.parquet"):
            list(pieces.tables(0))

    def test_times_of_the_older_kind_are_not_bent(self, tmp_path: Path) -> None:
        times = [datetime(1500, 1, 1), datetime(2020, 2, 2, 3, 4, 5, 6), datetime(2500, 1, 1)]
        path = tmp_path / "times.parquet"
        pq.write_table(pa.table({"t": times}), path, use_deprecated_int96_timestamps=True)
        (table,) = pieces_of([path], {"c0": "t"}).tables(0)
        assert table["c0"].to_pylist() == times


def test_counts_of_parts_are_added_up() -> None:
    one = pl.DataFrame({"value": ["a", None], "times": [2, 1]})
    assert dict(in_all([one, one]).iter_rows()) == {"a": 4, None: 2}


def test_a_value_that_a_cast_would_bend_was_not_counted() -> None:
    counts = pl.DataFrame({"value": pl.Series([1, 2], dtype=pl.Int16), "times": [1, 1]})
    book = codebook(counts, Schema.of(quasi=["x"], sensitive="y"), "x")
    assert book.encode(pl.Series([2.0, 1.0])).tolist() == [1, 0]
    assert book.encode(as_read(pa.array([1, 2], pa.uint8()), "x")).tolist() == [0, 1]
    for bent in (pl.Series([1.5]), pl.Series(["one"]), pl.Series([2**40])):
        with pytest.raises(pc.InputError, match="other values when it is read again"):
            book.encode(bent)


def test_a_block_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    table = pc.read(people(20), quasi=["age", "town"], sensitive="ill")
    rows = Rows.of(table, np.arange(20))
    outline = Outline(table.attributes, (), 20, ordered=True)
    (tmp_path / FOLDER).mkdir()
    save(tmp_path / FOLDER / "a", rows.quasi, rows.sensitive, rows.carried)
    some = load(tmp_path, Block("a", 20, 5, 3, 5), outline, np.arange(5, 8))
    assert np.array_equal(some.quasi, rows.quasi[5:8])
    assert np.array_equal(some.sensitive, rows.sensitive[:, 5:8])
    with pytest.raises(pc.EngineError, match="60 codes, 63 were written"):
        load(tmp_path, Block("a", 21, 0, 21, 0), outline, np.arange(21))
    with pytest.raises(pc.EngineError, match="does not see the work folder"):
        load(tmp_path, Block("b", 20, 0, 20, 0), outline, np.arange(20))


def test_an_interrupt_stays_one_though_pyspark_raises_over_it() -> None:
    def cancelled() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise ConnectionError("Job 2 cancelled")

    with pytest.raises(KeyboardInterrupt), explained():
        cancelled()
    assert not interrupted(ConnectionError())
    with pytest.raises(pc.EngineError, match="Java process ended"), explained():
        raise ConnectionError("gone")
