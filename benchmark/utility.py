"""What safe releases of real tables are worth, beside those of methods that leak: docs/utility.md and its chart.

    python benchmark/utility.py                      run what is missing, then write the page
    python benchmark/utility.py --draw               write the page from the figures that are there
    python benchmark/utility.py --only Adult --l 2 3 run a part
    python benchmark/utility.py --again --only fars  run a part anew

Every finished cell is kept in docs/utility.json at once, so that a run that was stopped goes on where it was. Tables
are found by PELLUCID_DATA or ../shared/data; without them the page can still be drawn.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "2")

from figures import ROOT, keep, kept, say, write_page
from utility_cells import LS, METHODS, RIGHT, STRATA, TABLES, Cell, cells, measured, right, whole
from utility_page import CHART, chart, page

RESULTS = ROOT / "docs" / "utility.json"


def chosen(only: Sequence[str], ls: Sequence[int], methods: Sequence[str]) -> list[Cell]:
    """The cells that are asked for and whose table is there."""
    absent = [table for table in TABLES if not table.path.exists()]
    for table in absent:
        say(f"{table.path} is absent: {table.name} is not run; set PELLUCID_DATA to the folder that has {table.file}")
    return [
        cell
        for cell in cells()
        if cell.table not in absent and cell.table.name in only and cell.l in ls and cell.method in methods
    ]


def run(path: Path, wanted: Sequence[Cell], *, again: bool) -> None:
    """Run the cells that have no result yet; what another run has written meanwhile stays."""
    for cell in wanted:
        if not again and cell.key in kept(path):
            continue
        found = measured(cell)
        keep(path, {**kept(path), cell.key: found})
        say(f"{cell.key}: {found.get('infeasible') or {name: found[name] for name in ('error 3', 'loss')}}")


def attack(path: Path, rows: Sequence[Cell], *, again: bool) -> None:
    """Find how often attackers are right on these rows, where it is not known yet."""
    for row in rows:
        for method in RIGHT:
            cell = replace(row, method=method)
            if again or f"{cell.key}, right" not in kept(path):
                found = right(cell)
                keep(path, {**kept(path), f"{cell.key}, right": found})
                say(f"{cell.key}: {found}"[:200])


def count_whole(path: Path, wanted: Sequence[Cell], *, again: bool) -> None:
    """Count the people in strata published whole, where a release could be made and they are not counted yet."""
    for cell in wanted:
        key = f"{cell.key}, whole"
        missing = again or key not in kept(path)
        if cell.method in STRATA and missing and "error 3" in kept(path).get(cell.key, {}):
            keep(path, {**kept(path), key: whole(cell)})
            say(f"{key}: {kept(path)[key]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [table.name for table in TABLES]
    parser.add_argument("--only", nargs="+", default=names, choices=names, metavar="TABLE", help=", ".join(names))
    parser.add_argument("--l", nargs="+", type=int, default=list(LS), choices=LS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS), metavar="METHOD")
    parser.add_argument("--again", action="store_true", help="run cells anew that have a result")
    parser.add_argument("--draw", action="store_true", help="run nothing")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "utility.md")
    given = parser.parse_args()
    if not given.draw:
        wanted = chosen(given.only, given.l, given.methods)
        run(given.results, wanted, again=given.again)
        count_whole(given.results, wanted, again=given.again)
        attack(given.results, [cell for cell in wanted if cell.method == "SoftCut"], again=given.again)
    results = kept(given.results)
    write_page(given.out, page(results), CHART, chart(results).png(scale=1))


if __name__ == "__main__":
    main()
