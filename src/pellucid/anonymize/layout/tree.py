"""Grows Tailor's tree over a whole table with several threads; the result does not depend on how many there are.

A subtree with N rows fills N places of the output, and where they lie is known when its parent is cut. So the
threads take subtrees from a heap, largest first: large ones are cut once and their two sides go back to the heap,
the others are grown to the last group by one thread.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import Entries
from pellucid.anonymize.layout.side_sizes import Sides
from pellucid.core.coins import Coins
from pellucid.core.table import Codes
from pellucid.kernels import grow as kernel
from pellucid.kernels.die import Die
from pellucid.runtime.parallel import in_stretches
from pellucid.runtime.progress import Progress

ALONE = 50_000  # a table with fewer rows is done by the calling thread
POLL_SECONDS = 0.1


@dataclass(order=True)
class Subtree:
    """Work to do; the heap gives the one with the most rows first."""

    priority: int
    offset: int
    rows: int = field(compare=False)
    records: Codes = field(compare=False)
    name: int = field(compare=False, default=0)  # of its root, for SoftCut's die
    refused: bool = field(compare=False, default=False)  # whether a cut above it was
    opened: bool = field(compare=False, default=False)  # whether the table was opened by SoftCut's first cut


def whole(entries: Entries, name: int = 0, refused: bool = False) -> Subtree:
    """All entries as what is to be grown below the node of this name, 0 being the root."""
    n = len(entries.rows)
    return Subtree(-n, 0, n, entries.records, name, refused)


class Growth:
    """One tree being grown: the subtrees still to do, the threads at work, and the output so far."""

    def __init__(
        self,
        entries: Entries,
        sides: int | Sides,
        key: tuple[int, int],
        threads: int,
        *,
        ace: bool = False,
        die: Die | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        """``limits``: what else the kernel is told of cuts.

        Sides have ``fewest`` rows or more; the count of the code ``fillers`` does not matter; ``strata`` have so many
        rows at least, and ``inside`` of one the kernel does this. ``weights``: how many times each code counts.
        """
        n = len(entries.rows)
        self.die = die
        self.limits = dict(limits or {})
        self.entries, self.ace, self.key, self.threads = entries, ace, key, threads
        self.l = sides if isinstance(sides, int) else 0
        self.sides = sides if isinstance(sides, Sides) else None
        self.places = np.empty(n, np.int32)
        self.first = np.zeros(n, np.uint8)
        self.done = np.zeros((threads, 8), np.int64)  # one cache line per thread
        self.stop = np.zeros(1, np.uint8)
        self.aside: list[Codes] = [entries.records[:0]] * threads  # room for one side of a cut, per thread
        self.large = max(ALONE, n // (16 * threads)) if threads > 1 else n
        self.heap = [whole(entries)]
        self.busy = 0
        self.change = threading.Condition()
        self.failure: BaseException | None = None

    def grown(self, subtrees: Sequence[Subtree] | None, progress: Progress) -> Growth:
        """Grow the whole, or these subtrees from left to right."""
        if subtrees is not None:
            self.heap = sorted(subtrees)
        progress.stage("grouping", len(self.entries.rows))
        if len(self.entries.rows) < ALONE:
            for subtree in self.heap:
                self.grow(subtree, 0)
        else:
            self.run(progress)
        return self

    def grow(self, subtree: Subtree, thread: int) -> None:
        """Grow one subtree to its last group."""
        a, b = subtree.offset, subtree.offset + subtree.rows
        call = partial(
            kernel.grow,
            self.entries.geometry,
            subtree.records,
            self.entries.orders,
            self.entries.sensitive,
            self.entries.values,
            self.l,
            self.ace,
            self.key[0],
            self.key[1],
            self.places[a:b],
            self.first[a:b],
            self.done[thread],
            self.stop,
            **self.softness(subtree),
            **self.limits,
        )
        call() if self.sides is None else self.sides.obeyed(call)

    def softness(self, subtree: Subtree) -> dict[str, Any]:
        """What the kernel is told when cuts are tried."""
        if self.die is None:
            return {}
        return {"die": self.die, "name": subtree.name, "refused": subtree.refused, "opened": subtree.opened}

    def cut(self, subtree: Subtree, thread: int) -> list[Subtree]:
        """Cut a large subtree into two, in the place of its records; none when it cannot be cut this way.

        When the cut was tried and refused, the subtree comes back as a refused one.
        """
        records = subtree.records
        if len(self.aside[thread]) < len(records):
            self.aside[thread] = np.empty_like(records)
        left = self.aside[thread]
        call = partial(
            kernel.cut,
            self.entries.geometry,
            records,
            self.entries.orders,
            self.entries.sensitive,
            self.entries.values,
            self.l,
            subtree.rows,
            left,
            **self.softness(subtree),
            **self.limits,
        )
        lefts, rights, rows, refused = call() if self.sides is None else self.sides.obeyed(call)
        if lefts == 0:
            return []
        rest = subtree.rows - rows
        behind = records[rights : rights + lefts]
        if len(behind) == lefts:
            behind[:] = left[:lefts]
        else:  # entries with rows on both sides need more room
            behind = left[:lefts].copy()
        if refused:  # a tried cut divides no entry, so the records are all there, in another order
            return [replace(subtree, refused=True)]
        names = [0, 0] if self.die is None else [self.die.child(subtree.name, side) for side in (0, 1)]
        return [
            Subtree(-rows, subtree.offset, rows, behind, names[0], subtree.refused, subtree.opened),
            Subtree(-rest, subtree.offset + rows, rest, records[:rights], names[1], subtree.refused, subtree.opened),
        ]

    def work(self, thread: int) -> None:
        """What each thread does until nothing is left."""
        try:
            while True:
                with self.change:
                    self.change.wait_for(lambda: self.heap or self.busy == 0 or self.stop[0])
                    if self.stop[0] or not self.heap:
                        return
                    subtree = heapq.heappop(self.heap)
                    self.busy += 1
                parts = self.cut(subtree, thread) if subtree.rows > self.large else []
                if not parts:
                    self.grow(subtree, thread)
                with self.change:
                    for part in parts:
                        heapq.heappush(self.heap, part)
                    self.busy -= 1
                    self.change.notify_all()
        except BaseException as failure:
            with self.change:
                self.failure = failure
                self.stop[0] = 1
                self.change.notify_all()

    def run(self, progress: Progress) -> None:
        """Grow everything; what interrupts the calling thread stops the others before it goes on."""
        workers = [threading.Thread(target=self.work, args=(i,), daemon=True) for i in range(self.threads)]
        try:
            for worker in workers:
                worker.start()
            for worker in workers:
                while worker.is_alive():
                    worker.join(POLL_SECONDS)
                    progress.advance(int(self.done[:, 0].sum()))
        finally:
            with self.change:
                self.stop[0] = 1
                self.change.notify_all()
            for worker in workers:
                if worker.is_alive():  # one that was interrupted on its way to work finds that it has to stop
                    worker.join()
        if self.failure is not None:
            raise self.failure


def grow_tree(
    entries: Entries,
    sides: int | Sides,
    *,
    ace: bool,
    coins: Coins,
    threads: int,
    progress: Progress,
    die: Die | None = None,
    subtrees: Sequence[Subtree] | None = None,
) -> Grouping:
    """Tailor's groups, left to right; with ``ace`` each is divided further by Ace (that is Hybrid).

    ``sides``: what each side of a cut needs, a number of times the rows of the most frequent value, or what a model
    asks for. With a ``die`` cuts that are not certain are tried (that is SoftCut). ``subtrees``, from left to right,
    are what is to be grown instead of the whole. The entries are taken over: afterwards their records are in some other
    order.
    """
    growth = Growth(entries, sides, coins.subkey("assign"), threads, ace=ace, die=die).grown(subtrees, progress)
    return collect(growth.places, growth.first, entries.rows, threads)


def collect(places: Codes, first: NDArray[np.uint8], rows: Codes, threads: int) -> Grouping:
    """The grouping of positions in group order, with marks where groups begin."""
    members = places  # overwritten place by place
    in_stretches(lambda a, b: kernel.rows_at(places[a:b], rows, members[a:b]), len(places), threads)
    starts = np.flatnonzero(first != 0)  # numpy finds truths in a fifth of the time that it takes for bytes
    return Grouping(members, np.append(starts, len(places)).astype(np.int64, copy=False), len(places))
