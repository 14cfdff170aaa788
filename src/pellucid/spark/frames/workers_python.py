"""Which Python Spark's workers are: on this machine the one that runs now, which has pellucid."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pellucid.spark.frames.ended import require_running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTING = "spark.pyspark.python"


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
