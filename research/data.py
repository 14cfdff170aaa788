"""The tables that the papers measure on, where they are at hand: PELLUCID_DATA, or shared/data beside the checkout.

They are no part of the package. Every experiment says plainly when its table is absent.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import polars as pl

from pellucid.core.schema import Column, Schema
from pellucid.core.table import Table
from pellucid.errors import InputError
from pellucid.io import read

BELOW_SECONDARY = ("Preschool", "1st-4th", "5th-6th", "7th-8th")  # 1,566 of the rows without unknown values
ADULT_QI = (
    "age",
    "workclass",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "salary-class",
)  # the quasi-identifiers of [W] and [R], in the order in which a smaller "QI size" takes the first ones
LOW, OTHER = "below secondary", "secondary or above"


def data_folder() -> Path:
    """Where the tables are."""
    given = os.environ.get("PELLUCID_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def data_file(name: str) -> Path:
    """One of the tables; a clear error when it is not there."""
    path = data_folder() / name
    if not path.exists():
        raise InputError(f"{path}: the experiment needs this table; set PELLUCID_DATA to the folder that has {name}")
    return path


def has_data(name: str) -> bool:
    """Whether a table is at hand; the synthetic ones always are."""
    return not name or (data_folder() / name).exists()


@cache
def adult_frame() -> pl.DataFrame:
    """Adult without rows that have an unknown value: the 45,222 rows of the papers."""
    frame = pl.read_csv(data_file("adult/adult.csv"))
    known = [pl.col(name) != "?" for name, kind in frame.schema.items() if kind == pl.String]
    return frame.filter(pl.all_horizontal(known)).with_columns(
        pl.when(pl.col("education").is_in(BELOW_SECONDARY))
        .then(pl.lit(LOW))
        .otherwise(pl.lit(OTHER))
        .alias("schooling")
    )


def sample(frame: pl.DataFrame, rows: int | None) -> pl.DataFrame:
    """The whole table, or so many rows of it, always the same ones."""
    return frame if rows is None or rows >= frame.height else frame.sample(rows, seed=1)


def adult(
    quasi: Sequence[str],
    sensitive: str,
    *,
    taxonomies: bool = False,
    rows: int | None = None,
    keep: pl.Expr | None = None,
) -> Table:
    """Adult with these columns; ``taxonomies``: with the hierarchies that come with it."""
    frame = adult_frame() if keep is None else adult_frame().filter(keep)
    frame = sample(frame, rows).with_row_index("row")
    columns = {"row": Column(role="identifier")}
    for name in quasi:
        tree = f"{data_file('adult/taxonomies')}/{name}.csv" if taxonomies else None
        columns[name] = Column(role="quasi", taxonomy=tree) if tree else Column(role="quasi")
    columns[sensitive] = Column(role="sensitive")
    return read(frame.select(list(columns)), schema=Schema(columns=columns))
