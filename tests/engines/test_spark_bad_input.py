"""What goes wrong is told in one line, and leaves nothing behind."""

from __future__ import annotations

import re
import resource
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.tables import PROGRAM, in_parts, people, schema_of
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Recoder
from pellucid.cli.program import main
from pellucid.core.coins import Coins
from pellucid.core.schema import Column
from pellucid.core.table import Table
from pellucid.spark.engine.publish import publish_with_spark
from pellucid.spark.engine.session import require_reachable

HERE = pc.Spark(rows_per_worker=50)
# Advice that Spark, which takes no clusters, does not give.
CLUSTER = (
    'if these are several rows of one person, give it role = "cluster", so that the promise is about the person; '
    "or merge them"
)


def publish(source: Any, schema: pc.Schema, work: Path, l: int = 2) -> pc.Release:
    settings = pc.Spark(rows_per_worker=50, work=work)
    return publish_with_spark(source, schema, pc.Hybrid(l=l), pc.Intervals(), Coins.from_seed(1), settings)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
class TestFiles:
    def test_a_column_that_one_file_lacks(self, tmp_path: Path, work: Path) -> None:
        folder = in_parts(people(60), tmp_path / "people", 3)
        part = folder / "part-00001.parquet"
        pl.read_parquet(part).drop("age").write_parquet(part)
        with pytest.raises(pc.InputError, match=r"part-00001\.parquet has no column 'age', which part-00000"):
            publish(folder, schema_of("ties"), work)
        assert not list(work.iterdir())

    def test_a_column_of_another_type_in_one_file(self, tmp_path: Path, work: Path) -> None:
        folder = in_parts(people(60), tmp_path / "people", 3)
        part = folder / "part-00002.parquet"
        pl.read_parquet(part).cast({"age": pl.String}).write_parquet(part)
        with pytest.raises(pc.InputError, match=r"'age' is Int64 in part-00000\.parquet and String in part-00002"):
            publish(folder, schema_of("ties"), work)

    def test_a_damaged_file(self, tmp_path: Path, work: Path) -> None:
        folder = in_parts(people(60), tmp_path / "people", 2)
        (folder / "part-00001.parquet").write_bytes(b"PAR1 and no more")
        with pytest.raises(pc.InputError, match=r"part-00001\.parquet is damaged"):
            publish(folder, schema_of("ties"), work)

    def test_no_file_and_no_parquet(self, tmp_path: Path, work: Path) -> None:
        with pytest.raises(pc.InputError, match="there is no file"):
            publish(tmp_path / "absent.parquet", schema_of("ties"), work)
        people(9).write_csv(tmp_path / "people.csv")
        with pytest.raises(pc.InputError, match=r"people\.csv is not Parquet"):
            publish(tmp_path / "people.csv", schema_of("ties"), work)


class Nothing(Recoder):
    """A recoder that Spark knows nothing about."""

    name = "nothing"

    def recode(self, table: Table, grouping: Grouping, *, threads: int = 1) -> dict[str, pl.DataFrame]:
        raise NotImplementedError


@pytest.mark.spark
class TestRows:
    def test_the_errors_are_those_of_a_table_in_memory(self, spark: Any, work: Path) -> None:
        frame = people(60)
        reject = pc.Schema(columns={**schema_of("ties").columns, "age": Column(role="quasi", nulls="reject")})
        twice = frame.with_columns(name=pl.when(pl.int_range(60) < 3).then(pl.lit("Ann")).otherwise("name"))
        nameless = frame.with_columns(name=pl.when(pl.int_range(60) > 4).then("name"))
        absent = pc.Schema(columns={**schema_of("ties").columns, "height": Column(role="quasi")})
        cases = [(frame, reject, 2), (twice, schema_of("ties"), 2), (nameless, schema_of("ties"), 2)]
        cases += [(frame, absent, 2), (frame, schema_of("ties"), 50), (frame.head(0), schema_of("ties"), 2)]
        for rows, schema, l in cases:
            with pytest.raises(pc.PellucidError) as local:
                pc.publish(rows, pc.Hybrid(l=l), schema=schema)
            source = spark.createDataFrame(rows.to_arrow(compat_level=pl.CompatLevel.oldest()))
            with pytest.raises(type(local.value)) as distributed:
                publish(source, schema, work, l)
            said = (
                str(local.value)
                .replace("the frame has", "the table has")
                .replace(CLUSTER, "merge the rows of one person")
            )
            assert str(distributed.value) == said
        assert not list(work.iterdir())

    def test_what_cannot_be_divided_says_what_can(self, spark: Any) -> None:
        source = spark.createDataFrame([(1, "a")], "age int, ill string")
        roles: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}
        with pytest.raises(pc.MethodError, match="methods that it can: ace, anatomy, hybrid, soft-cut, strata, tailor"):
            pc.publish(source, pc.SymmetricGrouping(l=2), **roles)
        with pytest.raises(pc.MethodError, match="use one of intervals, taxonomy, anatomy, suppression"):
            pc.publish(source, pc.Hybrid(l=2), recode=Nothing(), **roles)
        nested = spark.createDataFrame([([1], "a")], "age array<int>, ill string")
        with pytest.raises(pc.InputError, match=r"'age' has type array<int>; it must hold numbers"):
            pc.publish(nested, pc.Hybrid(l=2), **roles)

    def test_errors_of_spark_do_not_repeat_values(self, spark: Any, work: Path) -> None:
        frame = spark.createDataFrame([("30", "HIV positive"), ("4711", "O'Brien's flu")], "age string, ill string")

        def refused(batches: Any) -> Any:
            for batch in batches:
                raise ValueError(f"no illness: {batch.column(1)[0].as_py()!r}")
            yield from ()

        sources = {
            "CAST_INVALID_INPUT": frame.selectExpr("age", "ill", "cast(ill as int) as code"),
            "CAST_OVERFLOW": frame.selectExpr("age", "ill", "cast(cast(age as int) as tinyint) as code"),
            "ValueError: no illness": frame.mapInArrow(refused, "age string, ill string, code int"),
        }
        for told, source in sources.items():
            schema = pc.Schema.of(quasi=["code"], sensitive="ill")
            questions: list[Any] = [
                lambda s=source: publish(s, schema, work),  # noqa: B023
                lambda s=source: pc.levels(s, quasi="code", sensitive="ill"),
                lambda s=source: pc.measure(s, s, quasi=["code"], sensitive="ill"),
            ]
            for question in questions:
                with pytest.raises(pc.PellucidError) as refusal:
                    question()
                assert told in str(refusal.value).replace("gave up: no", "gave up: ValueError: no")
                assert not re.search("HIV|positive|Brien|flu|4711", str(refusal.value))
                assert refusal.value.__cause__ is None
        assert not list(work.iterdir())

    @pytest.mark.usefixtures("java")
    def test_a_full_disk(self, environment: dict[str, str], tmp_path: Path, work: Path) -> None:
        folder = in_parts(people(20_000), tmp_path / "people.parquet", 2)
        call = [*PROGRAM, "publish", str(folder), "--engine", "spark", "--l", "2"]
        call += ["--master", "local[1]", "--quasi", "wage,zip", "--sensitive", "ill", "--out", str(work / "out")]
        call += ["--spark-option", f"spark.local.dir={tmp_path}"]

        def no_large_files() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        done = subprocess.run(call, env=environment, capture_output=True, text=True, preexec_fn=no_large_files)
        assert done.returncode == 2, done.stderr
        assert "is full" in done.stderr.splitlines()[-1]
        assert not list(work.iterdir())


def test_a_master_that_nobody_listens_at() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(pc.EngineError, match=rf"master spark://127.0.0.1:{port} cannot be reached"):
        require_reachable(f"spark://127.0.0.1:{port}")
    with pytest.raises(pc.EngineError, match="is not host:port"):
        require_reachable("spark://somewhere")
    with pytest.raises(pc.EngineError, match="is not one of Spark's"):
        require_reachable("sparc://somewhere:7077")


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(pc.EngineError, match="needs Java 17"):
        pc.publish("people.parquet", pc.Hybrid(l=2), quasi=["age"], sensitive="ill", engine=HERE)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A java that says, in this file, with which words somebody started it."""
    pytest.importorskip("pyspark")
    told = tmp_path / "java was started"
    program = tmp_path / "java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho \"$@\" > '{told}'\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    return told


WRONG = {
    "absent.parquet": "no file",
    "empty": "folder without",
    "people.csv": "is not Parquet",
    "partitioned": "in subfolders, such as y=2",
    "census:5000": "Parquet files? (and|or folder, or a) Spark DataFrames?",
}


@pytest.mark.parametrize("source", WRONG)
@pytest.mark.parametrize("verb", ["publish", "levels", "verify", "measure"])
def test_wrong_input_is_refused_before_java_starts(
    verb: str, source: str, started: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "partitioned" / "y=2").mkdir(parents=True)
    people(9).write_parquet(tmp_path / "partitioned" / "y=2" / "g.parquet")
    people(9).write_csv(tmp_path / "people.csv")
    words = {
        "publish": ["--l", "2", "--out", "out"],
        "levels": [],
        "verify": ["--require", "k-anonymity=2"],
        "measure": ["--original", source],
    }[verb]
    call = [verb, source, "--quasi", "age", "--sensitive", "ill", "--engine", "spark", *words]
    assert main(call) == 2
    assert re.search(WRONG[source], capsys.readouterr().err)
    assert not started.exists()


@pytest.mark.parametrize(("rows", "quasi", "told"), [(9, "agee", "did you mean 'age'"), (0, "age", "has no rows")])
def test_a_table_that_cannot_be_published_is_refused_before_java_starts(
    rows: int, quasi: str, told: str, started: Path, tmp_path: Path, capsys: Any
) -> None:
    folder = in_parts(people(9).head(rows), tmp_path / "people", 2)
    call = ["publish", str(folder), "--quasi", quasi, "--sensitive", "ill", "--engine", "spark", "--l", "2"]
    assert main([*call, "--out", str(tmp_path / "out")]) == 2
    assert told in capsys.readouterr().err
    with pytest.raises(pc.PellucidError, match=told):
        pc.publish(folder, pc.Hybrid(l=2), quasi=[quasi], sensitive="ill", engine=pc.Spark(master="local[1]"))
    assert not started.exists()


def test_the_java_of_the_test_before_tells_when_it_starts(started: Path) -> None:
    code = "import pellucid as pc; from pellucid.spark.engine.session import running_or_new as start; "
    code += "start(pc.Spark(master='local'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Spark does not start" in done.stderr
    assert started.exists()


@pytest.mark.parametrize("verb", ["levels", "verify", "measure"])
def test_settings_of_spark_reach_it(verb: str, started: Path, tmp_path: Path, capsys: Any) -> None:
    source = str(tmp_path / "people.parquet")
    people(9).write_parquet(source)
    more = {"levels": [], "verify": ["--require", "k-anonymity=2"], "measure": ["--original", source]}[verb]
    call = [verb, source, "--quasi", "age", "--sensitive", "ill", *more]
    assert main([*call, "--spark-option", "spark.app.color=blue"]) == 2
    assert "--spark-option spark.app.color=blue is for Spark; add --engine spark" in capsys.readouterr().err
    assert main([*call, "--engine", "spark", "--spark-option", "blue"]) == 2
    assert "--spark-option blue: write KEY=VALUE" in capsys.readouterr().err
    assert not started.exists()
    words = [*PROGRAM, *call, "--engine", "spark", "--spark-option", "spark.app.color=blue"]
    assert subprocess.run(words, capture_output=True, text=True).returncode == 2
    assert "spark.app.color=blue" in started.read_text()


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(pc.EngineError, match=r"pip install 'pellucid\[spark\]'"):
        pc.publish("people.parquet", pc.Hybrid(l=2), quasi=["age"], sensitive="ill", engine=HERE)
