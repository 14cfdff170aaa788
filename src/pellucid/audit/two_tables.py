"""Releases in two tables: the quasi-identifiers with a group number, and the sensitive values with a group number."""

from __future__ import annotations

import numpy as np
import polars as pl

from pellucid.audit.source import SPLIT, Source
from pellucid.errors import InputError
from pellucid.io.codes import coded


def check_joined(source: Source, group: str) -> None:
    """Both tables must have the same groups with equally many rows; the error names the first that differs."""
    left, right = (source.read([group], table)[group] for table in SPLIT)
    for table, numbers in zip(SPLIT, (left, right), strict=True):
        if numbers.is_empty():
            raise InputError(f"table {table} has no rows; a release needs at least one row")
        if numbers.null_count():
            raise InputError(
                f"table {table}: {group!r} is null in {numbers.null_count()} rows, which therefore join nothing; "
                "give every row its group"
            )
    if left.dtype != right.dtype:
        left, right = left.cast(pl.String), right.cast(pl.String)
    values, codes, _ = coded(pl.concat([left, right]))
    mine = np.bincount(codes[: len(left)], minlength=len(values))
    theirs = np.bincount(codes[len(left) :], minlength=len(values))
    wrong = np.flatnonzero(mine != theirs)
    if len(wrong):
        number = values[int(wrong[0])]
        a, b = int(mine[wrong[0]]), int(theirs[wrong[0]])
        raise InputError(
            f"the tables do not join: {group} {number} has {a:,} rows in quasi_identifiers and {b:,} in sensitive "
            f"({len(wrong):,} of {len(values):,} groups differ); give both tables of one release, one row per person"
        )
