"""Metrics of Spark DataFrames have the scores of the same release in memory; those that cannot say which can."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from engines.spark_frames import spark_bundle, to_spark
from pellucid.cli.auditing import by_reason
from pellucid.cli.program import main
from pellucid.core.schema import Column, Schema
from pellucid.errors import MeasureError
from pellucid.metrics import metrics
from pellucid.metrics.metric import MarginMetric

TREE = {"tree": {"*": {"north": ["Oslo", "Turku"], "south": ["Rome", "Nice"]}}}
SCHEMA = Schema(
    columns={
        "age": Column(role="quasi", taxonomy={"ladder": [5, 10, 20]}),
        "town": Column(role="quasi", taxonomy=TREE),
        "day": Column(role="quasi", kind="date"),
        "disease": Column(role="sensitive"),
    }
)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    rows = 300
    towns = [["Oslo", "Turku", "Rome", "Nice", None][i] for i in rng.integers(0, 5, rows)]
    days = np.datetime64("2020-01-01") + rng.integers(0, 90, rows)
    diseases = [["flu", "cold", "HIV", None][i] for i in rng.integers(0, 4, rows)]
    return pl.DataFrame({"age": rng.integers(20, 60, rows), "town": towns, "day": days, "disease": diseases})


def able() -> list:
    """What is measured with Spark, exactly; the estimates of query-error are summed in another order."""
    kinds = [kind for kind in metrics().values() if issubclass(kind, MarginMetric)]
    return [kind() for kind in kinds if kind is not pc.QueryError]


def in_spark(spark, release):
    return {name: to_spark(spark, frame) for name, frame in release.public.frames.items()}


@pytest.mark.parametrize("recode", ["intervals", "taxonomy", "split", "anatomy", "suppression"])
def test_scores_are_those_in_memory(spark, tmp_path, people, recode):
    how = {"split": pc.Intervals(split=True)}.get(recode, recode)
    release = pc.publish(people, pc.Tailor(l=2), schema=SCHEMA, recode=how)
    folder = spark_bundle(spark, release, tmp_path / "out")
    mine = pc.measure(folder, people, able(), schema=SCHEMA)
    assert mine == pc.measure(release, people, able(), schema=SCHEMA)
    assert pc.measure(folder, to_spark(spark, people), able(), schema=SCHEMA, spark=spark) == mine


def test_files_are_read_by_the_spark_that_the_other_is_with(spark, tmp_path, people):
    release = pc.publish(people, pc.Tailor(l=2), schema=SCHEMA)
    folder = spark_bundle(spark, release, tmp_path / "out")
    people.write_parquet(tmp_path / "people.parquet")
    mine = pc.measure(release, people, able(), schema=SCHEMA)
    assert pc.measure(folder, to_spark(spark, people), able(), schema=SCHEMA) == mine
    assert pc.measure(in_spark(spark, release), tmp_path / "people.parquet", able(), schema=SCHEMA) == mine


def test_what_others_published_with_stars_and_two_words_for_the_same(spark, people):
    """Suppressed rows are shown with nothing but stars, and a set is written in two ways."""
    town = pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("{Oslo, Rome}")).otherwise(pl.lit("{Rome, Oslo}"))
    known = people.filter(pl.col("town").is_in(["Oslo", "Rome"])).with_columns(pl.col("age").cast(pl.String))
    hidden = pl.int_range(pl.len()) < 9
    shown = known.select(
        pl.when(hidden).then(pl.lit("*")).otherwise("age").alias("age"),
        pl.when(hidden).then(pl.lit("*")).otherwise(town).alias("town"),
        "disease",
    )
    roles = {"quasi": ["age", "town"], "sensitive": "disease"}
    original = known.select(pl.col("age").cast(pl.Int64), "town", "disease")
    mine = pc.measure(shown, original, able(), **roles)
    theirs = pc.measure(to_spark(spark, shown), to_spark(spark, original), able(), **roles)
    assert theirs == mine
    assert next(score for score in theirs if score.metric == "suppressed-rows").details["rows"] == 9
    stars = shown.with_columns(age=pl.lit("*"), town=pl.lit("*"))  # all of them: generalised as far as it goes
    theirs = pc.measure(to_spark(spark, stars), to_spark(spark, original), able(), **roles)
    assert theirs == pc.measure(stars, original, able(), **roles)
    assert {score.metric: score.value for score in theirs}["discernibility"] == stars.height**2
    nulls = shown.with_columns(pl.col(names).replace("*", None) for names in roles["quasi"])
    assert pc.measure(to_spark(spark, nulls), to_spark(spark, original), able(), **roles) == mine


@pytest.mark.parametrize("asked", [{}, {"dimensions": 2, "form": "sets", "sensitive": False}])
def test_queries_are_answered_where_the_rows_are(spark, people, asked):
    release = pc.publish(people, pc.Tailor(l=2), schema=SCHEMA)
    error = [pc.QueryError(queries=200, selectivity=0.2, **asked)]
    (mine,) = pc.measure(release, people, error, schema=SCHEMA)
    (theirs,) = pc.measure(in_spark(spark, release), to_spark(spark, people), error, schema=SCHEMA)
    assert theirs.value == pytest.approx(mine.value, rel=1e-12)
    assert theirs.details.keys() == mine.details.keys()
    assert theirs.details["form"] == mine.details["form"]
    for figure in ("queries", "unanswerable", "median", "worst", "dimensions"):
        assert theirs.details[figure] == pytest.approx(mine.details[figure], rel=1e-12)
    anatomy = pc.publish(people, pc.Anatomy(l=2), schema=SCHEMA)
    with pytest.raises(MeasureError, match="joins the two tables of a release row by row"):
        pc.measure(in_spark(spark, anatomy), to_spark(spark, people), error, schema=SCHEMA)


def test_a_metric_that_needs_every_box_names_those_that_do_not(spark, people):
    release = pc.publish(people, pc.Tailor(l=2), schema=SCHEMA)
    given, original = in_spark(spark, release), to_spark(spark, people)
    with pytest.raises(MeasureError, match=r"marginals: every published box .* there are: .*loss, perimeter"):
        pc.measure(given, original, [pc.Marginals()], schema=SCHEMA)
    found = pc.measure(given, original, schema=SCHEMA)
    assert {score.metric for score in found} == set(metrics()) - {
        "sse",
        "weighted-totals",
    }  # nobody knows groups or has weights
    assert {score.metric for score in found if score.applies} == {"query-error", *(kind.name for kind in able())}
    with pytest.raises(MeasureError, match="the release is with Spark and the original is not"):
        pc.measure(given, people, able(), schema=SCHEMA)
    with pytest.raises(MeasureError, match="the original is with Spark and the release is not"):
        pc.measure(release, original, able(), schema=SCHEMA)


def test_no_row_comes_to_the_driver(spark, brought):
    """Nothing but the different values of each column, sums, and what a partition answers."""
    rng = np.random.default_rng(3)
    people = pl.DataFrame({name: rng.integers(0, most, 5000) for name, most in (("q", 90), ("r", 80), ("s", 9))})
    release = people.with_columns(pl.format("[{}, {}]", pl.col("q") // 2 * 2, pl.col("q") // 2 * 2 + 1).alias("q"))
    roles = {"quasi": ["q", "r"], "sensitive": "s"}
    asked = [pc.Discernibility(), pc.QueryError(queries=50)]
    found = pc.measure(to_spark(spark, release), to_spark(spark, people), asked, **roles)
    assert [score.applies for score in found] == [True, True]
    assert brought
    assert max(brought) <= 90


def test_a_release_of_another_table_is_refused_as_in_memory(spark, people):
    release = pc.publish(people, pc.Tailor(l=2), schema=SCHEMA)
    for other in (
        people.head(200),
        people.with_columns(pl.col("age") + 30),
        people.with_columns(disease=pl.lit("flu")),
    ):
        said = []
        for made, original in ((release, other), (in_spark(spark, release), to_spark(spark, other))):
            given = made.public.frames if isinstance(made, pc.Release) else made
            with pytest.raises(MeasureError) as refused:
                pc.measure(given, original, able(), schema=SCHEMA)
            said.append(str(refused.value))
        assert said[0] == said[1]


def test_what_spark_lacks_is_told_once_for_all_metrics(spark, people):
    release = pc.publish(people, pc.Tailor(l=2), schema=SCHEMA)
    found = pc.measure(in_spark(spark, release), to_spark(spark, people), schema=SCHEMA)
    reasons = {score.metric: score.meaning for score in found if not score.applies}
    assert len(reasons) > 1
    (line,) = by_reason(reasons)
    assert line.startswith(f"{', '.join(reasons)}: every published box is needed")


def test_options_of_spark_without_spark_are_refused(tmp_path, people, capsys):
    people.write_parquet(tmp_path / "people.parquet")
    words = ["measure", str(tmp_path), "--original", str(tmp_path / "people.parquet"), "--master", "local[2]"]
    assert main([*words, "--quasi", "age", "--sensitive", "disease"]) == 2
    assert "--master local[2] is for Spark; add --engine spark" in capsys.readouterr().err


ODD_TEXTS = [
    "",
    None,
    " a",
    "a",
    "b",
    "*",
    "{a, b}",
    "[1, 2]",
    "null",
    "\x00b",
    "\u00e9",
    "E\u0301",
    "a or null",
    '"a"',
]


@pytest.mark.parametrize("recode", ["intervals", "taxonomy", "suppression"])
@pytest.mark.filterwarnings("ignore:seed")
def test_odd_values_have_the_figures_of_the_release_in_memory(spark, tmp_path, recode):
    rng = np.random.default_rng(3)
    rows = 600
    numbers = [None, float("nan"), -0.0, 0.0, 1.5, 1e300, -2.25]
    times = [datetime(2024, 3, 31, 1, 30) + timedelta(minutes=int(minutes)) for minutes in rng.integers(0, 200, rows)]
    diseases = ["", "*", "null", "flu", "Flu", "flu ", None]
    odd = pl.DataFrame(
        {
            "name": [f"P{i}" for i in range(rows)],
            "x": pl.Series([numbers[i] for i in rng.integers(0, len(numbers), rows)], dtype=pl.Float64),
            "c": [ODD_TEXTS[i] for i in rng.integers(0, len(ODD_TEXTS), rows)],
            "t": times,
            "d": [diseases[i] for i in rng.integers(0, len(diseases), rows)],
        }
    )
    odd.write_parquet(tmp_path / "odd.parquet")
    roles = {"quasi": ["x", "c", "t"], "sensitive": "d", "identifier": "name"}
    mine = pc.publish(odd, pc.Hybrid(l=4), recode=recode, seed=7, **roles)
    original = spark.read.parquet(str(tmp_path / "odd.parquet"))
    theirs = pc.publish(original, pc.Hybrid(l=4), recode=recode, seed=7, **roles)
    figures = {score.metric: score.value for score in pc.measure(mine, pc.read(odd, **roles), able())}
    assert {score.metric: score.value for score in pc.measure(theirs, original, able(), **roles)} == figures
    theirs.write(tmp_path / "out")
    written = pc.measure(tmp_path / "out", pc.read(odd, **roles), able())
    assert {score.metric: score.value for score in written} == figures
