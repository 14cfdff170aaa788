"""An audit of what other anonymizers publish of Adult: docs/peers.md and its chart, from docs/peers.json.

    python benchmark/peers.py --draw                        write the page from the results that are there
    python benchmark/peers.py --python ENV/bin/python       run what is missing of anonypy, anonypyx, ANJANA and pyCANON
    python benchmark/peers.py --arx 'arx.jar:lib/*'         run what is missing of ARX
    python benchmark/peers.py --arx ... --sizes 3e4,6e5,1e7 ARX and pellucid as whole programs on so many rows
    python benchmark/peers.py --python ... --only ANJANA --again

The tools are no dependencies of pellucid. Those on PyPI are installed by whoever runs this, in an environment of their
own (``pip install anonypy anonypyx anjana pycanon``); ARX is its jar with a Java of at least 11. What is not there is
skipped, and said. Every result is kept at once, with the tool's version, so that a run that was stopped goes on where
it was. Adult is found by PELLUCID_DATA or ../shared/data; without it the page can still be drawn.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "2")

from figures import DATA, ROOT, keep, kept, say, write_page
from peers_cases import (
    OURS,
    Tools,
    at_found_risk,
    black_box,
    cases,
    learned,
    learned_of_ours,
    measured,
    soft_cut,
    speed_of_soft_cut,
)
from peers_examples import EXAMPLES, examined
from peers_page import CHART, SIZE, STATISTICS, chart, page
from peers_sizes import sized

RESULTS = ROOT / "docs" / "peers.json"
TOOLS = ("anonypy", "anonypyx", "ANJANA", "ARX", "pyCANON", "SoftCut")


def add(path: Path, key: str, result: dict[str, Any]) -> None:
    keep(path, dict(sorted({**kept(path), key: result}.items())))
    say(f"{key}: {json.dumps(result)}")


Step = tuple[str, str, Callable[[], dict[str, Any]]]  # a key of the results, the tool that it takes, and how


def steps(tools: Tools, only: Sequence[str], examples: Path | None) -> list[Step]:
    """What there is to run."""
    mine = [case for case in cases() if case.tool in only]
    tiny = [case for case in mine if not case.suppression and case.l == 2]
    found: list[Step] = [(case.key, case.tool, partial(measured, case, tools)) for case in mine]
    found += [(f"black box: {case.key}", case.tool, partial(black_box, case, tools)) for case in tiny]
    found += [(f"{STATISTICS}{case.key}", case.tool, partial(learned, case, tools)) for case in mine if case.several]
    if "pyCANON" in only and examples is not None:
        found += [(f"pyCANON, {name}", "pyCANON", partial(examined, examples / name, tools)) for name in EXAMPLES]
    return found


def run(path: Path, tools: Tools, only: Sequence[str], *, again: bool, examples: Path | None) -> None:
    """Run what has no result yet; what another run has written meanwhile stays."""
    absent = {tool: tools.missing(tool) for tool in only if tool != "SoftCut"}
    for reason in filter(None, absent.values()):
        say(reason)
    if "pyCANON" in only and examples is None:
        say("pyCANON's examples are not examined: give the folder data of its repository with --examples")
    for key, tool, work in steps(tools, only, examples):
        if not absent[tool] and (again or key not in kept(path)):
            add(path, key, work())
    if "SoftCut" in only:
        beside(path, tools, again=again)


def beside(path: Path, tools: Tools, *, again: bool) -> None:
    """SoftCut at the risks that were found."""
    wanted = {(2, case.sensitive) for case in cases()} | {(3, "occupation")}
    for case in cases():
        found = kept(path).get(case.key, {})
        if "counted" in found:
            wanted.add((at_found_risk(found["counted"]), case.sensitive))
    for l, sensitive in sorted(wanted):
        key = f"SoftCut, l = {l}, {sensitive}"
        if again or key not in kept(path):
            add(path, key, soft_cut(l, sensitive))
    for name, l in product(OURS, (2, 3)):
        key = f"{STATISTICS}{name}, l = {l}"
        if again or key not in kept(path):
            add(path, key, learned_of_ours(name, l))
    if again or "SoftCut, speed" not in kept(path):
        add(path, "SoftCut, speed", speed_of_soft_cut(2, tools))


def sizes(path: Path, tools: Tools, rows: Sequence[int]) -> None:
    """Whole programs, anew each time: what is compared was measured in one run."""
    if tools.missing("ARX"):
        say(tools.missing("ARX"))
        return
    for count in rows:
        add(path, f"{SIZE}{count}", sized(count, tools))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="the Python of an environment that has anonypy, anonypyx, anjana and pycanon")
    parser.add_argument("--arx", metavar="CLASSPATH", help="ARX's jar and those it needs, as java -cp takes them")
    parser.add_argument("--arx-version", default="", help="its version, where the jar does not say")
    parser.add_argument("--java", default="java")
    parser.add_argument("--examples", type=Path, metavar="DIR", help="the folder data of pyCANON's repository")
    parser.add_argument("--only", nargs="+", default=list(TOOLS), choices=TOOLS, metavar="TOOL", help=", ".join(TOOLS))
    parser.add_argument("--sizes", default="", metavar="ROWS,...", help="only compare whole programs on so many rows")
    parser.add_argument("--again", action="store_true", help="run anew what has a result")
    parser.add_argument("--draw", action="store_true", help="run nothing")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "peers.md")
    given = parser.parse_args()
    tools = Tools(given.python, given.arx, given.java, given.arx_version)
    if given.sizes:
        sizes(given.results, tools, [int(float(rows)) for rows in given.sizes.split(",")])
    elif not given.draw and not (DATA / "adult" / "adult.csv").exists():
        say(f"{DATA / 'adult' / 'adult.csv'} is absent: nothing is run; set PELLUCID_DATA to the folder that has adult")
    elif not given.draw:
        run(given.results, tools, given.only, again=given.again, examples=given.examples)
    results = kept(given.results)
    write_page(given.out, page(results), CHART, chart(results).png(scale=1))


if __name__ == "__main__":
    main()
