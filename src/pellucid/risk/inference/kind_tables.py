"""What all kinds of groups tell, side by side: a release may have as many kinds as groups.

A kind has a line for each of its parts, and a line has a figure for each value, in the order in which the kind has them
(:func:`pellucid.risk.inference.group_signatures.kinds_of`). Where limits are all that kinds tell, they are counted by
the thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.limited_parts import LimitedGroups
from pellucid.posterior.shape import Shape
from pellucid.risk.inference.best_guess import TIE
from pellucid.risk.inference.cells import numbers_from
from pellucid.risk.inference.group_signatures import Kinds

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Look = tuple[Shape, SensitiveColumn]  # all that makes a kind
AT_ONCE = 1 << 20  # figures that are looked at together


@dataclass(frozen=True)
class KindShares:
    """What a kind of group tells: by part and value the probabilities, and bounds when they were sampled."""

    shape: Shape
    shares: list[list[Any]]
    lower: list[list[float]] | None = None
    upper: list[list[float]] | None = None
    stuck: bool = False


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of some kinds: how many ``parts`` and ``values`` each has, its shares, and their ends by part."""

    parts: Longs
    values: Longs
    shares: Floats
    ends: tuple[Floats, Floats] | None = None  # lower and upper; None where the shares are certain


def lines_of(looks: Sequence[Look], groups: Sequence[int], budget: int, told: Callable[[int], KindShares]) -> Lines:
    """The lines of kinds that look so; ``told`` says it of one by a group of it, where it cannot be counted at once."""
    parts = np.array([len(shape.sizes) for shape, _ in looks], np.int64)
    values = np.array([len(column.counts) for _, column in looks], np.int64)
    starts = np.append(0, np.cumsum(parts * values)).astype(np.int64)
    shares = np.zeros(int(starts[-1]))
    counted = _count_limited(looks, budget, starts, shares)
    ends = None
    for number in np.flatnonzero(~counted).tolist():
        own, of_kind = slice(int(starts[number]), int(starts[number + 1])), told(groups[number])
        shares[own] = _as_line(of_kind.shares)
        if of_kind.lower is not None and of_kind.upper is not None:
            ends = (shares.copy(), shares.copy()) if ends is None else ends
            ends[0][own], ends[1][own] = _as_line(of_kind.lower), _as_line(of_kind.upper)
        elif ends is not None:
            ends[0][own] = ends[1][own] = shares[own]
    return Lines(parts, values, shares, ends)


def _as_line(figures: list[list[Any]]) -> Floats:
    return np.array([float(figure) for part in figures for figure in part])


def _count_limited(looks: Sequence[Look], budget: int, starts: Longs, shares: Floats) -> NDArray[np.bool_]:
    """Write the shares of the kinds that tell limits, as far as they can be counted; which ones these are."""
    counted = np.zeros(len(looks), np.bool_)
    known = [shape.limits(column) for shape, column in looks]
    limited = [number for number, limits in enumerate(known) if limits is not None]
    if not limited:
        return counted
    groups = LimitedGroups.of((looks[n][0].sizes, looks[n][1].counts, known[n] or ()) for n in limited)
    chosen = groups.countable(budget)
    counted[np.array(limited)[chosen]] = True
    shares[np.repeat(counted, np.diff(starts))] = groups.shares(np.flatnonzero(chosen))
    return counted


@dataclass(frozen=True, eq=False)
class KindTable:
    """The lines of all kinds of some groups; ``starts`` is where each line begins, and one more for the end."""

    kinds: Kinds
    parts: Longs
    starts: Longs
    shares: Floats
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, kinds: Kinds, lines: Sequence[Lines]) -> KindTable:
        """The lines of all kinds, given one stretch after the other."""
        parts = np.concatenate([some.parts for some in lines])
        widths = np.concatenate([np.repeat(some.values, some.parts) for some in lines])
        shares = np.concatenate([some.shares for some in lines])
        lower = upper = shares
        if any(some.ends for some in lines):
            lower, upper = (
                np.concatenate([some.shares if some.ends is None else some.ends[side] for some in lines])
                for side in (0, 1)
            )
        return cls(kinds, parts, np.append(0, np.cumsum(widths)).astype(np.int64), shares, lower, upper)

    @cached_property
    def first_line(self) -> Longs:
        """For each group the line of its first part."""
        return np.asarray((np.cumsum(self.parts) - self.parts)[self.kinds.of_group])

    def largest(self) -> tuple[Floats, Floats, Floats]:
        """By line the largest share, and the largest lower and upper end."""
        most, least, at_most = (
            np.maximum.reduceat(figures, self.starts[:-1]) for figures in (self.shares, self.lower, self.upper)
        )
        return most, least, at_most

    def likeliest(self) -> Longs:
        """By line the place of the likeliest value, by :func:`pellucid.risk.inference.best_guess.best_place`."""
        enough = np.maximum.reduceat(self.shares, self.starts[:-1]) * (1 - TIE)
        likely = self.shares >= np.repeat(enough, np.diff(self.starts))
        places = np.where(likely, np.arange(len(likely)), len(likely))
        return np.asarray(np.minimum.reduceat(places, self.starts[:-1]) - self.starts[:-1])

    def chances(self, asked: NDArray[np.bool_], begins: Longs) -> Iterator[tuple[slice, Longs, Floats]]:
        """How likely somebody of a part has a value that is asked about: of some groups after the other, by part.

        ``asked`` is by value of groups in the order of their kinds; those of each group begin at ``begins``. With the
        groups come the numbers of their first parts among those that are told.
        """
        parts = self.parts[self.kinds.of_group]
        values = np.diff(self.starts)[self.first_line]
        for some in _stretches(parts * values):
            lines, widths = numbers_from(self.first_line[some], parts[some]), np.repeat(values[some], parts[some])
            here = asked[numbers_from(np.repeat(begins[some], parts[some]), widths)]
            shares = np.where(here, self.shares[numbers_from(self.starts[lines], widths)], 0.0)
            yield some, np.cumsum(parts[some]) - parts[some], np.add.reduceat(shares, np.cumsum(widths) - widths)


def _stretches(figures: Longs) -> Iterator[slice]:
    """Consecutive groups that have about so many figures together as are looked at at once."""
    ends, first, before = np.cumsum(figures), 0, 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, before + AT_ONCE, side="right")))
        yield slice(first, last)
        first, before = last, int(ends[last - 1])
