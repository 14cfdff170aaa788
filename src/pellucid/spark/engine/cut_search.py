"""Tailor's canonical cut of one node, found from bins instead of rows.

The definition is that of :mod:`pellucid.kernels.tailor`: of all cuts that leave both sides large enough the one with
the smallest (perimeter, attribute, k), in exact integers. Rows are ordered by (code, row order) on each attribute. A
*stretch* is a range of this order about which only a count and a box are known. The borders of stretches are cuts whose
price is known. A cut inside a stretch is looked for only when

- a lower bound, the price of what certainly lies left and right of it, does not already lose, and
- the boxes change inside: where they do not, the price is linear in k, so one end of the stretch is its best cut.

Such a stretch becomes finer bins in the next pass over the rows, by code, and inside one code by row order, until
nothing is open. What is left to find for a best cut inside a stretch is where its k-th row is, in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.core.table import Codes
from pellucid.errors import MethodError
from pellucid.spark.engine.cuts import EVERY_ORDER, Cut
from pellucid.spark.engine.extents import NO_HIGH, NO_LOW, Costs, Extents
from pellucid.spark.engine.operations import ALL_ORDERS, Bins, Longs, Request

LAST_ORDER = 2**63 - 1  # of rows that the coins order; their numbers begin with 0
Box = tuple[Codes, Codes]  # smallest and largest codes, one row per box


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """``rows`` rows behind ``before`` others, with codes first..last and, inside one code, row orders earliest..latest.

    ``left`` and ``right`` are the boxes (smallest codes, largest codes) of everything before and behind.
    """

    attribute: int
    before: int
    rows: int
    first: int
    last: int
    earliest: int
    latest: int
    left: Codes
    right: Codes

    def request(self, node: int, most: int) -> Request:
        """Finer bins of this stretch, at most so many."""
        if self.first < self.last:
            shift = _shift(self.last - self.first, most)
            return Request(node, self.attribute, self.first, self.last, *ALL_ORDERS, False, shift)
        if self.earliest == self.latest:
            raise MethodError(
                f"{self.rows} rows drew the same number for their order, which happens once in a very long while; "
                "publish again, or name an identifier"
            )
        shift = _shift(self.latest - self.earliest, most)
        return Request(node, self.attribute, self.first, self.last, self.earliest, self.latest, True, shift)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cut by its price; ``cut`` is None while it is not known where the k-th row is, and ``inside`` says where."""

    price: int
    attribute: int
    k: int
    cut: Cut | None
    inside: Stretch | None = None

    @property
    def rank(self) -> tuple[int, int, int]:
        """What the canonical cut has the smallest of."""
        return self.price, self.attribute, self.k


def _shift(width: int, most: int) -> int:
    """By how many bits numbers 0..width are shifted to fall into at most so many bins."""
    return max(0, width.bit_length() - (most.bit_length() - 1)) if width >= most else 0


class Search:
    """The search in one node of ``rows`` rows; both sides get at least ``side``. ``orders`` are those a row may have.

    Ask for :attr:`requests`, give the answers to :meth:`take`, until :attr:`found` is there. Of cuts between different
    codes only (``by_value``) there may be none: then the search is :attr:`fruitless`.
    """

    def __init__(
        self,
        node: int,
        rows: int,
        side: int,
        extents: Extents,
        ranges: Sequence[tuple[int, int]],
        most: int,
        orders: tuple[int, int] = (0, LAST_ORDER),
    ) -> None:
        self.node, self.rows, self.extents, self.most = node, rows, extents, most
        self.low, self.high = side, rows - side
        self.best: Candidate | None = None
        self.identical = False  # whether all rows have the same quasi-identifiers
        d = len(ranges)
        nothing = np.array([[NO_LOW] * d, [NO_HIGH] * d], np.int32)
        self.open = [
            Stretch(i, 0, rows, first, last, *orders, nothing, nothing) for i, (first, last) in enumerate(ranges)
        ]
        # on a constant attribute every cut is by row order; the lowest such attribute wins all ties
        self.by_order = next((i for i, (first, last) in enumerate(ranges) if first == last), -1)
        self.begun = self.by_value = False

    def leave(self, side: int, *, by_value: bool = False) -> None:
        """Leave at least so many rows on both sides, and cut between different codes: known with the first answers."""
        self.low, self.high, self.by_value = side, self.rows - side, by_value

    @property
    def requests(self) -> list[Request]:
        """What to ask the rows next; nothing when the cut is found."""
        if not self.begun:
            return [self._first(stretch) for stretch in self.open]
        if self.open:
            return [stretch.request(self.node, self.most) for stretch in self.open]
        assert self.best is not None
        return [] if self.best.inside is None else [self.best.inside.request(self.node, self.most)]

    def _first(self, stretch: Stretch) -> Request:
        if stretch.attribute == self.by_order and stretch.earliest < stretch.latest:
            return stretch.request(self.node, self.most)
        shift = _shift(stretch.last - stretch.first, self.most)
        return Request(self.node, stretch.attribute, stretch.first, stretch.last, *ALL_ORDERS, False, shift)

    @property
    def found(self) -> Cut | None:
        """The canonical cut, once it is known."""
        return None if not self.begun or self.open or self.best is None else self.best.cut

    @property
    def fruitless(self) -> bool:
        """Whether it is known that there is no such cut."""
        return self.begun and not self.open and self.best is None

    def take(self, answers: Sequence[Bins]) -> None:
        """Price what the answers to :attr:`requests` show."""
        if self.begun and not self.open:
            self._locate_best(answers[0])
            return
        with_bins = [StretchBins(stretch, bins, self) for stretch, bins in zip(self.open, answers, strict=True)]
        if not self.begun:
            with_bins = self._without_constant(with_bins)
        for bins in with_bins:
            self._consider(bins.best_border(by_order=self.begun or bins.stretch.attribute == self.by_order))
        self.open = [stretch for bins in with_bins for stretch in self._still_open(bins)]
        self.begun = True

    def _locate_best(self, answer: Bins) -> None:
        """Find the best cut itself, of which only the stretch around it was known."""
        assert self.best is not None
        assert self.best.inside is not None
        self._locate(self.best.inside, answer)

    def _without_constant(self, shown: list[StretchBins]) -> list[StretchBins]:
        """Those in which rows differ; where cuts go by row order too, one in which they do not is kept for that."""
        constant = [bins.stretch.attribute for bins in shown if bins.constant]
        self.identical = len(constant) == len(shown)
        passed_over = constant if self.by_value else constant[1:]
        return [bins for bins in shown if bins.stretch.attribute not in passed_over]

    def _consider(self, candidate: Candidate | None) -> None:
        if candidate is not None and (self.best is None or candidate.rank < self.best.rank):
            self.best = candidate

    def _may_be_best(self, price: int) -> bool:
        return self.best is None or price <= self.best.price

    def _still_open(self, shown: StretchBins) -> list[Stretch]:
        """The bins that may hide a cut which beats the best in a way that is not known yet."""
        i, n = shown.stretch.attribute, self.rows
        at = np.flatnonzero(shown.low <= shown.high)
        if self.by_value:
            at = at[shown.bins.lows[at, i] < shown.bins.highs[at, i]]
        if not len(at):
            return []
        first, last = shown.bins.lows[at, i], shown.bins.highs[at, i]
        least_left = self.extents.of(*_with_code(*shown.left(at), i, first))
        least_right = self.extents.of(*_with_code(*shown.right(at), i, last))
        low, high = self.exact(shown.low[at]), self.exact(shown.high[at])
        at_low = low * least_left + (n - low) * least_right
        at_high = high * least_left + (n - high) * least_right
        bounds = np.minimum(at_low, at_high)
        most_left = self.extents.of(*_union(shown.left(at), shown.box(at)))
        most_right = self.extents.of(*_union(shown.right(at), shown.box(at)))
        # every cut inside a linear bin costs what the bound says, so one of its ends is its best, if it may be anywhere
        linear = (least_left == most_left) & (least_right == most_right) & (not self.by_value)
        for b in np.flatnonzero(linear).tolist():
            if self._may_be_best(int(bounds[b])):
                k = int(low[b] if at_low[b] <= at_high[b] else high[b])
                self._consider(Candidate(int(bounds[b]), i, k, None, shown.inner(int(at[b]))))
        hopeful = ~linear if self.best is None else ~linear & (bounds <= self.best.price)
        return [
            shown.inner(int(at[b]))
            for b in np.flatnonzero(hopeful).tolist()
            if self.best is None or (int(bounds[b]), i, int(low[b])) < self.best.rank
        ]

    def exact(self, numbers: Costs) -> Costs:
        """Numbers to calculate prices with."""
        return numbers.astype(object) if self.extents.wide else numbers

    def _locate(self, stretch: Stretch, bins: Bins) -> None:
        """Look for the best cut's k-th row in finer bins of the stretch that has it."""
        best = self.best
        assert best is not None
        with_bins = StretchBins(stretch, bins, self)
        b = int(np.searchsorted(with_bins.after, best.k))
        if int(with_bins.after[b]) > best.k:
            self.best = Candidate(best.price, best.attribute, best.k, None, with_bins.inner(b))
            return
        threshold = int(bins.latest[b]) if stretch.first == stretch.last else EVERY_ORDER
        cut = Cut(best.attribute, int(bins.highs[b, best.attribute]), threshold)
        self.best = Candidate(best.price, best.attribute, best.k, cut)


class StretchBins:
    """The bins of a stretch, with what lies before and behind each of them."""

    def __init__(self, stretch: Stretch, bins: Bins, search: Search) -> None:
        self.stretch, self.bins, self.search = stretch, bins, search
        self.after = stretch.before + np.cumsum(bins.counts)
        self.before = self.after - bins.counts
        self.low = np.maximum(search.low, self.before + 1)  # the smallest and largest k inside each bin
        self.high = np.minimum(search.high, self.after - 1)
        self.lows = np.minimum.accumulate(np.vstack([stretch.left[:1], bins.lows]))
        self.highs = np.maximum.accumulate(np.vstack([stretch.left[1:], bins.highs]))
        self.lows_behind = np.minimum.accumulate(np.vstack([stretch.right[:1], bins.lows[::-1]]))[::-1]
        self.highs_behind = np.maximum.accumulate(np.vstack([stretch.right[1:], bins.highs[::-1]]))[::-1]

    @property
    def constant(self) -> bool:
        """Whether all rows of the node have one code here."""
        i = self.stretch.attribute
        return bool(self.bins.lows[:, i].min() == self.bins.highs[:, i].max())

    def best_border(self, *, by_order: bool) -> Candidate | None:
        """The best cut at a border between bins."""
        search, i = self.search, self.stretch.attribute
        at = np.flatnonzero((self.after >= search.low) & (self.after <= search.high) & (self.after < search.rows))
        if not len(at):
            return None
        k = search.exact(self.after[at])
        left = search.extents.of(self.lows[at + 1], self.highs[at + 1])
        right = search.extents.of(self.lows_behind[at + 1], self.highs_behind[at + 1])
        prices = k * left + (search.rows - k) * right
        best = int(np.argmin(prices))  # the first of the smallest
        b = int(at[best])
        inside_a_code = by_order and self.stretch.first == self.stretch.last
        threshold = int(self.bins.latest[b]) if inside_a_code else EVERY_ORDER
        return Candidate(int(prices[best]), i, int(k[best]), Cut(i, int(self.bins.highs[b, i]), threshold))

    def left(self, at: Longs) -> Box:
        """What lies before each of these bins."""
        return self.lows[at], self.highs[at]

    def right(self, at: Longs) -> Box:
        """What lies behind each of these bins."""
        return self.lows_behind[at + 1], self.highs_behind[at + 1]

    def box(self, at: Longs) -> Box:
        """These bins."""
        return self.bins.lows[at], self.bins.highs[at]

    def inner(self, b: int) -> Stretch:
        """A bin as a stretch of its own."""
        i, bins = self.stretch.attribute, self.bins
        return Stretch(
            i,
            int(self.before[b]),
            int(bins.counts[b]),
            int(bins.lows[b, i]),
            int(bins.highs[b, i]),
            int(bins.earliest[b]),
            int(bins.latest[b]),
            np.stack([self.lows[b], self.highs[b]]),
            np.stack([self.lows_behind[b + 1], self.highs_behind[b + 1]]),
        )


def _with_code(lows: Codes, highs: Codes, attribute: int, codes: Codes) -> Box:
    """The boxes with one more code each on an attribute."""
    lows, highs = lows.copy(), highs.copy()
    lows[:, attribute] = np.minimum(lows[:, attribute], codes)
    highs[:, attribute] = np.maximum(highs[:, attribute], codes)
    return lows, highs


def _union(one: Box, other: Box) -> Box:
    return np.minimum(one[0], other[0]), np.maximum(one[1], other[1])
