"""Work for Spark's machines that hands no rows over: numbers of blocks or parts go in, small answers come back.

What is large lies in files of the work folder, which workers map. Java starts the tasks and tries again those that
fail, and sees nothing but bytes: no query is planned, compiled or shuffled. A query costs a fresh Java about seven
seconds of processor time before its first row, and each further one half a second more than such a task.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import RDD
    from pyspark.sql import SparkSession

Answer = TypeVar("Answer")
Work = Callable[[Iterator[int]], Iterator[Answer]]

TOLD = "told binary"


def answers(spark: SparkSession, work: Work[Answer], numbers: int, tasks: int | None = None) -> list[Answer]:
    """What the work gives for the numbers 0, 1, ... in so many tasks, by default one for each core."""
    context = getattr(spark, "_sc", None)
    if context is None:
        return _without_context(spark, work, numbers, tasks)
    answered: list[Answer] = _tasks(context, work, numbers, tasks).collect()
    return answered


def added_up(spark: SparkSession, work: Work[Answer], numbers: int, add: Callable[[Answer, Answer], Answer]) -> Answer:
    """One answer of all tasks. Where there are many of them Spark's machines add up most, and the driver the rest."""
    context = getattr(spark, "_sc", None)
    if context is None:
        return reduce(add, _without_context(spark, work, numbers, None))
    whole: Answer = _tasks(context, work, numbers, None).treeReduce(add)
    return whole


def _tasks(context: Any, work: Work[Answer], numbers: int, tasks: int | None) -> RDD[Answer]:
    slices = max(1, min(numbers, tasks or context.defaultParallelism))
    split: RDD[Answer] = context.parallelize(range(numbers), slices).mapPartitions(work)
    return split


def _without_context(spark: SparkSession, work: Work[Answer], numbers: int, tasks: int | None) -> list[Answer]:
    """The same by a query, for Spark Connect, which has nothing else."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for answer in work(number for batch in batches for number in batch.column(0).to_pylist()):
            yield pa.RecordBatch.from_pydict({"told": [pickle.dumps(answer)]}, pa.schema([("told", pa.binary())]))

    asked = spark.range(numbers) if tasks is None else spark.range(0, numbers, 1, max(1, min(numbers, tasks)))
    return [pickle.loads(answer) for answer in asked.mapInArrow(run, TOLD).toArrow()["told"].to_pylist()]
