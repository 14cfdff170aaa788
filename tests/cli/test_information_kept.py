"""Information kept is 1 minus the mean extent, as the table defines extents."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from pellucid.app.kept import information_kept
from pellucid.group import Grouping
from pellucid.io import read
from pellucid.schema import Column, Schema
from pellucid.table import Table


def grouping(*labels: int) -> Grouping:
    return Grouping.from_labels(np.array(labels, np.int32))


def table_of(ages: list[int | None]) -> Table:
    frame = pl.DataFrame({"age": ages, "disease": [f"d{i}" for i in range(len(ages))]})
    return read(frame, schema=Schema.of(quasi=["age"], sensitive="disease", kinds={"age": "number"}))


def test_numbers_keep_what_their_interval_leaves() -> None:
    table = table_of([20, 30, 60, 60])
    assert information_kept(table, grouping(0, 0, 1, 1)) == {"age": pytest.approx((0.75 + 0.75 + 1 + 1) / 4)}
    assert information_kept(table, grouping(0, 1, 0, 1)) == {"age": pytest.approx((0 + 0.25 + 0 + 0.25) / 4)}


def test_a_suppressed_row_keeps_nothing() -> None:
    assert information_kept(table_of([20, 20, 20, 60]), grouping(0, 0, -1, -1)) == {"age": 0.5}


def test_a_null_beside_values_keeps_nothing_and_nulls_alone_keep_all() -> None:
    table = table_of([None, None, 20, 60])
    assert information_kept(table, grouping(0, 0, 1, 2)) == {"age": 1}
    assert information_kept(table, grouping(0, 1, 0, 1)) == {"age": 0}


def test_suppression_keeps_only_what_a_whole_group_shares() -> None:
    assert information_kept(table_of([20, 20, 30, 60]), grouping(0, 0, 1, 1), "suppression") == {"age": 0.5}


def test_anatomy_keeps_all_but_suppressed_rows() -> None:
    assert information_kept(table_of([20, 20, 30, 60]), grouping(0, 0, 0, -1), "anatomy") == {"age": 0.75}


def test_a_category_keeps_what_the_common_ancestor_leaves() -> None:
    tree = {"*": {"north": ["a", "b"], "south": {"coast": ["c", "d"], "inland": ["e"]}}}
    frame = pl.DataFrame({"city": ["a", "b", "c", "d", "c", "e", None], "s": list("tuvwxyz")})
    city = Column(role="quasi", kind="category", taxonomy={"tree": tree})
    table = read(frame, schema=Schema(columns={"city": city, "s": Column(role="sensitive")}))
    # Five cities and null are six leaves: a group below "north" or "coast" spans 1/5 of the range, below "south" 2/5.
    assert information_kept(table, grouping(0, 0, 1, 1, 2, 2, 3))["city"] == pytest.approx((0.8 * 4 + 0.6 * 2 + 1) / 7)
    assert information_kept(table, grouping(0, 1, 1, 0, 2, 2, 0))["city"] == pytest.approx((0 * 5 + 0.6 * 2) / 7)
