"""How long a workload of 10,000 count queries takes on a release of 600,000 rows in 60,000 groups.

    python benchmark/queries.py

Prints seconds of processor time and of the clock, for the true answers and for the estimates.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.metrics.answering import estimated_answers, true_answers
from pellucid.metrics.boxes import Shown, shown_groups
from pellucid.runtime.parallel import thread_count

ROWS, GROUPS, QUERIES = 600_000, 60_000, 10_000


def table() -> pc.Table:
    coins = np.random.default_rng(1)
    sizes = {"age": 79, "gender": 2, "education": 17, "birthplace": 57, "hours": 99, "occupation": 50}
    frame = pl.DataFrame({name: coins.integers(0, size, ROWS) for name, size in sizes.items()})
    return pc.read(frame, quasi=list(sizes)[:-1], sensitive="occupation")


def groups(of: pc.Table) -> Grouping:
    """Neighbours in the first columns, ten at a time."""
    age, gender, education, birthplace, hours = of.codes[:5]
    order = np.lexsort((hours // 7, birthplace // 6, education // 3, gender, age // 4))
    labels = np.empty(ROWS, np.int32)
    labels[order] = np.arange(ROWS) * GROUPS // ROWS
    return Grouping.from_labels(labels)


def main() -> None:
    original = table()
    grouping = groups(original)
    workload = pc.Workload.of(original, dimensions=3, selectivity=0.06, queries=QUERIES, seed=1)
    for recode in ("intervals", "anatomy"):
        shown = Shown(
            original, *shown_groups(original, grouping, recode, original)[:4], 0, 0, anatomy=recode == "anatomy"
        )
        print(f"{recode}: {len(shown.sizes):,} boxes in {int(shown.class_sizes[1].sum()):,} classes")
        for name, work in (
            ("true", lambda: true_answers(workload, original, threads=thread_count(None))),
            ("estimated", lambda s=shown: estimated_answers(workload, s, threads=thread_count(None))),
        ):
            processor, clock = time.process_time(), time.perf_counter()
            work()
            spent = time.process_time() - processor, time.perf_counter() - clock
            print(f"  {name:<10} {spent[0]:6.2f} s of processor, {spent[1]:6.2f} s")


if __name__ == "__main__":
    main()
