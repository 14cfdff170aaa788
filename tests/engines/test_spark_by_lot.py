"""Anatomy and Ace with Spark, and two tables of any method: the release made in memory with the same coins."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import pellucid as pc
from engines.tables import in_parts, people, published, schema_of
from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import Recoder, TwoTables
from pellucid.core.coins import Coins
from pellucid.core.schema import Schema
from pellucid.spark.engine.operations import Outline
from pellucid.spark.engine.publish import Particulars, publish_with_spark
from pellucid.spark.engine.two_tables import Pairs

pytestmark = pytest.mark.spark

# rows, columns, partitions, method, recoder, rows per worker
CASES = [
    (10, "one", 1, pc.Anatomy(l=2), TwoTables(), 3),
    (301, "ties", 2, pc.Anatomy(l=3), TwoTables(), 40),
    (303, "ties", 7, pc.Anatomy(l=4), pc.Intervals(), 40),
    (500, "many values", 7, pc.Anatomy(l=2), TwoTables(), 90),
    (400, "six", 2, pc.Anatomy(l=3), pc.Suppression(), 90),
    (300, "ties", 7, pc.Ace(l=2), pc.Intervals(), 20),
    (401, "six", 2, pc.Ace(l=3), pc.Intervals(), 90),
    (400, "taxonomies", 1, pc.Ace(l=2), pc.Taxonomy(), 90),
    (500, "many values", 7, pc.Hybrid(l=2), TwoTables(), 90),
]


def local(source: Any, schema: Schema, method: Method, recoder: Recoder, seed: int) -> pc.Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        return pc.publish(source, method, schema=schema, recode=recoder, seed=seed)


def assert_same(release: Any, same: pc.Release) -> None:
    """Row for row, and the same types but for numbers without a sign, which Spark does not have."""
    assert release.parts.keys() == same.public.frames.keys()
    for name, frame in same.public.frames.items():
        assert published(release.parts[name]).cast(dict(frame.schema)).equals(frame)
    assert release.recipe == same.recipe
    sizes = same.private.grouping.sizes.tolist()
    assert release.figures["sizes"] == {size: sizes.count(size) for size in sorted(set(sizes))}


@pytest.mark.parametrize(("rows", "kind", "partitions", "method", "recoder", "most"), CASES)
def test_by_identifier(
    spark: Any, rows: int, kind: str, partitions: int, method: Method, recoder: Recoder, most: int
) -> None:
    frame, schema = people(rows), schema_of(kind)
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest())).repartition(partitions)
    settings = pc.Spark(rows_per_worker=most)
    release = publish_with_spark(source, schema, method, recoder, Coins.from_seed(5), settings)
    assert_same(release, local(frame, schema, method, recoder, 5))
    assert release.figures is not None
    assert release.figures["parts"] > 1


@pytest.mark.parametrize(
    ("method", "recoder"),
    [(pc.Hybrid(l=2), pc.Intervals()), (pc.Anatomy(l=2), TwoTables()), (pc.Hybrid(l=2), TwoTables())],
)
def test_several_files_are_in_order_over_all_of_them(spark: Any, method: Method, recoder: Recoder) -> None:
    frame, schema = people(300), schema_of("many values")
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    coins, settings = Coins.from_seed(5), pc.Spark(rows_per_worker=90)
    release = publish_with_spark(source, schema, method, recoder, coins, settings, Particulars(rows_per_file=60))
    assert release.parts is not None
    for folder in release.parts.values():
        assert sum(1 for file in folder.iterdir() if pl.read_parquet(file).height) > 2
    assert_same(release, local(frame, schema, method, recoder, 5))


def test_the_numbers_of_groups_have_one_type_in_all_files() -> None:
    """Beyond 2**31 groups, which no test has: those of the first file too."""
    ill = pc.read(pl.DataFrame({"age": [1, 2], "ill": ["flu", "gout"]}), quasi=["age"], sensitive="ill")
    outline = Outline(ill.attributes, (np.ones(2, np.int64), np.ones(2, np.int64)), 2, ordered=False)
    codes = pa.array([np.int32([0, 1]).tobytes()], pa.large_binary())
    lines = pa.table({"rows": [2], "vectors": codes, "secrets": codes})
    for groups, kind in ((2**31 - 1, pl.Int32), (2**31, pl.Int64)):
        for table in Pairs.of(outline).frames(lines, 1, groups).values():
            assert table["group"].dtype == kind


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("method", [pc.Anatomy(l=3), pc.Ace(l=3)])
def test_files_without_identifier(spark: Any, tmp_path: Path, method: Method, parts: int) -> None:
    frame, schema = people(401, seed=2), schema_of("six", identifier=False)
    folder = in_parts(frame, tmp_path / "people.parquet", parts)
    assert spark is not None
    settings = pc.Spark(rows_per_worker=90)
    release = publish_with_spark(str(folder), schema, method, TwoTables(), Coins.from_seed(6), settings)
    assert_same(release, local(folder, schema, method, TwoTables(), 6))


def test_two_tables_of_two_sensitive_columns(spark: Any) -> None:
    frame, schema = people(400, seed=3), schema_of("ties", sensitive=("ill", "cost"))
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    method = pc.Tailor(l=2)
    release = publish_with_spark(source, schema, method, TwoTables(), Coins.from_seed(6), pc.Spark(rows_per_worker=90))
    assert_same(release, local(frame, schema, method, TwoTables(), 6))


@pytest.mark.parametrize("method", [pc.Anatomy(l=8), pc.Ace(l=8)])
def test_a_census(spark: Any, tmp_path: Path, method: Method) -> None:
    frame = pc.datasets.census(50_000).with_columns(pl.col("gender").cast(pl.String))
    folder = in_parts(frame, tmp_path / "census.parquet", 2)
    schema = pc.datasets.schema_of("census:50000")
    assert schema is not None
    assert spark is not None
    settings = pc.Spark(rows_per_worker=12_000)
    release = publish_with_spark(folder, schema, method, TwoTables(), Coins.from_seed(7), settings)
    assert_same(release, local(folder, schema, method, TwoTables(), 7))
    assert release.figures is not None
    assert release.figures["parts"] > 3


def test_two_spark_dataframes_come_out(spark: Any, tmp_path: Path) -> None:
    frame, schema = people(60), schema_of("ties")
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    release = pc.publish(source, pc.Anatomy(l=2), schema=schema)
    assert release.recipe["recode"] == "anatomy"
    assert release.frames["quasi_identifiers"].columns == ["group", "age", "born", "grade"]
    assert release.frames["sensitive"].columns == ["group", "ill"]
    assert type(release.frames["sensitive"]) is type(source)
    written = release.write(tmp_path / "out")
    names = sorted(path.name for path in written.iterdir())
    assert names == ["quasi_identifiers.parquet", "recipe.json", "sensitive.parquet"]
    found = {level.model: level.level for level in pc.levels(written)}
    assert found == {level.model: level.level for level in pc.levels(release)}
    assert found["l-diversity"] >= 2


def test_a_bucket_that_is_larger_than_a_worker_should_have_is_told(spark: Any) -> None:
    frame, schema = people(120), schema_of("ties")
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    settings = pc.Spark(rows_per_worker=1)
    release = publish_with_spark(source, schema, pc.Ace(l=2), pc.Intervals(), Coins.from_seed(8), settings)
    assert_same(release, local(frame, schema, pc.Ace(l=2), pc.Intervals(), 8))
    assert release.figures is not None
    assert "cannot be divided among workers" in release.figures["remarks"][0]


@pytest.mark.parametrize(
    ("method", "why"),
    [
        (pc.GreedyGrouping(l=2), "decides row after row over the whole table"),
        (pc.RandomizedGreedyGrouping(l=2, p=0.5), "decides row after row over the whole table"),
        (pc.Mondrian(l=2), "looks at the whole table at once"),
    ],
)
def test_a_method_that_cannot_be_divided_names_those_that_can(spark: Any, method: Method, why: str) -> None:
    source = spark.createDataFrame(people(20).to_arrow(compat_level=pl.CompatLevel.oldest()))
    with pytest.raises(pc.MethodError, match=f"{method.name} {why}.* ace, anatomy, hybrid, soft-cut, strata, tailor"):
        publish_with_spark(source, schema_of("ties"), method, pc.Intervals(), Coins.fresh(), pc.Spark())


def test_a_value_that_is_too_frequent_is_refused_as_in_memory(spark: Any) -> None:
    frame, schema = people(60).with_columns(ill=pl.lit("flu")), schema_of("ties")
    source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    for method in (pc.Anatomy(l=2), pc.Ace(l=2)):
        with pytest.raises(pc.Infeasible) as here:
            pc.publish(frame, method, schema=schema)
        with pytest.raises(pc.Infeasible) as there:
            pc.publish(source, method, schema=schema)
        assert str(here.value) == str(there.value)
