"""People with several rows, with Spark: counted where a column numbers them, and refused until somebody answers."""

from __future__ import annotations

import numpy as np

from pellucid.core.schema import Schema
from pellucid.core.schema.people import Several
from pellucid.core.table import Persons
from pellucid.errors import InputError, MethodError, SchemaError
from pellucid.io.people import may_number, seems_repeated
from pellucid.messages.terms import PEOPLE, WHERE, bare_term
from pellucid.spark.engine.codebooks import READABLE
from pellucid.spark.engine.reading import SparkSource


def refuse_conditions(schema: Schema, several: Several | None) -> None:
    """Raise for what only one machine does: rows left out, one row of a person, columns that apply to some people."""
    if schema.where is not None:
        raise MethodError(
            "{where} = {text!r}: Spark publishes every row",
            "filter the table before, or publish without Spark",
            where=WHERE,
            text=schema.where,
        )
    if several is not None and several.leaves_one:
        raise MethodError(
            "{people} = {text!r}: Spark draws no row of a person",
            "publish without Spark, or give a table with one row of each",
            people=bare_term("people"),
            text=several.text,
        )
    for name, column in schema.columns.items():
        if column.applies is not None or column.ruled_out:
            raise MethodError(
                "{name} does not apply to everybody, and Spark keeps no people apart for it",
                "publish without Spark",
                name=name,
            )


def answered(source: SparkSource, schema: Schema, several: Several | None) -> Persons | None:
    """Whose rows are protected each by itself, without the rows; raise where people repeat and nobody said so.

    Distinct values are counted, of columns alone that number people by their names.
    """
    if several is not None and several.column not in source.columns:
        raise InputError(
            "{people} names {column!r}, and the table has no such column",
            "name the column that numbers people",
            people=bare_term("people"),
            column=several.column,
        )
    for name in source.columns:
        if not may_number(name, schema) or (several is not None and name == several.column):
            continue
        people, rows, within = _counted(source, name, several)
        if seems_repeated(name, people, rows) and not within:
            raise SchemaError(
                "{column} seems to number people, and {people:,} have {rows:,} rows: a promise about one row is none "
                "about a person",
                "publish without Spark, which takes one row of each or protects whole people; or protect each row by "
                "itself with {row}, and the promise says so",
                column=name,
                people=people,
                rows=rows,
                row=PEOPLE.such_as(f"{name}=row"),
            )
    return None if several is None else Persons(several.column, np.zeros(0, np.int32), 0, 0, several.answer)


def _counted(source: SparkSource, name: str, several: Several | None) -> tuple[int, int, bool]:
    """How many numbers a column has, in how many rows, and whether all rows of each have one of the column answered."""
    from pyspark.sql import functions as f

    frame = source.frame
    kind = frame.schema[name].dataType.simpleString().partition("(")[0]
    if kind not in READABLE or kind in ("boolean", "void"):
        return 0, 0, False
    number = frame[name]
    fraction = number != f.floor(number) if kind in ("float", "double", "decimal") else f.lit(False)
    other = frame[several.column] if several is not None else f.lit(0)
    pair = f.struct(number, other)
    asked = (f.count_distinct(number), f.count(number), f.max(fraction), f.count_distinct(f.struct(number)))
    people, rows, broken, numbers, pairs = frame.agg(*asked, f.count_distinct(pair)).collect()[0]
    return (0, 0, False) if broken else (people, rows, several is not None and pairs == numbers)
