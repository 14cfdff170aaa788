"""What Spark writes while it works for us lies where nobody else can read it, and is gone in the end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines.tables import in_parts, people, schema_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

PUBLISHED = """
import json, os, sys
from contextlib import suppress
from pathlib import Path
import pellucid as pc
from pellucid.spark.engine.session import session

os.umask(0o022)
source, schema, work, out, *chosen = sys.argv[1:]
settings = pc.Spark(master="local[1]", work=work, options={"spark.local.dir": folder for folder in chosen})




class Looking:
    '''Looks at all temporary files and those of the work whenever a stage begins.'''

    def __init__(self):
        self.seen, self.open = set(), set()

    def stage(self, name, total):
        for top in (*chosen, os.environ["TMPDIR"], work):
            for folder, folders, files in os.walk(top):
                for name in (*folders, *files):
                    self.seen.add(name)
                    with suppress(FileNotFoundError):  # gone meanwhile
                        if os.stat(os.path.join(folder, name)).st_mode & 0o077:
                            self.open.add(os.path.join(folder, name))

    def advance(self, done):
        pass


with session(settings) as spark:
    looking = Looking()
    release = pc.publish(source, pc.Hybrid(l=2), schema=schema, engine=settings, progress=looking)
    looking.stage("written", 0)
    release.write(out)
    place = Path(spark.conf.get("spark.local.dir", os.environ["TMPDIR"]))
print(json.dumps({
    "open": sorted(looking.open),
    "seen": sorted(looking.seen),
    "place": str(place),
    "stays": place.exists(),
    "release": {path.name: oct(path.stat().st_mode & 0o777) for path in Path(out).rglob("*")},
}))
"""


def publish(tmp_path: Path, environment: dict[str, str], *chosen: Path) -> dict[str, Any]:
    schema = tmp_path / "people.toml"
    schema.write_text(schema_of("ties").to_toml(), encoding="utf-8")
    source = in_parts(people(300), tmp_path / "people", 2)
    temporary = tmp_path / "temporary"
    for folder in (temporary, tmp_path / "work"):
        folder.mkdir(mode=0o755)
    there = environment | {"TMPDIR": str(temporary), "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={temporary}"}
    words = [sys.executable, "-c", PUBLISHED, str(source), str(schema), str(tmp_path / "work"), str(tmp_path / "out")]
    done = subprocess.run([*words, *map(str, chosen)], env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_nobody_else_can_read_what_spark_shuffles(tmp_path: Path, environment: dict[str, str]) -> None:
    told = publish(tmp_path, environment)
    assert any(name.startswith("shuffle_") and name.endswith(".data") for name in told["seen"])
    assert {"blocks", "boxes", "part-00000.parquet"} <= set(told["seen"])
    assert told["open"] == []
    assert Path(told["place"]).parent == tmp_path / "temporary"
    assert not told["stays"]
    # those who get the release can read it, as one made without Spark
    assert told["release"] == {"data.parquet": "0o755", "part-00000.parquet": "0o644", "recipe.json": "0o644"}


def test_in_a_folder_of_the_callers_choice_neither(tmp_path: Path, environment: dict[str, str]) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir(mode=0o755)  # others can open it, and nothing in it
    told = publish(tmp_path, environment, chosen)
    assert any(name.startswith("shuffle_") and name.endswith(".data") for name in told["seen"])
    assert told["open"] == []
    assert Path(told["place"]) == chosen
    assert told["stays"]
