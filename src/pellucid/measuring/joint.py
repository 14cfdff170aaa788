"""The joint distribution of some columns, in the original and by what is shown.

A column's line is cut into cells: one for each value that occurs, or stretches of equal length where ``bins`` are asked
for. What is shown is spread evenly, so part of it may fall on cells that no row of the original has; only how much
falls on those that some row has needs to be known one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pellucid.group.entries import sort_rows
from pellucid.kernels import joint as kernel
from pellucid.measuring.boxes import ColumnBoxes, Shown
from pellucid.parallel import run, stretches, thread_count
from pellucid.published.choices import Floats, Integers, anything
from pellucid.schema import Role
from pellucid.table import Codes, Table

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

    def shares(self, cells: ColumnBoxes) -> tuple[Integers, Codes, Floats]:
        """Of each choice the share in each cell that it meets, choice after choice."""
        choices = cells.choices
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
        distinct, place = np.unique(key, return_inverse=True)
        total = np.bincount(place, weights=inside, minlength=len(distinct))
        mine = distinct // len(self.low)
        starts = np.append(0, np.cumsum(np.bincount(mine, minlength=len(choices)))).astype(np.int64)
        return starts, (distinct % len(self.low)).astype(np.int32), total / choices.points[mine]


def joint(shown: Shown, columns: Sequence[int], *, sensitive: bool, bins: int | None = None) -> JointShares:
    """The joint distribution of these quasi-identifiers (by their number), and of the sensitive column if asked for.

    A suppressed row may be anybody: it is spread evenly over everything. A mean is taken as the value of each row.
    """
    shown, table = shown.valued, shown.table
    parts = [shown.quasi[i] for i in columns]
    secret = table.having(Role.SENSITIVE)[0] if sensitive else None
    values = len(table.attributes[secret]) if secret is not None else 1
    if not parts:
        assert secret is not None
        return _of_sensitive_alone(shown, secret)
    grids = [Grid.of(cells, bins) for cells in parts]
    asked = _Asked.of(table, grids, [table.having(Role.QUASI)[i] for i in columns], secret)
    estimated = _spread(shown, parts, grids, asked, None if secret is None else values)
    if shown.suppressed:
        estimated += shown.suppressed / values * _anywhere(parts, grids, asked.vectors, np.diff(asked.starts))
    return JointShares(asked.counts / len(table), estimated / shown.counted)


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

    @classmethod
    def of(cls, table: Table, grids: Sequence[Grid], columns: Sequence[int], secret: int | None) -> _Asked:
        rows = [grid.of_code[table.codes[i]] for grid, i in zip(grids, columns, strict=True)]
        secrets = table.codes[secret] if secret is not None else np.zeros(len(table), np.int32)
        values = len(table.attributes[secret]) if secret is not None else 1
        order, starts = sort_rows([*rows, secrets], [*(len(grid.low) for grid in grids), values], 1)
        examples = order[starts[:-1]]
        vector_of_entry = np.stack([of_row[examples] for of_row in rows], axis=1)
        new = np.append(True, (vector_of_entry[1:] != vector_of_entry[:-1]).any(axis=1))
        vectors = np.ascontiguousarray(vector_of_entry[new])
        return cls(
            vectors,
            np.searchsorted(vectors[:, 0], np.arange(len(grids[0].low) + 1)).astype(np.int64),
            np.append(np.flatnonzero(new), len(examples)).astype(np.int64),
            secrets[examples].astype(np.int32),
            np.diff(starts),
        )


def _spread(
    shown: Shown, parts: Sequence[ColumnBoxes], grids: Sequence[Grid], asked: _Asked, values: int | None
) -> Floats:
    """How many published rows each combination gets, when every box is spread evenly over what it may be.

    ``values``: how many the sensitive column has, None where it is not asked about.
    """
    shares = [grid.shares(cells) for grid, cells in zip(grids, parts, strict=True)]
    lengths = np.concatenate([np.diff(starts) for starts, _, _ in shares])
    of_box, (codes, mass, box_starts) = _merged(shown, parts, values is not None)
    frozen = (
        of_box,
        np.append(0, np.cumsum([len(cells.choices) for cells in parts])).astype(np.int64),
        np.append(0, np.cumsum(lengths)).astype(np.int64),
        np.concatenate([cell for _, cell, _ in shares]),
        np.concatenate([share for _, _, share in shares]),
        asked.vectors,
        asked.firsts,
        asked.starts,
        asked.values,
        box_starts,
        codes,
        mass,
    )
    widest = max(len(grid.low) for grid in grids)
    outs = []
    jobs = []
    for a, b in stretches(of_box.shape[1], PARTS):
        out = np.zeros(len(asked.counts))
        outs.append(out)
        jobs.append(partial(kernel.spread, a, b, *frozen, np.zeros((len(parts), widest)), np.zeros(values or 1), out))
    run(jobs, thread_count(None))
    return np.asarray(np.sum(outs, axis=0))


def _anywhere(parts: Sequence[ColumnBoxes], grids: Sequence[Grid], vectors: Codes, repeats: Integers) -> Floats:
    """The share of a row that may be anybody on each vector that is asked about."""
    share = np.ones(len(vectors))
    for i, (cells, grid) in enumerate(zip(parts, grids, strict=True)):
        whole = ColumnBoxes(cells.attribute, anything(cells.attribute), np.zeros(1, np.int32))
        _, cell, part = grid.shares(whole)
        of_cell = np.zeros(len(grid.low))
        of_cell[cell] = part
        share *= of_cell[vectors[:, i]]
    return np.repeat(share, repeats)


def _merged(
    shown: Shown, parts: Sequence[ColumnBoxes], sensitive: bool
) -> tuple[Codes, tuple[Codes, Floats, Integers]]:
    """Boxes that are alike in these columns as one, and how many rows of each sensitive code they hold."""
    order, starts = sort_rows([of.of_box for of in parts], [len(of.choices) for of in parts], 1)
    first = order[starts[:-1]]
    label = np.empty(len(order), np.int64)
    label[order] = np.repeat(np.arange(len(first)), np.diff(starts))
    of_box = np.ascontiguousarray(np.stack([of.of_box[first] for of in parts]).astype(np.int32))
    if not sensitive:
        mass: Floats = np.bincount(label, weights=shown.sizes, minlength=len(first)).astype(np.float64)
        return of_box, (np.zeros(len(first), np.int32), mass, np.arange(len(first) + 1, dtype=np.int64))
    groups = shown.sensitive[0]
    distinct = np.diff(groups.starts)[shown.classes]
    box = np.repeat(np.arange(len(shown.classes)), distinct)
    at = np.arange(len(box)) - np.repeat(np.cumsum(distinct) - distinct, distinct)
    entry = groups.starts[:-1][shown.classes][box] + at
    rows = shown.sizes[box] * (groups.counts[entry] / groups.sizes[shown.classes][box])
    values = len(groups.attribute)
    keys, place = np.unique(label[box] * values + groups.codes[entry], return_inverse=True)
    mass = np.bincount(place, weights=rows, minlength=len(keys)).astype(np.float64)
    begin = np.searchsorted(keys, np.arange(len(first) + 1) * values).astype(np.int64)
    return of_box, ((keys % values).astype(np.int32), mass, begin)
