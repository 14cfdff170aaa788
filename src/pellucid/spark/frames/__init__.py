"""What is asked of a Spark DataFrame: names, types, counts of values, and one walk over its groups by the executors.

This folder and nothing else calls pyspark, and only once it was handed one of its frames; a frame is recognised by the
name of its class, so that the package imports without pyspark. Nothing here brings rows to the driver: counts of
values, sums, and what a walk leaves of each partition.
"""

from __future__ import annotations

from pellucid.spark.frames.addresses import address, pattern, read_parquet
from pellucid.spark.frames.columns import Columns, is_distributed, same_numbers
from pellucid.spark.frames.session import require_running, with_this_python
from pellucid.spark.frames.walk import along_groups, along_rows

__all__ = [
    "Columns",
    "address",
    "along_groups",
    "along_rows",
    "is_distributed",
    "pattern",
    "read_parquet",
    "require_running",
    "same_numbers",
    "with_this_python",
]
