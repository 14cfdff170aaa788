"""Information kept is 1 minus the mean extent of what is published: tables computed by hand, for each recoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Intervals, Taxonomic
from pellucid.core.schema import Column, Schema
from pellucid.core.table import Table
from pellucid.io import read
from pellucid.metrics.kept import information_kept

TREE = {"*": {"north": ["a", "b"], "south": {"coast": ["c", "d"], "inland": ["e"]}}}


def grouping(*labels: int) -> Grouping:
    return Grouping.from_labels(np.array(labels, np.int32))


def table_of(values: list[Any], **column: Any) -> Table:
    frame = pl.DataFrame({"x": values, "disease": [f"d{i}" for i in range(len(values))]})
    columns = {"x": Column(**{"role": "quasi", **column}), "disease": Column(role="sensitive")}
    return read(frame, schema=Schema(columns=columns))


def kept(table: Table, groups: Grouping, recode: str = "intervals") -> float:
    return information_kept(table, groups, recode)["x"]


def published(table: Table, groups: Grouping, recode: str) -> set[str]:
    recoder = Taxonomic() if recode == "taxonomy" else Intervals()
    return set(recoder.recode(table, groups)["data"]["x"].cast(pl.String).to_list())


def test_numbers_keep_what_their_interval_leaves() -> None:
    table = table_of([20, 30, 60, 60], kind="number")
    assert kept(table, grouping(0, 0, 1, 1)) == pytest.approx((0.75 + 0.75 + 1 + 1) / 4)
    assert kept(table, grouping(0, 1, 0, 1)) == pytest.approx((0 + 0.25 + 0 + 0.25) / 4)


def test_a_suppressed_row_keeps_nothing() -> None:
    assert kept(table_of([20, 20, 20, 60], kind="number"), grouping(0, 0, -1, -1)) == 0.5


def test_a_null_beside_numbers_keeps_nothing_and_nulls_alone_keep_all() -> None:
    table = table_of([None, None, 20, 60], kind="number")
    assert kept(table, grouping(0, 0, 1, 2)) == 1
    assert kept(table, grouping(0, 1, 0, 1)) == 0


def test_suppression_keeps_only_what_a_whole_group_shares() -> None:
    assert kept(table_of([20, 20, 30, 60], kind="number"), grouping(0, 0, 1, 1), "suppression") == 0.5
    assert kept(table_of(["a", None, None, None], kind="category"), grouping(0, 0, 1, 1), "suppression") == 0.5


def test_anatomy_keeps_all_but_suppressed_rows() -> None:
    assert kept(table_of([20, 20, 30, 60], kind="number"), grouping(0, 0, 0, -1), "anatomy") == 0.75


@pytest.mark.parametrize("recode", ["intervals", "taxonomy"])
def test_a_category_keeps_what_the_common_ancestor_leaves(recode: str) -> None:
    table = table_of(["a", "b", "c", "d", "c", "e", None], kind="category", taxonomy={"tree": TREE})
    # Five cities and null are six leaves: "north" and "coast" leave 1/5 of them open, "south" 2/5, the root everything.
    groups = grouping(0, 0, 1, 1, 2, 2, 3)
    assert kept(table, groups, recode) == pytest.approx((0.8 * 4 + 0.6 * 2 + 1) / 7)
    assert published(table, groups, recode) == {"north", "coast", "south", None}
    assert kept(table, grouping(0, 1, 1, 0, 2, 2, 0), recode) == pytest.approx((0 * 5 + 0.6 * 2) / 7)


def test_a_ladder_keeps_what_its_step_leaves_and_not_what_the_interval_would() -> None:
    table = table_of([20, 22, 23, 29, 30, 38], kind="number", taxonomy={"ladder": [5, 10]})
    groups = grouping(0, 0, 1, 1, 2, 2)
    assert published(table, groups, "taxonomy") == {"[20, 24]", "[20, 29]", "[30, 39]"}
    # six leaves: 20 22 23 below [20, 24], these and 29 below [20, 29], 30 38 below [30, 39]
    assert kept(table, groups, "taxonomy") == pytest.approx((2 * (1 - 2 / 5) + 2 * (1 - 3 / 5) + 2 * (1 - 1 / 5)) / 6)
    assert kept(table, groups, "intervals") == pytest.approx(
        (2 * (1 - 2 / 18) + 2 * (1 - 6 / 18) + 2 * (1 - 8 / 18)) / 6
    )


def test_a_number_beside_a_null_becomes_the_root_of_its_taxonomy() -> None:
    table = table_of([20, None, 23, 23], kind="number", taxonomy={"ladder": [5]})
    groups = grouping(0, 0, 1, 1)
    assert published(table, groups, "taxonomy") == {"*", "23"}
    assert kept(table, groups, "taxonomy") == 0.5


@pytest.mark.parametrize("recode", ["intervals", "taxonomy"])
def test_a_category_without_a_taxonomy_keeps_what_its_set_leaves(recode: str) -> None:
    table = table_of(["a", "e", "b", "c", "d", "d", "e"], kind="category")
    groups = grouping(0, 0, 1, 1, 1, 2, 2)
    assert published(table, groups, recode) == {"{a, e}", "{b, c, d}", "{d, e}"}
    # five values: a set of two leaves a quarter of them open, however far apart they are, a set of three a half
    assert kept(table, groups, recode) == pytest.approx((2 * 0.75 + 3 * 0.5 + 2 * 0.75) / 7)


def test_a_null_is_a_value_of_a_set() -> None:
    assert kept(table_of(["a", None, "b", "b"], kind="category"), grouping(0, 0, 1, 1)) == pytest.approx(0.75)


def test_a_number_without_a_taxonomy_is_a_set_for_the_taxonomic_recoder() -> None:
    table = table_of([20, 60, 30, 31], kind="number")
    groups = grouping(0, 0, 1, 1)
    assert published(table, groups, "taxonomy") == {"{20, 60}", "{30, 31}"}
    assert kept(table, groups, "taxonomy") == pytest.approx(1 - 1 / 3)


def test_sets_of_many_values_are_counted_as_sets_of_few() -> None:
    names = [f"v{i:03}" for i in range(101)]
    assert kept(table_of(names, kind="category"), grouping(*([0] * 11), *range(1, 91))) == pytest.approx(
        (11 * (1 - 10 / 100) + 90) / 101
    )


@pytest.mark.parametrize("recode", ["intervals", "taxonomy"])
def test_where_a_name_has_two_parents_the_published_one_counts(recode: str) -> None:
    tree = {"*": {"Europe": ["France", "Turkey"], "Asia": ["Japan", "Turkey", "China"]}}
    table = table_of(
        ["Turkey", "Japan", "France", "Turkey", "China", "France"], kind="category", taxonomy={"tree": tree}
    )
    groups = grouping(0, 0, 1, 1, 2, 2)
    assert published(table, groups, recode) == {"Asia", "Europe", "*"}
    # four leaves: Asia has three of them, Europe two
    assert kept(table, groups, recode) == pytest.approx((2 * (1 - 2 / 3) + 2 * (1 - 1 / 3) + 0) / 6)


def test_ordered_values_keep_what_their_interval_leaves() -> None:
    table = table_of(["low", "mid", "high", "high"], kind="ordered", order=["low", "mid", "high"])
    assert kept(table, grouping(0, 0, 1, 1)) == pytest.approx(0.75)


def test_a_carried_column_is_measured_too() -> None:
    frame = pl.DataFrame({"ward": ["x", "y", "x", "x"], "age": [20, 30, 60, 60], "disease": list("abcd")})
    table = read(frame, quasi=["age"], sensitive="disease", carry=["ward"])
    assert information_kept(table, grouping(0, 0, 1, 1)) == {"age": pytest.approx(0.875), "ward": 0.5}
