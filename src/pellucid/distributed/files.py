"""Files that Spark reads, and the session that reads them when nobody has one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def read_parquet(session: SparkSession, path: Path) -> Any:
    """The Spark DataFrame of a Parquet file, or of a folder of part files."""
    if path.suffix not in (".parquet", ".pq"):
        raise InputError(f"{path.name} is not Parquet, and Spark reads nothing else here; leave the engine out")
    from pyspark.errors import PySparkException

    try:
        return session.read.parquet(str(path.absolute()))
    except PySparkException as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path.name} cannot be read by Spark ({reason}); write it again") from None
