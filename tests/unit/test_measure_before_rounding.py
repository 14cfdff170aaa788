"""What rounding and caps lost counts as lost: in metrics, in what publishing tells, in comparisons and with files."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.prune_codebooks import only_published
from pellucid.metrics.kept import information_kept
from pellucid.metrics.pre_rounding import Bands


def read(values: list[Any], how: dict[str, Any], *, column: str = "x") -> pc.Table:
    frame = pl.DataFrame({column: values, "ill": ["a", "b"] * (len(values) // 2)})
    columns = {column: pc.Column(role="quasi", **how), "ill": pc.Column(role="sensitive")}
    return pc.read(frame, schema=pc.Schema(columns=columns))


def bands(values: list[Any], how: dict[str, Any]) -> list[tuple[Any, int, int]]:
    table = read(values, how)
    found = Bands.of(table.attributes[0], table.before["x"])
    return list(zip(table.attributes[0].values.to_list(), found.low.tolist(), found.high.tolist(), strict=True))


@pytest.mark.parametrize(
    ("values", "how", "expected"),
    [
        ([0, 17, 18, 40], {"round": [0, 18, 30]}, [(0, 0, 17), (18, 18, 29), (30, 30, 40)]),
        ([5, 17, 18, 40], {"round": [10, 18, 30]}, [(10, 0, 12), (18, 13, 24), (30, 25, 35)]),  # below the first too
        ([0, 2, 3, 12], {"round": 5}, [(0, 0, 2), (5, 3, 7), (10, 8, 12)]),  # 12.5 would be 15
        ([0, 10, 90, 100], {"cap": {"low": 10, "high": 90}}, [(10, 0, 10), (90, 90, 100)]),
        ([0.5, 1.0, 1.5, 2.0], {"round": [0, 1.5]}, [(0.0, 0, 9), (1.5, 10, 15)]),  # ticks are tenths from 0.5 on
        (
            [date(2024, 1, 31), date(2024, 2, 1), date(2024, 2, 29), date(2024, 4, 2)],
            {"round": "month"},
            [(date(2024, 1, 1), 0, 0), (date(2024, 2, 1), 1, 29), (date(2024, 4, 1), 61, 62)],
        ),
        (
            [datetime(2024, 1, 1, 5), datetime(2024, 12, 31, 5), datetime(2025, 1, 1, 5), datetime(2025, 1, 1, 7)],
            {"round": "year"},
            [(date(2024, 1, 1), 0, 366 * 24 - 6), (date(2025, 1, 1), 366 * 24 - 5, 366 * 24 + 2)],
        ),
    ],
)
def test_a_value_stands_for_all_that_became_it(
    values: list[Any], how: dict[str, Any], expected: list[tuple[Any, int, int]]
) -> None:
    assert bands(values, how) == expected


@pytest.mark.parametrize(
    "how", [{"round": [0, 1000]}, {"round": 1000}, {"cap": {"high": 1}}, {"cap": {"low": 900}}, {"round": [-5, 1000]}]
)
@pytest.mark.parametrize("recode", ["intervals", "suppression", "anatomy"])
def test_of_one_value_for_all_nothing_is_kept(how: dict[str, Any], recode: str, tmp_path: Path) -> None:
    values = [*range(1, 41)]
    table = read(values, how | {"kind": "number"})
    assert table.attributes[0].values.n_unique() == 1
    metrics = [pc.Kept(), pc.Loss(), pc.InformationLoss(), pc.Precision(), pc.Perimeter(), pc.NonUniformEntropy()]
    release = pc.publish(table, pc.Anatomy(l=2) if recode == "anatomy" else pc.Tailor(l=2), recode=recode)
    release.write(tmp_path / "out")
    frame = pl.DataFrame({"x": values, "ill": ["a", "b"] * 20})
    for scores in (pc.measure(release, table, metrics), pc.measure(tmp_path / "out", frame, metrics)):
        assert [score.value for score in scores] == pytest.approx([0, 1, 1, 0, 1, 1])
    assert information_kept(table, release.private.grouping, release.public.recipe.recoder)["x"] == 0
    (error,) = pc.measure(tmp_path / "out", frame, [pc.QueryError(dimensions=1, sensitive=False, queries=50)])
    spread_evenly = 0.0  # 1 to 40 once each is what an even spread says
    assert error.value == pytest.approx(spread_evenly, abs=1e-9)


def test_a_count_over_classes_is_off_where_values_are_uneven(tmp_path: Path) -> None:
    values = [1] * 30 + [99] * 10
    table = read(values, {"round": [0, 1000], "kind": "number"})
    release = pc.publish(table, pc.Tailor(l=2))
    release.write(tmp_path / "out")
    metric = pc.QueryError(dimensions=1, sensitive=False, queries=50, selectivity=0.5)
    (error,) = pc.measure(tmp_path / "out", pl.DataFrame({"x": values, "ill": ["a", "b"] * 20}), [metric])
    assert error.value is not None
    assert error.value > 0.2


def test_in_a_comparison_too() -> None:
    coins = np.random.default_rng(1)
    rows = {"x": coins.integers(0, 100, 60).tolist(), "ill": coins.choice(["a", "b", "c"], 60).tolist()}
    columns = {"x": pc.Column(role="quasi", round=[0, 50]), "ill": pc.Column(role="sensitive")}
    found = pc.compare(pl.DataFrame(rows), [pc.Mondrian(k=2)], [pc.Kept()], schema=pc.Schema(columns=columns))
    assert found.cells[0].value("kept") == pytest.approx(0.5, abs=0.02)


def test_a_sensitive_column_that_was_rounded_is_told(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [*range(40)], "pay": [*range(1000, 1040)]})
    columns = {"x": pc.Column(role="quasi"), "pay": pc.Column(role="sensitive", kind="number", round=[0, 1010, 1020])}
    schema = pc.Schema(columns=columns)
    pc.publish(frame, pc.Tailor(l=2), schema=schema).write(tmp_path / "out")
    told = "pay was put into classes before; what that lost is not in the figures: 40 values became 3"
    with pytest.warns(UserWarning, match=told):
        pc.measure(tmp_path / "out", frame, [pc.Kept()])
    with pytest.warns(UserWarning, match=told):
        report = pc.report(tmp_path / "out", frame)
    assert told in report.html
    with pytest.warns(UserWarning, match=told):
        pc.compare(frame, [pc.Tailor(l=2)], [pc.Kept()], schema=schema)


@pytest.mark.parametrize("how", [{"round": [0, 65]}, {"round": 10}, {"cap": {"high": 66}}, {"round": [0, 1000]}])
@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_mean_of_rounded_values_is_as_far_from_people_as_they_were_before(
    how: dict[str, Any], statistic: Any
) -> None:
    ages = [18, 25, 30, 64, 66, 70, 80, 98]
    table = read(ages, how | {"kind": "number"})
    release = pc.publish(table, pc.Tailor(l=2), recode=pc.Means(statistic=statistic))
    recoder, grouping = release.public.recipe.recoder, release.private.grouping
    (published,) = release.frame[f"x_{statistic}"].unique().to_list()  # one group
    far = [min(abs(age - published) / (98 - 18), 1) for age in ages]
    assert information_kept(table, grouping, recoder)["x"] == pytest.approx(1 - sum(far) / len(far))


def test_where_no_cell_is_a_set_files_and_memory_say_the_same(tmp_path: Path) -> None:
    values = [0.1, 0.2, 1.6, 9.0]
    frame = pl.DataFrame({"x": values, "ill": ["a", "b"] * 2})
    columns = {"x": pc.Column(role="quasi", round=[0, 1.5]), "ill": pc.Column(role="sensitive")}
    schema = pc.Schema(columns=columns)
    table = pc.read(frame, schema=schema)
    release = pc.publish(table, pc.Mondrian(k=2), recode="taxonomy")
    assert release.frame["x"].to_list() == ["<1.5", "<1.5", ">=1.5", ">=1.5"]
    release.write(tmp_path / "out")
    (in_memory,) = pc.measure(release, table, [pc.Kept()])
    (in_files,) = pc.measure(tmp_path / "out", frame, [pc.Kept()], schema=schema)
    by_width = 1 - ((1.4 - 0.1) + (9.0 - 1.5)) / 2 / (9.0 - 0.1)
    assert [in_memory.value, in_files.value] == pytest.approx([by_width, by_width])


WAYS: list[dict[str, Any]] = [
    {"round": 5},
    {"round": [0, 30, 60]},
    {"cap": {"low": 25, "high": 70}},
    {"round": 10, "cap": {"high": 60}},
]


def with_rows_withheld(seed: int) -> tuple[pc.Table, Grouping]:
    """A table with a rounded quasi-identifier and a rounded sensitive column, and groups that leave rows out."""
    coins = np.random.default_rng(seed)
    ages = [None if coins.random() < 0.1 else int(age) for age in coins.integers(0, 90, 14)]
    frame = pl.DataFrame({"age": ages, "pay": coins.integers(0, 60, 14)})
    columns = {
        "age": pc.Column(role="quasi", domain=[0, 100], **WAYS[seed % len(WAYS)]),
        "pay": pc.Column(role="sensitive", kind="number", round=[0, 10, 20, 30, 40, 50]),
    }
    labels = np.array([*range(3), *coins.integers(-1, 3, 11)], np.int32)
    labels[coins.permutation(14)[:4]] = -1
    _, numbered = np.unique(np.append(labels, -1), return_inverse=True)
    return pc.read(frame, schema=pc.Schema(columns=columns)), Grouping.from_labels(numbered[:-1].astype(np.int32) - 1)


@pytest.mark.parametrize("seed", range(12))
def test_of_published_rows_alone_what_was_before_is_theirs_too(seed: int) -> None:
    table, grouping = with_rows_withheld(seed)
    seen, members = only_published(table, grouping), grouping.members
    was, is_now = table.before["age"], seen.before["age"]
    assert was.codes is not None
    assert is_now.codes is not None
    values = was.attribute.values.gather(was.codes[members].astype(np.uint32)).to_list()
    assert is_now.attribute.values.gather(is_now.codes[members].astype(np.uint32)).to_list() == values
    assert set(is_now.attribute.values.to_list()) == set(values)
    assert is_now.becomes[is_now.codes[members]].tolist() == seen.codes[0][members].tolist()
    # of the sensitive column there are no rows: what becomes a published value
    pays = zip(seen.before["pay"].attribute.values, seen.before["pay"].becomes, strict=True)
    published = set(seen.attributes[1].values.to_list())
    assert {(pay, seen.attributes[1].values[int(code)]) for pay, code in pays} == {
        (pay, pay // 10 * 10) for pay in table.before["pay"].attribute.values if pay // 10 * 10 in published
    }
    assert len(seen.before["pay"].attribute) <= len(table.before["pay"].attribute)
    # what was lost is the same, measured in either table
    expected = information_kept(table, grouping, "intervals")
    assert information_kept(seen, grouping, "intervals") == pytest.approx(expected)


def test_a_column_as_it_was_that_is_of_another_table_is_refused() -> None:
    table, grouping = with_rows_withheld(0)
    seen = only_published(table, grouping)
    assert len(seen.attributes[0]) < len(table.attributes[0])
    with pytest.raises(ValueError, match="'age' as it was before rounding is not of this table"):
        replace(table, attributes=seen.attributes, codes=seen.codes)
    with pytest.raises(ValueError, match="remap it"):
        replace(table, codes=tuple(codes[:5] for codes in table.codes))


def test_added_records_have_what_was_before_of_the_row_that_they_are_like() -> None:
    table, grouping = with_rows_withheld(2)
    added = np.array([0, 1, 1], np.int32), np.zeros(3, np.int32)
    more = Grouping(grouping.members, grouping.starts, grouping.rows, added=added)
    grown, _ = more.as_published(table)
    was = grown.before["age"]
    assert was.codes is not None
    assert len(grown) == len(table) + 3
    assert was.becomes[was.codes].tolist() == grown.codes[0].tolist()
