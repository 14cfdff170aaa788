"""An experiment of a paper: what it reports, how we run it, and which of its shapes must come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from pellucid.charts.charting import Chart
from pellucid.runtime.progress import Progress


@dataclass(frozen=True)
class ReportedShape:
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
    check: Callable[[pl.DataFrame], Sequence[ReportedShape]]
    draw: Callable[[pl.DataFrame], Chart]
    minutes: float


def falls(values: Iterable[float], *, slack: float = 0.0) -> bool:
    """Whether a sequence goes down as a whole and never up by more than the slack.

    >>> falls([3, 2, 2, 1]), falls([3, 1, 2]), falls([3, 1, 1.2], slack=0.3)
    (True, False, True)
    """
    listed = list(values)
    return listed[-1] < listed[0] and all(b <= a + slack for a, b in pairwise(listed))


MOSTLY = 0.8  # rank correlation from which a trend that is not monotone is called "mostly"


def trend(claim: str, values: Iterable[float], *, up: bool = True) -> ReportedShape:
    """A claim that a sequence goes up, or down: it holds when the ranks follow the places with a correlation of 0.8.

    The last value must also be beyond the first. A sequence that once goes the other way is said to do it mostly, with
    its rank correlation (Spearman's, ties sharing their ranks).

    >>> print(trend("the error grows with k", [1, 3, 2, 4, 5]))
    [agrees] the error grows with k, mostly (ours: 1, 3, 2, 4, 5; rank correlation 0.90)
    >>> trend("the error falls with k", [3, 1, 2, 3.5], up=False).holds
    False
    """
    listed = [float(value) for value in values]
    sign = 1 if up else -1
    beyond = sign * (listed[-1] - listed[0]) > 0
    if beyond and all(sign * (b - a) >= 0 for a, b in pairwise(listed)):
        return ReportedShape(claim, holds=True, ours=shown(listed))
    correlation = rank_correlation(listed)
    holds = beyond and sign * correlation >= MOSTLY
    return ReportedShape(
        f"{claim}, mostly" if holds else claim, holds, f"{shown(listed)}; rank correlation {correlation:.2f}"
    )


def rank_correlation(values: Sequence[float]) -> float:
    """Spearman's correlation of values with their places; 0 where all are the same.

    >>> rank_correlation([1, 2, 3]), rank_correlation([2, 2, 2])
    (1.0, 0.0)
    """
    ranks = pl.Series(values).rank("average")
    correlation = pl.DataFrame({"place": range(len(values)), "rank": ranks}).select(pl.corr("place", "rank")).item()
    return float(correlation) if correlation is not None and correlation == correlation else 0.0


def named(names: Iterable[str], values: Iterable[float], digits: int = 3) -> str:
    """Figures in a row, each with whose it is.

    >>> named(["Hybrid", "Ace"], [0.05, 0.316])
    'Hybrid 0.05, Ace 0.316'
    """
    return ", ".join(f"{name} {value:.{digits}g}" for name, value in zip(names, values, strict=True))


def shown(values: Iterable[float], digits: int = 3) -> str:
    """Figures in a row, for a finding."""
    return ", ".join(f"{value:.{digits}g}" for value in values)
