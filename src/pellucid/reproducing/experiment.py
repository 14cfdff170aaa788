"""An experiment of a paper: what it reports, how we run it, and which of its shapes must come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from pellucid.charting import Chart
from pellucid.progress import Progress


@dataclass(frozen=True)
class Finding:
    """One shape that the paper reports, and whether ours has it."""

    claim: str
    holds: bool
    ours: str = ""

    def __str__(self) -> str:
        """The finding as one line."""
        return f"[{'agrees' if self.holds else 'differs'}] {self.claim}" + (
            f" (ours: {self.ours})" if self.ours else ""
        )


@dataclass(frozen=True)
class Experiment:
    """``reports``: what the paper says, in our words. ``remark``: where and why we differ. ``data``: the file it needs.

    ``run(quick, progress)`` gives the figures, ``check`` compares their shape with the paper's, ``draw`` draws them.
    ``minutes`` is the processor time of the full run, about.
    """

    name: str
    paper: str
    title: str
    reports: str
    remark: str
    data: str
    run: Callable[[bool, Progress], pl.DataFrame]
    check: Callable[[pl.DataFrame], Sequence[Finding]]
    draw: Callable[[pl.DataFrame], Chart]
    minutes: float


def falls(values: Iterable[float], *, slack: float = 0.0) -> bool:
    """Whether a sequence goes down as a whole and never up by more than the slack.

    >>> falls([3, 2, 2, 1]), falls([3, 1, 2]), falls([3, 1, 1.2], slack=0.3)
    (True, False, True)
    """
    listed = list(values)
    return listed[-1] < listed[0] and all(b <= a + slack for a, b in pairwise(listed))


def shown(values: Iterable[float], digits: int = 3) -> str:
    """Figures in a row, for a finding."""
    return ", ".join(f"{value:.{digits}g}" for value in values)
