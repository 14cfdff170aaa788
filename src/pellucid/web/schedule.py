"""How far a piece of work is: its parts with their share of the time, and an estimate that never goes back.

Each part comes with the seconds that it is expected to take. What the finished parts took says how fast this machine is
today, and corrects what is expected of the others. The bar and the time that is left are told so that neither is ever
taken back: a bar does not shrink, an end does not move away. Where an end has passed, no other one is made up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

MOST = 0.99  # of a bar before the work is done
SLOWEST, FASTEST = 30.0, 0.1  # how much slower or faster than expected a machine is believed to be


@dataclass(frozen=True)
class Part:
    """One part as a page shows it: what it is, its share of the time, whether it is done."""

    name: str
    share: float
    state: Literal["done", "now", "next"]


class Schedule:
    """The parts of a job, one after the other.

    >>> now = [0.0]
    >>> plan = Schedule([("publishing", 10.0), ("attacking", 30.0)], clock=lambda: now[0])
    >>> plan.begin(0); now[0] = 5.0
    >>> plan.share(), plan.left(), [part.share for part in plan.parts]
    (0.125, 35.0, [0.25, 0.75])
    """

    def __init__(self, parts: Sequence[tuple[str, float]], clock: Callable[[], float] = time.monotonic) -> None:
        self._names = [name for name, _ in parts]
        self._expected = [max(seconds, 0.1) for _, seconds in parts]
        self._took: list[float] = []
        self._clock = clock
        self._began = self._part_began = clock()
        self._furthest = 0.0
        self._ends: float | None = None

    def begin(self, number: int) -> None:
        """A part begins; those before it are done."""
        now = self._clock()
        while len(self._took) < number:
            self._took.append(now - self._part_began)
            self._part_began = now
        self._part_began = now

    def add(self, parts: Sequence[tuple[str, float]], *, before: int) -> None:
        """There is more to do, before so many of the last parts; the end is another one from now on.

        >>> plan = Schedule([("one report", 5.0), ("attacking", 5.0)], clock=lambda: 0.0)
        >>> plan.add([("another report", 10.0)], before=1)
        >>> [(part.name, part.share) for part in plan.parts]
        [('one report', 0.25), ('another report', 0.5), ('attacking', 0.25)]
        """
        at = len(self._names) - before
        self._names[at:at] = [name for name, _ in parts]
        self._expected[at:at] = [max(seconds, 0.1) for _, seconds in parts]
        self._furthest, self._ends = 0.0, None

    @property
    def took(self) -> list[float]:
        """Seconds that the finished parts took."""
        return list(self._took)

    @property
    def parts(self) -> list[Part]:
        """Every part with its share of the time, as far as it is known now."""
        seconds = [*self._took, *(self._speed * one for one in self._expected[len(self._took) :])]
        whole, now = sum(seconds) or 1.0, len(self._took)
        return [
            Part(name, one / whole, "done" if n < now else "now" if n == now else "next")
            for n, (name, one) in enumerate(zip(self._names, seconds, strict=True))
        ]

    def share(self, of_part: float | None = None) -> float:
        """How much of all is done, by time; ``of_part`` is how much of the present part is. It never gets less.

        While a part takes longer than expected, no more is done than that part and those before it.
        """
        passed = self._clock() - self._began
        whole = passed + self._ahead(of_part)
        reached = sum(part.share for part in self.parts if part.state != "next")
        self._furthest = max(self._furthest, min(passed / whole if whole > 0 else 0.0, reached, MOST))
        return self._furthest

    def left(self, of_part: float | None = None) -> float | None:
        """Seconds until all is done; never an end that is later than one told before. None where that has passed."""
        now = self._clock()
        ends = now + self._ahead(of_part)
        self._ends = ends if self._ends is None else min(self._ends, ends)
        return self._ends - now if self._ends > now else None

    @property
    def _speed(self) -> float:
        """How much longer than expected the finished parts took; those that are over at once tell nothing."""
        expected, took = sum(self._expected[: len(self._took)]), sum(self._took)
        return min(max(took / expected, FASTEST), SLOWEST) if took >= 1.0 else 1.0

    def _ahead(self, of_part: float | None) -> float:
        """Seconds that are still to come."""
        here = len(self._took)
        if here >= len(self._expected):
            return 0.0
        passed = self._clock() - self._part_began
        rest = max(self._speed * self._expected[here] - passed, 0.0)
        if of_part:
            rest = passed * (1 - of_part) / of_part
        return rest + self._speed * sum(self._expected[here + 1 :])
