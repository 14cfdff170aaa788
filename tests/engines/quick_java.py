"""How the tests start Java: with little compiling, and with Spark's classes kept in a file beside the environment.

Most of what Java does in the tests is to load classes and compile, for tables of some hundred rows. With the file it
starts in half of the processor's time. Beside it lies a home of Spark without its own copy of pyspark, a zip that
every Python of Spark's compiles anew: they load the installed one. ``python tests/engines/quick_java.py`` makes both
where there are none for this Java and this Spark; script/test calls that. Without them everything works, only slower.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

SOURCES = str(Path(__file__).parents[2] / "src")
# It compiles once and quickly, and collects garbage with one thread; classes of jars are believed without a proof.
# spark-submit passes this on to every Java that a test starts, without a word on stderr.
BASE = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:CICompilerCount=1"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
# Spark's own compiler writes a Java class for every query; its interpreter gives the same answers. One program
# (test_what_readers_make_of_it_and_a_killed_program), and all tests with --thorough, run compiled queries, as users do.
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
# Python's workers are forked by a process that has their libraries; as above, not in that program nor with --thorough.
WARM = {"spark.python.daemon.module": "engines.warm_daemon"}
# Java's words about an archive that does not fit would stand among those of a program under test.
SILENT = "-Xlog:disable"
# Whatever a program with Spark does here: it reads Parquet or is given rows, groups, asks Python's workers, sorts and
# writes, and looks at what was written. A class that is not met here is loaded anew by every Java of the tests.
TYPICAL = """
import sys
from pathlib import Path
import pellucid as pc
from pellucid.spark.engine.session import session
folder = Path(sys.argv[1])
people = pc.datasets.census(400).select("age", "gender", "occupation")
people.write_parquet(folder / "people.parquet")
roles = {"quasi": ["age", "gender"], "sensitive": "occupation"}
engine = pc.Spark(rows_per_worker=50, master="local[2]")
with session(engine) as spark:
    release = pc.publish(folder / "people.parquet", pc.Hybrid(l=2), engine=engine, **roles)
    release.write(folder / "out", format="parquet")
    given = spark.createDataFrame(people.rows(), "age int, gender string, occupation string").repartition(3)
    for method in (pc.SoftCut(l=2), pc.Anatomy(l=2)):
        release = pc.publish(given, method, engine=engine, **roles)
        pc.levels(release)
        pc.report(release, audience="public")
        release.write(folder / method.name, format="parquet")
    for metrics in ([pc.QueryError(queries=9)], [pc.Discernibility(), pc.Loss()]):
        pc.measure(folder / "out", given, metrics, **roles, spark=spark)
    pc.verify(folder / "out", [pc.KAnonymity(k=2)], spark=spark)
"""


def place() -> Path | None:
    """Where the archive of this Java and this Spark belongs; nowhere without them."""
    java = shutil.which("java")
    try:
        spark = version("pyspark")
    except PackageNotFoundError:
        return None
    if java is None:
        return None
    libraries = Path(java).resolve().parents[1] / "lib" / "modules"
    of_java = f"{libraries} {libraries.stat().st_mtime_ns}" if libraries.exists() else java
    key = hashlib.sha256(f"{of_java} {spark} {sys.prefix} {TYPICAL}".encode()).hexdigest()[:12]
    return Path(sys.prefix) / f"spark-classes-{key}.jsa"


def quick_java() -> str:
    """What Java is told when it is started."""
    archive = place()
    return f"{BASE} {SILENT} -XX:SharedArchiveFile={archive}" if archive and archive.exists() else BASE


def told(settings: Mapping[str, str]) -> str:
    """The same of settings of Spark: whatever begins with spark. is one."""
    return "".join(f" -D{name}={value}" for name, value in settings.items())


def home() -> dict[str, str]:
    """The variable that names the home of Spark without its zip, where there is one."""
    archive = place()
    return {"SPARK_HOME": str(_home(archive))} if archive and _home(archive).exists() else {}


def _home(archive: Path) -> Path:
    return archive.with_name(archive.stem.replace("classes", "home"))


def make_home(folder: Path) -> None:
    """Link to all that is in Spark's home but the folder with pyspark."""
    installed = Path(str(distribution("pyspark").locate_file("pyspark")))
    with tempfile.TemporaryDirectory(prefix=folder.name, dir=folder.parent) as made:
        links = Path(made) / "home"
        links.mkdir()
        for name in ("bin", "data", "jars", "sbin"):
            (links / name).symlink_to(installed / name, target_is_directory=True)
        links.rename(folder)


def make(archive: Path) -> None:
    """Run a typical program whose Java leaves the classes behind when it ends."""
    with tempfile.TemporaryDirectory(prefix=archive.stem, dir=archive.parent) as folder:
        left = Path(folder) / "classes.jsa"
        environment = os.environ | {
            "PYTHONPATH": SOURCES,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": f"{BASE}{told(INTERPRETED)} {SILENT} -XX:ArchiveClassesAtExit={left}",
        }
        # the pipes are closed when Java, too, has ended
        program = [sys.executable, "-W", "ignore", "-c", TYPICAL, folder]
        done = subprocess.run(program, env=environment, capture_output=True, text=True)
        if done.returncode or not left.exists():
            print(f"Java will start more slowly: {done.stderr.strip()[-500:]}", file=sys.stderr)
        else:
            left.rename(archive)


if __name__ == "__main__":
    wanted = place()
    if wanted is not None and not _home(wanted).exists():
        make_home(_home(wanted))
    if wanted is not None and not wanted.exists():
        print("Keeping Spark's classes, once: the tests start Java often", file=sys.stderr)
        make(wanted)
