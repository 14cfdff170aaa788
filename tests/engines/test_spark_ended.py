"""After spark.stop(), whatever is asked of a frame, a release or the session says the same words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engines.tables import people

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

ASKED = """
import json, sys
import pellucid as pc
from pellucid.audit import look_at
from pellucid.schema import Roles
from pellucid.spark.engine.session import session

path, out = sys.argv[1:]
roles = {"quasi": ["age"], "sensitive": "ill"}
with session(pc.Spark(master="local[1]")) as spark:
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
told = {}
for name, question in questions.items():
    try:
        question()
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"
told["repr"] = repr(release)
told["notebook"] = release._repr_html_()
print(json.dumps(told))
"""


def test_everything_says_that_the_session_has_ended(tmp_path: Path, environment: dict[str, str]) -> None:
    people(60).write_parquet(tmp_path / "people.parquet")
    words = [sys.executable, "-c", ASKED, str(tmp_path / "people.parquet"), str(tmp_path / "out")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told.pop("repr").startswith("SparkRelease(anatomy(l=2): 60 rows")
    assert "age" in told.pop("notebook")
    words = "EngineError: the Spark session of this table has ended; start one and read the table with it again"
    assert told == dict.fromkeys(told, words)
    assert len(told) == 14
