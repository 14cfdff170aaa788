"""How fast all privacy models are measured on a large table, and in how much memory; writes docs/levels.md.

    python benchmark/levels.py [--rows 600000] [--large 1e7] [--repeat 5] [--small 30000] [--out docs/levels.md]

pyCANON is installed in an environment of its own (``--pycanon DIR`` keeps it for the next time). It gets a small table
``repeat`` times, in turns with ours, and the full table once, because that takes minutes; both are recoded as a release
is, for its time grows with the number of groups: a raw census of 5,000 rows takes it a minute. Its time is that of its
own report (``pycanon.report.base.get_report_values``) on a frame in memory, as ours is that of
``pellucid.levels``. Memory is the peak of a fresh process beyond what its input frame takes, with allocators that give
back what is freed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path

THREADS = 2
os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))

import polars as pl  # noqa: E402
from figures import MACHINE, ROOT, Figure, as_table, say, seconds  # noqa: E402

import pellucid as pc  # noqa: E402

QUASI = ["age", "gender", "education", "birthplace"]
SENSITIVE = "occupation"
VERSION = "1.3.6"


def census(rows: int) -> pl.DataFrame:
    return pc.datasets.census(rows, seed=1).select(*QUASI, SENSITIVE)


def recoded(rows: int) -> pl.DataFrame:
    """The census as a release has it: age in fives, education in threes, birthplace in tens."""
    band = {"age": 5, "education": 3, "birthplace": 10}
    return census(rows).with_columns(pl.col(name) // width * width for name, width in band.items())


def levels(frame: pl.DataFrame) -> Callable[[], object]:
    return lambda: pc.levels(frame, quasi=QUASI, sensitive=SENSITIVE, threads=THREADS)


PYCANON = """
import contextlib, io, json, sys, time, warnings
import pandas as pd
from pycanon.report import base
warnings.simplefilter("ignore")
data = pd.read_csv(sys.argv[1])
for line in sys.stdin:
    start, cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):  # it prints remarks
        report = base.get_report_values(data, {quasi!r}, [{sensitive!r}])
    print(json.dumps([time.perf_counter() - start, time.process_time() - cpu, repr(report)]), flush=True)
"""


class PyCanon:
    """A process that answers each line on its stdin with the time of one more report."""

    def __init__(self, python: Path, table: Path) -> None:
        code = PYCANON.format(quasi=QUASI, sensitive=SENSITIVE)
        self._process = subprocess.Popen(
            [python, "-c", code, table], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def report(self) -> tuple[float, float, str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        wall, cpu, report = json.loads(self._process.stdout.readline())
        return wall, cpu, report

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def environment(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not python.exists():
        say(f"installing pyCANON {VERSION} in {folder}")
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"pycanon=={VERSION}"], check=True)
    return python


def against_pycanon(python: Path, rows: int, small: int, repeat: int) -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for size, times in ((small, repeat), (rows, 1)):
            frame = recoded(size)
            groups = frame.select(QUASI).n_unique()
            path = Path(folder) / f"{size}.csv"
            frame.write_csv(path)
            theirs = PyCanon(python, path)
            ours_wall, ours_cpu, theirs_wall, theirs_cpu = [], [], [], []
            levels(frame)()  # the first call imports
            for turn in range(repeat):
                start = time.process_time()
                ours_wall.append(seconds(levels(frame)))
                ours_cpu.append(time.process_time() - start)
                if turn < times:
                    wall, cpu, report = theirs.report()
                    theirs_wall.append(wall)
                    theirs_cpu.append(cpu)
            theirs.end()
            taken = [statistics.median(kept) for kept in (ours_wall, ours_cpu, theirs_wall, theirs_cpu)]
            ratio = taken[3] / taken[1]
            say(f"{size:,} rows: {taken[0]:.3f} s, pyCANON {taken[2]:.1f} s; it reports {report}")
            figures.append(
                Figure(
                    f"CPU time of pyCANON's report / of all our models, {size:,} rows in {groups:,} groups",
                    ratio,
                    "times",
                    100 if size == rows else None,
                    f"{taken[3]:.1f} s ({'measured once, ' if times == 1 else ''}{taken[2]:.1f} s on the clock) / "
                    f"{taken[1]:.3f} s ({taken[0]:.3f} s on the clock)",
                    at_least=True,
                )
            )
    raw = census(rows)
    ours = statistics.median(seconds(levels(raw)) for _ in range(repeat))
    groups = raw.select(QUASI).n_unique()
    figures.append(Figure(f"all our models, {rows:,} rows in {groups:,} groups", ours, "s", 1, ""))
    say(f"{rows:,} rows in {groups:,} groups: {ours:.3f} s")
    return figures


def growth(large: int, repeat: int) -> list[Figure]:
    frame = census(large)
    taken = []
    for size in (large // 10, large):
        part = frame.head(size)
        levels(part)()
        taken.append(statistics.median(seconds(levels(part)) for _ in range(repeat)))
        say(f"{size:,} rows: {taken[-1]:.2f} s")
    exponent = math.log10(taken[1] / taken[0])
    return [
        Figure(
            f"growth from {large // 10:,} to {large:,} rows, exponent",
            exponent,
            "",
            1.1,
            f"{taken[0]:.2f} s to {taken[1]:.2f} s",
        )
    ]


PEAK = """
import json, resource, sys, threading, time
import polars as pl, pellucid as pc
frame = pl.read_parquet(sys.argv[1]).rechunk()
def now():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
ask = lambda frame: pc.levels(frame, quasi={quasi!r}, sensitive={sensitive!r}, threads=2)
ask(frame.head(1000))
before, peak, stop = now(), [0], threading.Event()
def watch():
    while not stop.is_set():
        peak[0] = max(peak[0], now())
        time.sleep(0.002)
thread = threading.Thread(target=watch)
thread.start()
ask(frame)
stop.set()
thread.join()
print(json.dumps(peak[0] - before))
"""


# numpy's and polars' allocators keep freed memory for later; here they give it back, so that the peak is what is in use
GIVING_BACK = {"MALLOC_MMAP_THRESHOLD_": "131072", "_RJEM_MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0"}


def memory(rows: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.parquet"
        census(rows).write_parquet(path)
        code = PEAK.format(quasi=QUASI, sensitive=SENSITIVE)
        out = subprocess.run(
            [sys.executable, "-c", code, path], check=True, capture_output=True, env=os.environ | GIVING_BACK
        )
    encoded = 4 * (len(QUASI) + 1) * rows
    ratio = json.loads(out.stdout) / encoded
    say(f"{rows:,} rows: peak {ratio:.2f} times the encoded table")
    return [
        Figure(
            f"peak memory, {rows:,} rows, beyond the input frame / the encoded table",
            ratio,
            "times",
            3,
            f"encoded: {encoded / rows:.0f} bytes per row, included in the peak; allocators give freed memory back",
        )
    ]


def page(figures: list[Figure], repeat: int) -> str:
    lines = [
        "# How fast privacy models are measured",
        "",
        "`benchmark/levels.py` writes this page. It runs `pellucid.levels` with every model on",
        "`pellucid.datasets.census`: four quasi-identifiers, one sensitive column, from a frame in memory,",
        f"{THREADS} threads, medians of {repeat}.",
        "",
        f"pyCANON {VERSION} has an environment of its own. Its whole report is measured in turns with ours. That",
        "census is recoded as a release is: age in fives, education in threes, birthplace in tens. The other figures",
        "are about the raw census, whose groups are small and many.",
        "",
        MACHINE,
        "",
        as_table(figures),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=600_000)
    parser.add_argument("--large", type=float, default=1e7)
    parser.add_argument("--small", type=float, default=30_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--pycanon", type=Path, help="keep pyCANON's environment in this folder")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "levels.md")
    arguments = parser.parse_args()
    rows, large, small = int(arguments.rows), int(arguments.large), int(arguments.small)
    with tempfile.TemporaryDirectory() as folder:
        python = environment(arguments.pycanon or Path(folder))
        figures = against_pycanon(python, rows, small, arguments.repeat)
    figures += memory(rows) + memory(large) + growth(large, arguments.repeat)
    text = page(figures, arguments.repeat)
    arguments.out.parent.mkdir(exist_ok=True)
    arguments.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
