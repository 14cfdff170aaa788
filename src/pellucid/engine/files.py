"""Parquet files as a Spark DataFrame, after checking that they belong together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.distributed import read_parquet
from pellucid.engine.workers import FILE, ROW
from pellucid.io.files import parquet_files, require_same

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://")


def rows_of_files(spark: SparkSession, source: str | Path) -> tuple[DataFrame, list[Path]]:
    """The rows of a Parquet file or of a folder of them, each with its file and its place there as the last columns.

    Also the files, in the order of their rows, where no address says that only Spark can open them. Spark itself would
    fill a column that some file lacks with nulls, and read the types of one file into all.
    """
    files: list[Path] = []
    if ADDRESS.match(str(source)):
        frame = spark.read.parquet(str(source))
        _require_alike(spark, frame, str(source))
    else:
        files = parquet_files(Path(source))
        frame = read_parquet(spark, files)
    where = frame.metadataColumn("_metadata")
    return frame.select("*", where["file_path"].alias(FILE), where["row_index"].alias(ROW)), files


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
