"""How many people a few columns single out, counted exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import polars as pl

from pellucid.runtime.progress import Progress

MANY = 300_000_000  # rows to group in all: above that a search takes longer than a person waits, so it gets greedy
ONE_COUNT = 30_000  # rows that are grouped in the time that a count takes by itself, however small the table


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """So many of the rows are the only ones with their values in these columns."""

    columns: tuple[str, ...]
    unique: int
    rows: int

    @property
    def share(self) -> float:
        """The share of unique rows."""
        return self.unique / self.rows if self.rows else 0.0


class Uniques:
    """Counts unique rows of one table by any of ``columns``.

    Rows that agree in all columns agree in any few of them, so the table is grouped once and later counts work on its
    distinct rows: a census of ten million rows has only 140,000.

    >>> people = pl.DataFrame({"sex": ["f", "f", "m"], "zip": [1, 2, 2]})
    >>> uniques = Uniques(people, ["sex", "zip"])
    >>> uniques.on(["sex"]).unique, uniques.on(["sex", "zip"]).unique
    (1, 3)
    """

    def __init__(self, frame: pl.DataFrame, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.rows = frame.height
        self._names = {name: f"column {i}" for i, name in enumerate(columns)}  # no clash with "rows", whatever comes in
        short = frame.lazy().select(pl.col(name).alias(short) for name, short in self._names.items())
        self._entries = short.group_by(pl.all()).agg(pl.len().alias("rows")).collect()

    def on(self, columns: Iterable[str]) -> Uniqueness:
        """The rows that are alone with their values in these columns; a null is a value."""
        wanted = tuple(columns)
        entries = self._entries.lazy().group_by([self._names[name] for name in wanted]).agg(pl.col("rows").sum())
        alone = entries.filter(pl.col("rows") == 1)
        return Uniqueness(wanted, alone.select(pl.len()).collect().item(), self.rows)

    def most_identifying(self, size: int) -> Uniqueness:
        """The ``size`` columns that single out most rows (ties: the first in the order of the columns).

        All combinations are tried where that takes seconds. In a large table with many distinct rows, and in one of
        hundreds of columns, the search is greedy: the best column, then the best one beside it, and so on; the count of
        what it finds is exact all the same.
        """
        if comb(len(self.columns), size) * (self._entries.height + ONE_COUNT) <= MANY:
            return self._best(list(combinations(self.columns, size)))
        chosen: tuple[str, ...] = ()
        for _ in range(size):
            best = self._best([(*chosen, name) for name in self.columns if name not in chosen])
            chosen = best.columns
        return best

    def _best(self, candidates: Sequence[tuple[str, ...]]) -> Uniqueness:
        best: Uniqueness | None = None
        distinct = {name: self._entries[short].n_unique() for name, short in self._names.items()}
        for columns in candidates:
            most = 1
            for name in columns:
                most *= distinct[name]
            if best is None or most > best.unique:  # otherwise there are too few combinations of values to do better
                tried = self.on(columns)
                best = tried if best is None or tried.unique > best.unique else best
        assert best is not None
        return best


def most_telling(frame: pl.DataFrame, quasi: Sequence[str], progress: Progress) -> list[Uniqueness]:
    """The pair and the triple of quasi-identifiers that single out most rows, if any, and all of them together."""
    if not quasi:
        return []
    progress.stage("counting unique rows", 0)
    uniques = Uniques(frame, quasi)
    few = [uniques.most_identifying(size) for size in (2, 3) if size < len(quasi)]
    return [*(uniqueness for uniqueness in few if uniqueness.unique), uniques.on(quasi)]
