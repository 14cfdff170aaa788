"""Releases in two tables: the quasi-identifiers with a group number, and the sensitive values with a group number."""

from __future__ import annotations

import numpy as np
import polars as pl

from pellucid.audit.source import SPLIT, OpenedRelease
from pellucid.errors import InputError
from pellucid.io.codes import coded
from pellucid.io.inference import INTEGER
from pellucid.messages import Count
from pellucid.published.numbers import number_of
from pellucid.text.values import label_of


def numbers_of_groups(source: OpenedRelease, group: str) -> pl.Series:
    """The group of every row of the quasi-identifier table, spelled as :func:`joined_groups` spells it."""
    left, right = (_numbers(source.read([group], table)[group], group, table) for table in SPLIT)
    return left if left.dtype == right.dtype else left.cast(pl.String)


def joined_groups(source: OpenedRelease, group: str) -> pl.Series:
    """The group of every row of the sensitive table, after checking that the tables join.

    Both tables must have the same groups with equally many rows; the error names the first that differs. A group's
    number is the same number in both, however they write it: 1 in one table is 1.0 in the other, as pandas has it.
    """
    left, right = (_numbers(source.read([group], table)[group], group, table) for table in SPLIT)
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
            "the tables do not join: {group} {number} has {rows} in quasi_identifiers and "
            "{b:,} in sensitive ({wrong:,} of {values:,} groups differ); give both tables of one release, "
            "one row per person",
            group=group,
            number=number,
            rows=Count(a, "row"),
            b=b,
            wrong=len(wrong),
            values=len(values),
        )
    return right


def _numbers(groups: pl.Series, group: str, table: str) -> pl.Series:
    """The numbers of groups in one spelling: integers as they are, 1.0 and 1e0 as 1, other texts as they are."""
    if groups.is_empty():
        raise InputError("table {table} has no rows; a release needs at least one row", table=table)
    if groups.null_count():
        raise InputError(
            "table {table}: {group!r} is null in {rows}, which therefore join nothing; give every row its group",
            table=table,
            group=group,
            rows=Count(groups.null_count(), "row"),
        )
    if groups.dtype.is_integer() or (groups.dtype == pl.String and groups.str.contains(INTEGER).all()):
        return groups
    values, codes, has_null = coded(groups)
    if has_null:  # what a library has for null, such as NaN
        return _numbers(groups.fill_nan(None), group, table)
    numbers = [(label, number_of(label)) for label in map(label_of, values.to_list())]
    labels = [label if n is None or not n.is_finite() or n % 1 else str(int(n)) for label, n in numbers]
    spelled = pl.Series(groups.name, labels, dtype=pl.String)
    return spelled.gather(codes.astype(np.uint32))
