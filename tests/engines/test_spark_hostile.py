"""What somebody who wants to break publishing with Spark would try: names, changing rows, what lies on disk."""

from __future__ import annotations

import gc
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.spark_frames import to_spark
from engines.tables import in_parts, people, published, schema_of
from engines.test_spark_equals_local import local
from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Schema
from pellucid.spark.engine import publish as publishing
from pellucid.spark.engine import shared_files as shared
from pellucid.spark.engine.publish import publish_with_spark

pytestmark = pytest.mark.spark

HYBRID, INTERVALS = pc.Hybrid(l=2), pc.Intervals()


def publish(source: Any, schema: Schema, work: Path | None = None, coins: Coins | None = None) -> Any:
    settings = pc.Spark(rows_per_worker=60, work=work)
    return publish_with_spark(source, schema, HYBRID, INTERVALS, coins or Coins.from_seed(5), settings)


def same_as_local(source: Path, schema: Schema) -> bool:
    release = publish(source, schema)  # its files go with it
    return published(release.parts["data"]).equals(local(source, schema, HYBRID, INTERVALS, 5).frame)


def content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:  # Spark has removed it meanwhile
        return b""


class TestTheKey:
    def test_is_in_no_file_however_large_the_codebooks(self, spark: Any, tmp_path: Path) -> None:
        key, rows = os.urandom(16), 30_000
        wages = [f"wage {number:06d} {'x' * 40}" for number in range(rows)]  # more than a megabyte
        frame = people(100).sample(rows, with_replacement=True).with_columns(wage=pl.Series(wages))
        schema = schema_of("many values", identifier=False)
        settings = pc.Spark(rows_per_worker=20_000, work=tmp_path)
        release = publish_with_spark(to_spark(spark, frame), schema, HYBRID, INTERVALS, Coins(key), settings)
        assert release.figures is not None
        assert release.figures["parts"] > 1
        places = [Path(spark.conf.get("spark.local.dir")), tmp_path]
        files = [file for place in places for file in place.rglob("*") if file.is_file()]
        assert len(files) > 1
        for form in (key, key.hex().encode()):
            assert [file for file in files if form in content(file)] == []

    def test_a_function_that_spark_would_write_is_refused(self) -> None:
        large = b"x" * (shared.MOST_BYTES + 1)
        with pytest.raises(pc.EngineError, match="might write it to disk"):
            shared.small(lambda: large)


@pytest.mark.usefixtures("spark")
class TestNames:
    @pytest.mark.parametrize(
        "name", ["people[12].parquet", "people{1,2}.parquet", "peopl?1.parquet", "a\\b*.parquet", "50% é#.parquet"]
    )
    def test_a_name_is_no_pattern(self, tmp_path: Path, name: str) -> None:
        people(70, seed=1).write_parquet(tmp_path / "people1.parquet")
        people(80, seed=2).write_parquet(tmp_path / name)
        assert same_as_local(tmp_path / name, schema_of("ties"))

    def test_nor_is_that_of_the_folder_to_work_in(self, tmp_path: Path) -> None:
        schema = schema_of("ties")
        people(70, seed=1).write_parquet(tmp_path / "people1.parquet")
        work = tmp_path / "w[1]"
        work.mkdir()
        assert publish(tmp_path / "people1.parquet", schema, work).frame.count() == 70

    def test_a_release_under_such_a_name_is_audited(self, spark: Any, tmp_path: Path) -> None:
        roles: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}
        people(90).write_parquet(tmp_path / "people[12].parquet")
        people(90, seed=4).head(10).write_parquet(tmp_path / "people1.parquet")
        mine = pc.levels(tmp_path / "people[12].parquet", **roles)
        theirs = pc.levels(tmp_path / "people[12].parquet", spark=spark, **roles)
        assert [(a.model, a.level) for a in theirs] == [(a.model, a.level) for a in mine]
        assert theirs.audit.rows == 90

    def test_files_that_nobody_checked_are_not_read(self, tmp_path: Path) -> None:
        folder = in_parts(people(80), tmp_path / "people.parquet", 2)
        people(30, seed=3).with_columns(name="name" + pl.lit("x")).write_parquet(folder / "extra.data")
        (folder / "part-00001.parquet").rename(folder / "part-00001.PARQUET")
        assert same_as_local(folder, schema_of("ties"))
        pl.read_parquet(folder / "part-00001.PARQUET").drop("age").write_parquet(folder / "part-00001.PARQUET")
        with pytest.raises(pc.InputError, match="has no column 'age'"):
            publish(folder, schema_of("ties"))

    def test_rows_are_in_the_order_of_names_as_they_are(self, tmp_path: Path) -> None:
        folder = tmp_path / "people.parquet"
        folder.mkdir()
        for number, name in enumerate(["a!", "a b", "é", "z", "a%20a"]):
            people(40, seed=number).write_parquet(folder / f"{name}.parquet")
        assert same_as_local(folder, schema_of("many values", identifier=False))

    def test_columns_called_like_our_own(self, tmp_path: Path) -> None:
        names = ["file", "row", "pellucid row", "_metadata", "c0"]
        frame = people(80).drop("name").rename(dict(zip(["age", "town", "grade", "zip", "ill"], names, strict=True)))
        frame.write_parquet(tmp_path / "people.parquet")
        roles = {name: Column(role="quasi") for name in names[:4]} | {"c0": Column(role="sensitive")}
        assert same_as_local(tmp_path / "people.parquet", Schema(columns=roles))

    def test_columns_that_differ_in_case_only(self, spark: Any) -> None:
        frame = people(80).rename({"cost": "Age"})
        source = to_spark(spark, frame, 1)
        ages = {name: Column(role="quasi") for name in ("age", "Age")}
        both = Schema(columns=ages | {"ill": Column(role="sensitive")})
        one = Schema(columns={name: column for name, column in both.columns.items() if name != "Age"})
        spark.conf.set("spark.sql.caseSensitive", "false")
        try:
            with pytest.raises(pc.InputError, match="'age' and 'Age' differ in case only"):
                publish(source, both)
            release = publish(source, one)
        finally:
            spark.conf.set("spark.sql.caseSensitive", "true")
        assert release.frame.columns == ["age", "ill"]

    def test_a_folder_of_folders(self, tmp_path: Path) -> None:
        folder = tmp_path / "byyear.parquet"
        (folder / "year=2020").mkdir(parents=True)
        people(20).write_parquet(folder / "year=2020" / "part-0.parquet")
        with pytest.raises(pc.InputError) as mine:
            pc.publish(folder, HYBRID, schema=schema_of("ties"))
        with pytest.raises(pc.InputError) as theirs:
            publish(folder, schema_of("ties"))
        assert str(theirs.value) == str(mine.value)


class TestRows:
    def test_that_change_between_passes_are_refused(self, spark: Any, tmp_path: Path) -> None:
        from pyspark.sql import functions as f

        drawn = f.udf(lambda _: __import__("random").choice(["flu", "cold", "gout"]), "string").asNondeterministic()
        source = spark.range(300).select("id", (f.col("id") % 5).alias("age"), drawn("id").alias("ill"))
        roles = {"id": Column(role="identifier"), "age": Column(role="quasi"), "ill": Column(role="sensitive")}
        with pytest.raises(pc.InputError, match="'ill' has other values when it is read again"):
            publish(source, Schema(columns=roles), tmp_path)
        assert not list(tmp_path.iterdir())

    def test_outlive_the_release_object(self, spark: Any) -> None:
        frame = publish(to_spark(spark, people(60)), schema_of("ties")).frame
        young = publish(to_spark(spark, people(60)), schema_of("ties")).frame.select("ill")
        gc.collect()
        assert frame.count() == young.count() == 60

    def test_times_without_a_zone_in_a_session_with_one(self, spark: Any) -> None:
        never = datetime(2024, 3, 10, 2, 30)  # clocks in New York went from 2 to 3 that night
        frame = pl.DataFrame({"age": [1, 1, 2, 2], "seen": [never, datetime(2024, 7, 3), never, None]})
        source = spark.sql(
            "select age, cast(seen as timestamp_ntz) as seen from values (1, '2024-03-10 02:30:00'), "
            "(1, '2024-07-03 00:00:00'), (2, '2024-03-10 02:30:00'), (2, null) as t(age, seen)"
        )
        zone = spark.conf.get("spark.sql.session.timeZone")
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")
        try:
            theirs = pc.levels(source, quasi=["age"], sensitive="seen")
        finally:
            spark.conf.set("spark.sql.session.timeZone", zone)
        mine = pc.levels(frame, quasi=["age"], sensitive="seen")
        assert [(a.model, a.level) for a in theirs] == [(a.model, a.level) for a in mine]


class TestAnEnd:
    def test_an_interrupt_at_the_end_leaves_nothing(
        self, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*_: Any, **__: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(publishing, "recipe", interrupted)
        with pytest.raises(KeyboardInterrupt):
            publish(to_spark(spark, people(60)), schema_of("ties"), tmp_path)
        assert not list(tmp_path.iterdir())
