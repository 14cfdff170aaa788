"""How long the synthetic census of ten million people takes, beside one group_by of the same rows in polars.

    python benchmark/census.py

Prints medians of three, in seconds of processor time and of the clock, and their ratio.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import polars as pl

import pellucid as pc

ROWS = 10_000_000


def timed(work: Callable[[], object], times: int = 3) -> tuple[float, float]:
    """The median processor time and the median time of the clock."""
    processor, clock = [], []
    for _ in range(times):
        began = time.process_time(), time.perf_counter()
        work()
        processor.append(time.process_time() - began[0])
        clock.append(time.perf_counter() - began[1])
    return median(processor), median(clock)


def main() -> None:
    people = pc.datasets.census(ROWS)
    made = timed(lambda: pc.datasets.census(ROWS))
    grouped = timed(lambda: people.group_by(people.columns[:4]).agg(pl.len()))
    print(f"census of {ROWS:,}  {made[0]:6.2f} s of processor, {made[1]:6.2f} s")
    print(f"one group_by       {grouped[0]:6.2f} s of processor, {grouped[1]:6.2f} s")
    print(f"ratio of processor time {made[0] / grouped[0]:.1f}")


if __name__ == "__main__":
    main()
