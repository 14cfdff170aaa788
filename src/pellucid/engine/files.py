"""Parquet files as a Spark DataFrame, after checking that they belong together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pellucid.engine.workers import FILE, ROW
from pellucid.errors import InputError
from pellucid.io.files import PARQUET, is_parts, part_files, require_same
from pellucid.taxonomy.wording import absent_file

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://")


def rows_of_files(spark: SparkSession, source: str | Path) -> DataFrame:
    """The rows of a Parquet file or of a folder of them, each with its file and its place there.

    Spark itself would fill a column that some file lacks with nulls, and read the types of one file into all.
    """
    from pyspark.sql import functions as f

    if ADDRESS.match(str(source)):
        frame = spark.read.parquet(str(source))
        _require_alike(spark, frame, str(source))
    else:
        path = Path(source)
        _require_parquet(path)
        frame = spark.read.parquet(address(path))
    where = [f.col("_metadata.file_path").alias(FILE), f.col("_metadata.row_index").alias(ROW)]
    return frame.select("*", *where)


def address(path: Path) -> str:
    """A folder that all machines see, whatever Spark takes a bare name for."""
    return f"file://{path.absolute()}"


def _require_parquet(path: Path) -> None:
    """Raise unless there are Parquet files of one schema."""
    if is_parts(path):
        files = part_files(path)
    elif path.is_dir():
        raise InputError(f"{path} is a folder without Parquet files; Spark reads Parquet: write the table as that")
    elif not path.exists():
        why = absent_file(path, "check the name and the folder")
        raise InputError(f"there is no file {str(path)!r}; {why}")
    else:
        files = [path]
    schemas: list[tuple[str, dict[str, Any]]] = []
    for file in files:
        with file.open("rb") as opened:
            if opened.read(4) != PARQUET:
                raise InputError(f"{file.name} is not Parquet; Spark reads Parquet: write the table as that")
        try:
            schemas.append((file.name, dict(pl.read_parquet_schema(file))))
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{file.name} is damaged or incomplete ({reason}); write it again") from None
    first, whole = schemas[0]
    for name, schema in schemas[1:]:
        require_same(path.name, name, schema, first, whole)


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
