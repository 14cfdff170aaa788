"""Tables of people to publish on both engines, as frames, with what their columns are."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl

from engines.local_engine import LocalEngine
from pellucid.anonymize.layout.by_cuts import TriedInParts
from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.spark.engine.top_tree import BINS, Top, grow_top

PROGRAM = [sys.executable, "-c", "import sys; from pellucid.cli.program import main; sys.exit(main())"]
TOWNS = ["Athens", "Bergen", "Cork", "Delft", "Evora", "Faro"]


def people(rows: int, seed: int = 1) -> pl.DataFrame:
    """Ties everywhere, nulls, dates, text, decimals, a column with many values, and identifiers in no order."""
    random = Random(seed)
    names = [f"person {number:06d}" for number in range(rows)]
    random.shuffle(names)
    return pl.DataFrame(
        {
            "name": names,
            "age": [random.choice([None, 20, 20, 21, 35, 35, 35, 70]) for _ in range(rows)],
            "town": [random.choice(TOWNS) for _ in range(rows)],
            "born": [date(1950, 1, 1) + timedelta(days=random.randrange(5)) for _ in range(rows)],
            "wage": [random.randrange(rows * 3) / 4 for _ in range(rows)],
            "grade": [random.choice(["low", "mid", "high"]) for _ in range(rows)],
            "zip": [f"{random.randrange(100):05d}" for _ in range(rows)],
            "ill": [
                random.choice(["flu", "cold", "gout", "cough", "mumps", "burns", None, "acne"]) for _ in range(rows)
            ],
            "cost": [random.randrange(40) for _ in range(rows)],
        },
        schema_overrides={"age": pl.Int64, "cost": pl.Int64},
    )


def crowded(rows: int, l: int = 2, seed: int = 1) -> pl.DataFrame:
    """The same people with an illness so common, most of all in some towns and for some wages, that cuts are tried."""
    random = Random(f"crowded {seed}")
    frame = people(rows, seed)
    ill = [f"other {random.randrange(12 * l)}" for _ in range(rows)]
    wages, towns, weight = frame["wage"].to_list(), frame["town"].to_list(), random.random()
    liable = sorted(
        range(rows), key=lambda row: random.random() + weight * (towns[row] > "D") * (wages[row] < rows / 3)
    )
    for row in liable[-int(rows / (2 * l) * random.uniform(0.85, 1)) :]:  # the first cut of the table is certain
        ill[row] = "flu"
    return frame.with_columns(ill=pl.Series(ill))


def regions(rows: int) -> pl.DataFrame:
    """Six regions. A cut is certain first; then SoftCut's die at l = 2 accepts some cuts, and must refuse one.

    That is between regions 40 and 70: together few enough have the flu, but more than half of those in region 70.
    """
    shares = {0: (0.25, 0.05), 1: (0.2, 0.05), 10: (0.14, 0.3), 11: (0.13, 0.3), 40: (0.14, 0.1), 70: (0.14, 0.55)}
    generator, parts = np.random.default_rng(8), []
    for region, (share, flu) in shares.items():
        count = round(share * rows)
        ill = np.where(np.arange(count) < flu * count, 0, 1 + np.arange(count) % 40)
        age = generator.integers(18, 40, count) + 50 * (region + np.arange(count) % 50 == 0)  # a few are old
        parts.append({"region": np.full(count, region), "age": age, "ill": ill})
    frame = pl.concat([pl.DataFrame(part) for part in parts]).with_columns(
        ill=pl.when(pl.col("ill") == 0).then(pl.lit("flu")).otherwise(pl.format("other {}", "ill"))
    )
    names = generator.permutation(frame.height)
    return frame.with_columns(name=pl.Series(names)).sample(fraction=1, shuffle=True, seed=8)


SCHEMAS: dict[str, dict[str, Any]] = {
    "regions": {"region": Column(role="quasi"), "age": Column(role="quasi")},
    "one": {"town": Column(role="quasi")},
    "ties": {"age": Column(role="quasi"), "born": Column(role="quasi"), "grade": Column(role="quasi")},
    "many values": {"wage": Column(role="quasi"), "age": Column(role="quasi"), "town": Column(role="carry")},
    "taxonomies": {
        "age": Column(role="quasi", taxonomy={"ladder": [5, 20]}),
        "zip": Column(role="quasi", taxonomy={"prefix": [4, 3]}),
        "grade": Column(role="quasi", kind="ordered", order=("low", "mid", "high")),
        "town": Column(role="quasi", taxonomy={"tree": {"*": {"north": TOWNS[:3], "south": TOWNS[3:]}}}),
    },
    "three": {"town": Column(role="quasi"), "wage": Column(role="quasi"), "age": Column(role="quasi")},
    "six": {
        "age": Column(role="quasi", missing=("70",)),
        "town": Column(role="quasi"),
        "born": Column(role="quasi"),
        "wage": Column(role="quasi"),
        "grade": Column(role="quasi", kind="ordered", order=("low", "mid", "high")),
        "zip": Column(role="quasi"),
    },
}


def schema_of(kind: str, *, identifier: bool = True, sensitive: tuple[str, ...] = ("ill",)) -> Schema:
    columns = dict(SCHEMAS[kind]) | {name: Column(role="sensitive") for name in sensitive}
    return Schema(columns=({"name": Column(role="identifier")} if identifier else {}) | columns)


def cut_on_driver(method: TriedInParts, table: Table, coins: Coins, rows_per_worker: int, *, bins: int = BINS) -> Top:
    """The top of the tree of a method that tries cuts."""
    engine = LocalEngine(table, coins)
    empty = engine.outline.without_rows()
    counts = [engine.outline.counts[i] for i in table.having(Role.SENSITIVE)]
    needed, trying = method.rows_needed(empty, counts), method.trying(empty, coins)
    return grow_top(engine, needed, rows_per_worker, bins=bins, trying=trying)


def in_parts(frame: pl.DataFrame, folder: Path, parts: int) -> Path:
    """The frame as a folder of Parquet files."""
    folder.mkdir()
    size = -(-frame.height // parts)
    for part in range(parts):
        frame.slice(part * size, size).write_parquet(folder / f"part-{part:05d}.parquet")
    return folder


def published(folder: Path) -> pl.DataFrame:
    """The rows of a release in parts, in the order in which they are published."""
    return pl.concat([pl.read_parquet(file) for file in sorted(folder.glob("part-*.parquet"))])
