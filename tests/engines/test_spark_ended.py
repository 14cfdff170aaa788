"""Sessions that end, in one program: the caller's own, ours, and one whose Java is killed while it works.

The caller's own comes first, without an activated environment: its workers find pellucid all the same. After
spark.stop(), whatever is asked of a frame, a release or the session says the same words.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines.conftest import SOURCES
from engines.quick_java import INTERPRETED, WARM, quick_java, told
from engines.tables import people, schema_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

ENDED = "the Spark session of this table has ended; start one and read the table with it again"
PROGRAM = """
import json
import sys

sources, folder, options = sys.argv[1:]
sys.path.insert(0, sources)

from pathlib import Path

import psutil
import pellucid as pc
from pellucid.audit import look_at
from pellucid.core.schema import Roles
from pellucid.spark.engine import on_cluster as engine
from pellucid.spark.engine.session import session
from pyspark.sql import SparkSession

folder, options = Path(folder), json.loads(options)


def answer(question):
    try:
        return question()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def of_the_caller():
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    rows = [(20 + i % 7, "flu" if i % 3 else "gout") for i in range(30)]
    frame = spark.createDataFrame(rows, "age int, ill string")
    roles = {"quasi": ["age"], "sensitive": "ill"}
    count = pc.publish(frame, pc.Tailor(model="k-anonymity=5"), **roles).frame.count()
    spark.stop()
    return [count, answer(lambda: pc.publish(frame, pc.Hybrid(l=1), **roles))]


def of_ours(path, out):
    roles = {"quasi": ["age"], "sensitive": "ill"}
    with session(pc.Spark(master="local[1]", options=options)) as spark:
        frame = spark.read.parquet(path)
        release = pc.publish(frame, pc.Anatomy(l=2), **roles)
        release.write(out)
        looked_at = look_at(frame, Roles(**roles))
    required = [pc.KAnonymity(k=1)]
    questions = {
        "publish": lambda: pc.publish(frame, pc.Anatomy(l=2), **roles),
        "levels of a frame": lambda: pc.levels(frame, **roles),
        "levels of a release": lambda: pc.levels(release),
        "levels of its tables": lambda: pc.levels(release.frames),
        "levels of a folder": lambda: pc.levels(out, spark=spark),
        "levels of what was looked at": lambda: looked_at.levels(),
        "verify a frame": lambda: pc.verify(frame, required, **roles),
        "verify a release": lambda: pc.verify(release, required),
        "verify a folder": lambda: pc.verify(out, required, spark=spark),
        "measure a frame": lambda: pc.measure(frame, frame, **roles),
        "measure a release": lambda: pc.measure(release, frame),
        "measure a folder": lambda: pc.measure(out, path, spark=spark),
        "measure a folder and a frame": lambda: pc.measure(out, frame),
        "measure a release and a path": lambda: pc.measure(release, path),
    }
    told = {name: answer(question) for name, question in questions.items()}
    return told | {"repr": repr(release), "notebook": release._repr_html_()}


def with_java_killed():
    real = engine.SparkEngine.look

    def killing(*arguments):
        for child in psutil.Process().children(recursive=True):
            try:
                if child.name() == "java":
                    child.kill()
                    child.wait()
            except psutil.NoSuchProcess:  # it ended with the one killed before it
                continue
        return real(*arguments)

    engine.SparkEngine.look = killing
    there = options | {"spark.local.dir": str(folder / "local")}
    settings = pc.Spark(master="local[1]", work=folder / "work", options=there)
    source, schema = folder / "people.parquet", folder / "schema.toml"
    return answer(lambda: pc.publish(source, pc.Hybrid(l=2), schema=schema, engine=settings))


caller, ours = of_the_caller(), of_ours(str(folder / "some.parquet"), str(folder / "out"))
print(json.dumps({"caller": caller, "ours": ours, "killed": with_java_killed()}))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ended")
    people(60).write_parquet(made / "some.parquet")
    people(200).write_parquet(made / "people.parquet")
    (made / "schema.toml").write_text(schema_of("ties").to_toml(), encoding="utf-8")
    (made / "work").mkdir()
    return made


@pytest.fixture(scope="module")
def said(folder: Path, compiling: dict[str, str], thorough: bool) -> dict[str, Any]:
    """What the program said; python3 of its PATH has no pellucid, and no variable names another Python."""
    bare = {name: value for name, value in compiling.items() if not name.startswith("PYSPARK_")}
    bare |= {"PYTHONPATH": "", "PATH": f"{folder}:/usr/bin:/bin"}
    options: dict[str, str] = {}
    if not thorough:  # workers of the caller's session are Spark's own all the same
        bare |= {"SPARK_SUBMIT_OPTS": quick_java() + told(INTERPRETED)}
        options = WARM | {"spark.executorEnv.PYTHONPATH": SOURCES}
    words = [sys.executable, "-c", PROGRAM, str(Path(__file__).parents[2] / "src"), str(folder), json.dumps(options)]
    done = subprocess.run(words, env=bare, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def test_workers_are_this_python_and_an_ended_session_is_told(said: dict[str, Any]) -> None:
    assert said["caller"] == [30, f"EngineError: {ENDED}"]


def test_everything_says_that_the_session_has_ended(said: dict[str, Any]) -> None:
    told = dict(said["ours"])
    assert told.pop("repr").startswith("SparkRelease(anatomy(l=2): 60 rows")
    assert "age" in told.pop("notebook")
    assert told == dict.fromkeys(told, f"EngineError: {ENDED}")
    assert len(told) == 14


def test_java_killed_in_the_middle(said: dict[str, Any], folder: Path) -> None:
    assert said["killed"].startswith("EngineError: Spark"), said["killed"]
    assert "\n" not in said["killed"].strip()
    assert not list((folder / "work").iterdir())
