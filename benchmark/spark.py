"""Publishing with Spark: time as a ratio to the local engine, memory of all processes, bytes shuffled per row.

    python benchmark/spark.py [--rows 1e7,5e7] [--master 'local[2]'] [--out docs/spark.md]

Each run is a fresh process. Memory is the largest sum of resident memory over the driver, Java and all Python workers,
sampled. Shuffled bytes are Spark's own. The local engine publishes the same Parquet file in the same run. The table is
written below the last heading of docs/spark.md.
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
from pathlib import Path

import polars as pl
import psutil
import pyarrow.parquet as pq

import pellucid as pc

HEADING = "## Measured"
PIECE = 1_000_000
SPARK = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import pellucid as pc
from pellucid.coins import Coins
from pellucid.engine.publishing import publish_with_spark
from pellucid.engine.session import session
source, master, work = sys.argv[1:]


class Told:
    began = time.perf_counter()

    def stage(self, name, total):
        print(f"  {time.perf_counter() - self.began:6.0f} s  {name}", file=sys.stderr, flush=True)

    def advance(self, done):
        pass


settings = pc.Spark(master=master, work=work, options={"spark.driver.memory": "2g"})
with session(settings) as spark:
    began = time.perf_counter()
    schema = pc.datasets.schema_of("census:1000")
    made_by = pc.Hybrid(l=8), pc.Intervals(), Coins.fresh(), settings
    release = publish_with_spark(source, schema, *made_by, progress=Told())
    seconds = time.perf_counter() - began
    workers = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    shuffled = sum(workers.apply(i).totalShuffleWrite() for i in range(workers.size()))
    told = {name: release.figures[name] for name in ("parts", "passes")}
    print(json.dumps({"seconds": seconds, "shuffled": shuffled, **told}))
"""
LOCAL = """
import json, sys, time
import pellucid as pc
began = time.perf_counter()
release = pc.publish(sys.argv[1], pc.Hybrid(l=8), schema=pc.datasets.schema_of("census:1000"), threads=2)
release.write(sys.argv[2], format="parquet")
print(json.dumps({"seconds": time.perf_counter() - began}))
"""


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


def measured(script: str, *arguments: str) -> dict[str, float]:
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


def line(rows: int, master: str, folder: Path) -> tuple[str, dict[str, float]]:
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
        f"| {rows:,} | {spark['seconds']:.0f} s | {local['seconds']:.1f} s | "
        f"{spark['seconds'] / local['seconds']:.1f} | {spark['memory']:.1f} GiB | {local['memory']:.1f} GiB | "
        f"{spark['shuffled'] / rows:.0f} | {spark['parts']} | {spark['passes']} |"
    )
    return text, spark | {"rows": rows}


def calculation(figures: dict[str, float], cores: int) -> str:
    """What 20 machines need for a billion rows, from the costs per row of the largest run."""
    per_row = figures["seconds"] * cores / figures["rows"]
    hours = 1e9 * per_row / (20 * 8) / 3600
    shuffled = 1e9 * figures["shuffled"] / figures["rows"] / 2**30
    return (
        f"By calculation from the largest run ({per_row * 1e6:.1f} microseconds of one core per row), a billion rows "
        f"on 20 machines with 8 cores each take about {hours * 60:.0f} minutes, shuffle {shuffled:.0f} GiB in all "
        f"({shuffled / 20:.1f} GiB per machine), and need on each machine 8 workers of 0.5 GB beside Java. About 500 "
        "subtrees of 2 million rows keep 160 cores busy three times over; passes over the blocks grow with the depth "
        "of the top of the tree, about log2(500) = 9 plus refinements."
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="1e7,5e7")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--out", type=Path, default=Path("docs/spark.md"))
    given = parser.parse_args()
    began = time.strftime("%Y-%m-%d")
    lines, figures = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for rows in given.rows.split(","):
            text, figures = line(int(float(rows)), given.master, Path(folder))
            lines.append(text)
    cores = int("".join(filter(str.isdigit, given.master)) or 1)
    page = given.out.read_text(encoding="utf-8") if given.out.exists() else ""
    head = page.partition(HEADING)[0].rstrip()
    table = [
        f"`python benchmark/spark.py --rows {given.rows}`, {began}: census of four quasi-identifiers, Hybrid, l = 8, "
        f"`{given.master}`. Ratio: time of Spark over time of the local engine with two threads, both from Parquet to "
        "Parquet.",
        "",
        "| rows | Spark | local | ratio | memory of Spark's processes | memory local | bytes shuffled per row | "
        "subtrees | passes |",
        "|---|---|---|---|---|---|---|---|---|",
        *lines,
        "",
        calculation(figures, cores),
    ]
    given.out.write_text("\n".join([head, "", HEADING, "", *table]) + "\n", encoding="utf-8")
    print("\n".join(table))


if __name__ == "__main__":
    main()
