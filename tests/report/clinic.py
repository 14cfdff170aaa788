"""A clinic whose columns have few broader names, so that a method makes more groups than a reader can tell apart."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import pellucid as pc
from pellucid.anonymize.recode.taxonomic import Taxonomic
from pellucid.core.schema import Schema
from pellucid.publishing import release_of

ILLNESSES = ("flu", "HIV", "asthma", "angina", "gout", "ulcer", "anaemia")


@cache
def clinic(rows: int = 160, seed: int = 3) -> pl.DataFrame:
    """People whose birth dates are nearly all different."""
    draw = np.random.default_rng(seed)
    first = date(1940, 1, 1)
    return pl.DataFrame(
        {
            "name": [f"Person {i:03}" for i in range(rows)],
            "age": draw.integers(20, 80, rows),
            "zip": [f"{z}" for z in draw.choice([1010, 1020, 1190, 2100, 2340], rows)],
            "born": [first + timedelta(days=int(days)) for days in draw.integers(0, 60 * 365, rows)],
            "sex": draw.choice(["f", "m"], rows),
            "disease": draw.choice(ILLNESSES, rows),
        }
    )


def schema() -> Schema:
    """What its columns are."""
    columns: dict[str, Any] = {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "taxonomy": {"ladder": [5, 10, 20]}},
        "zip": {"role": "quasi", "kind": "category", "taxonomy": {"prefix": [2]}},
        "born": {"role": "quasi", "taxonomy": {"dates": ["year", "decade"]}},
        "sex": {"role": "carry"},
        "disease": {"role": "sensitive"},
    }
    return Schema(columns={name: pc.Column(**column) for name, column in columns.items()})


def written(folder: Path) -> tuple[Path, Path]:
    """The table and the schema as files."""
    table, roles = folder / "clinic.csv", folder / "schema.toml"
    clinic().write_csv(table)
    roles.write_text(schema().to_toml())
    return table, roles


@cache
def released() -> pc.Release:
    """The clinic published with broader names."""
    return release_of(pc.read(clinic(), schema=schema()), pc.Hybrid(l=3), recode=Taxonomic(), seed=1)
