"""The command line on Spark: separate executors, one of them killed, and what readers make of the release."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl
import psutil
import pytest

import pellucid as pc
from cli.program import as_in_a_terminal
from engines.quick_java import INTERPRETED, quick_java, told
from engines.tables import PROGRAM, cut_on_driver, in_parts, people, published, regions, schema_of
from pellucid.cli.program import main
from pellucid.core.coins import Coins
from pellucid.io import encode

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

# Calls of the program, each with a session of its own; Java starts once.
ONE_AFTER_THE_OTHER = """
import json, sys
from pellucid.cli.program import main
for number, words in enumerate(json.loads(sys.argv[1])):
    print(end="\\0" if number else "", flush=True)
    if code := main(words):
        sys.exit(code)
"""
# The program, which stands still once the rows are encoded, says so with a file, and goes on when there is another.
HELD = """
import os, sys, time
from pathlib import Path
from pellucid.cli.program import main
from pellucid.spark.engine.on_cluster import SparkEngine

folder, finish = Path(os.environ["PELLUCID_HELD_BY"]), SparkEngine.finish

def held(*given):
    (folder / "held").touch()
    while not (folder / "go on").exists():
        time.sleep(0.02)
    return finish(*given)

SparkEngine.finish = held
sys.exit(main())
"""
CLUSTER = ("--master", "local-cluster[2,1,1024]")


def call(folder: Path, schema: Path, out: Path, *more: str) -> list[str]:
    program = [*PROGRAM, "publish", str(folder), "--schema", str(schema)]
    program += ["--engine", "spark", "--method", "hybrid", "--l", "2", "--seed", "3"]
    program += ["--out", str(out), "--rows-per-worker", "500"]
    here = f"spark.executorEnv.PYTHONPATH={os.environ.get('PYTHONPATH', '')}"
    return [*program, "--spark-option", here, "--spark-option", "spark.sql.shuffle.partitions=3", *more]


def expected(folder: Path, schema: Path, method: str = "hybrid") -> pl.DataFrame:
    kind = {"hybrid": pc.Hybrid, "soft-cut": pc.SoftCut}[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        frame: pl.DataFrame = pc.publish(folder, kind(l=2), schema=schema, seed=3).frame
    return frame


def prepared(tmp_path: Path, frame: pl.DataFrame, kind: str = "many values") -> tuple[Path, Path]:
    schema = tmp_path / "people.toml"
    schema.write_text(schema_of(kind).to_toml(), encoding="utf-8")
    return in_parts(frame, tmp_path / "people.parquet", 4), schema


def test_separate_executors_one_of_them_killed(
    tmp_path: Path, compiling: dict[str, str], monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    """The driver tries cuts that the die accepts and that it refuses. SoftCut does all that Hybrid does, and more."""
    # executors are Java processes of their own, with Spark's own home and workers
    environment = compiling | {"SPARK_SUBMIT_OPTS": quick_java() + told(INTERPRETED)}
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    quick = "--spark-option", f"spark.executor.extraJavaOptions={quick_java()}"
    if not thorough:
        one_is_killed("soft-cut", regions(2000), 500, tmp_path, environment, *quick)
        return
    for method in ("soft-cut", "hybrid"):
        (tmp_path / method).mkdir()
        one_is_killed(method, regions(2_000_000), 500_000, tmp_path / method, compiling)


def one_is_killed(
    method: str, frame: pl.DataFrame, most: int, tmp_path: Path, environment: dict[str, str], *options: str
) -> None:
    """A release is made by two executors, of which one dies, and is what it would have been."""
    folder, schema = prepared(tmp_path, frame, "regions")
    top = cut_on_driver(pc.SoftCut(l=2), encode(frame, schema_of("regions")), Coins.from_seed(3), most)
    assert (top.accepted >= 2, [top.sizes[node] for node in top.refused]) == (True, [0.28 * frame.height])
    out = tmp_path / "out"
    more = "--method", method, "--rows-per-worker", str(most), *CLUSTER, *options
    with held(call(folder, schema, out, *more), environment, tmp_path) as program:
        executors = [child for child in children(program) if is_executor(child)]
        assert executors
        executors[0].kill()  # while the job runs, after the rows were encoded
        (tmp_path / "by" / "go on").touch()
        said, complaint = program.communicate()
    assert program.returncode == 0, complaint
    assert published(out / "data.parquet").equals(expected(folder, schema, method))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []
    assert "groups" in said


@contextmanager
def held(words: list[str], environment: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that stands still in the middle of its work, and does not outlive the test."""
    by = tmp_path / "by"
    by.mkdir()
    there = environment | {"PELLUCID_HELD_BY": str(by)}
    with started([sys.executable, "-c", HELD, *words[len(PROGRAM) :]], there) as program:
        while program.poll() is None and not (by / "held").exists():
            time.sleep(0.05)
        assert program.poll() is None, program.communicate()
        assert list(tmp_path.glob(".out.pellucid-new-*/pellucid-*/blocks/*"))
        yield program
    shutil.rmtree(by)


@contextmanager
def started(words: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A program that does not outlive the test, with everything that it started."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words,
        env=environment,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
        preexec_fn=as_in_a_terminal,
    ) as program:
        try:
            yield program
        finally:
            for process in [*children(program), program]:
                with suppress(psutil.Error):
                    process.kill()


def children(program: subprocess.Popen[str]) -> list[psutil.Process]:
    try:
        return psutil.Process(program.pid).children(recursive=True)
    except psutil.Error:
        return []


def is_executor(process: psutil.Process) -> bool:
    try:
        return any("ExecutorBackend" in word for word in process.cmdline())
    except psutil.Error:  # it has ended meanwhile
        return False


def test_what_readers_make_of_it_and_a_killed_program(
    tmp_path: Path, environment: dict[str, str], compiling: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, schema = prepared(tmp_path, people(1500))
    out = tmp_path / "out"
    with held(call(folder, schema, out, "--master", "local[2]"), environment, tmp_path):
        pass  # killed in the middle
    assert not out.exists()  # and so no recipe
    calls = [[*call(folder, schema, out, "--master", "local[2]")[len(PROGRAM) :], "--json"]]
    calls += [["levels", str(out), "--json", "--engine", "spark", "--master", "local[2]"]]
    words = [sys.executable, "-c", ONE_AFTER_THE_OTHER, json.dumps(calls)]
    done = subprocess.run(words, env=compiling, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    account, theirs = map(json.loads, done.stdout.split("\0"))
    assert account["rows"] == account["published_rows"] == 1500
    assert account["files"] == ["data.parquet", "recipe.json"]
    assert not list(tmp_path.glob(".out*"))  # what the killed program left is gone too
    assert pl.read_parquet(out / "data.parquet/*.parquet").equals(expected(folder, schema))
    assert main(["levels", str(out), "--json"]) == 0
    mine = json.loads(capsys.readouterr().out)
    for level in mine["levels"]:
        level["worst"]["rows"] = []
    assert mine["rows_below"].keys() == {"2", "3", "5"}
    assert theirs == mine
    for verb in (["levels"], ["verify", "--require", "l-diversity=2"], ["measure", "--original", str(folder)]):
        assert main([verb[0], str(out), *verb[1:]]) == 0, capsys.readouterr().err


def test_sigterm_to_the_group_leaves_nothing_behind(tmp_path: Path, environment: dict[str, str]) -> None:
    """As `timeout` does it."""
    folder, schema = prepared(tmp_path, people(1500))
    (tmp_path / "temporary").mkdir()
    there = environment | {"TMPDIR": str(tmp_path / "temporary")}
    with held(call(folder, schema, tmp_path / "out", "--master", "local[1]"), there, tmp_path) as program:
        assert list((tmp_path / "temporary").glob("pellucid-spark-*"))
        os.killpg(program.pid, signal.SIGTERM)
        said, complaint = program.communicate()
    assert (program.returncode, said) == (143, "")
    assert complaint.splitlines()[-1] == "stopped; nothing is half written"
    assert "Traceback" not in complaint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "people.toml", "temporary"]
    assert not list((tmp_path / "temporary").glob("pellucid-spark-*"))
