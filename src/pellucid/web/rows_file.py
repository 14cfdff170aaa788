"""Every row before and after, in the private folder: written once by the worker, read page by page by the server.

So that looking at rows never waits for the worker, nor takes it away from an attack.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.anonymize.recode.before_after import Beside

PAGE = 10  # rows that one page shows
MOST_FOUND = 1_000  # people whom a filter finds at most


def write_rows(path: Path, both: Beside) -> None:
    """Leave all rows there; columns are numbered, for a name may stand on both sides."""
    before = both.before.rename({name: f"b{n}" for n, name in enumerate(both.before.columns)})
    after = both.after.rename({name: f"a{n}" for n, name in enumerate(both.after.columns)})
    frame = pl.concat([before, after], how="horizontal").with_columns(published=pl.Series(both.published))
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    frame.write_ipc(beside, compression="lz4")
    beside.replace(path)


def read_rows(path: Path, rows: list[int], before: list[str], after: list[str]) -> list[dict[str, Any]]:
    """These rows, as a page shows them: what each was, and what is published of it, or None where it is left out."""
    if not rows or not path.is_file():
        return []
    low, high = min(rows), max(rows)
    lazy = pl.scan_ipc(path).with_row_index("row").slice(low, high - low + 1).filter(pl.col("row").is_in(rows))
    found = lazy.with_columns(pl.col(pl.Categorical).cast(pl.String)).collect()
    return [
        {
            "row": one["row"],
            "before": {name: one[f"b{n}"] for n, name in enumerate(before)},
            "after": {name: one[f"a{n}"] for n, name in enumerate(after)} if one["published"] else None,
        }
        for one in found.iter_rows(named=True)
    ]


def rows_named(path: Path, typed: str) -> tuple[list[int], int]:
    """The first rows of people whose name contains what was typed, those that begin with it first; how many there are.

    There are at most :data:`MOST_FOUND` rows.
    """
    wanted = typed.strip().lower()
    plain = pl.col("plain")
    found = pl.scan_ipc(path).filter(plain.str.contains(wanted, literal=True))
    first = found.sort(plain.str.starts_with(wanted), descending=True, maintain_order=True)
    rows: list[int] = first.head(MOST_FOUND).collect()["row"].to_list()
    return rows, len(rows) if len(rows) < MOST_FOUND else int(found.select(pl.len()).collect().item())


def names_of(path: Path, rows: list[int]) -> dict[int, str]:
    """What the people in these rows are called."""
    if not path.is_file():
        return {}
    found = pl.scan_ipc(path).filter(pl.col("row").is_in(rows)).select("row", "name").collect()
    return dict(found.iter_rows())
