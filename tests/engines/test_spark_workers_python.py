"""A table of the caller's own session: workers find pellucid without an activated environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

PROGRAM = """
import pellucid as pc
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rows = [(20 + i % 7, "flu" if i % 3 else "gout") for i in range(30)]
frame = spark.createDataFrame(rows, "age int, ill string")
roles = {"quasi": ["age"], "sensitive": "ill"}
print(pc.publish(frame, pc.Tailor(model="k-anonymity=5"), **roles).frame.count())
spark.stop()
try:
    pc.publish(frame, pc.Hybrid(l=1), **roles)
except pc.PellucidError as error:
    print(error)
"""


@pytest.mark.usefixtures("java")
def test_workers_are_this_python_and_an_ended_session_is_told(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = Path(__file__).parents[2] / "src"
    bare = {name: value for name, value in environment.items() if not name.startswith("PYSPARK_")}
    # python3 of this PATH has no pellucid
    bare |= {"PYTHONPATH": "", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    program = f"import sys; sys.path.insert(0, {str(folder)!r})\n" + PROGRAM
    done = subprocess.run(
        [sys.executable, "-c", program], env=bare, cwd=tmp_path, capture_output=True, text=True, timeout=900
    )
    assert done.stdout.splitlines() == ["30", ANSWER], done.stderr[-2000:]


ANSWER = "the Spark session of this table has ended; start one and read the table with it again"
