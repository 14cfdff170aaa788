"""Credibility as [W] defines it: the belief of somebody who knows that nothing is generalised without need."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.group import Grouping
from pellucid.posterior.exclusion import Impossible
from pellucid.posterior.merged_classes import credibilities
from pellucid.schema import Role
from pellucid.table import Table


def credibility(table: Table, grouping: Grouping, inside: NDArray[np.bool_], m: int) -> NDArray[np.float64]:
    """For each row the belief that it has a value of the set, which ``inside`` tells for every row.

    A class is all rows with the same quasi-identifiers. A group with rows of several classes was formed because one of
    them, as a whole, had more than one row in m inside the set; rows that are published in a group of their own class
    are known. Rows of a class that went to another mixed group say nothing about this one.
    """
    quasi = [table.codes[i] for i in table.having(Role.QUASI)]
    rows = pl.DataFrame({f"q{i}": codes for i, codes in enumerate(quasi)}).with_columns(
        pl.Series("group", grouping.labels), pl.Series("inside", inside), pl.int_range(pl.len()).alias("row")
    )
    rows = rows.filter(pl.col("group") >= 0).with_columns(
        pl.struct([f"q{i}" for i in range(len(quasi))]).rank("dense").alias("class")
    )
    parts = rows.group_by("group", "class").agg(pl.len().alias("n"), pl.col("inside").sum().alias("s"), pl.col("row"))
    mixed = pl.len().over("group") > 1
    own = parts.filter(~mixed).group_by("class").agg(pl.col("n").sum().alias("kept"), pl.col("s").sum().alias("kept_s"))
    parts = parts.with_columns(mixed.alias("mixed")).join(own, on="class", how="left").fill_null(0)
    belief = np.zeros(len(table))
    for (_, is_mixed), part in parts.sort("group", "class").group_by("group", "mixed", maintain_order=True):
        members = part["row"].to_list()
        believed = _of_group(part, m) if is_mixed else (part["s"] / part["n"]).to_list()
        for mine, probability in zip(members, believed, strict=True):
            # a class that is published both ways is believed the same throughout; the mixed group says it
            belief[mine] = np.maximum(belief[mine], probability)
    return belief


def _of_group(part: pl.DataFrame, m: int) -> list[float]:
    """What is believed of each class of a mixed group: of generalised rows by the engine, of the others by sight."""
    n, s = int(part["n"].sum()), int(part["s"].sum())
    moved, kept, kept_s = (part[name].to_list() for name in ("n", "kept", "kept_s"))
    sizes = [own + away for own, away in zip(kept, moved, strict=True)]
    shares = [s / n] * len(moved)
    # a class as a whole satisfies the model with at most so many of its generalised rows inside the set
    most = [size // m - known for size, known in zip(sizes, kept_s, strict=True)]
    if s > 0:
        with suppress(Impossible):  # no class can have violated the model: something else was in the way
            shares = credibilities(moved, s, most)
    return [
        (away * share + known) / size for away, share, known, size in zip(moved, shares, kept_s, sizes, strict=True)
    ]
