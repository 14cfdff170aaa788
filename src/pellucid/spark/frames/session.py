"""The session of a frame: whether it still runs, and which Python its workers are."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pellucid.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTING = "spark.pyspark.python"


def require_running(spark: SparkSession) -> None:
    """Raise when the session was stopped; what pyspark says of it then is about its own insides."""
    context = getattr(spark, "_sc", None)  # None with Spark Connect, which says it itself
    if context is not None and context._jsc is None:
        raise EngineError("the Spark session of this table has ended; start one and read the table with it again")


def with_this_python(spark: SparkSession) -> None:
    """Let workers on this machine be this Python, unless somebody chose another; raise when the session has ended.

    Without a choice pyspark starts ``python3`` of the PATH, which in a virtual environment that is not activated is
    another one. Workers on other machines are theirs who set the cluster up.
    """
    require_running(spark)
    context = getattr(spark, "_sc", None)
    if context is None:  # Spark Connect: the workers are elsewhere
        return
    chosen = "PYSPARK_PYTHON" in os.environ or context.getConf().contains(SETTING)
    if context.master.startswith("local") and not chosen:
        context.pythonExec = sys.executable
