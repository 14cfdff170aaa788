"""Speed and memory of publishing, as ratios to polars on the same table in the same run.

    python benchmark/scale.py [--rows 1e7] [--repeat 5] [--out docs/scale.md]

Every figure is a median over the repetitions; what is compared is measured alternately in one process, with two threads
on both sides. Memory is the peak of a fresh process beyond what its input frame takes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

THREADS = 2
os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
from figures import MACHINE, ROOT, Figure, as_table, say, seconds  # noqa: E402

import pellucid as pc  # noqa: E402
from pellucid.core.coins import Coins  # noqa: E402

QUASI = ["age", "gender", "education", "birthplace"]
SENSITIVE = "occupation"


def alternately(repeat: int, *works: Callable[[], object]) -> list[float]:
    """The median seconds of each, measured in turns so that all see the same machine."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeat):
        for kept, work in zip(times, works, strict=True):
            kept.append(seconds(work))
    return [statistics.median(kept) for kept in times]


def group(table: pc.Table, method: object) -> Callable[[], object]:
    return lambda: method.group(table, Coins.fresh(), threads=THREADS).labels


def read(frame: pl.DataFrame) -> pc.Table:
    return pc.read(frame, quasi=QUASI, sensitive=SENSITIVE)


def speed(rows: int, repeat: int) -> list[Figure]:
    figures = []
    frame = pc.datasets.census(rows, seed=1).select(*QUASI, SENSITIVE)
    table = read(frame)
    say(f"{rows:,} census rows, l = 8, {THREADS} threads")

    by_quasi, labels = alternately(repeat, lambda: frame.group_by(QUASI).len(), group(table, pc.Hybrid(l=8)))
    figures.append(
        Figure(
            "Hybrid, codes to labels / group_by(QI)",
            labels / by_quasi,
            "times",
            4,
            f"{labels:.2f} s / {by_quasi:.2f} s",
        )
    )
    say(figures[-1].what + f": {figures[-1].measured:.2f}")

    figures.append(soft_beside_hybrid(table, repeat))
    figures += frame_to_frame(frame, QUASI, SENSITIVE, repeat, 4)
    few = min(rows, FEW_ROWS)
    figures.append(soft_beside_hybrid(read(frame.head(few)), repeat, f", {few:,} rows"))
    figures += protecting(frame.head(few), repeat)
    figures += strata_beside_soft(frame.head(few), repeat) + strata_beside_soft(frame, repeat)

    tailors = [alternately(repeat, group(table, pc.Tailor(l=l)))[0] for l in (2, 4, 8)]
    falls = max(b / a for a, b in pairwise(tailors))
    figures.append(
        Figure(
            "Tailor's time from l = 2 to 4 to 8, largest step",
            falls,
            "times",
            1,
            " / ".join(f"{t:.2f} s" for t in tailors),
        )
    )
    say(figures[-1].what + f": {figures[-1].measured:.2f}")

    tenth_frame = frame.head(rows // 10)
    tenth_table = read(tenth_frame)
    small = alternately(repeat, group(tenth_table, pc.Hybrid(l=8)))[0]
    exponent = float(np.log10(labels / small))
    figures.append(
        Figure("growth from a tenth of the rows, exponent", exponent, "", 1.1, f"{small:.2f} s to {labels:.2f} s")
    )
    say(figures[-1].what + f": {figures[-1].measured:.2f}")

    # one value at 1/15 of the rows: above 1/(2 l), so Tailor cannot cut and Ace has the whole table
    stuck = np.array(frame[SENSITIVE])
    stuck[np.random.default_rng(2).random(rows) < 1 / 15] = stuck[0]
    stuck_table = read(frame.with_columns(pl.Series(SENSITIVE, stuck)))
    ace, hybrid = alternately(max(1, repeat // 2), group(stuck_table, pc.Hybrid(l=8)), group(table, pc.Hybrid(l=8)))
    figures.append(
        Figure(
            "Ace when Tailor cannot cut / Hybrid on the census",
            ace / hybrid,
            "times",
            6,
            f"{ace:.2f} s / {hybrid:.2f} s",
        )
    )
    say(figures[-1].what + f": {figures[-1].measured:.2f}")
    del stuck_table

    zips = np.random.default_rng(3).integers(0, 100_000, rows).astype(np.int32)
    wide_table = read(frame.with_columns(pl.Series("birthplace", zips)))
    wide, hybrid = alternately(max(1, repeat // 2), group(wide_table, pc.Hybrid(l=8)), group(table, pc.Hybrid(l=8)))
    figures.append(
        Figure(
            "a QI with 100,000 values / the census shape", wide / hybrid, "times", 5, f"{wide:.2f} s / {hybrid:.2f} s"
        )
    )
    say(figures[-1].what + f": {figures[-1].measured:.2f}")
    return figures


FEW_ROWS = 600_000
SKEWED_ROWS = 2_000_000
SKEWED = {  # sizes of the quasi-identifiers, their skew; values of the sensitive column, its skew (see zipf)
    "skewed, four QI": ((79, 2, 17, 57), 1.0, 50, 0.3),
    "very skewed, four QI": ((79, 2, 17, 57), 1.5, 50, 0.3),
    "skewed, Tailor cannot cut": ((79, 2, 17, 57), 1.0, 50, 0.5),
    "skewed, six QI": ((79, 2, 17, 57, 9, 40), 1.0, 50, 0.3),
    "skewed, wide domains": ((100, 2, 1000, 5000), 1.0, 50, 0.3),
}
HARD = ("skewed, six QI", "skewed, wide domains")  # nearly every row is a vector of its own: measured, without a limit


def zipf(coins: np.random.Generator, rows: int, values: int, skew: float) -> np.ndarray:
    """Values whose shares fall as 1 / rank**skew; which value has which rank is drawn too."""
    shares = 1 / np.arange(1, values + 1) ** skew
    return coins.permutation(values)[coins.choice(values, rows, p=shares / shares.sum())].astype(np.int32)


def skewed(rows: int, repeat: int) -> list[Figure]:
    """Frame to frame without an identifier, on shapes other than our own census."""
    figures = []
    for name, (sizes, skew, values, sensitive_skew) in SKEWED.items():
        coins = np.random.default_rng(5)
        quasi = {f"q{i}": zipf(coins, rows, size, skew) for i, size in enumerate(sizes)}
        frame = pl.DataFrame({**quasi, "s": zipf(coins, rows, values, sensitive_skew)})
        limit = None if name in HARD else 4
        figures += frame_to_frame(frame, list(quasi), "s", repeat, limit, f", {rows:,} rows, {name}")
    return figures


def frame_to_frame(
    frame: pl.DataFrame, quasi: list[str], sensitive: str, repeat: int, limit: float | None, where: str = ""
) -> list[Figure]:
    """The default and Hybrid beside one group-by of polars."""

    def published(method: object) -> Callable[[], object]:
        return lambda: pc.publish(frame, method, quasi=quasi, sensitive=sensitive, threads=THREADS).frame

    methods = {"SoftCut": pc.SoftCut(l=8), "Hybrid": pc.Hybrid(l=8)}
    by_all, *taken = alternately(
        repeat, lambda: frame.group_by([*quasi, sensitive]).len(), *map(published, methods.values())
    )
    what = f"frame to frame / group_by(QI + sensitive){where}"
    figures = [
        Figure(f"publish with {name}, {what}", whole / by_all, "times", limit, f"{whole:.2f} s / {by_all:.2f} s")
        for name, whole in zip(methods, taken, strict=True)
    ]
    for figure in figures:
        say(f"{figure.what}: {figure.measured:.2f}")
    return figures


def soft_beside_hybrid(table: pc.Table, repeat: int, where: str = "") -> Figure:
    hybrid, soft = alternately(repeat, group(table, pc.Hybrid(l=8)), group(table, pc.SoftCut(l=8)))
    note = f"{soft:.2f} s / {hybrid:.2f} s"
    figure = Figure(f"SoftCut / Hybrid, codes to labels{where}", soft / hybrid, "times", 1.5, note)
    say(f"{figure.what}: {figure.measured:.2f}")
    return figure


def strata_beside_soft(frame: pl.DataFrame, repeat: int) -> list[Figure]:
    """Strata beside SoftCut in turns, grouping alone and frame to frame."""
    table, figures = read(frame), []
    for l in (4, 8):
        methods = {f"Strata {size}": pc.Strata(l=l, size=size) for size in (20, 50, 200)} | {"SoftCut": pc.SoftCut(l=l)}

        def published(method: object) -> Callable[[], object]:
            how = {"quasi": QUASI, "sensitive": SENSITIVE, "threads": THREADS}
            return lambda: pc.publish(frame, method, **how).frame

        for what, work in {
            "codes to labels": [group(table, method) for method in methods.values()],
            "frame to frame": [published(method) for method in methods.values()],
        }.items():
            *strata, soft = alternately(repeat, *work)
            for name, taken in zip(methods, strata, strict=False):
                title = f"{name} / SoftCut, l = {l}, {what}, {len(table):,} rows"
                figures.append(Figure(title, taken / soft, "times", 1.2, f"{taken:.2f} s / {soft:.2f} s"))
                say(f"{title}: {figures[-1].measured:.2f} ({figures[-1].note})")
    return figures


def protecting(frame: pl.DataFrame, repeat: int) -> list[Figure]:
    """SoftCut where groups need ten rows, and where half of the values are protected, beside the plain method."""
    table, values = read(frame), frame[SENSITIVE].unique().sort().to_list()[::2]
    special = {"k = 10": pc.SoftCut(l=8, k=10), "half of the values": pc.SoftCut(l=8, values=values)}
    plain, *taken = alternately(repeat, *(group(table, method) for method in (pc.SoftCut(l=8), *special.values())))
    figures = [
        Figure(f"SoftCut, {name} / SoftCut, {len(table):,} rows", one / plain, "times", None, f"{one:.2f} s")
        for name, one in zip(special, taken, strict=True)
    ]
    for figure in figures:
        say(f"{figure.what}: {figure.measured:.2f}")
    return figures


def files(rows: int, repeat: int) -> list[Figure]:
    folder = Path(tempfile.mkdtemp(prefix="pellucid-benchmark-"))
    try:
        source = folder / "census.csv"
        pc.datasets.census(rows, seed=1).select(*QUASI, SENSITIVE).write_csv(source)

        def plain() -> None:
            pl.read_csv(source).write_csv(folder / "copy.csv")

        def ours() -> None:
            release = pc.publish(source, pc.SoftCut(l=8), quasi=QUASI, sensitive=SENSITIVE, threads=THREADS)
            release.write(folder / "out", overwrite=True)

        copy, bundle = alternately(max(1, repeat // 2), plain, ours)
    finally:
        shutil.rmtree(folder)
    figure = Figure(
        "CSV to CSV bundle / read_csv + write_csv", bundle / copy, "times", 3, f"{bundle:.2f} s / {copy:.2f} s"
    )
    say(figure.what + f": {figure.measured:.2f}")
    return [figure]


def ties(repeat: int) -> list[Figure]:
    """Tables in which everything ties: Slice must not become quadratic."""
    n, figures = 1_000_000, []
    rng = np.random.default_rng(4)
    secret = rng.integers(0, 20, n)
    secret[rng.random(n) < 0.04] = 0  # Tailor cannot cut at l = 8
    for name, column in {
        "constant QI": np.zeros(n, np.int32),
        "two values": rng.integers(0, 2, n),
        "two values that follow the sensitive one": (secret % 2).astype(np.int32),
    }.items():
        table = pc.read(pl.DataFrame({"q": column, "r": column, "s": secret}), quasi=["q", "r"], sensitive="s")
        taken = alternately(max(1, repeat // 2), group(table, pc.Ace(l=8)))[0]
        figures.append(Figure(f"Ace, 1 million rows, {name}", taken, "s", 10, ""))
        say(figures[-1].what + f": {figures[-1].measured:.2f}")
    return figures


MEMORY = """
import resource, sys, json
import polars as pl, pellucid as pc
rows = int(sys.argv[1])
frame = pc.datasets.census(rows, seed=1).select(*{quasi!r}, {sensitive!r})
frame.write_parquet(sys.argv[2])
"""
PEAK = """
import resource, sys, json, threading, time
import polars as pl, pellucid as pc
frame = pl.read_parquet(sys.argv[1]).rechunk()
def now():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
pc.publish(frame.head(1000), pc.{method}(l=8), quasi={quasi!r}, sensitive={sensitive!r}, threads=2)
before, peak, stop = now(), [0], threading.Event()
def watch():
    while not stop.is_set():
        peak[0] = max(peak[0], now())
        time.sleep(0.002)
thread = threading.Thread(target=watch)
thread.start()
release = pc.publish(frame, pc.{method}(l=8), quasi={quasi!r}, sensitive={sensitive!r}, threads=2).frame
stop.set()
thread.join()
print(json.dumps((peak[0] - before) / frame.height))
"""


def memory(rows: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "census.parquet")
        names = {"quasi": QUASI, "sensitive": SENSITIVE}
        subprocess.run([sys.executable, "-c", MEMORY.format(**names), str(rows), path], check=True)
        methods = "Hybrid", "SoftCut", "Strata"
        return [peak_memory(PEAK.format(**names, method=method), path, method) for method in methods]


def peak_memory(program: str, path: str, method: str) -> Figure:
    out = subprocess.run([sys.executable, "-c", program, path], check=True, capture_output=True)
    note = f"publish with {method}, frame to frame"
    figure = Figure(f"peak memory beyond the input frame, {method}", json.loads(out.stdout), "bytes per row", 100, note)
    say(figure.what + f": {figure.measured:.0f}")
    return figure


START = """
import time
start = time.perf_counter()
import pellucid as pc
imported = time.perf_counter() - start
frame = pc.datasets.census(200_000, seed=1)
times = []
for _ in range(2):
    start = time.perf_counter()
    pc.publish(frame, pc.SoftCut(l=8), quasi={quasi!r}, sensitive={sensitive!r}).frame
    times.append(time.perf_counter() - start)
print(imported, times[0] - times[1])
"""


SMALL_ROWS = 30_000


def start(repeat: int) -> list[Figure]:
    """New processes, with the modules compiled beforehand as an installation has them."""
    code = START.format(quasi=QUASI, sensitive=SENSITIVE)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "census.csv"
        pc.datasets.census(SMALL_ROWS, seed=1).write_csv(source)
        surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        surroundings["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")

        def process(*words: str) -> list[float]:
            made = subprocess.run([sys.executable, *words], check=True, capture_output=True, env=surroundings)
            return [float(word) for word in made.stdout.split()] if words[0] == "-c" else []

        roles = ["--quasi", ",".join(QUASI), "--sensitive", SENSITIVE]
        publish = ["-m", "pellucid", "publish", str(source), *roles, "--l", "8", "--overwrite", "--quiet", "--out"]
        publish.append(str(Path(folder) / "out"))
        ours = [lambda: process("-m", "pellucid", "--help"), lambda: process(*publish)]
        for work in ours:
            work()
        runs = [process("-c", code) for _ in range(repeat + 1)][1:]
        helped, published = alternately(repeat, *ours)
    first = statistics.median(run[1] for run in runs)
    figures = [
        Figure("import pellucid", statistics.median(run[0] for run in runs), "s", 0.5, ""),
        Figure("pellucid --help", helped, "s", 0.7, ""),
        Figure("first publish of a process minus the second", first, "s", 0.3, ""),
        Figure(f"pellucid publish, CSV to CSV, {SMALL_ROWS:,} rows, the whole process", published, "s", 1, ""),
    ]
    for figure in figures:
        say(figure.what + f": {figure.measured:.2f}")
    return figures


def page(figures: list[Figure], rows: int, repeat: int) -> str:
    lines = [
        "# How fast publishing is",
        "",
        f"Written by `benchmark/scale.py`: {rows:,} rows of `pellucid.datasets.census`, four quasi-identifiers, l = 8,",
        f"{THREADS} threads,",
        f"medians of up to {repeat} runs, polars {pl.__version__} and pellucid measured alternately in one process.",
        MACHINE,
        "",
        as_table(figures),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "scale.md")
    arguments = parser.parse_args()
    rows = int(arguments.rows)
    figures = start(arguments.repeat) + memory(rows) + speed(rows, arguments.repeat)
    figures += skewed(min(rows, SKEWED_ROWS), arguments.repeat)
    figures += files(rows, arguments.repeat) + ties(arguments.repeat)
    text = page(figures, rows, arguments.repeat)
    arguments.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
