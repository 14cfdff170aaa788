"""Cuts at the median over a whole table, with several threads; the result does not depend on how many there are.

The records of the rows lie in one array; a group is a range of it, and a cut rearranges the range. Where the model
limits sizes and shares alone, a subtree is cut to its last group by one thread without looking up. For any other model
all groups of a level are cut together, and the model is asked about all sides at once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import sort_by_order
from pellucid.anonymize.layout.entries import geometry_of, row_order
from pellucid.anonymize.layout.limits import GroupLimits
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.kernels import entries as sorting
from pellucid.kernels import median as kernel
from pellucid.kernels.penalty import Geometry
from pellucid.models import Groups, PrivacyModel
from pellucid.runtime.parallel import SHORT, in_stretches
from pellucid.runtime.progress import Progress

Places = NDArray[np.int64]
ALONE = 50_000  # a group with fewer rows is cut to the end by one thread
NODES = 64  # fewer groups of a level are not worth a second thread


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """One record per row, in row order: its codes, then its class (or sensitive code), then its number."""

    geometry: Geometry
    rows: Codes
    scratch: Codes
    first: NDArray[np.uint8]

    @property
    def classes(self) -> Codes:
        """What is counted of each row's sensitive value."""
        return self.rows[:, -2]

    def grouping(self) -> Grouping:
        """The groups, once it is marked where each begins."""
        n = len(self.rows)
        starts = np.append(np.flatnonzero(self.first), n).astype(np.int64)
        return Grouping(np.ascontiguousarray(self.rows[:, -1]), starts, n)


def lay_out_records(table: Table, column: int, class_of: Codes | None, coins: Coins, threads: int) -> Records:
    """The records of a table's rows; ``class_of`` says what is counted of a sensitive code, itself by default."""
    n = len(table)
    threads = threads if n >= SHORT else 1
    by_order, _ = sort_by_order(row_order(table, coins, threads), threads)
    quasi = [table.codes[i] for i in table.having(Role.QUASI)]
    records = np.zeros((n, 4 * -(-len(quasi) // 4) + 2), np.int32)
    counted = table.codes[column]

    def fill(a: int, b: int) -> None:
        rows = by_order[a:b]
        gathered = np.empty(b - a, np.int32)
        for i, codes in enumerate(quasi):
            sorting.gather(codes, rows, 0, gathered)
            records[a:b, i] = gathered
        sorting.gather(counted, rows, 0, gathered)
        records[a:b, -2] = gathered if class_of is None else class_of[gathered]
        records[a:b, -1] = rows

    in_stretches(fill, n, threads)
    return Records(geometry_of(table), records, np.empty_like(records), np.zeros(n, np.uint8))


Cutting = Callable[[Codes, Codes, NDArray[np.uint8], bool, Places, NDArray[np.uint8]], int]


def _cut_large(
    pool: ThreadPoolExecutor, cut: Callable[[int, int, bool], int], rows: int, large: int
) -> list[tuple[int, int]]:
    """Cut what is large, all of one depth at once, and where the parts that are not begin and end.

    ``cut(a, b, True)`` says where the second half begins, and b where there is none.
    """
    small: list[tuple[int, int]] = []
    waiting = [(0, rows)]
    while waiting:
        middles = [pool.submit(cut, a, b, True) for a, b in waiting]
        cuts = [(a, middle.result(), b) for (a, b), middle in zip(waiting, middles, strict=True)]
        parts = [part for a, m, b in cuts if m < b for part in ((a, m), (m, b))]
        waiting = []
        for a, b in parts:
            (waiting if b - a > large else small).append((a, b))
    return small


def cut_to_the_end(records: Records, cutting: Cutting, threads: int, progress: Progress) -> Grouping:
    """Cut large groups once each, then every remaining subtree by one thread, largest first."""
    n = len(records.rows)
    done = np.zeros(1, np.int64)
    stop = np.zeros(1, np.uint8)
    large = max(ALONE, n // (8 * threads))

    def work(a: int, b: int, once: bool) -> int:
        own = np.zeros(1, np.int64)
        left = cutting(records.rows[a:b], records.scratch[a:b], records.first[a:b], once, own, stop)
        done[0] += own[0]
        progress.advance(int(done[0]))
        return a + left if left else b

    progress.stage("grouping", n)
    if n <= large:
        work(0, n, False)
        return records.grouping()
    # also with one thread: the calling one waits and can be interrupted
    with ThreadPoolExecutor(threads) as pool:
        try:
            small = _cut_large(pool, work, n, large)
            small.sort(key=lambda part: part[0] - part[1])
            for future in [pool.submit(work, a, b, False) for a, b in small]:
                future.result()
        except BaseException:
            stop[0] = 1  # the workers end before this thread goes on
            raise
    return records.grouping()


def cut_within_limits(
    records: Records,
    limits: GroupLimits,
    *,
    strict: bool,
    retry: bool,
    audit: int = 0,
    threads: int,
    progress: Progress,
) -> Grouping:
    """Mondrian where the model limits sizes and shares alone; with ``audit``, Audited, exact up to so many rows."""
    binomials = pascal(audit)

    def cutting(rows: Codes, scratch: Codes, first: NDArray[np.uint8], once: bool, done: Places, stop: object) -> int:
        asked = (strict, retry, limits.least, limits.p, limits.q, limits.classes)
        return int(kernel.grow(records.geometry, rows, scratch, first, *asked, binomials, once, done, stop))

    return cut_to_the_end(records, cutting, threads, progress)


def pascal(most: int) -> NDArray[np.float64]:
    """Pascal's triangle: how many ways there are to choose j of n, by n and j up to ``most``.

    >>> pascal(4)[4].tolist()
    [1.0, 4.0, 6.0, 4.0, 1.0]
    """
    ways = np.zeros((most + 1, most + 1))
    ways[:, 0] = 1
    for n in range(1, most + 1):
        ways[n, 1:] = ways[n - 1, 1:] + ways[n - 1, :-1]
    return ways


def cut_by_levels(
    records: Records,
    model: PrivacyModel,
    attribute: Attribute,
    *,
    strict: bool,
    retry: bool,
    threads: int,
    progress: Progress,
) -> Grouping:
    """Mondrian for any model: all groups of a level at once."""
    n = len(records.rows)
    table_counts = np.bincount(records.classes, minlength=len(attribute)).astype(np.int64)
    required = SidesModel(records, model, attribute, table_counts)
    starts, ends = np.zeros(1, np.int64), np.full(1, n, np.int64)
    sides = np.empty(n, np.uint8)
    progress.stage("grouping", n)
    finished = 0
    while len(starts):
        lefts = level_cuts(required, (starts, ends), sides, strict=strict, retry=retry, threads=threads)
        made = lefts > 0
        records.first[starts[~made]] = 1
        finished += int((ends - starts)[~made].sum())
        progress.advance(finished)
        starts, ends, middles = starts[made], ends[made], (starts + lefts)[made]
        over_nodes(
            lambda a, b, s=starts, e=ends: kernel.apply(records.rows, records.scratch, s[a:b], e[a:b], sides),  # type: ignore[misc]
            len(starts),
            threads,
        )
        starts, ends = np.sort(np.append(starts, middles)), np.sort(np.append(middles, ends))
    return records.grouping()


@dataclass(frozen=True, eq=False)
class SidesModel:
    """A model that both sides of a cut must satisfy: asked of these records and the whole table's counts."""

    records: Records
    model: PrivacyModel
    attribute: Attribute
    table_counts: Places

    def met(self, starts: Places, ends: Places, sides: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether both sides of every node satisfy the model; ``sides`` has the rows that go right."""
        sizes = ends - starts
        begins = np.cumsum(sizes) - sizes
        places = np.arange(int(sizes.sum())) + np.repeat(starts - begins, sizes)
        labels = (np.repeat(2 * np.arange(len(starts)), sizes) + sides[places]).astype(np.int32)
        groups = Groups.of(labels, self.records.classes[places], self.attribute)
        passed = self.model.met(replace(groups, table_counts=self.table_counts))
        return passed[0::2] & passed[1::2]


def level_cuts(
    required: SidesModel,
    nodes: tuple[Places, Places],
    sides: NDArray[np.uint8],
    *,
    strict: bool,
    retry: bool,
    threads: int,
) -> Places:
    """How many rows go left in every node's cut, 0 where none is made; ``sides`` has the rows that go right."""
    starts, ends = nodes
    records = required.records
    lefts = np.zeros(len(starts), np.int64)
    open_ = np.arange(len(starts))
    attempt = 0
    while len(open_):
        s, e, offered = starts[open_], ends[open_], np.zeros(len(open_), np.int64)
        attempts = np.full(len(open_), attempt, np.int64)

        def ask(a: int, b: int, s=s, e=e, attempts=attempts, offered=offered) -> None:  # type: ignore[no-untyped-def]
            kernel.propose(records.geometry, records.rows, s[a:b], e[a:b], attempts[a:b], strict, sides, offered[a:b])

        over_nodes(ask, len(open_), threads)
        some = offered > 0
        open_, s, e, offered = open_[some], s[some], e[some], offered[some]
        if not len(open_):
            break
        passed = required.met(s, e, sides)
        lefts[open_[passed]] = offered[passed]
        open_ = open_[~passed]
        attempt += 1
        if not retry:
            break
    return lefts


def over_nodes(work: Callable[[int, int], None], nodes: int, threads: int) -> None:
    """Call work(a, b) for stretches of nodes, on several threads when there are many."""
    if nodes < NODES or threads == 1:
        work(0, nodes)
        return
    with ThreadPoolExecutor(threads) as pool:
        cuts = [nodes * i // (4 * threads) for i in range(4 * threads + 1)]
        for future in [pool.submit(work, a, b) for a, b in pairwise(cuts)]:
            future.result()
