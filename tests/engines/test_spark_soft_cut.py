"""SoftCut from Spark is SoftCut in memory with the same coins, row for row, wherever its cuts are decided."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.tables import crowded, in_parts, published, schema_of
from pellucid.core.coins import Coins
from pellucid.spark.engine import publish as publishing
from pellucid.spark.engine.publish import Particulars, publish_with_spark
from pellucid.spark.engine.top_tree import Top, grow_top

pytestmark = pytest.mark.spark


@pytest.fixture
def tops(monkeypatch: pytest.MonkeyPatch) -> list[Top]:
    """The tops of trees that the driver made."""
    found: list[Top] = []

    def kept(*arguments: Any, **named: Any) -> Top:
        found.append(grow_top(*arguments, **named))
        return found[-1]

    monkeypatch.setattr(publishing, "grow_top", kept)
    return found


def local(frame: Any, schema: pc.Schema, method: pc.SoftCut | pc.Hybrid, recoder: Any, seed: int) -> pl.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        release: pl.DataFrame = pc.publish(frame, method, schema=schema, recode=recoder, seed=seed).frame
    return release


def test_random_tables(spark: Any, tmp_path: Path, tops: list[Top], thorough: bool) -> None:
    """Thorough: 50 tables. The driver makes certain cuts, and tries that the die accepts and refuses."""
    for number in range(50) if thorough else (9, 11, 14):
        random = Random(f"soft cut on Spark {number}")
        l = random.choice([2, 2, 3])
        frame = crowded(random.randint(200, 600), l, seed=number)
        by_name = number % 3 > 0
        schema = schema_of(random.choice(["three", "many values", "six"]), identifier=by_name)
        special: dict[str, Any] = {"values": ("flu", "other 1"), "k": 5} if number % 4 == 3 else {}
        method, recoder = pc.SoftCut(l=l, **special), random.choice([pc.Intervals(), pc.Suppression()])
        arrow = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        source = (
            spark.createDataFrame(arrow).repartition(random.choice([1, 2, 5]))
            if by_name
            else in_parts(frame, tmp_path / f"{number}.parquet", random.choice([1, 3]))
        )
        settings = pc.Spark(rows_per_worker=random.choice([30, 60, 100]))
        bins = random.choice([4, 64, 1024])
        release = publish_with_spark(
            source, schema, method, recoder, Coins.from_seed(number), settings, Particulars(bins=bins)
        )
        assert release.parts is not None
        assert published(release.parts["data"]).equals(local(frame, schema, method, recoder, number)), number
    seen = Counter(accepted=sum(top.accepted for top in tops), refused=sum(len(top.refused) for top in tops))
    seen["certain"] = sum(len(top.cuts.ends) - 1 - top.accepted for top in tops)
    assert min(seen["accepted"], seen["refused"], seen["certain"]) > 0, seen


@pytest.mark.parametrize("special", [{}, {"values": ("flu",), "k": 3}])
def test_a_table_in_which_no_cut_is_certain_goes_to_one_worker(
    spark: Any, tops: list[Top], special: dict[str, Any]
) -> None:
    """Who looks whether the buckets allow a first cut, as in memory; here they do."""
    frame = crowded(300).with_columns(
        ill=pl.when(pl.int_range(300) < 100).then(pl.lit("flu")).otherwise(pl.col("ill").str.replace("flu", "gout"))
    )
    schema = schema_of("three")
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    args = schema, pc.SoftCut(l=2, **special), pc.Intervals()
    release = publish_with_spark(source, *args, Coins.from_seed(9), pc.Spark(rows_per_worker=50))
    assert release.parts is not None
    assert release.figures is not None
    here = local(frame, *args, 9)
    assert published(release.parts["data"]).equals(here)
    assert not here.equals(local(frame, schema, pc.Hybrid(l=2, **special), pc.Intervals(), 9))
    assert tops[0].cuts.ends == [0]
    assert "cannot be divided among workers" in release.figures["remarks"][0]
