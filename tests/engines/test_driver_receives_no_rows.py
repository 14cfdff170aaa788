"""Whatever Spark hands to the driver is a histogram: a spy on every way to collect shows how much it is."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from engines.tables import in_parts, people, schema_of
from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import Recoder, TwoTables
from pellucid.core.coins import Coins
from pellucid.spark.engine import sieve
from pellucid.spark.engine.publish import Particulars, publish_with_spark

pytestmark = pytest.mark.spark

ROWS = 12_000
WAYS = ("collect", "toPandas", "toLocalIterator", "take", "head", "first", "tail", "show", "toJSON", "foreach")


@pytest.mark.parametrize(
    ("kind", "method", "recoder"),
    [
        ("frame", pc.Hybrid(l=2), pc.Intervals()),
        ("files with an identifier", pc.Hybrid(l=2), pc.Intervals()),
        ("files", pc.Hybrid(l=2), pc.Intervals()),
        ("frame", pc.Anatomy(l=2), TwoTables()),
        ("files", pc.Ace(l=2), TwoTables()),
    ],
)
def test_the_driver_receives_histograms_only(
    spark: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, method: Method, recoder: Recoder
) -> None:
    monkeypatch.setattr(sieve, "MOST_BINS", 1 << 9)
    from pyspark import RDD
    from pyspark.sql.classic.dataframe import DataFrame

    seen: list[pl.DataFrame] = []
    whole = DataFrame.toArrow

    def spied(self: Any) -> Any:
        told = whole(self)
        seen.append(pl.DataFrame(pl.from_arrow(told)))
        return told

    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("rows would come to the driver in a way that the spy does not see")

    frame = people(ROWS).drop("wage")
    source: Any = in_parts(frame, tmp_path / "people", 3)
    if kind == "frame":
        source = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest())).repartition(3)
    answers: list[Any] = []
    all_of_it = RDD.collect

    def listened(self: Any) -> Any:
        told = all_of_it(self)
        answers.extend(told)
        return told

    monkeypatch.setattr(DataFrame, "toArrow", spied)
    monkeypatch.setattr(RDD, "collect", listened)
    for way in WAYS:
        monkeypatch.setattr(DataFrame, way, refused)
    for way in ("take", "toLocalIterator", "first", "collectAsMap", "top", "takeOrdered"):
        monkeypatch.setattr(RDD, way, refused)
    schema = schema_of("ties", identifier=kind != "files")
    settings = pc.Spark(rows_per_worker=3000, work=tmp_path)
    release = publish_with_spark(source, schema, method, recoder, Coins.from_seed(1), settings, Particulars(bins=64))
    assert release.figures is not None
    assert release.figures["parts"] > 2
    assert len(answers) >= 10
    assert max(map(longest, answers)) < ROWS / 10
    assert not any(b"person" in pickle.dumps(answer) for answer in answers)
    assert bool(seen) == (kind != "files")  # workers read files themselves unless Spark has to sort the rows
    for told in seen:
        assert told.height < ROWS / 10
        assert not any("person" in str(value) for column in told for value in column)
        assert pl.Binary not in told.dtypes  # blocks of rows are bytes, and none came


def test_a_public_report_receives_no_more_of_more_rows(
    spark: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Cells and values with their counts, sizes of groups, and the few groups that levels rest on."""
    from pyspark import RDD
    from pyspark.sql.classic.dataframe import DataFrame

    received: list[bytes] = []

    def weighed(kind: type, way: str) -> None:
        real = getattr(kind, way)

        def spied(self: Any) -> Any:
            told = real(self)
            received.append(pickle.dumps(told))
            return told

        monkeypatch.setattr(kind, way, spied)

    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("rows would come to the driver in a way that the spy does not see")

    for kind, way in ((DataFrame, "toArrow"), (DataFrame, "collect"), (RDD, "collect")):
        weighed(kind, way)
    for way in sorted({*WAYS} - {"collect"}):
        monkeypatch.setattr(DataFrame, way, refused)
    schema, sizes = schema_of("ties"), []
    for rows in (ROWS // 8, ROWS):
        release = pc.publish(people(rows), pc.Tailor(l=2), schema=schema, recode="intervals")
        folder = release.write(tmp_path / str(rows), format="parquet")
        received.clear()
        page = pc.report(folder, audience="public", spark=spark)
        assert page.summary["rows"] == rows
        assert not any(b"person" in told for told in received)
        sizes.append(sum(map(len, received)))
    few, many = sizes
    assert 0 < many < 1.25 * few


def longest(told: Any) -> int:
    """The most numbers that stand in one row anywhere in an answer; bytes and text count by their length."""
    if isinstance(told, np.ndarray):
        return told.size
    if isinstance(told, bytes | str):
        return len(told)
    if isinstance(told, Mapping):
        return max(map(longest, told.values()), default=0)
    if isinstance(told, list | tuple):
        return max([len(told), *map(longest, told)])
    return 1


@pytest.mark.parametrize("method", [pc.Hybrid(l=2), pc.Anatomy(l=2)])
def test_the_coins_are_in_no_plan_and_no_setting(spark: Any, monkeypatch: pytest.MonkeyPatch, method: Method) -> None:
    from pyspark.sql.classic.dataframe import DataFrame

    coins = Coins.from_seed("a secret")
    plans: list[str] = []
    whole = DataFrame.toArrow

    def spied(self: Any) -> Any:
        plans.append(self._jdf.queryExecution().toString())
        return whole(self)

    monkeypatch.setattr(DataFrame, "toArrow", spied)
    source = spark.createDataFrame(people(100).to_arrow(compat_level=pl.CompatLevel.oldest()))
    schema = schema_of("ties", identifier=False)
    publish_with_spark(source, schema, method, pc.Intervals(), coins, pc.Spark(rows_per_worker=30))
    settings = str(spark.sparkContext.getConf().getAll()) + str(spark.conf.getAll)
    assert plans
    for text in (*plans, settings):
        for form in (coins.key.hex(), repr(coins.key), str(list(coins.key)), str(int.from_bytes(coins.key, "little"))):
            assert form not in text
