"""The Spark session of the command line; in Python the caller has one."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pellucid.distributed.failures import told_in_one_line
from pellucid.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}


def session_with(master: str) -> SparkSession:
    """A quiet session with this master, such as ``local[2]`` or ``spark://host:7077``."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError("Spark is asked for and pyspark is not installed; pip install 'pellucid[spark]'") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("pellucid")
    for key, value in QUIET.items():
        builder = builder.config(key, value)
    with told_in_one_line():
        return builder.getOrCreate()
