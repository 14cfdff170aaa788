"""Walks by the executors: over the groups of a frame, in the order of what is published, or over its rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from pellucid.spark.errors import told_in_one_line
from pellucid.spark.frames.columns import ROWS, Columns
from pellucid.spark.frames.session import require_running, with_this_python

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

CODE = "code"


def along_groups(
    columns: Columns, forming: Sequence[str], inside: str | None, look: Callable[[Iterator[pl.DataFrame]], Any]
) -> list[Any]:
    """What ``look`` makes of each partition of the groups, in the order of the groups.

    A group is the rows that agree in the ``forming`` columns; null agrees with null. ``look`` is given the frames of
    one partition: one row for each group and each value of the column ``inside``, in ascending order of the forming
    columns (f0, f1, ...), null first, then of ``inside`` (code), with how many rows have it (rows). A group is never in
    two partitions, and partitions follow each other in the same order, so that groups are numbered by counting. What
    ``look`` returns is all that reaches the driver; it runs on the executors, and None is left out.
    """
    from pyspark.sql import functions

    require_running(columns.frame.sparkSession)
    keys = [columns.key(name) for name in forming]
    code = columns.frame[columns.key(inside)] if inside is not None else functions.lit(0)
    entries = columns.frame.select(*keys, code.alias(CODE)).groupBy(*keys, CODE).agg(functions.count("*").alias(ROWS))
    in_order = entries.repartitionByRange(*keys).sortWithinPartitions(*keys, CODE)

    return _gathered(in_order, [*(f"f{i}" for i in range(len(keys))), CODE, ROWS], look)


def along_rows(columns: Columns, look: Callable[[Iterator[pl.DataFrame]], Any]) -> list[Any]:
    """What ``look`` makes of each partition of the rows; it is given them as frames, in no particular order."""
    return _gathered(columns.frame, columns.names, look)


def _gathered(frame: DataFrame, names: Sequence[str], look: Callable[[Iterator[pl.DataFrame]], Any]) -> list[Any]:
    """What ``look`` makes of each partition, where that is not None, in the order of the partitions."""

    def walk(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow
        from pyspark import TaskContext

        result = look(_named(batches, names))
        if result is not None:
            place = TaskContext.get().partitionId()  # type: ignore[union-attr]  # there is one inside a task
            yield pyarrow.RecordBatch.from_pydict({"place": [place], "found": [pickle.dumps(result)]})

    with_this_python(frame.sparkSession)
    with told_in_one_line():
        results = frame.mapInArrow(walk, "place long, found binary").collect()
    return [pickle.loads(row["found"]) for row in sorted(results, key=lambda row: row["place"])]


def _named(batches: Iterable[pyarrow.RecordBatch], names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The batches of a partition as frames."""
    for batch in batches:
        if batch.num_rows:
            yield pl.DataFrame([pl.Series(name, pl.from_arrow(batch.column(i))) for i, name in enumerate(names)])
