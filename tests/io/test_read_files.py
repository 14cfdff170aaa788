"""Parquet, Arrow, and what is not a table."""

import datetime as dt
import io
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read
from pellucid.io.files import parquet_files, read_file

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


def partitioned(folder: Path, inside: str) -> Path:
    (folder / inside).mkdir(parents=True)
    FRAME.write_parquet(folder / inside / "g.parquet")
    return folder


@pytest.mark.parametrize("name", ["people.parquet", "people"])
@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("inside", ["y=2", "y=2/z=3"])
def test_parquet_files_in_subfolders_are_not_left_out_silently(
    name: str, beside: bool, inside: str, tmp_path: Path
) -> None:
    folder = partitioned(tmp_path / name, inside)
    (folder / "y=1").mkdir()  # nothing is in it
    if beside:
        FRAME.write_parquet(folder / "part-0.parquet")
    readers: list[Callable[[Path], object]] = [load, parquet_files, pc.levels]
    for reader in readers:
        with pytest.raises(
            InputError, match=r"has Parquet files in subfolders, such as y=2, .*; read it with Spark and"
        ):
            reader(folder)


def test_what_is_no_data_beside_part_files_is_ignored(tmp_path: Path) -> None:
    folder = partitioned(tmp_path / "people", "_temporary")
    partitioned(folder, "notes/_old")
    partitioned(folder, ".hidden")
    FRAME.write_parquet(folder / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    for name in ("readme.txt", "notes/more.txt", "notes/.part.parquet.crc", "notes/_part.parquet"):
        (folder / name).write_text("text")
    assert load(folder)[0].equals(FRAME)
    assert [file.name for file in parquet_files(folder)] == ["part-0.parquet"]


def test_a_folder_of_tables_in_parts_is_none_itself(tmp_path: Path) -> None:
    folder = partitioned(tmp_path / "release", "data.parquet")
    with pytest.raises(InputError, match="is a folder; give one of the files in it"):
        load(folder)


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
    with pytest.raises(InputError, match=r"table.xlsx is damaged or incomplete; save the workbook again"):
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


@pytest.mark.parametrize(
    ("asked", "there", "guess"),
    [
        ("missing.csv", ["inf.csv", "msg.csv"], None),
        ("x.csv", ["y.csv", "z.csv"], None),
        ("patients.csv", ["patients.toml", "patients.py"], None),
        ("patients.csv", ["patients.parquet"], "patients.parquet"),
        ("patients.csv", ["patients.csv.gz"], "patients.csv.gz"),
        ("Patients.CSV", ["patients.csv"], "patients.csv"),
        ("pateints.csv", ["patients.parquet", "patients.csv"], "patients.csv"),
    ],
)
def test_a_file_is_suggested_only_if_it_is_really_near(tmp_path: Path, asked: str, there: Any, guess: Any) -> None:
    for name in there:
        (tmp_path / name).write_text("a,b\n1,2\n")
    end = "check the name and the folder" if guess is None else f"did you mean {guess!r}?"
    with pytest.raises(InputError) as error:
        load(tmp_path / asked)
    assert str(error.value) == f"there is no file {str(tmp_path / asked)!r}; {end}"


def test_a_folder_is_never_suggested(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").mkdir()
    with pytest.raises(InputError, match=r"; check the name and the folder$"):
        load(tmp_path / "patient.csv")


def test_a_link_that_leads_nowhere_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").symlink_to("gone.csv")
    with pytest.raises(InputError, match=r"it is a link to 'gone.csv', which does not exist; mend the link or name an"):
        load(tmp_path / "patients.csv")


@pytest.mark.parametrize(
    ("name", "format"),
    [("t.parquet", "Parquet"), ("t.PQ", "Parquet"), ("t.arrow", "Arrow"), ("t.feather", "Arrow"), ("t.csv.gz", "gzip"),
     ("t.zst", "zstd")],
)  # fmt: skip
def test_a_name_that_promises_a_format_is_not_read_as_text(tmp_path: Path, name: str, format: str) -> None:  # noqa: A002
    (tmp_path / name).write_text("a,b\n1,2\n")
    with pytest.raises(InputError) as error:
        load(tmp_path / name)
    assert str(error.value) == (
        f"{name}: this is not {format} (its name says so) but text or another format; "
        f"write it again as {format}, or give it the name of what it is"
    )


def test_one_binary_format_under_the_name_of_another_is_told(tmp_path: Path) -> None:
    FRAME.write_ipc(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"this is not Parquet \(its name says so\) but Arrow; "):
        load(tmp_path / "t.parquet")


@pytest.mark.parametrize(("name", "kind"), [("t.parquet", "parquet"), ("t.arrow", "stream"), ("t.arrow", "arrow")])
def test_a_name_that_keeps_its_promise_is_read(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).write_bytes(in_format(FRAME, kind))
    assert read_file(tmp_path / name).equals(FRAME)


def test_an_empty_file_is_empty_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").touch()
    with pytest.raises(InputError, match=r"t\.parquet is empty"):
        load(tmp_path / "t.parquet")
