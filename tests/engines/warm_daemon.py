"""Spark's daemon of Python workers with their libraries loaded: each worker that it forks begins at once.

Spark's own loads them in every worker, and a worker that failed is followed by another. Spark also lets Python look for
every module in an archive of Java first, whose list of contents each worker reads anew. ``spark.python.daemon.module``
names this one. One program (test_what_readers_make_of_it_and_a_killed_program), and all tests with --thorough, have
Spark's own, as users do.
"""

from __future__ import annotations

import gc
import sys

sys.path[:] = [place for place in sys.path if not place.endswith((".jar", "pyspark.zip"))]

import pandas  # noqa: E402, F401
import pyarrow.parquet  # noqa: E402, F401
from pyspark import worker  # noqa: E402, F401
from pyspark.daemon import manager  # noqa: E402

import pellucid.anonymize.methods  # noqa: E402
import pellucid.spark.engine.local_codes  # noqa: E402
import pellucid.spark.engine.pair_counts  # noqa: E402
import pellucid.spark.engine.parquet_reader  # noqa: E402
import pellucid.spark.engine.shipments  # noqa: E402
import pellucid.spark.engine.workers  # noqa: E402, F401

if __name__ == "__main__":
    gc.freeze()  # what is loaded is nobody's garbage: looking through it would copy it to each worker
    manager()
