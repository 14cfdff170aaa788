"""Sessions of Spark that have ended: a frame of theirs is still there, and nothing can be asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def require_running(spark: SparkSession) -> None:
    """Raise when the session was stopped; what pyspark says of it then is about its own insides."""
    context = getattr(spark, "_sc", None)  # None with Spark Connect, which says it itself
    if context is not None and context._jsc is None:
        raise EngineError("the Spark session of this table has ended; start one and read the table with it again")
