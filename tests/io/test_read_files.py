"""Parquet, Arrow, and what is not a table."""

import datetime as dt
import io
import sqlite3
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read
from pellucid.io.files import read_file

FRAME = pl.DataFrame(
    {
        "age": [30, None, 21],
        "zip": ["01234", "", None],
        "born": [dt.date(1990, 1, 1), None, dt.date(1999, 12, 31)],
        "price": [Decimal("1.50"), Decimal("2.25"), None],
        "ok": [True, None, False],
    }
)


def in_format(frame: pl.DataFrame, kind: str) -> Any:
    buffer = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(buffer)
    elif kind == "arrow":
        frame.write_ipc(buffer)
    else:
        frame.write_ipc_stream(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_binary_formats_are_told_by_their_content_not_by_their_name(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(in_format(FRAME, kind))
    assert read_file(path).equals(FRAME)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_only_wanted_columns_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "table"
    path.write_bytes(in_format(FRAME, kind))
    assert read_file(path, ["zip", "age"]).columns == ["zip", "age"]
    with pytest.raises(SchemaError, match=r"no column 'agee'; did you mean 'age'\?"):
        read_file(path, ["agee"])


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_a_damaged_file_is_an_error(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "table"
    content = in_format(FRAME, kind)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"table is damaged or incomplete \(.*\); write it again") as error:
        read_file(path)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"there is no file '.*pateints.csv'; did you mean 'patients.csv'\?"):
        load(tmp_path / "pateints.csv")
    with pytest.raises(InputError, match=r"there is no file 'no/such/folder/x.csv'; check the name and the folder"):
        load("no/such/folder/x.csv")


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; give one of the files in it"):
        load(tmp_path)


def test_other_files_are_named_for_what_they_are(tmp_path: Path) -> None:
    database = tmp_path / "clinic.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE patients (age INTEGER)")
    connection.close()
    with pytest.raises(InputError, match="an SQLite database; give it as sqlite:///<file>::<table>"):
        load(database)
    sheet = tmp_path / "table.xlsx"
    sheet.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(InputError, match=r"table.xlsx is a spreadsheet or zip archive; save the table as CSV"):
        load(sheet)


def test_a_table_without_rows_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    FRAME.clear().write_parquet(path)
    with pytest.raises(InputError, match="the table has no rows"):
        read(path, quasi="age", sensitive="zip")


def test_a_pipe_is_read() -> None:
    script = "import sys; from pellucid.io import load; print(load('/dev/stdin')[0].rows())"
    done = subprocess.run(
        [sys.executable, "-c", script], input="a,b\n1,x\n", capture_output=True, text=True, check=True
    )
    assert done.stdout == "[(1, 'x')]\n"
