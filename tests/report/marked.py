"""Tables every value of which is a word that a search through a page finds, and releases of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import pellucid as pc
from pellucid.anonymize.recode import RECODERS
from pellucid.publishing import release_of

ROLES: dict[str, Any] = {"quasi": ["age", "town", "mother"], "sensitive": "ill", "identifier": "who"}


@dataclass(frozen=True)
class Marked:
    """A table every value of which is a word that stands nowhere else, and a release of it."""

    table: pl.DataFrame
    release: pc.Release

    def page(self, audience: str, table: pl.DataFrame | None = None) -> pc.Report:
        return pc.report(self.release, self.table if table is None else table, audience=audience, **ROLES)  # type: ignore[arg-type]


def marked_table(seed: int, rows: int = 150) -> pl.DataFrame:
    """Random people: a frequent value, some usual ones, and two that few people have."""
    draw = np.random.default_rng(seed)
    weights = np.array([30, 25, 25, 25, 20, 20, 4, 1], float)
    ill = draw.choice(8, rows, p=weights / weights.sum())
    ill[:3] = [6, 7, 6]  # the rare ones are there
    return pl.DataFrame(
        {
            "who": [f"Whox{i}x" for i in range(rows)],
            "age": draw.choice(np.arange(71_000_003, 79_000_000, 1_000_003), rows),
            "town": [f"Townx{i}x" for i in draw.integers(0, 9, rows)],
            "mother": [f"Motherx{i}x" for i in draw.integers(0, 40, rows)],
            "ill": [f"Illx{i}x" for i in ill],
        }
    )


def published(method: Any, recode: str | None, seed: int) -> Marked:
    table = marked_table(seed)
    recoder = None if recode is None else RECODERS[recode]()
    return Marked(table, release_of(pc.read(table, **ROLES), method, recode=recoder, seed=seed))
