"""The joint distribution of some columns, in the original and by what is shown.

A column's line is cut into cells: one for each value that occurs, or stretches of equal length where ``bins`` are asked
for. What is shown is spread evenly, so part of it may fall on cells that no row of the original has; only how much
falls on those that some row has needs to be known one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod

import numpy as np

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.core.schema import Role
from pellucid.core.table import Codes
from pellucid.kernels import joint as kernel
from pellucid.metrics.boxes import ColumnBoxes, Shown
from pellucid.published.choices import Choices, Floats, Integers, anything
from pellucid.runtime.parallel import SHORT, run, stretches, thread_count

PARTS = 4  # of the boxes, whatever the number of threads: sums are then the same


@dataclass(frozen=True, slots=True, eq=False)
class JointShares:
    """For each vector that occurs in the original its share of the rows, and its share by what is shown."""

    true: Floats
    estimated: Floats

    @property
    def variation(self) -> float:
        """The total variation distance; what falls on no vector of the original is on vectors that do not occur."""
        elsewhere = max(0.0, 1 - float(self.estimated.sum()))
        return min(1.0, (float(np.abs(self.true - self.estimated).sum()) + elsewhere) / 2)

    @property
    def divergence(self) -> float:
        """Kullback and Leibler's divergence of what is shown from the original, in bits."""
        if (self.estimated <= 0).any():
            return float("inf")
        return max(0.0, float((self.true * np.log2(self.true / self.estimated)).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A column cut into cells: ``low[i]`` to ``high[i]`` are the ticks of cell i, null being tick -1."""

    low: Integers
    high: Integers
    of_code: Codes

    @classmethod
    def of(cls, cells: ColumnBoxes, bins: int | None) -> Grid:
        """A cell for each value that occurs, or at most so many of equal length; null is one of its own."""
        ticks = cells.ticks
        if bins is None or ticks.count <= bins:
            distinct, place = np.unique(ticks.of_code, return_inverse=True)
            return cls(distinct, distinct, place.astype(np.int32))
        edges = np.arange(bins + 1) * ticks.count // bins
        known = np.searchsorted(edges, np.maximum(ticks.of_code, 0), "right") - 1
        null = int(ticks.of_code[0] < 0)
        low, high = edges[:-1], edges[1:] - 1
        if null:
            low, high = np.append(-1, low), np.append(-1, high)
        return cls(low, high, np.where(ticks.of_code < 0, 0, known + null).astype(np.int32))

    def met(self, choices: Choices) -> Integers:
        """How many cells each choice meets, at most: of two runs in one cell it is counted twice."""
        lengths = np.searchsorted(self.low, choices.high, "right") - np.searchsorted(self.high, choices.low, "left")
        before = np.append(0, np.cumsum(np.maximum(lengths, 0)))
        return np.diff(before[choices.starts]) + choices.nulls

    def shares(self, choices: Choices) -> tuple[Integers, Codes, Floats]:
        """Of each choice the share in each cell that it meets, choice after choice."""
        number, low, high = [np.flatnonzero(choices.nulls)], [], []
        low.append(np.full(len(number[0]), -1))
        high.append(np.full(len(number[0]), -1))
        number.append(np.repeat(np.arange(len(choices)), np.diff(choices.starts)))
        low.append(choices.low)
        high.append(choices.high)
        numbers, lows, highs = np.concatenate(number), np.concatenate(low), np.concatenate(high)
        first = np.searchsorted(self.high, lows, "left")
        last = np.searchsorted(self.low, highs, "right")
        lengths = np.maximum(last - first, 0)
        run_of = np.repeat(np.arange(len(numbers)), lengths)
        at = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        cell = first[run_of] + at
        inside = np.minimum(highs[run_of], self.high[cell]) - np.maximum(lows[run_of], self.low[cell]) + 1
        # several runs of a choice may meet the same cell
        key = numbers[run_of] * len(self.low) + cell
        if (np.diff(key) > 0).all():  # it is one run each
            starts = np.append(0, np.cumsum(np.bincount(numbers[run_of], minlength=len(choices)))).astype(np.int64)
            return starts, cell.astype(np.int32), inside / choices.points[numbers[run_of]]
        distinct, place = np.unique(key, return_inverse=True)
        total = np.bincount(place, weights=inside, minlength=len(distinct))
        mine = distinct // len(self.low)
        starts = np.append(0, np.cumsum(np.bincount(mine, minlength=len(choices)))).astype(np.int64)
        return starts, (distinct % len(self.low)).astype(np.int32), total / choices.points[mine]


def joint(shown: Shown, columns: Sequence[int], *, sensitive: bool, bins: int | None = None) -> JointShares:
    """The joint distribution of these quasi-identifiers (by their number), and of the sensitive column if asked for.

    A suppressed row may be anybody: it is spread evenly over everything. A mean is taken as the value of each row.
    """
    return Joints(shown, bins).of(columns, sensitive=sensitive)


Shares = tuple[Integers, Codes, Floats]


@dataclass(frozen=True, eq=False)
class Column:
    """A quasi-identifier cut into cells, with the cell of each row."""

    cells: ColumnBoxes
    grid: Grid
    of_row: Codes

    @cached_property
    def shares(self) -> Shares:
        """Of each choice the share in each cell that it meets."""
        return self.grid.shares(self.cells.choices)


# the choices of each box; where its codes begin, the codes, and how many rows have each
Merged = tuple[Codes, tuple[Integers, Codes, Floats]]


class Joints:
    """Joint distributions of several columns; what is about one of them is computed once for all that it is in."""

    def __init__(self, shown: Shown, bins: int | None) -> None:
        self._shown, self._table, self._bins = shown.valued, shown.table, bins
        self._columns: dict[int, Column] = {}

    def _column(self, number: int) -> Column:
        if number not in self._columns:
            cells = self._shown.quasi[number]
            grid = Grid.of(cells, self._bins)
            codes = self._table.codes[self._table.having(Role.QUASI)[number]]
            self._columns[number] = Column(cells, grid, grid.of_code[codes])
        return self._columns[number]

    def of(self, columns: Sequence[int], *, sensitive: bool) -> JointShares:
        """That of these quasi-identifiers (by their number), and of the sensitive column if asked for."""
        shown, table = self._shown, self._table
        secret = table.having(Role.SENSITIVE)[0] if sensitive else None
        values = len(table.attributes[secret]) if secret is not None else 1
        if len(columns) == 0:
            assert secret is not None
            return _of_sensitive_alone(shown, secret)
        parts = [self._column(i) for i in columns]
        secrets = None if secret is None else (table.codes[secret], values)
        size = prod(len(part.grid.low) for part in parts) * values
        if len(parts) <= OVER_GRID and size <= LARGEST_GRID:
            entries, counts, estimated = _over_grid(self._merged(parts, sensitive=sensitive), parts, secrets)
        else:
            asked = _Asked.of(parts, secrets)
            merged = self._merged(parts, sensitive=sensitive)
            entries, counts, estimated = asked.entries, asked.counts, _spread(merged, parts, asked, values)
        if shown.suppressed:
            estimated += shown.suppressed / values * _anywhere(parts, entries())
        return JointShares(counts / len(table), estimated / shown.counted)

    def _merged(self, parts: Sequence[Column], *, sensitive: bool) -> Merged:
        """Boxes that are alike in these columns as one, and how many rows of each sensitive code they hold."""
        cells = [part.cells for part in parts]
        order, starts = sort_rows([of.of_box for of in cells], [len(of.choices) for of in cells], 1)
        first = order[starts[:-1]]
        label = np.empty(len(order), np.int64)
        label[order] = np.repeat(np.arange(len(first)), np.diff(starts))
        of_box = np.ascontiguousarray(np.stack([of.of_box[first] for of in cells]).astype(np.int32))
        if not sensitive:
            mass: Floats = np.bincount(label, weights=self._shown.sizes, minlength=len(first)).astype(np.float64)
            return of_box, (np.arange(len(first) + 1, dtype=np.int64), np.zeros(len(first), np.int32), mass)
        box, code, rows = self._rows_of_values
        values = len(self._shown.sensitive[0].attribute)
        keys, mass = _added_up(label[box] * values + code, rows, len(first) * values)
        begin = np.searchsorted(keys, np.arange(len(first) + 1) * values).astype(np.int64)
        return of_box, (begin, (keys % values).astype(np.int32), mass)

    @cached_property
    def _rows_of_values(self) -> tuple[Integers, Codes, Floats]:
        """Each box with each sensitive code of its class, and how many of its rows have it."""
        shown, groups = self._shown, self._shown.sensitive[0]
        distinct = np.diff(groups.starts)[shown.classes]
        box = np.repeat(np.arange(len(shown.classes)), distinct)
        at = np.arange(len(box)) - np.repeat(np.cumsum(distinct) - distinct, distinct)
        entry = groups.starts[:-1][shown.classes][box] + at
        rows = shown.sizes[box] * (groups.counts[entry] / groups.sizes[shown.classes][box])
        return box, groups.codes[entry], rows


def _added_up(keys: Integers, weights: Floats, count: int) -> tuple[Integers, Floats]:
    """The different keys, ascending, of so many that there could be, and the sum of the weights of each.

    >>> [part.tolist() for part in _added_up(np.array([5, 2, 5]), np.array([1.0, 2.0, 4.0]), 6)]
    [[2, 5], [2.0, 5.0]]
    """
    if count > 4 * len(keys) + 1000:
        distinct, place = np.unique(keys, return_inverse=True)
        return distinct, np.bincount(place, weights=weights, minlength=len(distinct)).astype(np.float64)
    distinct = np.flatnonzero(np.bincount(keys, minlength=count))
    return distinct, np.bincount(keys, weights=weights, minlength=count)[distinct].astype(np.float64)


OVER_GRID = 3  # columns
BEHIND = 4  # what the kernel may touch behind the last cell
LARGEST_GRID = 200_000  # combinations that there could be, for which it is quicker to count all of them
SHARES_AT_ONCE = 500_000  # in memory: of many wide intervals of many values there are more than of rows and boxes


def _over_grid(
    merged: Merged, parts: Sequence[Column], secrets: tuple[Codes, int] | None
) -> tuple[Callable[[], Codes], Integers, Floats]:
    """The vectors of all combinations that occur, how many rows have each, and how many by what is shown.

    As :class:`_Asked` and :func:`_spread` have them: all combinations that there could be are counted, and those that
    occur are taken.
    """
    sizes = [len(part.grid.low) for part in parts]
    values = 1 if secrets is None else secrets[1]
    key = np.zeros(len(parts[0].of_row), np.int32)
    for part, size in zip(parts, sizes, strict=True):
        key = key * np.int32(size) + part.of_row
    if secrets is not None:
        key = key * np.int32(values) + secrets[0]
    counts = np.bincount(key, minlength=prod(sizes) * values)
    there = np.flatnonzero(counts)
    of_box, held = merged
    offsets, starts, cell, share = _laid_out([part.shares for part in parts])
    missing = OVER_GRID - len(parts)  # a column that is not there is one cell, which everything falls on
    frozen = (
        np.concatenate((np.zeros((missing, of_box.shape[1]), np.int32), of_box)),
        np.append(np.zeros(missing, np.int64), offsets[:-1] + min(missing, 1)),
        np.append(0, starts + 1) if missing else starts,
        np.append(np.int32(0), cell) if missing else cell,
        np.append(1.0, share) if missing else share,
        np.array([0] * missing + [prod(sizes[i + 1 :]) * values for i in range(len(parts))], np.int64),
    )
    outs = [np.zeros(len(counts) + BEHIND) for _ in range(PARTS)]
    jobs = [
        partial(kernel.spread_over_grid, a, b, *frozen, *held, np.zeros(sizes[-1] + BEHIND), out)
        for (a, b), out in zip(stretches(of_box.shape[1], PARTS), outs, strict=False)
    ]
    run(jobs, thread_count(None) if of_box.shape[1] > SHORT else 1)
    used = [out[there] for out in outs[: len(jobs)]]

    def entries() -> Codes:
        return np.stack(np.unravel_index(there // values, sizes), axis=1).astype(np.int32)

    return entries, counts[there], np.asarray(np.sum(used, axis=0))


def _laid_out(shares: Sequence[Shares]) -> tuple[Integers, Integers, Codes, Floats]:
    """The shares of all columns one after the other: where each column's choices begin, where each choice's shares."""
    lengths = np.concatenate([np.diff(starts) for starts, _, _ in shares])
    return (
        np.append(0, np.cumsum([len(starts) - 1 for starts, _, _ in shares])).astype(np.int64),
        np.append(0, np.cumsum(lengths)).astype(np.int64),
        np.concatenate([cell for _, cell, _ in shares]),
        np.concatenate([share for _, _, share in shares]),
    )


def _of_sensitive_alone(shown: Shown, secret: int) -> JointShares:
    values = len(shown.table.attributes[secret])
    true = np.bincount(shown.table.codes[secret], minlength=values) / len(shown.table)
    groups = shown.sensitive[0]
    published = np.bincount(groups.codes, weights=groups.counts, minlength=values)
    return JointShares(true, (published + shown.suppressed / values) / shown.counted)


@dataclass(frozen=True, eq=False)
class _Asked:
    """The combinations that occur in the original: vectors of cells, each with the sensitive values that it has."""

    vectors: Codes  # in the order of their first cell
    firsts: Integers  # where each first cell begins
    starts: Integers  # where the values of each vector begin
    values: Codes
    counts: Integers  # rows of the original that have a vector and a value

    def entries(self) -> Codes:
        """The vector of each combination."""
        return np.repeat(self.vectors, np.diff(self.starts), axis=0)

    @classmethod
    def of(cls, parts: Sequence[Column], secret: tuple[Codes, int] | None) -> _Asked:
        rows = [part.of_row for part in parts]
        secrets, values = secret if secret is not None else (np.zeros(len(rows[0]), np.int32), 1)
        order, starts = sort_rows([*rows, secrets], [*(len(part.grid.low) for part in parts), values], 1)
        examples = order[starts[:-1]]
        vector_of_entry = np.stack([of_row[examples] for of_row in rows], axis=1)
        new = np.append(True, (vector_of_entry[1:] != vector_of_entry[:-1]).any(axis=1))
        vectors = np.ascontiguousarray(vector_of_entry[new])
        return cls(
            vectors,
            np.searchsorted(vectors[:, 0], np.arange(len(parts[0].grid.low) + 1)).astype(np.int64),
            np.append(np.flatnonzero(new), len(examples)).astype(np.int64),
            secrets[examples].astype(np.int32),
            np.diff(starts),
        )


def _spread(merged: Merged, parts: Sequence[Column], asked: _Asked, values: int) -> Floats:
    """How many published rows each combination gets, when every box is spread evenly over what it may be.

    ``values``: how many the sensitive column has, 1 where it is not asked about.
    """
    of_box, (box_starts, codes, mass) = merged
    questions = (asked.vectors, asked.firsts, asked.starts, asked.values)
    widest = max(len(part.grid.low) for part in parts)
    met = [part.grid.met(part.cells.choices) for part in parts]
    at_once = sum(int(of.sum()) for of in met) <= SHARES_AT_ONCE
    before = np.append(0, np.cumsum(sum(of[mine] for of, mine in zip(met, of_box, strict=True))))

    def spread(a: int, b: int, out: Floats) -> None:
        """Add what the boxes a..b-1 hold, some at a time where their shares are very many."""
        room = np.zeros((len(parts), widest)), np.zeros(values)
        while a < b:
            end = b
            if not at_once:
                end = min(b, max(a + 1, int(np.searchsorted(before, before[a] + SHARES_AT_ONCE, "right")) - 1))
            mine, laid_out = _of_boxes(parts, of_box[:, a:end], all_choices=at_once)
            held = box_starts[a : end + 1], codes, mass
            kernel.spread(0, end - a, mine, *laid_out, *questions, *held, *room, out)
            a = end

    outs = [np.zeros(len(asked.counts)) for _ in range(PARTS)]
    ends = stretches(of_box.shape[1], PARTS)
    run([partial(spread, a, b, out) for (a, b), out in zip(ends, outs, strict=False)], thread_count(None))
    return np.asarray(np.sum(outs[: len(ends)], axis=0))


def _of_boxes(
    parts: Sequence[Column], of_box: Codes, *, all_choices: bool
) -> tuple[Codes, tuple[Integers, Integers, Codes, Floats]]:
    """The choices of some boxes, numbered as their shares are laid out: all that there are, or those of these boxes."""
    if all_choices:
        return np.ascontiguousarray(of_box), _laid_out([part.shares for part in parts])
    used = [np.unique(mine, return_inverse=True) for mine in of_box]
    shares = [part.grid.shares(part.cells.choices.take(which)) for part, (which, _) in zip(parts, used, strict=True)]
    return np.stack([place.astype(np.int32) for _, place in used]), _laid_out(shares)


def _anywhere(parts: Sequence[Column], vectors: Codes) -> Floats:
    """The share of a row that may be anybody on each of some vectors."""
    share = np.ones(len(vectors))
    for i, part in enumerate(parts):
        _, cell, shares = part.grid.shares(anything(part.cells.attribute))
        of_cell = np.zeros(len(part.grid.low))
        of_cell[cell] = shares
        share *= of_cell[vectors[:, i]]
    return share
