"""Adult, where it is there: its rows without unknown values, and its columns with the taxonomies beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from figures import DATA, say


def complete_rows() -> pl.DataFrame | None:
    """The rows without unknown values, in file order; None when the file is absent."""
    path = DATA / "adult" / "adult.csv"
    if not path.exists():
        say(f"{path} is absent: what needs Adult is left out; set PELLUCID_DATA to the folder that has adult/")
        return None
    frame = pl.read_csv(path, infer_schema_length=None)
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.filter(~pl.any_horizontal(pl.col(name) == "?" for name in texts))


def columns_of(frame: pl.DataFrame, quasi: Sequence[str], sensitive: str, *, taxonomies: bool) -> dict[str, Any]:
    """What the columns are, for a schema."""
    columns: dict[str, Any] = {}
    for name in quasi:
        tree = {"taxonomy": {"file": str(DATA / "adult" / "taxonomies" / f"{name}.csv")}} if taxonomies else {}
        columns[name] = {"role": "quasi", "kind": "number" if frame.schema[name].is_numeric() else "category", **tree}
    return columns | {sensitive: {"role": "sensitive", "kind": "category"}}
