"""The release that Spark makes is the one made in memory with the same coins, row for row."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.tables import in_parts, people, published, schema_of
from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import Recoder
from pellucid.core.coins import Coins
from pellucid.core.schema import Schema
from pellucid.spark.engine.publish import Particulars, publish_with_spark

pytestmark = pytest.mark.spark

# rows, columns, partitions, method, recoder, rows per worker, bins
CASES = [
    (10, "one", 1, pc.Hybrid(l=2), pc.Intervals(), 3, 1024),
    (300, "ties", 2, pc.Hybrid(l=2), pc.Intervals(split=True), 40, 4),
    (300, "ties", 7, pc.Tailor(l=2), pc.Suppression(), 40, 1024),
    (500, "many values", 7, pc.Hybrid(l=3), pc.Intervals(), 90, 16),
    (400, "taxonomies", 2, pc.Hybrid(l=3), pc.Taxonomy(), 90, 1024),
    (400, "taxonomies", 1, pc.Tailor(model="entropy l-diversity=2"), pc.Intervals(), 90, 1024),
    (400, "six", 7, pc.Hybrid(l=2), pc.Intervals(), 90, 1024),
    (400, "six", 2, pc.Tailor(model="t-closeness=0.6"), pc.Intervals(), 90, 1024),
]


def local(source: Any, schema: Schema, method: Method, recoder: Recoder, seed: int) -> pc.Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        return pc.publish(source, method, schema=schema, recode=recoder, seed=seed)


@pytest.mark.parametrize(("rows", "kind", "partitions", "method", "recoder", "most", "bins"), CASES)
def test_by_identifier(
    spark: Any, rows: int, kind: str, partitions: int, method: Method, recoder: Recoder, most: int, bins: int
) -> None:
    frame, schema = people(rows), schema_of(kind)
    arrow = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    source = spark.createDataFrame(arrow).repartition(partitions)
    settings = pc.Spark(rows_per_worker=most)
    release = publish_with_spark(source, schema, method, recoder, Coins.from_seed(5), settings, Particulars(bins=bins))
    same = local(frame, schema, method, recoder, 5)
    assert release.parts is not None
    assert release.figures is not None
    assert published(release.parts["data"]).equals(same.frame)
    assert release.recipe == same.recipe
    assert release.figures["parts"] > 1 or rows == 10  # the top of the tree was really cut by Spark
    sizes = same.private.grouping.sizes.tolist()
    assert release.figures["sizes"] == {size: sizes.count(size) for size in sorted(set(sizes))}


@pytest.mark.parametrize("parts", [1, 3])
def test_files_without_identifier_and_two_sensitive_columns(spark: Any, tmp_path: Path, parts: int) -> None:
    frame = people(400, seed=2)
    schema = schema_of("six", identifier=False, sensitive=("ill", "cost"))
    folder = in_parts(frame, tmp_path / "people.parquet", parts)
    method, recoder = pc.Tailor(l=2), pc.Intervals()
    assert spark is not None
    settings = pc.Spark(rows_per_worker=90)
    release = publish_with_spark(str(folder), schema, method, recoder, Coins.from_seed(6), settings)
    same = local(folder, schema, method, recoder, 6)
    assert release.parts is not None
    assert published(release.parts["data"]).equals(same.frame)
    assert same.frame.equals(local(frame, schema, method, recoder, 6).frame)


def test_a_census_of_200_000(spark: Any, tmp_path: Path) -> None:
    frame = pc.datasets.census(200_000).with_columns(pl.col("gender").cast(pl.String))
    folder = in_parts(frame, tmp_path / "census.parquet", 2)
    schema = pc.datasets.schema_of("census:200000")
    assert schema is not None
    settings = pc.Spark(rows_per_worker=60_000)
    assert spark is not None
    release = publish_with_spark(folder, schema, pc.Hybrid(l=8), pc.Intervals(), Coins.from_seed(7), settings)
    same = local(folder, schema, pc.Hybrid(l=8), pc.Intervals(), 7)
    assert release.parts is not None
    assert release.figures is not None
    got = published(release.parts["data"])
    assert got.cast(dict(same.frame.schema)).equals(same.frame)  # Spark has no unsigned numbers
    assert release.figures["parts"] > 3


def test_a_dataframe_in_and_a_dataframe_out(spark: Any, tmp_path: Path) -> None:
    frame, schema = people(60), schema_of("ties")
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    release = pc.publish(source, pc.Hybrid(l=2), schema=schema)
    assert type(release.frame) is type(source)
    assert release.frame.columns == ["age", "born", "grade", "ill"]
    assert release.frame.count() == 60
    with pytest.raises(pc.MethodError, match="keeps no link to its input"):
        _ = release.private.labels
    written = release.write(tmp_path / "out")
    assert sorted(path.name for path in written.iterdir()) == ["data.parquet", "recipe.json"]
    levels = {level.model: level.level for level in pc.levels(written)}
    assert levels["l-diversity"] >= 2
    with pytest.raises(pc.OutputError, match="parquet"):
        release.write(tmp_path / "csv", format="csv")
    assert not (tmp_path / "csv").exists()


def test_a_value_that_is_too_frequent_to_cut_goes_to_one_worker(spark: Any) -> None:
    frame = people(120).with_columns(ill=pl.when(pl.int_range(120) < 55).then(pl.lit("flu")).otherwise(pl.lit("gout")))
    schema = schema_of("ties")
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    args = schema, pc.Hybrid(l=1), pc.Intervals(), Coins.from_seed(8), pc.Spark(rows_per_worker=50)
    release = publish_with_spark(source, *args)
    assert release.parts is not None
    assert release.figures is not None
    assert published(release.parts["data"]).equals(local(frame, schema, pc.Hybrid(l=1), pc.Intervals(), 8).frame)
    assert "cannot be divided among workers" in release.figures["remarks"][0]
