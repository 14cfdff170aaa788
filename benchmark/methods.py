"""Speed of every method as a ratio to Hybrid in the same run, and what each makes of a real table.

    python benchmark/methods.py [--rows 600000] [--repeat 5] [--out FILE]     the speed table
    python benchmark/methods.py --adult                                       all methods on Adult, l = 2..7

Times are those of ``method.group`` on a table in memory (codes to labels), two threads, methods measured in turns and
medians taken. anonypy (PyPI) is installed in an environment of its own; ``--anonypy DIR`` keeps it for the next time.
Both tables are kept in docs/benchmarks/methods.md, each between its own marks. Real tables are found by PELLUCID_DATA
or ../shared/data; what needs them is left out, and says so, where they are absent.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

THREADS = 2
os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))

import polars as pl  # noqa: E402
from adult import columns_of, complete_rows  # noqa: E402
from figures import MACHINE, ROOT, Figure, as_table, replace_between_marks, say  # noqa: E402

import pellucid as pc  # noqa: E402
from pellucid.anonymize.methods import Grouping, Method  # noqa: E402
from pellucid.core.coins import Coins  # noqa: E402
from pellucid.core.schema import Role  # noqa: E402
from pellucid.core.table import Table  # noqa: E402
from pellucid.metrics.kept import information_kept  # noqa: E402

QUASI = ["age", "gender", "education", "birthplace"]
SENSITIVE = "occupation"
ADULT_QUASI = ["age", "workclass", "education", "marital-status", "race", "sex"]
INCOGNITO_QUASI = ["age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class"]
ART_QUASI = ["age", "workclass", "marital-status", "race", "sex"]
LITTLE_SCHOOLING = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
ANONYPY = "0.2.1"


def timed(work: Callable[[], Grouping]) -> tuple[float, Grouping]:
    start = time.perf_counter()
    made = work()
    return time.perf_counter() - start, made


def grouped(method: Method, table: Table) -> Callable[[], Grouping]:
    return lambda: method.group(table, Coins.from_seed(1), threads=THREADS)


def census(rows: int) -> Table:
    return pc.read(pc.datasets.census(rows, seed=1), quasi=QUASI, sensitive=SENSITIVE)


@cache
def adult(quasi: tuple[str, ...], sensitive: str) -> Table | None:
    """The rows of Adult without unknown values, with the taxonomies that come with it; None when it is absent."""
    frame = complete_rows()
    if frame is None:
        return None
    return pc.read(frame, schema=pc.Schema(columns=columns_of(frame, quasi, sensitive, taxonomies=True)))


def in_turns(methods: dict[str, Method], table: Table, repeat: int) -> dict[str, tuple[float, Grouping]]:
    """The median time of each method, measured in turns, and one of its results."""
    times: dict[str, list[float]] = {name: [] for name in methods}
    made: dict[str, Grouping] = {}
    for turn in range(repeat):
        for name, method in methods.items():
            taken, made[name] = timed(grouped(method, table))
            times[name].append(taken)
        say(f"turn {turn + 1} of {repeat}: " + ", ".join(f"{name} {times[name][-1]:.2f} s" for name in methods))
    return {name: (statistics.median(times[name]), made[name]) for name in methods}


def against_hybrid(rows: int, repeat: int) -> list[Figure]:
    table = census(rows)
    methods: dict[str, tuple[Method, float | None]] = {
        "hybrid": (pc.Hybrid(l=8), None),
        "soft-cut": (pc.SoftCut(l=8), 1.5),
        "tailor": (pc.Tailor(l=8), 2),
        "audited": (pc.Audited(l=8), 2),
        "mondrian, relaxed": (pc.Mondrian(l=8), 2),
        "mondrian, strict": (pc.Mondrian(l=8, strict=True), 2),
        "anatomy": (pc.Anatomy(l=8), 2),
        "greedy-grouping": (pc.GreedyGrouping(l=8), 2),
        "randomized-greedy-grouping": (pc.RandomizedGreedyGrouping(l=8, p=0.65), 2),
        "symmetric-grouping": (pc.SymmetricGrouping(l=8), 2),
        "ace": (pc.Ace(l=8), 6),
    }
    taken = in_turns({name: method for name, (method, _) in methods.items()}, table, repeat)
    base = taken["hybrid"][0]
    return [
        Figure(
            f"{name} / hybrid",
            seconds / base,
            "times",
            methods[name][1],
            f"{seconds:.3f} s, {len(grouping):,} groups, {grouping.suppressed:,} rows suppressed",
        )
        for name, (seconds, grouping) in taken.items()
    ]


THEIRS = """
import json, sys, time
import pandas as pd
from anonypy.mondrian import Mondrian
data = pd.read_csv(sys.argv[1])
for name in data.columns:  # it subtracts numbers and counts categories
    if not pd.api.types.is_numeric_dtype(data[name]):
        data[name] = data[name].astype("category")
start = time.perf_counter()
partitions = Mondrian(data, {quasi!r}, {sensitive!r}).partition(k={k})
print(json.dumps([time.perf_counter() - start, len(partitions)]))
"""


def against_anonypy(folder: Path, rows: int, repeat: int) -> list[Figure]:
    python = folder / "bin" / "python"
    if not python.exists():
        say(f"installing anonypy {ANONYPY} in {folder}")
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"anonypy=={ANONYPY}", "pandas"], check=True)
    k = 10
    frame = pc.datasets.census(rows, seed=1).select(*QUASI, SENSITIVE)
    table = pc.read(frame, quasi=QUASI, sensitive=SENSITIVE)
    with tempfile.TemporaryDirectory() as here:
        path = Path(here) / "census.csv"
        frame.write_csv(path)
        code = THEIRS.format(quasi=QUASI, sensitive=SENSITIVE, k=k)
        ours, theirs, groups = [], [], 0
        for _ in range(repeat):
            ours.append(timed(grouped(pc.Mondrian(k=k, strict=True), table))[0])
            done = subprocess.run([python, "-c", code, path], check=True, capture_output=True, text=True)
            seconds, groups = json.loads(done.stdout)
            theirs.append(seconds)
            say(f"anonypy: {theirs[-1]:.1f} s, ours {ours[-1]:.4f} s")
    a, b = statistics.median(theirs), statistics.median(ours)
    note = f"{rows:,} rows, k = {k}: {a:.2f} s in {groups:,} groups / {b:.4f} s"
    return [Figure("anonypy's Mondrian / ours (strict)", a / b, "times", 100, note, at_least=True)]


def on_adult(repeat: int) -> list[Figure]:
    figures = []
    table = adult(tuple(INCOGNITO_QUASI), "education")
    if table is not None:
        seconds, grouping = in_turns({"incognito": pc.Incognito(k=5)}, table, repeat)["incognito"]
        note = f"{len(table):,} rows, 8 QI, k = 5, levels {grouping.levels}, {len(grouping):,} groups"
        figures.append(Figure("incognito on Adult", seconds, "s", 1, note))
    table = adult(tuple(ADULT_QUASI[:5]), "occupation")
    if table is not None:
        largest = len(table) // max_count(table)
        r = min(10, largest)
        seconds, grouping = in_turns({"art": pc.ART(r=r)}, table, max(1, repeat // 2))["art"]
        note = f"{len(table):,} rows, 5 QI, r = {r} (the largest feasible is {largest}), {len(grouping):,} groups"
        figures.append(Figure("art on Adult, sensitive occupation", seconds, "s", 60, note))
    table = adult(tuple(ART_QUASI), "education")
    if table is not None:
        art = pc.ART(r=10, sensitive=LITTLE_SCHOOLING, together=True)
        seconds, grouping = in_turns({"art": art}, table, max(1, repeat // 2))["art"]
        note = f"{len(table):,} rows, 5 QI, r = 10, the papers' sensitive set, {grouping.suppressed:,} suppressed"
        figures.append(Figure("art on Adult, sensitive education", seconds, "s", 60, note))
    return figures


def max_count(table: Table) -> int:
    (column,) = table.having(Role.SENSITIVE)
    return int(pl.Series(table.codes[column]).value_counts()["count"].max())  # type: ignore[arg-type]


def growth_of_mask(rows: int, repeat: int) -> Figure:
    taken = []
    for size in (rows // 10, rows):
        table = census(size)
        (column,) = table.having(Role.SENSITIVE)
        values = tuple(table.attributes[column].values.to_list()[:5])
        mask = pc.Mask(k=8, l=8, sensitive=values)
        taken.append(in_turns({"mask": mask}, table, repeat)["mask"][0])
    exponent = math.log10(taken[1] / taken[0])
    note = f"{taken[0]:.2f} s to {taken[1]:.2f} s from a tenth of {rows:,} rows"
    return Figure("mask: growth with the rows, exponent", exponent, "", 1.1, note)


def adult_table() -> str:
    """Every method on Adult at l = 2..7, as a table in Markdown."""
    table = adult(tuple(ADULT_QUASI), "occupation")
    if table is None:
        return "Adult was absent when this was run.\n"
    settings: dict[str, Callable[[int], Method]] = {
        "tailor": lambda l: pc.Tailor(l=l),
        "ace": lambda l: pc.Ace(l=l),
        "hybrid": lambda l: pc.Hybrid(l=l),
        "soft-cut": lambda l: pc.SoftCut(l=l),
        "audited": lambda l: pc.Audited(l=l),
        "mondrian": lambda l: pc.Mondrian(l=l),
        "mondrian, strict": lambda l: pc.Mondrian(l=l, strict=True),
        "mondrian, no retry": lambda l: pc.Mondrian(l=l, retry=False),
        "anatomy": lambda l: pc.Anatomy(l=l),
        "greedy-grouping": lambda l: pc.GreedyGrouping(l=l),
        "randomized-greedy-grouping": lambda l: pc.RandomizedGreedyGrouping(l=l, p=0.65),
        "symmetric-grouping": lambda l: pc.SymmetricGrouping(l=l),
        "alpha-k": lambda l: pc.AlphaK(alpha=Fraction(1, l), k=l),
        "incognito": lambda l: pc.Incognito(l=l),
        "mask": lambda l: pc.Mask(k=l, l=l, sensitive=("Tech-support",)),
        "spurious-records": lambda l: pc.SpuriousRecords(k=l, l=l),
        "art": lambda l: pc.ART(r=l),
        "injector": lambda l: pc.Injector(l=l),
    }
    lines = [
        "| method | l | groups | largest group | perimeter | suppressed | seconds | claim |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, setting in settings.items():
        for l in range(2, 8):
            method = setting(l)
            try:
                seconds, grouping = timed(grouped(method, table))
            except pc.PellucidError as wrong:
                lines.append(f"| {name} | {l} | – | – | – | – | – | {str(wrong).split(';')[0][:100]} |")
                say(lines[-1])
                continue
            kept = information_kept(table, grouping)
            perimeter = sum(1 - share for share in kept.values()) * len(table)
            lines.append(
                f"| {name} | {l} | {len(grouping):,} | {int(grouping.sizes.max()):,} | {perimeter:,.0f} "
                f"| {grouping.suppressed:,} | {seconds:.2f} | {method.claim} |"
            )
            say(lines[-1])
    lines.append("")
    lines.append(
        "`opt-gen` is for tables of at most 12 distinct quasi-identifier vectors and is left out. Mask protects the "
        "set {Tech-support}. The perimeter counts a suppressed row with its full extent on every attribute. Anatomy, "
        "art and injector publish exact quasi-identifiers. For them it says how far apart the people of a group are, "
        "not what is lost."
    )
    return "\n".join(lines) + "\n"


def speed_table(figures: Sequence[Figure], rows: int, repeat: int) -> str:
    lines = [
        f"{rows:,} rows of `pellucid.datasets.census`, four quasi-identifiers, l = 8, {THREADS} threads, medians of "
        f"{repeat}, in turns. {MACHINE}",
        "",
        as_table(figures),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=600_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--theirs", type=int, default=20_000, help="rows of the comparison with anonypy")
    parser.add_argument("--anonypy", type=Path, help="where to keep anonypy's environment")
    parser.add_argument("--adult", action="store_true", help="all methods on Adult instead of the speed table")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks" / "methods.md")
    given = parser.parse_args()
    if given.adult:
        text = adult_table()
        replace_between_marks(given.out, "adult", text)
        print(text)
        return
    figures = against_hybrid(given.rows, given.repeat)
    figures += on_adult(given.repeat)
    figures.append(growth_of_mask(given.rows, given.repeat))
    with tempfile.TemporaryDirectory() as here:
        figures += against_anonypy(given.anonypy or Path(here), given.theirs, min(3, given.repeat))
    text = speed_table(figures, given.rows, given.repeat)
    replace_between_marks(given.out, "speed", text)
    print(text)


if __name__ == "__main__":
    main()
