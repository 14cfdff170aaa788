"""Some columns of a Spark DataFrame under names of our own, with the values that the rest of pellucid sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.runtime.records import record
from pellucid.spark.errors import told_in_one_line

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ROWS = "rows"  # the column of a count


def is_distributed(frame: object) -> bool:
    """Whether it is a Spark DataFrame, classic or by Spark Connect; does not import pyspark.

    >>> is_distributed(pl.DataFrame())
    False
    """
    kind = type(frame)
    return kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame"


@record(eq=False)
class Columns:
    """The columns of a frame that are looked at, in order.

    Inside Spark they are called c0, c1, ...: names with dots, with quotes or that differ in case only do no harm. NaN
    is null and -0.0 is 0.0, as :func:`pellucid.io.codes.coded` has it.
    """

    frame: DataFrame
    names: tuple[str, ...]

    @classmethod
    def of(cls, frame: DataFrame, names: Sequence[str]) -> Columns:
        """These columns of a frame."""
        from pyspark.sql import functions
        from pyspark.sql.types import DoubleType, FloatType

        places = [frame.columns.index(name) for name in names]
        numbered = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
        chosen = []
        for new, old in enumerate(places):
            column = numbered[f"c{old}"]
            if isinstance(frame.schema.fields[old].dataType, FloatType | DoubleType):
                nothing = functions.isnan(column)
                column = functions.when(column == 0, functions.abs(column)).when(~nothing, column)
            chosen.append(column.alias(f"c{new}"))
        return cls(numbered.select(*chosen), tuple(names))

    def __getitem__(self, name: str) -> Column:
        return self.frame[self.key(name)]

    def key(self, name: str) -> str:
        """What a column is called inside Spark."""
        return f"c{self.names.index(name)}"

    @cached_property
    def types(self) -> pl.DataFrame:
        """No rows: the columns with the types that the rest of pellucid sees."""
        from pyspark.sql.pandas.types import to_arrow_schema

        zone = self.frame.sparkSession.conf.get("spark.sql.session.timeZone")
        with told_in_one_line():  # there are types of Spark that nobody else has
            empty = to_arrow_schema(self.frame.schema, timezone=zone).empty_table()
        return pl.DataFrame([pl.Series(n, pl.from_arrow(empty[f"c{i}"])) for i, n in enumerate(self.names)])

    def sums(self, asked: Mapping[str, Column]) -> dict[str, int]:
        """Sums over all rows, in one pass; a condition is summed as how many rows it holds for."""
        from pyspark.sql import functions

        if not asked:
            return {}
        sums = [functions.sum(column.cast("long")).alias(f"s{i}") for i, column in enumerate(asked.values())]
        with told_in_one_line():
            row = self.frame.agg(*sums).collect()[0]
        return {name: int(row[i] or 0) for i, name in enumerate(asked)}

    def count(self) -> int:
        """How many rows there are."""
        with told_in_one_line():
            return int(self.frame.count())

    def values(self, *names: str) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The different values of a column, or of some columns together, and how many rows have each; in no order."""
        keys = [self.key(name) for name in names]
        with told_in_one_line():
            counted = self.frame.groupBy(*keys).count().withColumnRenamed("count", ROWS).toArrow()
        columns = [pl.Series(name, pl.from_arrow(counted[key])) for name, key in zip(names, keys, strict=True)]
        rows = counted[ROWS].to_numpy().astype(np.int64)
        if not len(rows):
            return self.types.select(names), rows
        return pl.DataFrame(columns), rows

    def where(self, condition: Column) -> Columns:
        """The rows for which a condition holds; one that is null does not."""
        return Columns(self.frame.where(condition), self.names)

    def _with_codes(self, frame: Any, book: str, values: pl.DataFrame, codes: NDArray[np.int32]) -> Any:
        """A frame of these rows with a column more, the codes of the values of some of their columns."""
        from pyspark.sql import functions
        from pyspark.sql.types import IntegerType, StructField, StructType

        keys = {name: f"{book}_{i}" for i, name in enumerate(values.columns)}
        code = f"{book}_code"
        arrow = values.rename(keys).with_columns(pl.Series(code, codes)).to_arrow()
        # Spark's own types: times without a zone would else be taken for times in that of the session
        kinds = StructType([StructField(k, self.frame.schema[self.key(n)].dataType) for n, k in keys.items()])
        kinds = kinds.add(code, IntegerType())
        given = frame.sparkSession.createDataFrame(arrow.cast(_plain(arrow.schema)), kinds)
        small = functions.broadcast(given)
        same = [frame[self.key(n)].eqNullSafe(small[k]) for n, k in keys.items()]
        return frame.join(small, reduce(and_, same), "left").drop(*keys.values())

    def coded(self, books: Mapping[str, tuple[pl.DataFrame, NDArray[np.int32]]]) -> Columns:
        """The same rows with codes for values: for each new column the values of one or more old ones, and their codes.

        The old columns are gone; the values are those that occur, as :meth:`values` gives them.
        """
        frame = self.frame
        old = {name for values, _ in books.values() for name in values.columns}
        names = [name for name in self.names if name not in old]
        chosen = [self.key(name) for name in names]
        for place, (values, codes) in enumerate(books.values()):
            frame = self._with_codes(frame, f"b{place}", values, codes)
            chosen.append(f"b{place}_code")
        return Columns(frame.select(*chosen).toDF(*(f"c{i}" for i in range(len(chosen)))), (*names, *books))

    def class_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sizes that groups of equal rows have, ascending, and how many groups have each."""
        from pyspark.sql import functions

        sizes = self.frame.groupBy(*self.frame.columns).agg(functions.count("*").alias("size"))
        with told_in_one_line():
            counted = sizes.groupBy("size").agg(functions.count("*").alias(ROWS)).orderBy("size").toArrow()
        return counted["size"].to_numpy().astype(np.int64), counted[ROWS].to_numpy().astype(np.int64)

    def only(self, names: Sequence[str]) -> Columns:
        """Some of the columns."""
        chosen = self.frame.select(*(self[name] for name in names))
        return Columns(chosen.toDF(*(f"c{i}" for i in range(len(names)))), tuple(names))


def _plain(schema: Any) -> Any:
    """The Arrow types that Spark takes: polars writes text as large strings or views."""
    import pyarrow

    fields = [
        field.with_type(pyarrow.string())
        if pyarrow.types.is_large_string(field.type) or pyarrow.types.is_string_view(field.type)
        else field
        for field in schema
    ]
    return pyarrow.schema(fields)


def same_numbers(left: Columns, right: Columns, name: str) -> tuple[int, int, list[tuple[Any, int, int]]]:
    """Whether a column has the same values equally often in two frames.

    How many different values there are, how many of them differ in how often they occur, and the smallest that
    differs, with both counts.
    """
    from pyspark.sql import functions

    counted = []
    for side, columns in (("left", left), ("right", right)):
        key = columns.key(name)
        counted.append(columns.frame.groupBy(key).agg(functions.count("*").alias(side)).withColumnRenamed(key, "value"))
    both = counted[0].join(counted[1], "value", "full").na.fill(0, ["left", "right"])
    differ = functions.col("left") != functions.col("right")
    with told_in_one_line():
        row = both.agg(functions.count("*"), functions.sum(differ.cast("long"))).collect()[0]
        wrong = int(row[1] or 0)
        first = both.where(differ).orderBy("value").limit(1).collect() if wrong else []
    return (
        int(row[0]),
        wrong,
        [(pair["value"], int(pair["left"]), int(pair["right"])) for pair in first],
    )
