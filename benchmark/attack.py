"""Speed of the exact attacks, and what sampling would take for the same error.

    python benchmark/attack.py [--rows 10000000] [--repeat 3] [--out docs/benchmarks/attack.md]
    python benchmark/attack.py --only verbs [--sizes 1e5,1e6,1e7] [--shape-rows 1e5]

Figures are CPU seconds (medians) of inference alone: the release and who is in which group are given. Real tables are
found by PELLUCID_DATA or ../shared/data; what needs them is left out, and says so, where they are absent. The second
call runs every verb as a process of its own on large tables and on strange ones (``verbs.py``).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "2")

import numpy as np
import polars as pl
import verbs
from adult import columns_of, complete_rows
from figures import MACHINE, ROOT, Figure, as_table, say

import pellucid as pc
from pellucid.anonymize.methods import Method
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.models import Groups, PrivacyModel
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior import greedy_buckets, merged_classes
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.sampling import draw
from pellucid.posterior.shape import Buckets, Merged, Shape
from pellucid.risk import Beliefs, Evidence, infer
from pellucid.risk.views.known_groups import people_of

ALGORITHM = pc.Adversary(knows="algorithm")
SIX = ["age", "workclass", "education", "marital-status", "race", "sex"]
EIGHT = ["age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class"]
LEARNED = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class"]
LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
ACCURACY = {2: 0.84, 3: 0.65, 4: 0.55, 5: 0.45, 6: 0.37}


def timed(work: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """The median CPU time, and the last result."""
    taken, made = [], None
    for _ in range(repeat):
        start = time.process_time()
        made = work()
        taken.append(time.process_time() - start)
    return statistics.median(taken), made


def adult(quasi: list[str], sensitive: str, *, taxonomies: bool = False, low: bool = False) -> Table | None:
    """The rows of Adult without unknown values, in file order; None when it is absent."""
    complete = complete_rows()
    if complete is None:
        return None
    frame = complete.with_row_index("row")
    if low:
        is_low = pl.when(pl.col(sensitive).is_in(LOW)).then(pl.lit("low")).otherwise(pl.lit("other"))
        frame = frame.with_columns(is_low.alias(sensitive))
    columns = columns_of(frame, quasi, sensitive, taxonomies=taxonomies)
    return pc.read(frame, schema=pc.Schema(columns={"row": {"role": "identifier"}} | columns))


def released(method: Method, table: Table, model: PrivacyModel | None = None) -> Evidence:
    """What an adversary has of a table that the method grouped."""
    grouping = method.group(table, Coins.from_seed(1))
    (column,) = table.having(Role.SENSITIVE)
    published = Groups.of(grouping.labels, table.codes[column], table.attributes[column])
    return Evidence(people_of(table), grouping, published, method, model)


def credibilities(repeat: int) -> list[Figure]:
    table = adult(EIGHT, "education", taxonomies=True, low=True)
    if table is None:
        return []
    figures = []
    for m in (2, 10):
        model = LDiversity(l=m, sensitive=("low",))
        methods: list[Method] = [pc.AlphaK(alpha=f"1/{m}", k=1, sensitive=("low",)), pc.Incognito(model=model)]
        for method in methods:
            evidence = released(method, table, model)
            seconds, found = timed(lambda e=evidence: infer(e, pc.Adversary(knows="minimality")), repeat)
            low = found.belief("low")
            above = low > 1 / m * (1 + 1e-9)
            mean = f"{low[above].mean():.2f} on average" if above.any() else "none"
            note = f"{len(evidence.grouping):,} groups; {int(above.sum()):,} people above 1/{m}, {mean}"
            figures.append(Figure(f"credibilities of Adult, m = {m}, {method.name}", seconds, "s", 2, note))
            say(str(figures[-1]))
    return figures


def greedy(l: int, value: Any) -> list[Method]:
    return [
        pc.GreedyGrouping(l=l, binary=(value,)),
        pc.RandomizedGreedyGrouping(l=l, p=0.65, binary=(value,)),
        pc.SymmetricGrouping(l=l, binary=(value,)),
    ]


def consecutive_on_adult(repeat: int) -> list[Figure]:
    table = adult(SIX, "occupation")
    if table is None:
        return []
    worst: dict[str, tuple[float, str]] = {}
    for value in ("Tech-support", "Craft-repair"):
        for l in range(2, 11):
            for method in greedy(l, value):
                try:
                    evidence = released(method, table)
                except pc.PellucidError:
                    continue  # not feasible: every row would be suppressed
                seconds, found = timed(lambda e=evidence: infer(e, ALGORITHM), repeat)
                multiple = l * float(found.belief(value).max())
                note = f"slowest of l = 2..10 and two values: l = {l}, {value}, largest belief {multiple:.3f}/{l}"
                worst[method.name] = max(worst.get(method.name, (0.0, "")), (seconds, note))
        say(f"{value}: {worst}")
    return [Figure(f"{name} on Adult, exact", seconds, "s", 2, note) for name, (seconds, note) in worst.items()]


def consecutive_on_census(rows: int) -> list[Figure]:
    table = pc.read(
        pc.datasets.census(rows, seed=1), quasi=["age", "gender", "education", "birthplace"], sensitive="occupation"
    )
    (column,) = table.having(Role.SENSITIVE)
    commonest = int(np.bincount(table.codes[column]).argmax())
    figures = []
    for method in greedy(6, table.attributes[column].values[commonest]):
        evidence = released(method, table)
        seconds, found = timed(lambda e=evidence: infer(e, ALGORITHM), 1)
        note = f"{rows:,} rows, l = 6, the most frequent value, {len(evidence.grouping):,} groups; {found.engine}"
        figures.append(Figure(f"{method.name} on census, exact", seconds, "s", 60, note))
        say(str(figures[-1]))
    return figures


def learned() -> list[Figure]:
    table = adult(LEARNED, "occupation")
    if table is None:
        return []
    (column,) = table.having(Role.SENSITIVE)
    figures = []
    for l, published in ACCURACY.items():
        evidence = released(pc.Anatomy(l=l), table)
        seconds, found = timed(lambda e=evidence: infer(e, pc.Adversary(prior=pc.Learned())), 1)
        named = best_guesses(found, len(evidence.values))
        accuracy = float((named == table.codes[column]).mean())
        note = f"8 QI, 25 iterations; accuracy {accuracy:.2f}, published {published:.2f}"
        figures.append(Figure(f"deFinetti on Adult, Anatomy l = {l}", seconds, "s", 30, note))
        say(str(figures[-1]))
    return figures


def best_guesses(found: Beliefs, values: int) -> np.ndarray[Any, Any]:
    """The likeliest value of each person."""
    by_value = np.stack([found.belief(found.evidence.values[code]) for code in range(values)])
    return by_value.argmax(axis=0)


def against_sampling() -> list[Figure]:
    """CPU time for one group: exact, and as long as rejection would take for a coarse error and for the same."""
    cases: list[tuple[str, Shape, SensitiveColumn, Callable[[], Any]]] = []
    column = SensitiveColumn(["yes", "no"], [20, 100])
    model = LDiversity(l=6, sensitive=("yes",))
    whole = (("yes", 20), ("no", 100))
    cases.append(
        (
            "20 buckets of greedy grouping, l = 6",
            Buckets((6,) * 20, model, 0, whole),  # type: ignore[arg-type]
            column,
            lambda: greedy_buckets(6, 20, {"yes": 20, "no": 100}, sensitive=["yes"]),
        )
    )
    sizes = (10,) * 10 + (50,)
    merged = SensitiveColumn(["yes", "no"], [40, 110])
    cases.append(
        (
            "11 merged classes of 150 rows, l = 2",
            Merged(sizes, LDiversity(l=2, sensitive=("yes",)), (("yes", 40), ("no", 110))),
            merged,
            lambda: merged_classes(sizes, {"yes": 40, "no": 110}, LDiversity(l=2), sensitive=["yes"]),
        )
    )
    figures = []
    for name, shape, values, exactly in cases:
        seconds, found = timed(exactly, 5)
        truth = found[0]["yes"]
        start = time.process_time()
        drawn = draw(values, shape.sizes, 40_000, np.random.default_rng(1))
        kept = np.array(shape.weights(drawn, values), dtype=np.float64) > 0
        taken = time.process_time() - start
        share = drawn[kept][:, 0, 0] / shape.sizes[0]
        needed = {error: float(share.var()) / error**2 / int(kept.sum()) * taken for error in (1e-3, 1e-9)}
        measured = f"exact {seconds * 1000:.2f} ms; rejection keeps {kept.mean():.1%} of what it draws"
        for error, limit in ((1e-3, None), (1e-9, 1000)):
            what = f"rejection to an error of {error:g} / exact: {name}"
            note = f"{measured} and needs {needed[error]:.2g} s; {share.mean():.3f} against {truth:.3f}"
            figures.append(Figure(what, needed[error] / seconds, "times", limit, note, at_least=True))
            say(str(figures[-1]))
    return figures


SPEED = "## Speed"


def written(figures: list[Figure], repeat: int) -> str:
    lines = [
        SPEED,
        "",
        f"Made by `benchmark/attack.py`. CPU seconds of inference, medians of {repeat} for Adult, single runs for the "
        f"census rows and deFinetti. {MACHINE} Adult has 45,222 rows.",
        "",
        as_table(figures),
        "Greedy, randomised greedy and symmetric grouping protect one value at a time (`binary`). With every value "
        "protected, groups of many buckets have too many arrangements to count, and are sampled with an interval. "
        "Rejection needs draws in proportion to one over the square of the error. Its times are computed from the "
        "variance and the time of 40,000 draws, not waited for. The exact engines keep to an error of 1e-9.",
        "",
    ]
    return "\n".join(lines)


def sections(text: str) -> dict[str, str]:
    """What a page has under each of our headings, and under "" what stands before them."""
    found = {"": text}
    for heading in (SPEED, verbs.HEADING):
        for name, part in list(found.items()):
            before, mark, after = part.partition(heading + "\n")
            if mark:
                found[name], found[heading] = before, mark + after
    return found


def inferred(rows: int, repeat: int) -> str:
    """The section on inference."""
    figures = credibilities(repeat) + consecutive_on_adult(repeat) + against_sampling() + learned()
    return written(figures + consecutive_on_census(rows), repeat)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=["inference", "verbs"])
    parser.add_argument(
        "--sizes", type=lambda text: [int(float(one)) for one in text.split(",")], default="1e5,1e6,1e7"
    )
    parser.add_argument("--shape-rows", type=lambda text: int(float(text)), default=30_000)
    parser.add_argument("--longest", type=float, default=verbs.LONGEST, help="seconds that a verb may take")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks" / "attack.md")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    known = sections(given.out.read_text(encoding="utf-8") if given.out.is_file() else "# Attacks\n\n")
    if given.only != "verbs":
        known[SPEED] = inferred(given.rows, given.repeat)
    if given.only != "inference":
        known[verbs.HEADING] = verbs.page(
            verbs.starting()
            + verbs.large(given.sizes, given.longest)
            + verbs.clustered(given.longest)
            + verbs.strange(given.shape_rows, given.longest)
        )
    parts = [known.get(name, "").strip("\n") for name in ("", SPEED, verbs.HEADING)]
    text = "\n\n".join(filter(None, parts)) + "\n"  # what is written by hand stays
    given.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
