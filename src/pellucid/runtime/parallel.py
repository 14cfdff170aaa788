"""Independent pieces of work on several threads. The kernels release the GIL, so threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from pellucid.errors import MethodError
from pellucid.messages import Term

MOST = 4096  # threads: more than any machine has cores
SHORT = 20_000  # so few rows are not worth a second thread
SMALL = 50_000  # a table of so few rows is done as soon by one thread: starting others takes what they save


def thread_count(threads: int | None, rows: int | None = None) -> int:
    """How many threads to use: what the caller says, else every core this process may use; one for a small table.

    >>> thread_count(None, rows=30_000), thread_count(4, rows=30_000)
    (1, 4)
    """
    if threads is None and rows is not None and rows < SMALL:
        return 1
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int) or isinstance(threads, bool) or not 1 <= threads <= MOST:
        raise MethodError(
            "{term} {threads}: must be a whole number from 1 to {most:,}",
            "leave it out to use every core",
            term=Term("threads", "threads ="),
            threads=threads,
            most=MOST,
        )
    return threads


def stretches(n: int, parts: int) -> list[tuple[int, int]]:
    """Consecutive stretches of about equal length.

    >>> stretches(10, 3)
    [(0, 3), (3, 6), (6, 10)]
    """
    return [(a, b) for a, b in pairwise(n * i // parts for i in range(parts + 1)) if a < b]


def in_stretches(work: Callable[[int, int], None], n: int, threads: int) -> None:
    """Call work(a, b) for one stretch of 0..n per thread."""
    if threads == 1 or n < SHORT:
        if n > 0:
            work(0, n)
        return
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(work, a, b) for a, b in stretches(n, threads)]:
            future.result()


def run(jobs: Sequence[Callable[[], object]], threads: int) -> None:
    """Run independent jobs, the first ones first."""
    if threads == 1 or len(jobs) <= 1:
        for job in jobs:
            job()
        return
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(job) for job in jobs]:
            future.result()


def threads_of_job(place: int, jobs: int, threads: int) -> int:
    """How many threads a job should have so that none is idle when fewer jobs are left than threads.

    >>> [threads_of_job(place, 5, 2) for place in range(5)], threads_of_job(0, 3, 8), threads_of_job(3, 4, 2)
    ([1, 1, 1, 1, 2], 3, 1)
    """
    last = jobs % threads
    return -(-threads // last) if place >= jobs - last else 1


def results(jobs: Sequence[Callable[[], Any]], threads: int) -> Iterator[Any]:
    """What independent jobs give, in their order; with one thread, one after the other in this one.

    >>> list(results([lambda: 1, lambda: 2], 1))
    [1, 2]
    """
    if threads == 1:
        yield from (job() for job in jobs)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from (future.result() for future in [pool.submit(job) for job in jobs])
