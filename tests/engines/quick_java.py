"""How the tests start Java: with little compiling, and with Spark's classes kept in a file beside the environment.

Most of what Java does in the tests is to load classes and compile, for tables of some hundred rows. With the file it
starts in half of the processor's time. ``python tests/engines/quick_java.py`` makes it where there is none for this
Java and this Spark; script/test calls that. Without it everything works, only slower.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
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
# Java's words about an archive that does not fit would stand among those of a program under test.
SILENT = "-Xlog:disable"
# Whatever a program with Spark does here: it reads Parquet, groups, asks Python's workers, sorts and writes.
TYPICAL = """
import sys
from pathlib import Path
import pellucid as pc
folder = Path(sys.argv[1])
pc.datasets.census(400).write_parquet(folder / "people.parquet")
roles = {"quasi": ["age", "gender"], "sensitive": "occupation"}
engine = pc.Spark(rows_per_worker=50, master="local[2]")
release = pc.publish(folder / "people.parquet", pc.Hybrid(l=2), engine=engine, **roles)
release.write(folder / "out", format="parquet")
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
    key = hashlib.sha256(f"{of_java} {spark} {sys.prefix}".encode()).hexdigest()[:12]
    return Path(sys.prefix) / f"spark-classes-{key}.jsa"


def quick_java() -> str:
    """What Java is told when it is started."""
    archive = place()
    return f"{BASE} {SILENT} -XX:SharedArchiveFile={archive}" if archive and archive.exists() else BASE


def interpreted() -> str:
    """The same of queries: whatever begins with spark. is a setting of Spark."""
    return "".join(f" -D{name}={value}" for name, value in INTERPRETED.items())


def make(archive: Path) -> None:
    """Run a typical program whose Java leaves the classes behind when it ends."""
    with tempfile.TemporaryDirectory(prefix=archive.stem, dir=archive.parent) as folder:
        left = Path(folder) / "classes.jsa"
        environment = os.environ | {
            "PYTHONPATH": SOURCES,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": f"{BASE}{interpreted()} {SILENT} -XX:ArchiveClassesAtExit={left}",
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
    if wanted is not None and not wanted.exists():
        print("Keeping Spark's classes, once: the tests start Java often", file=sys.stderr)
        make(wanted)
