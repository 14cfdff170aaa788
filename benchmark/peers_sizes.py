"""ARX and pellucid as whole programs on larger tables, in turns: from a CSV file to a CSV file, start included.

``benchmark/peers.py --arx CLASSPATH --sizes 3e4,6e5,1e7`` calls it and keeps the medians in docs/peers.json. The tables
are `pellucid.datasets.census` with four quasi-identifiers; ARX gets ladders of intervals for them and is asked for the
least that it has, distinct 8-diversity without suppression, pellucid for SoftCut with l = 8.
"""

from __future__ import annotations

import compileall
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from figures import say
from peers_cases import HERE, Tools

import pellucid as pc

QUASI, SENSITIVE = ("age", "gender", "education", "birthplace"), "occupation"
LADDERS = {"age": (5, 10, 20, 40), "education": (2, 4, 8), "birthplace": (4, 8, 16, 32), "gender": ()}
TIMES = 5  # of each, of which the medians count
LONGEST = 600  # seconds
MEASURED = ("seconds", "cpu", "megabytes")


def sized(rows: int, tools: Tools) -> dict[str, Any]:
    """What both took for so many rows."""
    compileall.compile_dir(str(Path(str(pc.__file__)).parent), quiet=2)  # as an installation does
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "table.csv"
        people = pc.datasets.census(rows, seed=1).select(*QUASI, SENSITIVE)
        people.write_csv(table)
        write_ladders(people, folder)
        del people
        both: dict[str, list[dict[str, float]]] = {"ARX": [], "pellucid": []}
        for _ in range(TIMES):
            both["ARX"].append(of_arx(tools, folder))
            both["pellucid"].append(of_pellucid(folder))
            say(f"{rows:,} rows: {json.dumps({tool: taken[-1] for tool, taken in both.items()})}")
    medians = {tool: {what: median(taken, what) for what in MEASURED} for tool, taken in both.items()}
    return {"version": tools.arx_version, "times": TIMES, **medians}


def median(taken: Sequence[Mapping[str, float]], what: str) -> float:
    return round(statistics.median(one[what] for one in taken), 2)


def write_ladders(people: pl.DataFrame, folder: Path) -> None:
    """For each quasi-identifier the intervals that ARX may choose from."""
    for name, widths in LADDERS.items():
        values = people[name].unique().sort().to_list()
        lines = []
        for value in values:
            ends = [(width, values[0] + (value - values[0]) // width * width) for width in widths]
            lines.append(";".join([str(value), *(f"[{low}, {low + width - 1}]" for width, low in ends), "*"]))
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def of_arx(tools: Tools, folder: Path) -> dict[str, float]:
    """ARX through its worker, which is compiled beforehand."""
    classes = folder / "classes"
    if not classes.exists():
        worker = str(HERE / "ArxWorker.java")
        subprocess.run([f"{tools.java}c", "-nowarn", "-cp", str(tools.arx), "-d", str(classes), worker], check=True)
    asked = {"form": "distinct", "l": 8, "suppression": 0.0, "table": folder / "table.csv", "quasi": ",".join(QUASI)}
    asked |= {"sensitive": SENSITIVE, "taxonomies": folder, "out": folder / "arx.csv"}
    request = "\t".join(f"{name}={value}" for name, value in asked.items())
    return taken([tools.java, "-cp", f"{classes}:{tools.arx}", "ArxWorker"], folder / "arx.csv", request)


def of_pellucid(folder: Path) -> dict[str, float]:
    """The command line, as it is installed."""
    out = folder / "release"
    words = ["publish", str(folder / "table.csv"), "--quasi", ",".join(QUASI), "--sensitive", SENSITIVE]
    words += ["--l", "8", "--out", str(out), "--overwrite"]
    return taken([sys.executable, "-m", "pellucid", *words], out / "data.csv")


def taken(words: Sequence[str], written: Path, request: str = "") -> dict[str, float]:
    """Run a program, see that it wrote what it should, and say what it took."""
    written.unlink(missing_ok=True)
    launcher = [sys.executable, "-S", str(HERE / "launched.py"), str(LONGEST)]
    told = subprocess.run([*launcher, *words], input=f"{request}\n".encode(), stdout=subprocess.PIPE, check=True).stdout
    found: dict[str, float] = json.loads(told)
    if found.pop("code") != 0 or not written.exists():
        raise RuntimeError(f"{words[0]} wrote nothing")
    return found
