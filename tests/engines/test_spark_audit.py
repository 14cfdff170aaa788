"""levels and verify of Spark DataFrames say what they say of the same rows in memory; no row comes to the driver."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from engines.spark_frames import spark_bundle, to_spark
from pellucid.cli.verbs.levels import BELOW
from pellucid.core.schema import Column, Schema
from pellucid.errors import InputError, PellucidError
from pellucid.models import models
from pellucid.models.groups import SMALL

TREE = {"tree": {"*": {"lungs": ["flu", "cold"], "blood": ["HIV", "anaemia"]}}}


def released(seed: int, rows: int) -> pl.DataFrame:
    """A release with every kind of value: texts and what people write for null, numbers, dates, nulls, NaN and -0.0."""
    rng = np.random.default_rng(seed)

    def some(values, dtype):
        return pl.Series([values[i] for i in rng.integers(0, len(values), rows)], dtype=dtype)

    return pl.DataFrame(
        {
            "age": some(["[20, 29]", "[30, 39]", "*", None, "27", "Zürich", "", "NA"], pl.String),
            "Age": some([1.5, -0.0, 0.0, float("nan"), None], pl.Float64),
            "a.b `c`": some([date(2020, 1, 1), date(1969, 12, 31), None], pl.Date),
            "price": some([Decimal("1.50"), Decimal("-2.25")], pl.Decimal(10, 2)),
            "seen": some([datetime(2020, 1, 1, 3), datetime(1960, 1, 1)], pl.Datetime("us", "UTC")),
            "yes": some([True, False], pl.Boolean),
            "disease": some(["flu", "flu", "flu", "cold", "HIV", "anaemia", None], pl.String),
            "income": some([100, 250, 250, 400, None], pl.Int64),
            "other": some([1, 2], pl.Int8),
        }
    )


def told(answer) -> dict:
    """An answer with its evidence, but for the numbers of rows, which rows with Spark do not have."""
    worst = answer.worst
    shown = None if worst is None else (worst.group, worst.size, list(worst.counts.items()), dict(worst.published))
    rest = {name: value for name, value in vars(answer).items() if name != "worst"}
    return rest | {"worst": shown}


def assert_same(mine, theirs) -> None:
    assert [told(answer) for answer in theirs] == [told(answer) for answer in mine]
    assert theirs.unanswered == mine.unanswered
    assert_same_audit(mine.audit, theirs.audit)


def assert_same_audit(mine, theirs) -> None:
    for name in ("rows", "groups", "quasi", "sensitive", "nulls", "suppressed", "exempt_suppressed", "findings"):
        assert getattr(theirs, name) == getattr(mine, name), name
    assert [theirs.rows_below(k) for k in range(6)] == [mine.rows_below(k) for k in range(6)]


@pytest.fixture
def shuffled(spark):
    """Sets into how many partitions groups are shuffled."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    yield lambda partitions: spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    spark.conf.set("spark.sql.shuffle.partitions", before)


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_levels_are_those_in_memory(spark, shuffled, partitions):
    shuffled(partitions)
    frame = released(partitions, 400)
    columns = {
        **{name: Column(role="quasi") for name in ("age", "Age", "a.b `c`", "price", "yes")},
        "disease": Column(role="sensitive", taxonomy=TREE),
        "income": Column(role="sensitive"),
    }
    schema = Schema(columns=columns)
    mine = pc.levels(frame, schema=schema)
    theirs = pc.levels(to_spark(spark, frame, partitions), schema=schema)
    assert_same(mine, theirs)
    assert {"hierarchical t-closeness", "(k,e)-anonymity", "ordered t-closeness"} <= {one.model for one in theirs}
    assert {one.view for one in theirs} == {"separate", "harmonised"}


@pytest.mark.parametrize("exempt", [False, True])
def test_rows_in_small_groups_are_counted_by_the_walk_that_answers(spark, brought, exempt):
    frame = released(8, 200).with_columns(pl.when(pl.col("yes")).then(pl.lit("*")).otherwise("age").alias("age"))
    roles = {"quasi": ["age", "Age"] if not exempt else "age", "sensitive": "disease", "exempt_suppressed": exempt}
    mine, theirs = pc.levels(frame, **roles).audit, pc.levels(to_spark(spark, frame), **roles).audit
    before = len(brought)
    assert [theirs.rows_below(k) for k in BELOW] == [mine.rows_below(k) for k in BELOW]
    assert max(BELOW) <= SMALL
    assert len(brought) == before
    assert [theirs.rows_below(k) for k in (6, 12, 201)] == [mine.rows_below(k) for k in (6, 12, 201)]
    assert mine.rows_below(201) == 200 - (mine.suppressed if exempt else 0) > mine.rows_below(12) > 0


def test_verdicts_on_every_model_about_some_values_without_suppressed_rows(spark):
    frame = released(5, 300).with_columns(pl.when(pl.col("yes")).then(pl.lit("*")).otherwise("age").alias("age"))
    roles = {"quasi": ["age", "Age"], "sensitive": "income", "exempt_suppressed": True}
    asked = [
        model
        for kind in dict.fromkeys(models().values())
        if kind.looks_at != "population"
        for model in kind.surveyable()
        if model.label
        not in ("m-confidentiality", "r-robustness", "transparent l-diversity", "hierarchical t-closeness")
        and model.name != "population uniqueness"
    ]
    mine = pc.verify(frame, asked, **roles, values=[250, None], together=True)
    theirs = pc.verify(to_spark(spark, frame), asked, **roles, values=[250, None], together=True)
    assert theirs.audit.suppressed > 0
    assert len(theirs) == len(asked)
    assert_same(mine, theirs)


def test_dates_as_sensitive_values_and_no_sensitive_column_at_all(spark):
    frame = released(6, 200)
    roles = {"quasi": "yes", "sensitive": ["seen", "a.b `c`"], "views": "separate"}
    assert_same(pc.levels(frame, **roles), pc.levels(to_spark(spark, frame), **roles))
    alone = [pc.KAnonymity(k=3)]
    assert_same(
        pc.verify(frame, alone, quasi=["age", "price"]),
        pc.verify(to_spark(spark, frame), alone, quasi=["age", "price"]),
    )


@pytest.fixture(scope="module")
def census() -> pl.DataFrame:
    return pc.datasets.census(3000)


@pytest.mark.parametrize("recode", ["intervals", "anatomy"])
def test_a_folder_that_spark_wrote_is_read_here_and_by_spark(spark, tmp_path, census, recode):
    roles = {"quasi": ["age", "gender", "education"], "sensitive": "occupation"}
    release = pc.publish(census, pc.Hybrid(l=4), **roles, recode=recode)
    folder = spark_bundle(spark, release, tmp_path / "out")
    in_memory = pc.levels(release)
    here = pc.levels(folder)
    by_spark = pc.levels(folder, spark=spark)
    assert [told(one) for one in here] == [told(one) for one in in_memory]
    assert_same(here, by_spark)
    (verdict,) = pc.verify(folder, [pc.LDiversity(l=4)], spark=spark)
    assert verdict.holds


def test_two_tables_that_do_not_join_are_named(spark):
    people = pl.DataFrame({"group": [1, 1, 2], "age": [20, 21, 22]})
    values = pl.DataFrame({"group": [1, 2, 2], "disease": ["flu", "cold", "flu"]})
    both = {"quasi_identifiers": people, "sensitive": values}
    with pytest.raises(InputError) as mine:
        pc.levels(both)
    with pytest.raises(InputError) as theirs:
        pc.levels({name: to_spark(spark, frame) for name, frame in both.items()})
    assert str(theirs.value) == str(mine.value)


def test_no_row_comes_to_the_driver(spark, brought):
    """What is collected: sums, different sensitive values, and one summary per partition; never more than a few."""
    rng = np.random.default_rng(3)
    rows = 20_000
    frame = pl.DataFrame({name: rng.integers(0, most, rows) for name, most in (("q", 6000), ("r", 3), ("s", 9))})
    found = pc.levels(to_spark(spark, frame), quasi=["q", "r"], sensitive="s")
    assert found.audit.groups > 5000
    assert brought
    assert max(brought) <= 9


def refusal(call) -> str:
    with pytest.raises(PellucidError) as told_:
        call()
    return str(told_.value)


def test_what_is_wrong_is_said_as_in_memory(spark):
    good = pl.DataFrame(
        {"q": ["a", "b"], "s": ["x", "y"], "f": [1.0, float("inf")], "l": [[1], [2]], "n": [None, None]}
    )
    good = good.with_columns(pl.col("n").cast(pl.String))
    given = to_spark(spark, good)
    for wrong in (
        {"quasi": "f", "sensitive": "s"},
        {"quasi": "l", "sensitive": "s"},
        {"quasi": "q", "sensitive": "n"},
        {"quasi": "Q", "sensitive": "s"},
        {"quasi": "q", "sensitive": "s", "values": ["z"]},
    ):
        mine = refusal(lambda wrong=wrong: pc.levels(good, **wrong))
        assert refusal(lambda wrong=wrong: pc.levels(given, **wrong)) == mine
    none = refusal(lambda: pc.levels(given.where("q = 'c'"), quasi="q", sensitive="s"))
    assert none == refusal(lambda: pc.levels(good.head(0), quasi="q", sensitive="s"))
    assert "population" in refusal(lambda: pc.levels(given, quasi="q", sensitive="s", population=good))
    stars = pl.DataFrame({"q": ["*", "*"], "s": ["x", "y"]})
    exempt = {"quasi": "q", "sensitive": "s", "exempt_suppressed": True}
    assert refusal(lambda: pc.levels(to_spark(spark, stars), **exempt)) == refusal(lambda: pc.levels(stars, **exempt))


def test_a_frame_with_other_rows_each_time_is_noticed(spark):
    def drawn(batches):
        import secrets

        import pyarrow

        for batch in batches:
            values = [secrets.randbits(60) for _ in range(batch.num_rows)]
            yield pyarrow.RecordBatch.from_pydict({"q": [1] * batch.num_rows, "s": values})

    frame = spark.range(50).mapInArrow(drawn, "q long, s long")
    message = refusal(lambda: pc.levels(frame, quasi="q", sensitive="s"))
    assert "the frame has other rows each time it is read; write it to a file first" in message


def test_models_about_an_adversary_need_rows_in_memory(spark):
    frame = pl.DataFrame({"q": ["a", "a"], "s": ["x", "y"]})
    asked = [pc.TransparentLDiversity(l=2)]
    given = to_spark(spark, frame)
    for known in ({}, {"truth": frame}):
        message = refusal(lambda: pc.verify(given, asked, quasi="q", sensitive="s", **known))  # noqa: B023
        assert "this release is with Spark; write it" in message
        assert "give the folder without Spark, and its people with truth=" in message


def test_spark_reads_parquet_and_nothing_else(spark, tmp_path):
    pl.DataFrame({"q": ["a"], "s": ["x"]}).write_csv(tmp_path / "data.csv")
    message = refusal(lambda: pc.levels(tmp_path / "data.csv", quasi="q", sensitive="s", spark=spark))
    assert "data.csv is not Parquet" in message


def test_pellucid_imports_without_pyspark():
    code = (
        "import sys, pellucid as pc; pc.levels('patients'); sys.exit(any(m.startswith('pyspark') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_part_files_that_differ_are_refused(tmp_path):
    folder = tmp_path / "data.parquet"
    folder.mkdir()
    pl.DataFrame({"q": ["a"], "s": ["x"]}).write_parquet(folder / "part-0.parquet")
    pl.DataFrame({"q": ["b"], "s": [1]}).write_parquet(folder / "part-1.parquet")
    with pytest.raises(InputError, match=r"'s' is String in part-0.parquet and Int64 in part-1.parquet"):
        pc.levels(folder, quasi="q", sensitive="s")
    (folder / "part-1.parquet").unlink()
    (folder / "part-0.parquet").unlink()
    with pytest.raises(InputError, match="a folder without Parquet files"):
        pc.levels(folder, quasi="q", sensitive="s")
