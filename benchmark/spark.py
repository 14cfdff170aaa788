"""Publishing with Spark: time as a ratio to the local engine, processor time and memory of all processes, jobs.

    python benchmark/spark.py [--rows 1e7,5e7] [--master 'local[2]'] [--out docs/spark.md]

Each run is a fresh process. Memory is the largest sum of resident memory over the driver, Java and all Python workers,
sampled; so is processor time, that of the session's start left out. The start is told apart. The local engine publishes
the same Parquet file in the same run. The table is written below the last heading of docs/spark.md.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from math import log2
from pathlib import Path

import polars as pl
import psutil
import pyarrow.parquet as pq

import pellucid as pc

Run = dict[str, float]
HEADING = "## Measured"
PIECE = 1_000_000
MACHINES, CORES = 20, 8  # of the calculation
COLUMNS = 5  # that are encoded, four bytes each
SPARK = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import psutil
import pellucid as pc
from pellucid.core.coins import Coins
from pellucid.spark.engine.publish import publish_with_spark
from pellucid.spark.engine.session import session
source, master, work = sys.argv[1:]


def busy_seconds():
    me = psutil.Process()
    total = 0.0
    for process in [me, *me.children(recursive=True)]:
        try:
            times = process.cpu_times()
            total += times.user + times.system
        except psutil.Error:
            continue
    return total


class Told:
    began = time.perf_counter()
    stages = {}

    def stage(self, name, total):
        self.stages[name] = time.perf_counter()
        print(f"  {time.perf_counter() - self.began:6.0f} s  {name}", file=sys.stderr, flush=True)

    def advance(self, done):
        pass


settings = pc.Spark(master=master, work=work, options={"spark.driver.memory": "2g"})
began = time.perf_counter()
with session(settings, tasks_alone=True) as spark:
    started = time.perf_counter() - began
    print("started", file=sys.stderr, flush=True)
    busy = busy_seconds()
    began = time.perf_counter()
    schema = pc.datasets.schema_of("census:1000")
    made_by = pc.Hybrid(l=8), pc.Intervals(), Coins.fresh(), settings
    release = publish_with_spark(source, schema, *made_by, progress=Told())
    seconds = time.perf_counter() - began
    busy = busy_seconds() - busy
    store = spark.sparkContext._jsc.sc().statusStore()
    jobs = store.jobsList(None).size()
    told = {name: release.figures[name] for name in ("parts", "passes")}
    cutting = Told.stages["grouping"] - Told.stages["cutting"]
    figures = {"seconds": seconds, "busy": busy, "started": started, "cutting": cutting, "jobs": jobs}
    print(json.dumps({**figures, **told}))
"""
LOCAL = """
import json, sys, time
import pellucid as pc
began, busy = time.perf_counter(), time.process_time()
release = pc.publish(sys.argv[1], pc.Hybrid(l=8), schema=pc.datasets.schema_of("census:1000"), threads=2)
release.write(sys.argv[2], format="parquet")
print(json.dumps({"seconds": time.perf_counter() - began, "busy": time.process_time() - busy}))
"""
WHY = (
    "Starting Java is measured apart. What is left: workers start, and codes are written, mapped and passed on",
    "as files. No machine holds the table, so Spark reads it once for every pass, where the local engine sorts it",
    "once. Use Spark where the table does not fit, not to be faster.",
)


def make(rows: int, path: Path) -> None:
    """A census of so many people, a piece at a time."""
    with pq.ParquetWriter(path, census(10).schema) as writer:
        for start in range(0, rows, PIECE):
            writer.write_table(census(min(PIECE, rows - start), seed=start // PIECE))


def census(rows: int, seed: int = 0):
    frame = (
        pc.datasets.census(rows, seed=seed).cast({pl.UInt8: pl.Int16}).with_columns(pl.col("gender").cast(pl.String))
    )
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


def measured(script: str, *arguments: str) -> Run:
    """What a script prints, and the most memory that it and its children had together, in GiB."""
    program = subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True)
    peak, over = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.wait(0.2):
            peak = max(peak, resident(program.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    said, _ = program.communicate()
    over.set()
    watcher.join()
    if program.returncode:
        raise SystemExit(f"a run ended with {program.returncode}")
    return json.loads(said.splitlines()[-1]) | {"memory": peak / 2**30}


def resident(pid: int) -> int:
    """Proportional where the system tells: workers that are forked share most of their memory."""
    total = 0
    try:
        for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
            try:
                total += process.memory_full_info().pss
            except psutil.Error:
                continue
    except psutil.Error:
        return 0
    return total


def line(rows: int, master: str, folder: Path) -> tuple[str, Run]:
    source = folder / "census.parquet"
    print(f"{rows:,} rows: making them", file=sys.stderr, flush=True)
    make(rows, source)
    print(f"{rows:,} rows: Spark", file=sys.stderr, flush=True)
    spark = measured(SPARK, str(source), master, str(folder))
    print(f"{rows:,} rows: local", file=sys.stderr, flush=True)
    local = measured(LOCAL, str(source), str(folder / "local"))
    shutil.rmtree(folder / "local")
    source.unlink()
    text = (
        f"| {rows:,} | {spark['started']:.1f} s | {spark['seconds']:.1f} s | {local['seconds']:.1f} s | "
        f"{spark['seconds'] / local['seconds']:.1f} | {spark['busy']:.1f} s | {local['busy']:.1f} s | "
        f"{spark['busy'] / local['busy']:.1f} | {spark['memory']:.1f} GiB | {local['memory']:.1f} GiB | "
        f"{spark['jobs']} | {spark['parts']} | {spark['passes']} |"
    )
    return text, spark | {"rows": rows}


def calculation(runs: list[Run], cores: int) -> str:
    """What some machines need for a billion rows, by lines through the smallest and the largest run.

    What each row costs once is the slope of the time without passes; a pass costs each row the same.
    """
    first, last = runs[0], runs[-1]
    if not last["passes"]:
        return "Every table was one subtree, which a single worker groups: nothing follows for larger ones."
    once = slope(first, last, lambda run: cores * (run["seconds"] - run["cutting"]), lambda run: run["rows"])
    each = cores * last["cutting"] / last["passes"] / last["rows"]
    doubling = slope(first, last, lambda run: run["passes"], lambda run: log2(run["parts"]))
    subtrees = 1e9 * last["parts"] / last["rows"]
    passes = last["passes"] + doubling * log2(subtrees / last["parts"])
    busy = 1e9 * (once + each * passes) / (MACHINES * CORES)
    reading = 1e9 * 4 * COLUMNS * passes / (MACHINES * 1e9)
    handed = 1e9 * (8 + 4 * COLUMNS) / 2**30
    stored = 1e9 * 4 * COLUMNS / 2**30
    return (
        f"**A billion rows on {MACHINES} machines with {CORES} cores each, by calculation.** A row costs "
        f"{once * 1e6:.1f} microseconds of one core, and {each * 1e6:.2f} more in every pass. A billion rows make "
        f"about {subtrees:,.0f} subtrees and {passes:.0f} passes ({doubling:.1f} for each doubling). That is "
        f"about {busy:.0f} seconds of {MACHINES * CORES} busy cores, beside starting Spark and the tasks of each pass, "
        f"if the storage keeps up. It holds {stored:.0f} GiB of blocks, which are read {passes:.0f} times, "
        f"{stored * passes / 1024:.1f} TiB in all. Machines that read 1 GB/s each need {reading:.0f} seconds "
        f"for that, and none where the blocks stay in their memory. Rows are passed on once more, {handed:.0f} GiB "
        f"({handed / MACHINES:.1f} GiB per machine) through the work folder. "
        f"Each machine needs {CORES} workers of 0.5 GB beside Java."
    )


def slope(first: Run, last: Run, up: Callable[[Run], float], along: Callable[[Run], float]) -> float:
    """The slope of a line through two runs; through the origin when there is one run only."""
    width = along(last) - along(first)
    return (up(last) - up(first)) / width if width else up(last) / max(1.0, along(last))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="1e7,5e7")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--out", type=Path, default=Path("docs/spark.md"))
    given = parser.parse_args()
    began = time.strftime("%Y-%m-%d")
    lines, runs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for rows in given.rows.split(","):
            text, figures = line(int(float(rows)), given.master, Path(folder))
            lines.append(text)
            runs.append(figures)
    cores = int("".join(filter(str.isdigit, given.master)) or 1)
    page = given.out.read_text(encoding="utf-8") if given.out.exists() else ""
    head = page.partition(HEADING)[0].rstrip()
    table = [
        f"`python benchmark/spark.py --rows {given.rows}`, {began}: census of four quasi-identifiers, Hybrid, l = 8, "
        f"`{given.master}`. Ratio: time of Spark over time of the local engine with two threads, both from Parquet to "
        "Parquet.",
        "",
        *WHY,
        "",
        "| rows | Java starts | Spark | local | ratio | processor time of Spark | local | ratio | memory of Spark's "
        "processes | memory local | jobs | subtrees | passes |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *lines,
        "",
        calculation(runs, cores),
    ]
    given.out.write_text("\n".join([head, "", HEADING, "", *table]) + "\n", encoding="utf-8")
    print("\n".join(table))


if __name__ == "__main__":
    main()
