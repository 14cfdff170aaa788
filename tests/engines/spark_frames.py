"""Frames and releases as Spark has them."""

from __future__ import annotations

import polars as pl


def to_spark(spark, frame: pl.DataFrame, partitions: int = 2):
    """A frame in so many partitions; Spark has no unsigned numbers."""
    signed = frame.with_columns(pl.selectors.unsigned_integer().cast(pl.Int64))
    return spark.createDataFrame(signed.to_arrow(compat_level=pl.CompatLevel.oldest())).repartition(partitions)


def spark_bundle(spark, release, folder):
    """The release as Spark writes it: a folder of part files for each table, and the recipe."""
    release.write(folder)
    for name, frame in release.public.frames.items():
        (folder / f"{name}.csv").unlink()
        to_spark(spark, frame, 3).write.parquet(str(folder / f"{name}.parquet"))
    return folder
