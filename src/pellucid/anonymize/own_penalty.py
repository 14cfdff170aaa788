"""Tailor with a penalty of one's own instead of the perimeter: what a new method derives from."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import row_order
from pellucid.anonymize.method import sensitive_counts
from pellucid.anonymize.methods.tailor import Tailor
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import MethodError
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

Floats = NDArray[np.float64]
SAME = 1e-12  # sums that differ by less, of their size, are a tie


class PenaltyTailor(Tailor):
    """Tailor whose canonical cut has the smallest :meth:`penalty` of both sides; a method names itself and defines it.

    [X] allows any penalty that ignores the sensitive column and is superadditive: no less for a group than for two
    parts of it together. It ignores the column by being a function of what it is given, the number of rows of a group
    and how much of each column's domain they span. That alone is assumed for the promise, whose proof is Tailor's:
    permuting sensitive values inside final groups changes no decision. That a cut does not raise the penalty is
    checked at every cut that is made.

    >>> from typing import ClassVar
    >>> class Squares(PenaltyTailor):
    ...     name: ClassVar[str] = "squares"
    ...     def penalty(self, rows, extents):
    ...         return rows * (extents**2).sum(axis=0)
    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> Squares(l=2).group(table, Coins.from_seed(1)).sizes.tolist()
    [4, 2, 2]
    """

    @abstractmethod
    def penalty(self, rows: NDArray[np.int64], extents: Floats) -> Floats:
        """Of groups with so many rows each that span so much of each column's domain (a row of ``extents`` each)."""

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        threads = thread_count(threads)
        self.check(table, threads)
        needed = self.rows_needed(table, [counts for _, counts in sensitive_counts(table, threads)])
        columns = [table.codes[i] for i in table.having(Role.SENSITIVE)]
        order = row_order(table, coins, threads)
        labels = np.empty(len(table), np.int32)
        waiting, groups = [np.argsort(order, kind="stable")], 0
        progress.stage("grouping", len(table))
        while waiting:
            members = waiting.pop()
            counted = (np.unique(codes[members], return_counts=True) for codes in columns)
            sides = max(1, needed(len(members), [(one.astype(np.int64), counts) for one, counts in counted]))
            cut = self._cut(table, members, order, sides) if len(members) >= 2 * sides else None
            if cut is None:
                labels[members] = groups
                groups += 1
            else:
                waiting += [cut[1], cut[0]]
        progress.advance(len(table))
        return Grouping.from_labels(labels)

    def _cut(
        self, table: Table, members: NDArray[Any], order: NDArray[np.int64], sides: int
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The two sides of the canonical cut; raise where the penalty is no number, or a cut raises it."""
        quasi = [(table.attributes[i], table.codes[i]) for i in table.having(Role.QUASI)]
        places = np.arange(sides, len(members) - sides + 1)
        least, best = np.inf, None
        for _, codes in quasi:
            line = members[np.lexsort((order[members], codes[members]))]
            left = np.stack([_spans(one, held[line])[places - 1] for one, held in quasi])
            right = np.stack([_spans(one, held[line][::-1])[len(line) - places - 1] for one, held in quasi])
            sums = self._of(places, left) + self._of(len(line) - places, right)
            first = int(np.flatnonzero(sums <= sums.min() + SAME * abs(sums.min()))[0])
            if best is None or sums[first] < least - SAME * abs(least):
                least, best = float(sums[first]), (line[: places[first]], line[places[first] :])
        whole = np.stack([_spans(one, held[members])[-1:] for one, held in quasi])
        before = float(self._of(np.array([len(members)]), whole)[0])
        if least > before + 1e-9 * max(1.0, abs(before)):
            raise MethodError(
                "the penalty of {name} rises from {before:g} to {after:g} where {rows:,} rows are cut: it is not "
                "superadditive",
                "use one that is, such as rows times a sum of extents",
                name=self.name,
                before=before,
                after=least,
                rows=len(members),
            )
        return best

    def _of(self, rows: NDArray[np.int64], extents: Floats) -> Floats:
        found = np.asarray(self.penalty(rows, extents), np.float64)
        if found.shape != rows.shape or not np.isfinite(found).all():
            raise MethodError("the penalty of {name} must be a number for each group", name=self.name)
        return found


def _spans(attribute: Attribute, codes: Codes) -> Floats:
    """How much of the attribute's domain the first one, two, ... of these codes span, times its importance."""
    low, high = np.minimum.accumulate(codes), np.maximum.accumulate(codes)
    if attribute.chains is not None and attribute.leaves is not None:
        ends = attribute.chains[:, low], attribute.chains[:, high]
        level = (ends[0] == ends[1]).argmax(axis=0)
        nodes = ends[0][level, np.arange(len(codes))]
        share = (attribute.leaves[nodes] - 1) / max(1, int(attribute.width))
    else:
        share = (attribute.positions[high] - attribute.positions[low]) / max(1, int(attribute.width))
    null = (low != high) & (low == 0) if attribute.has_null else np.zeros(len(codes), bool)
    whole = null if attribute.chains is None or attribute.width == 0 else np.zeros(len(codes), bool)
    share = np.where(low == high, 0.0, np.where(whole, 1.0, share if attribute.width else 0.0))
    return np.asarray(float(attribute.importance) * share)
