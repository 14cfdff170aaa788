"""Joint distributions are the same to the last bit however they are added up: over a grid, or vector by vector."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.metrics import joint as measured
from pellucid.metrics.boxes import Shown, shown_by
from pellucid.metrics.joint import JointShares, joint

TREE = {"*": {"north": ["a", "b"], "south": {"coast": ["c", "d"], "inland": ["e"]}}}
SCHEMA = pc.Schema(
    columns={
        "age": pc.Column(role="quasi", domain=[0, 99]),
        "city": pc.Column(role="quasi", taxonomy={"tree": TREE}),
        "job": pc.Column(role="quasi"),
        "pay": pc.Column(role="quasi"),
        "disease": pc.Column(role="sensitive"),
    }
)
RECODES: list[Any] = ["intervals", "taxonomy", "suppression", "anatomy"]
COLUMNS = [(0,), (1,), (0, 1), (2, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2, 3)]


def drawn(seed: int) -> Shown:
    coins = np.random.default_rng(seed)
    rows = int(coins.integers(30, 300))
    frame = pl.DataFrame(
        {
            "age": coins.integers(20, 60, rows),
            "city": coins.choice(list("abcde"), rows),
            "job": coins.choice(["p", "q", "r", "s"], rows),
            "pay": coins.permutation(rows) * 7,
            "disease": coins.choice(["flu", "cold", "cough"], rows),
        }
    )
    gone = {name: pl.Series(coins.random(rows) < 0.1) for name in ("age", "city", "pay")}
    frame = frame.with_columns(pl.when(null).then(None).otherwise(name).alias(name) for name, null in gone.items())
    table = pc.read(frame, schema=SCHEMA)
    release = pc.publish(table, pc.Mondrian(k=3), recode=RECODES[seed % len(RECODES)])
    shown = shown_by(release, table)
    return shown if seed % 3 else _with_suppressed(shown)


def _with_suppressed(shown: Shown) -> Shown:
    """The same, as if some rows more were left out."""
    return replace(shown, suppressed=5)


def same(mine: JointShares, other: JointShares) -> bool:
    return np.array_equal(mine.true, other.true) and np.array_equal(mine.estimated, other.estimated)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("bins", [None, 7])
def test_the_same_over_a_grid_vector_by_vector_and_some_boxes_at_a_time(
    seed: int, bins: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = drawn(seed)
    for columns in COLUMNS:
        for sensitive in (False, True):
            as_it_is = joint(shown, columns, sensitive=sensitive, bins=bins)
            with monkeypatch.context() as patch:
                patch.setattr(measured, "LARGEST_GRID", 0)
                by_vector = joint(shown, columns, sensitive=sensitive, bins=bins)
                patch.setattr(measured, "SHARES_AT_ONCE", 20)
                in_pieces = joint(shown, columns, sensitive=sensitive, bins=bins)
            assert same(as_it_is, by_vector), (columns, sensitive)
            assert same(as_it_is, in_pieces), (columns, sensitive)


def test_columns_of_a_few_cells_are_added_up_over_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the test above compares a thing with itself."""

    def refused(*_: Any) -> Any:
        raise LookupError("over a grid")

    monkeypatch.setattr(measured, "_over_grid", refused)
    with pytest.raises(LookupError, match="over a grid"):
        joint(drawn(1), (0, 1), sensitive=True, bins=7)
