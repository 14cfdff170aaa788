"""Codebooks from the distinct values of each column, made by the same code that encodes a table in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pellucid.core.schema import Schema
from pellucid.core.table import Attribute, Codes
from pellucid.errors import InputError
from pellucid.io.codes import plain
from pellucid.io.encode import Tally, encode_both
from pellucid.spark.engine.operations import Longs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

READABLE = [
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "boolean",
    "string",
    "date",
    "timestamp",
    "timestamp_ntz",
    "void",
    "char",
    "varchar",
    "decimal",
]


@dataclass(frozen=True, slots=True, eq=False)
class Codebook:
    """A column's attribute, and the code of each value as it is in the data: 7, 07 and 7.0 may have one code."""

    attribute: Attribute
    values: pl.Series
    codes: Codes
    counts: Longs
    before: int | None = None  # how many values it had before it was rounded and capped, where it was

    def encode(self, column: pl.Series) -> Codes:
        """The codes of some rows."""
        book = pl.DataFrame({"value": self.values, "code": self.codes})
        given = plain(column)
        rows = given.cast(self.values.dtype, strict=False)
        codes = rows.to_frame("value").join(book, on="value", how="left", nulls_equal=True, maintain_order="left")[
            "code"
        ]
        # Spark and pyarrow read some types differently, but never values: 1.5 that becomes 1 is another value
        exact = rows.dtype == given.dtype or rows.cast(given.dtype, strict=False).eq_missing(given).all()
        if codes.null_count() or not exact:
            raise InputError(
                f"column {self.attribute.name!r} has other values when it is read again; write the table to Parquet "
                "and publish that"
            )
        return codes.to_numpy()


def counted_by_spark(frame: DataFrame, name: str, key: str) -> pl.DataFrame:
    """The distinct values of a column, which is called ``key`` in the frame, and how often each occurs."""
    from pyspark.sql import functions as f

    counts = frame.select(f.col(key).alias("value")).groupBy("value").agg(f.count("*").alias("times")).toArrow()
    return pl.DataFrame({"value": plain(as_read(counts["value"], name)), "times": counts["times"].to_numpy()})


def codebook(counts: pl.DataFrame, schema: Schema, name: str) -> Codebook:
    """Encode a column by its values and how often each occurs; a value may be there several times."""
    if counts.is_empty():
        raise InputError("the table has no rows; a release needs at least one row")
    distinct = counts.group_by("value").sum()
    values, times = distinct["value"], distinct["times"].to_numpy()
    attribute, codes, before = encode_both(values.alias(name), schema, name, Tally(times))
    totals = np.zeros(len(attribute), np.int64)
    np.add.at(totals, codes, times)
    return Codebook(attribute, values, codes, totals, None if before is None else len(before.attribute))


def require_readable(frame: DataFrame, names: list[str]) -> None:
    """Refuse types that are no table's: what Spark can nest, and bytes."""
    for name in names:
        kind = frame.schema[name].dataType.simpleString()
        if kind.partition("(")[0] not in READABLE:
            raise InputError(
                f"column {name!r} has type {kind}; it must hold numbers, text, booleans or dates: cast it to one of "
                "these"
            )


def as_read(column: Any, name: str) -> pl.Series:
    """A column that came by Arrow as a column that was read from a file: times with a zone are in UTC."""
    series = pl.Series(name, pl.from_arrow(column))
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is not None:
        return series.dt.convert_time_zone("UTC")
    return series
