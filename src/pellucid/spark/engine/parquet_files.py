"""Parquet files as a Spark DataFrame, after checking that they belong together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pellucid.core.schema import Role, Schema
from pellucid.datasets import is_embedded
from pellucid.errors import InputError
from pellucid.io.columns import asked_by, choose
from pellucid.io.encode import coded_names
from pellucid.io.files import parquet_files, require_same
from pellucid.spark.engine.workers import FILE, ROW
from pellucid.spark.frames import read_parquet

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """What a person named, and its files in the order of their rows; none where only Spark can open the address."""

    source: str
    files: tuple[Path, ...]


def files_named(source: Any) -> ParquetFiles:
    """The files of a path, checked without Spark: wrong input is refused at once, not after Java has started."""
    if isinstance(source, ParquetFiles):
        return source
    if not isinstance(source, str | Path):
        raise InputError(f"{type(source).__name__}: Spark reads Parquet files and Spark DataFrames; give one of these")
    name = str(source)
    if ADDRESS.match(name) and "::" not in name:
        return ParquetFiles(name, ())
    if ADDRESS.match(name) or (is_embedded(name) and not Path(name).exists()):
        raise InputError(
            f"{name} is no file: Spark reads Parquet files and Spark DataFrames; write the table as Parquet, or "
            "publish it without Spark"
        )
    return ParquetFiles(name, tuple(parquet_files(Path(source))))


def require_table(named: ParquetFiles, schema: Schema) -> None:
    """Raise for columns that are not there and for no rows, from what the files say of themselves, without Spark."""
    if not named.files:
        return
    import pyarrow.parquet as pq

    wanted = coded_names(schema)
    with asked_by(schema):
        choose(list(pl.read_parquet_schema(named.files[0])), [*schema.names(Role.IDENTIFIER), *wanted], "the table")
    if not any(pq.read_metadata(file).num_rows for file in named.files):
        raise InputError("the table has no rows; a release needs at least one row")


def require_readable_file(file: Path, names: list[str]) -> None:
    """Refuse what a table of Spark cannot hold, in files that it does not read itself."""
    import pyarrow.parquet as pq
    from pyarrow import types

    schema = pq.read_schema(file)
    for name in names:
        kind = schema.field(name).type
        if types.is_timestamp(kind) and kind.unit == "ns":
            unreadable, otherwise = "times to the nanosecond", "cast it to microseconds"
        elif types.is_float16(kind):
            unreadable, otherwise = "floats of 16 bits", "cast it to 32 bits"
        elif types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind) or types.is_time(kind):
            unreadable, otherwise = str(kind), "cast it to numbers, text, booleans or dates"
        else:
            continue
        raise InputError(f"column {name!r} has {unreadable}, which is not read here: {otherwise}")


def rows_of_files(spark: SparkSession, named: ParquetFiles) -> DataFrame:
    """The rows of Parquet files, each with its file and its place there as the last columns.

    Spark itself would fill a column that some file lacks with nulls, and read the types of one file into all.
    """
    frame: DataFrame
    if named.files:
        frame = read_parquet(spark, named.files)
    else:
        frame = spark.read.parquet(named.source)
        _require_alike(spark, frame, named.source)
    where = frame.metadataColumn("_metadata")
    return frame.select("*", where["file_path"].alias(FILE), where["row_index"].alias(ROW))


def _require_alike(spark: SparkSession, frame: DataFrame, source: str) -> None:
    """The same for files that this machine cannot open but Spark can."""
    schemas = [
        (
            file.rpartition("/")[2],
            {field.name: field.dataType.simpleString() for field in spark.read.parquet(file).schema},
        )
        for file in sorted(frame.inputFiles())
    ]
    first, whole = schemas[0]
    for name, schema in schemas[1:]:
        require_same(source.rpartition("/")[2], name, schema, first, whole)
