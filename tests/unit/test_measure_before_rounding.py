"""What rounding and caps lost counts as lost: in metrics, in what publishing tells, in comparisons and with files."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.measuring.as_it_was import Bands
from pellucid.measuring.kept import information_kept


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
