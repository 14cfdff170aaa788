"""Tables in files: what a file is, is told by its first bytes; a name that promises another format is an error."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from pellucid.errors import InputError, first_line
from pellucid.io.arrow_buffers import refuse_loose_buffers
from pellucid.io.columns import choose
from pellucid.io.damaged import damaged
from pellucid.io.delimited import read_columns, read_delimited
from pellucid.io.inference import numbers_in_texts
from pellucid.io.numbered import Columns
from pellucid.io.parquet_pages import refuse_contradiction
from pellucid.io.spreadsheets import OLD, ZIP, is_spreadsheet, read_spreadsheet
from pellucid.io.statistics_files import SAS, read_statistics, statistics_format
from pellucid.io.text_form import said_form
from pellucid.io.textbytes import GZIP, ZSTD
from pellucid.io.unpacking import refuse_unpacked
from pellucid.messages import Message
from pellucid.text.suggestions import absent_file

PARQUET = b"PAR1"
ARROW_FILE = b"ARROW1"
ARROW_STREAM = b"\xff\xff\xff\xff"
FEATHER_1 = b"FEA1"
FORMATS = {
    "Parquet": ((PARQUET,), (".parquet", ".pq")),
    "Arrow": ((ARROW_FILE, ARROW_STREAM), (".arrow", ".feather", ".ipc", ".arrows")),
    "gzip": ((GZIP,), (".gz",)),
    "zstd": ((ZSTD,), (".zst",)),
    "Excel": ((ZIP, OLD), (".xlsx", ".xlsm", ".xlsb", ".xls")),
    "OpenDocument": ((ZIP,), (".ods",)),
    "SPSS": ((b"$FL2", b"$FL3"), (".sav", ".zsav")),
    "SAS": ((SAS,), (".sas7bdat",)),
}
NOT_TABLES = {
    FEATHER_1: "in the first version of Feather; write it again as Arrow or Parquet",
    b"SQLite format 3": "an SQLite database; give it as sqlite:///<file>::<table>",
    b"BZh": "compressed with bzip2; decompress it, or use gzip or zstd",
    b"\xfd7zXZ": "compressed with xz; decompress it, or use gzip or zstd",
}


def read_file(
    path: Path,
    wanted: list[str] | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
    *,
    verbatim: bool = False,
) -> pl.DataFrame:
    """The wanted columns of a file, or of a folder of Parquet part files; all when None.

    CSV and its relatives, Parquet, Arrow IPC, spreadsheets (:mod:`pellucid.io.spreadsheets`) and files of statistics
    programs (:mod:`pellucid.io.statistics_files`).

    ``missing`` names, for columns of a CSV file, the texts that are null there. When ``verbatim``, what a CSV
    file writes differently stays different. Where somebody said that decimals follow a comma, that holds for the texts
    of any file.
    """
    frame = _read_typed(path, wanted, missing)
    if frame is None:
        return read_delimited(path, wanted, missing, verbatim=verbatim)
    return frame if verbatim else with_said_decimals(frame, missing)


def read_coded(
    path: Path, wanted: list[str], missing: Mapping[str, Sequence[str]], numbering: Sequence[str]
) -> pl.DataFrame | Columns:
    """The same for who makes codes of some columns: those of a text file that have few distinct texts come numbered."""
    frame = _read_typed(path, wanted, missing)
    if frame is None:
        return read_columns(path, wanted, missing, numbering=numbering)
    return with_said_decimals(frame, missing)


def with_said_decimals(frame: pl.DataFrame, missing: Mapping[str, Sequence[str]] | None = None) -> pl.DataFrame:
    """A table that has types, with numbers for texts such as 3,5 where somebody said that decimals follow a comma."""
    if said_form().decimal != ",":
        return frame
    marks = missing or {}
    return pl.DataFrame([numbers_in_texts(column, marks.get(column.name, ())) for column in frame])


def _read_typed(
    path: Path, wanted: list[str] | None, missing: Mapping[str, Sequence[str]] | None
) -> pl.DataFrame | None:
    """The columns of a file that says what types they have; None of a text file."""
    if is_parts(path):
        return _read(path, wanted, _parts_schema, _parts)
    start = _first_bytes(path)
    for mark, what in NOT_TABLES.items():
        if start.startswith(mark):
            raise InputError("{path} is {what}", path=path.name, what=what)
    _require_promised(path, start)
    if start.startswith(PARQUET):
        return _read(path, wanted, pl.read_parquet_schema, _parquet)
    if start.startswith(ARROW_FILE):
        return _read(path, wanted, _arrow_file_schema, _arrow_file)
    if start.startswith(ARROW_STREAM):
        return _read(path, wanted, _arrow_stream_schema, _arrow_stream)
    if is_spreadsheet(path, start):
        return read_spreadsheet(path, wanted, missing)
    program = statistics_format(path, start)
    if program is not None:
        return read_statistics(path, program, wanted)
    return None


def is_text(path: Path) -> bool:
    """Whether a file that is there has no types of its own: CSV and its relatives, also packed."""
    if is_parts(path):
        return False
    start = _first_bytes(path)
    typed = start.startswith((PARQUET, ARROW_FILE, ARROW_STREAM)) or is_spreadsheet(path, start)
    return not typed and statistics_format(path, start) is None


def is_parts(path: Path) -> bool:
    """Whether this is a table in part files, as Spark writes it: a folder that says so, or that has Parquet files."""
    return path.is_dir() and (path.suffix.lower() in FORMATS["Parquet"][1] or any(part_files(path)))


def part_files(folder: Path) -> list[Path]:
    """The Parquet files of a table in parts, in the order of its rows; names with a leading . or _ are not data."""
    return [file for file in sorted(folder.iterdir()) if _named_like_a_part(file) and file.is_file()]


def require_flat(folder: Path, *, of_parts: bool = True) -> None:
    """Refuse Parquet files below subfolders: as Spark partitions a table, the folder has only some of its rows.

    Where the folder itself is no table in parts (``of_parts``), a subfolder that is one by its name is none of these.
    """
    below = [
        inner
        for inner in sorted(folder.iterdir())
        if not inner.name.startswith((".", "_")) and inner.is_dir() and (of_parts or not _named_like_a_part(inner))
    ]
    deep = next((inner for inner in below if _has_parts_below(inner)), None)
    if deep is not None:
        raise InputError(
            f"{folder.name or folder} has Parquet files in subfolders, such as {deep.name}, and a table is read from "
            "one folder; read it with Spark and publish the DataFrame, or write all rows into one folder"
        )


def _has_parts_below(folder: Path) -> bool:
    for _, folders, files in os.walk(folder):
        if any(_named_like_a_part(Path(file)) for file in files):
            return True
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
    return False


def _named_like_a_part(file: Path) -> bool:
    return file.suffix.lower() in FORMATS["Parquet"][1] and not file.name.startswith((".", "_"))


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files that a path names, for those who read nothing else, after checking that they belong together.

    Raises when there are none, for one that is not Parquet or damaged, and for other columns or types in one of them.
    """
    if is_parts(path):
        require_flat(path)
        files = part_files(path)
        if not files:
            raise InputError(_no_parts(path))
    elif path.is_dir():
        require_flat(path, of_parts=False)
        raise InputError(f"{path} is a folder without Parquet files; Spark reads Parquet: write the table as that")
    else:
        files = [path]
    schemas: list[tuple[str, dict[str, pl.DataType]]] = []
    for file in files:
        if not _first_bytes(file).startswith(PARQUET):
            raise InputError("{file} is not Parquet; Spark reads Parquet: write the table as that", file=file.name)
        try:
            schemas.append((file.name, dict(pl.read_parquet_schema(file))))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _damaged(file, error) from None
    first, whole = schemas[0]
    for name, schema in schemas[1:]:
        require_same(path.name, name, schema, first, whole)
    return files


def _no_parts(folder: Path) -> Message:
    return Message(
        "{folder} is a folder without Parquet files; give the folder that Spark wrote", folder=folder.name or folder
    )


def _require_promised(path: Path, start: bytes) -> None:
    """Refuse a file whose name promises a binary format that its bytes are not; nobody meant it to be text."""
    if not start:  # an empty file, or a pipe
        return
    is_one = next((name for name, (marks, _) in FORMATS.items() if start.startswith(marks)), "text or another format")
    for name, (own, endings) in FORMATS.items():
        if path.suffix.lower() in endings and not start.startswith(own):
            raise InputError(
                f"{path.name}: this is not {name} (its name says so) but {is_one}; "
                f"write it again as {name}, or give it the name of what it is"
            )


def _parts_schema(folder: Path) -> dict[str, pl.DataType]:
    """The schema of all parts, after checking that each part has it and that there are no others."""
    require_flat(folder)
    schemas = {file: pl.read_parquet_schema(file) for file in part_files(folder)}
    if not schemas:
        raise InputError(_no_parts(folder))
    first, whole = next(iter(schemas.items()))
    for file, schema in schemas.items():
        require_same(folder.name, file.name, schema, first.name, whole)
    return dict(whole)


def require_same(table: str, name: str, schema: Mapping[str, object], first: str, whole: Mapping[str, object]) -> None:
    """Refuse a part that has other columns, or other types, than the first."""
    for column in {**whole, **schema}:
        expected, other = whole.get(column), schema.get(column)
        if expected is None or other is None:
            lacking, having = (first, name) if expected is None else (name, first)
            raise InputError(
                f"{table}: {lacking} has no column {column!r}, which {having} has; write the parts again with the same "
                "columns"
            )
        if expected != other:
            raise InputError(
                f"{table}: column {column!r} is {expected} in {first} and {other} in {name}; "
                "write the parts again with one type"
            )


def _parts(folder: Path, columns: list[str]) -> pl.DataFrame:
    return _parquet_files(folder, part_files(folder), columns)


def _parquet(path: Path, columns: list[str]) -> pl.DataFrame:
    return _parquet_files(path, [path], columns)


def _parquet_files(path: Path, files: list[Path], columns: list[str]) -> pl.DataFrame:
    found = [refuse_contradiction(file, columns) for file in files]
    packed = sum(file.stat().st_size for file in files)
    refuse_unpacked(path, sum(one.size for one in found), sum(one.values for one in found), packed)
    return pl.concat([pl.read_parquet(file, columns=columns, glob=False) for file in files])


def _arrow_file_schema(path: Path) -> dict[str, pl.DataType]:
    refuse_loose_buffers(path)
    return pl.read_ipc_schema(path)


def _arrow_stream_schema(path: Path) -> dict[str, pl.DataType]:
    refuse_loose_buffers(path)
    return dict(pl.read_ipc_stream(path, n_rows=0).schema)


def _arrow_file(path: Path, columns: list[str]) -> pl.DataFrame:
    return pl.read_ipc(path, columns=columns)


def _arrow_stream(path: Path, columns: list[str]) -> pl.DataFrame:
    return pl.read_ipc_stream(path, columns=columns)


def _read(
    path: Path,
    wanted: list[str] | None,
    schema_of: Callable[[Path], dict[str, pl.DataType]],
    read: Callable[[Path, list[str]], pl.DataFrame],
) -> pl.DataFrame:
    try:
        columns = choose(list(schema_of(path)), wanted, path.name)
        return read(path, columns)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: BaseException) -> InputError:
    """What polars says of a file that it cannot read; where its own code gives up, that tells nobody anything."""
    message = "" if isinstance(error, pl.exceptions.PanicException) else first_line(error)
    return damaged(path, message)


def _first_bytes(path: Path) -> bytes:
    """The first bytes, or the error of a file that is not there, not readable or not a file."""
    try:
        if path.is_dir():
            require_flat(path, of_parts=False)
            raise InputError("{path} is a folder; give one of the files in it", path=path)
        if not path.is_file() and path.exists():
            return b""  # a pipe gives its bytes only once
        with path.open("rb") as file:
            return file.read(16)
    except FileNotFoundError:
        raise absent(path) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its permissions") from None


def absent(path: Path) -> InputError:
    """What is said of a file that is not there."""
    why = absent_file(path, "check the name and the folder")
    return InputError("there is no file {path!r}; {why}", path=str(path), why=why)
