"""What gives a sensitive column away is refused by Spark too, from a histogram of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.spark.engine.operations import Outline
from pellucid.spark.engine.pair_counts import FEWEST_BINS, ROWS_PER_PAIR, pairs_of

ROWS = 20_000


def excerpt() -> pl.DataFrame:
    coins = np.random.default_rng(1)
    money = coins.lognormal(10, 1, ROWS).astype(int)
    decile = np.searchsorted(np.quantile(money, np.arange(0.1, 1, 0.1)), money)
    return pl.DataFrame({"age": coins.integers(18, 95, ROWS), "money": money, "decile": decile})


@pytest.mark.spark
def test_a_column_that_determines_is_refused_and_can_be_accepted(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(excerpt().to_arrow(compat_level=pl.CompatLevel.oldest())).repartition(3)
    settings = pc.Spark(rows_per_worker=8_000, work=tmp_path)
    roles: dict[str, Any] = {"quasi": ["age", "money"], "sensitive": "decile", "engine": settings}
    with pytest.raises(pc.SchemaError, match=r"money tells 9. % of decile"):
        pc.publish(frame, pc.Hybrid(l=3), **roles)
    assert list(tmp_path.iterdir()) == []
    release = pc.publish(frame, pc.Hybrid(l=3), **roles, accept_known=["money"])
    assert release.recipe["accepted_known"] == ["money"]


def test_the_histogram_is_small_beside_the_rows() -> None:
    table = pc.read(excerpt(), quasi=["age", "money"], sensitive="decile")
    counts = tuple(np.bincount(codes) for codes in table.codes)
    for rows in (200, ROWS, 10_000_000):
        pairs = pairs_of(Outline(table.attributes, counts, rows, False))
        assert sum(pair.cells for pair in pairs) <= max(rows / ROWS_PER_PAIR, 2 * FEWEST_BINS**2)
    assert pairs[0].known_bins.tolist() == list(range(len(counts[0])))  # with enough rows every code is its own
