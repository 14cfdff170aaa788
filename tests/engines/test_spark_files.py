"""What Spark writes while it works for us lies where nobody else can read it, and is gone in the end.

The program begins with a start that fails: the same Python can start Spark again, and no Java is left.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines.java_processes import assert_none_is_left
from engines.tables import in_parts, people, schema_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

PUBLISHED = """
import json, os, sys
from contextlib import suppress
from pathlib import Path
import pellucid as pc
from pellucid.spark.engine.session import session

os.umask(0o022)
source, schema, work, chosen, out, mark = sys.argv[1:]
FEW = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "1", "spark.pellucid.mark": mark}


class Looking:
    '''Looks at all temporary files and those of the work whenever a stage begins.'''

    def __init__(self, *folders):
        self.folders, self.seen, self.open = folders, set(), set()

    def stage(self, name, total):
        for top in self.folders:
            for folder, folders, files in os.walk(top):
                for name in (*folders, *files):
                    self.seen.add(name)
                    with suppress(FileNotFoundError):  # gone meanwhile
                        if os.stat(os.path.join(folder, name)).st_mode & 0o077:
                            self.open.add(os.path.join(folder, name))

    def advance(self, done):
        pass


def told(out, settings, *looked_at):
    with session(settings) as spark:
        looking = Looking(*looked_at)
        release = pc.publish(source, pc.Hybrid(l=2), schema=schema, engine=settings, progress=looking)
        looking.stage("written", 0)
        release.write(out)
        place = Path(spark.conf.get("spark.local.dir", os.environ["TMPDIR"]))
    return {
        "open": sorted(looking.open),
        "seen": sorted(looking.seen),
        "place": str(place),
        "stays": place.exists(),
        "release": {path.name: oct(path.stat().st_mode & 0o777) for path in Path(out).rglob("*")},
    }


def refused():
    try:
        with session(pc.Spark(master="local[1]", options=FEW | {"spark.driver.port": "x"})):
            return "started"
    except pc.EngineError:
        return "refused"


first = refused()
ours = told(f"{out}-ours", pc.Spark(master="local[1]", work=work, options=FEW), os.environ["TMPDIR"], work)
there = pc.Spark(master="local[1]", work=work, options=FEW | {"spark.local.dir": chosen})
chosen = told(f"{out}-chosen", there, chosen, os.environ["TMPDIR"], work)
print(json.dumps({"first": first, "ours": ours, "chosen": chosen}))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def told(folder: Path, environment: dict[str, str]) -> dict[str, Any]:
    """What one program saw that started in vain, then published twice: with Spark's files where we put them, and where
    the caller says.
    """
    schema = folder / "people.toml"
    schema.write_text(schema_of("ties").to_toml(), encoding="utf-8")
    source = in_parts(people(300), folder / "people", 2)
    temporary, work, chosen = (folder / name for name in ("temporary", "work", "chosen"))
    for place in (temporary, work, chosen):
        place.mkdir()
        place.chmod(0o755)  # others can open it, and nothing in it
    there = environment | {"TMPDIR": str(temporary), "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={temporary}"}
    words = [
        sys.executable,
        "-c",
        PUBLISHED,
        *map(str, (source, schema, work, chosen, folder / "out", folder / "mark")),
    ]
    done = subprocess.run(words, env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    both: dict[str, Any] = json.loads(done.stdout)
    return both


def test_after_a_start_that_failed_another_one_succeeds(folder: Path, told: dict[str, Any]) -> None:
    assert told["first"] == "refused"
    assert told["ours"]["release"]
    assert_none_is_left(str(folder / "mark"))


def test_nobody_else_can_read_what_spark_shuffles(folder: Path, told: dict[str, Any]) -> None:
    ours = told["ours"]
    assert any(name.startswith("shuffle_") and name.endswith(".data") for name in ours["seen"])
    assert {"blocks", "boxes", "part-00000.parquet"} <= set(ours["seen"])
    assert ours["open"] == []
    assert Path(ours["place"]).parent == folder / "temporary"
    assert not ours["stays"]
    # those who get the release can read it, as one made without Spark
    assert ours["release"] == {"data.parquet": "0o755", "part-00000.parquet": "0o644", "recipe.json": "0o644"}


def test_in_a_folder_of_the_callers_choice_neither(folder: Path, told: dict[str, Any]) -> None:
    chosen = told["chosen"]
    assert any(name.startswith("shuffle_") and name.endswith(".data") for name in chosen["seen"])
    assert chosen["open"] == []
    assert Path(chosen["place"]) == folder / "chosen"
    assert chosen["stays"]
