"""Count queries where the rows are: each partition answers for its own, and answers add up.

Counts of the original are integers and add up exactly. Estimates are floats: summed partition by partition they differ
from those in memory by rounding, in the last few digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pellucid.audit.deciding_groups import counted_groups, whole_groups
from pellucid.audit.partition import NOTHING
from pellucid.measuring.answering import estimated_answers, true_answers
from pellucid.measuring.boxes import ColumnBoxes, Shown
from pellucid.measuring.margins import Margin
from pellucid.measuring.workload import Workload
from pellucid.published.choices import Floats, Integers
from pellucid.spark.frames import Columns, along_groups, along_rows
from pellucid.table import Attribute, Table

AT_ONCE = 2**18  # rows or entries that are looked at together


@dataclass(frozen=True, eq=False)
class Asker:
    """Answers workloads from an original and a release that are both with Spark, in codes.

    ``original`` has the columns of ``books``, quasi-identifiers first; ``release`` the choice that each row is
    published with in each quasi-identifier, and the codes of the sensitive column.
    """

    original: Columns
    books: tuple[Attribute, ...]
    release: Columns
    margins: tuple[Margin, ...]

    def __call__(self, workload: Workload) -> tuple[Integers, Floats]:
        """What the original answers, and what is estimated from the release."""
        quasi = [margin.attribute.name for margin in self.margins]
        secret = self.books[len(quasi)] if workload.sensitive else None
        true = along_rows(self.original, Counter(workload, self.books))
        inside = secret.name if secret is not None else None
        shown = along_groups(self.release, quasi, inside, Estimator(workload, self.margins, secret))
        return np.sum(true, axis=0), np.sum(shown, axis=0)


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts the rows of a partition of the original that satisfy each query."""

    workload: Workload
    books: tuple[Attribute, ...]

    def __call__(self, frames: Iterable[pl.DataFrame]) -> Integers | None:
        """One count for each query; None when there are no rows."""
        total: Integers | None = None
        waiting: list[pl.DataFrame] = []
        for frame in frames:
            waiting.append(frame)
            if sum(part.height for part in waiting) >= AT_ONCE:
                total, waiting = self._with(total, waiting), []
        return self._with(total, waiting) if waiting else total

    def _with(self, total: Integers | None, frames: Sequence[pl.DataFrame]) -> Integers:
        rows = pl.concat(frames)
        codes = tuple(rows[book.name].to_numpy().astype(np.int32) for book in self.books)
        found = true_answers(self.workload, Table(self.books, codes, None))
        return found if total is None else total + found


@dataclass(frozen=True, eq=False)
class Estimator:
    """Estimates the answers of each query from a partition of the release's classes."""

    workload: Workload
    margins: tuple[Margin, ...]
    secret: Attribute | None

    def __call__(self, frames: Iterable[pl.DataFrame]) -> Floats | None:
        """One estimate for each query; None when there are no rows."""
        total: Floats | None = None
        for entries in whole_groups(frames, AT_ONCE):
            found = estimated_answers(self.workload, self._shown(entries))
            total = found if total is None else total + found
        return total

    def _shown(self, entries: pl.DataFrame) -> Shown:
        attribute = NOTHING if self.secret is None else self.secret
        groups, forming = counted_groups(entries, attribute, np.zeros(len(attribute), np.int64))
        cells = tuple(
            ColumnBoxes(margin.attribute, margin.choices, of.to_numpy().astype(np.int32))
            for margin, of in zip(self.margins, forming.get_columns(), strict=True)
        )
        classes = np.arange(len(groups), dtype=np.int32)
        nobody = Table(tuple(cell.attribute for cell in cells), tuple(np.zeros(0, np.int32) for _ in cells), None)
        return Shown(nobody, cells, groups.sizes, classes, (groups,), suppressed=0, added=0, anatomy=False)
