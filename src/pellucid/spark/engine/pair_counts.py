"""How much columns say about the sensitive ones, of rows that stay with Spark: workers count pairs of codes.

What comes to the driver is a histogram: for each column and each sensitive one how many rows have which pair. Where
the pairs are too many, codes of the wider column are counted in stretches of its order, of about equally many rows.
Whatever has an order is found all the same; a wide column without one, such as the name of a city, may go unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pellucid.core.association import CodePairs
from pellucid.core.attribute_disclosure import Says, says_of_cells
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Codes
from pellucid.spark.engine.blocks import BySlot, Rows
from pellucid.spark.engine.operations import Longs, Outline
from pellucid.spark.engine.shared_files import read, small
from pellucid.spark.engine.stored_blocks import Block
from pellucid.spark.engine.workers import blocks_of

MOST_PAIRS = 1 << 21  # in all
ROWS_PER_PAIR = 16  # so many rows for each pair that may come to the driver, so that it is a histogram
FEWEST_BINS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A column beside a sensitive one: their places among the attributes, and the bin of each code of both."""

    known: int
    secret: int
    known_bins: Codes
    secret_bins: Codes

    @property
    def cells(self) -> int:
        """How many pairs of bins there are."""
        return (int(self.known_bins[-1]) + 1) * (int(self.secret_bins[-1]) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Counting:
    """One pass over all blocks."""

    outline: Outline
    work: Path
    blocks: Sequence[Block]
    pairs: Sequence[Pair]

    @property
    def starts(self) -> Longs:
        """The first slot of each pair, and the end."""
        return np.append(0, np.cumsum([pair.cells for pair in self.pairs])).astype(np.int64)


def pairs_of(outline: Outline) -> list[Pair]:
    """All pairs, with bins such that their histogram is small beside the rows."""
    known = [*outline.having(Role.QUASI), *outline.having(Role.CARRY)]
    wanted = [(i, j) for i in known for j in outline.having(Role.SENSITIVE)]
    budget = min(MOST_PAIRS, outline.rows // ROWS_PER_PAIR) // max(1, len(wanted))
    pairs = []
    for i, j in wanted:
        widths = [len(outline.counts[i]), len(outline.counts[j])]
        if widths[0] * widths[1] > budget:
            narrow = min(min(widths), max(FEWEST_BINS, int(budget**0.5)))
            wide = max(FEWEST_BINS, budget // narrow)
            widths = [min(w, narrow if w == min(widths) else wide) for w in widths]
        pairs.append(Pair(i, j, _binned(outline.counts[i], widths[0]), _binned(outline.counts[j], widths[1])))
    return pairs


def _binned(counts: Longs, bins: int) -> Codes:
    """The bin of each code: itself, or stretches of about equally many rows."""
    if len(counts) <= bins:
        return np.arange(len(counts), dtype=np.int32)
    middle = np.cumsum(counts) - counts / 2
    _, place = np.unique((middle * (bins / counts.sum())).astype(np.int64), return_inverse=True)
    return place.astype(np.int32)


class PairTally:
    """Counts pairs of codes over blocks."""

    def __init__(self, told: Counting) -> None:
        self.told, self.starts = told, told.starts
        self.times = np.zeros(int(self.starts[-1]), np.int64)

    def add(self, rows: Rows) -> None:
        """Add a block."""
        for number, pair in enumerate(self.told.pairs):
            slots = _slots(self.told.outline, rows, pair)
            self.times[self.starts[number] : self.starts[number + 1]] += np.bincount(slots, minlength=pair.cells)

    def sparse(self) -> BySlot:
        """The pairs that occur, by slot."""
        filled = np.flatnonzero(self.times)
        return {"slot": filled, "times": self.times[filled]}


def counting(asked: Path) -> Callable[[Iterator[int]], Iterator[BySlot]]:
    """Counts the pairs of a task's blocks."""

    def run(numbers: Iterator[int]) -> Iterator[BySlot]:
        told: Counting = read(asked)
        tally = PairTally(told)
        for rows in blocks_of(numbers, told, None):
            tally.add(rows)
        yield tally.sparse()

    return small(run)


def _slots(outline: Outline, rows: Rows, pair: Pair) -> Longs:
    quasi, carried = outline.having(Role.QUASI), outline.having(Role.CARRY)
    known = rows.quasi[:, quasi.index(pair.known)] if pair.known in quasi else rows.carried[carried.index(pair.known)]
    secret = rows.sensitive[outline.having(Role.SENSITIVE).index(pair.secret)]
    width = int(pair.secret_bins[-1]) + 1
    slots: Longs = pair.known_bins[known].astype(np.int64) * width + pair.secret_bins[secret]
    return slots


def said(told: Counting, slots: Longs, times: Longs) -> list[Says]:
    """How much each column says, from the histogram of all rows."""
    whole = np.zeros(int(told.starts[-1]), np.int64)
    whole[slots] = times
    answers = []
    for number, pair in enumerate(told.pairs):
        part = whole[told.starts[number] : told.starts[number + 1]]
        filled, width = np.flatnonzero(part), int(pair.secret_bins[-1]) + 1
        known, secret = (told.outline.attributes[i] for i in (pair.known, pair.secret))
        answers.append(
            says_of_cells(
                known.name,
                secret.name,
                CodePairs(filled // width, filled % width, part[filled]),
                nulls=(known.has_null, secret.has_null),
                ordered=secret.kind is not Kind.CATEGORY,
            )
        )
    return answers
