"""Tailor for any model, as it is defined: both sides of a cut have at least the rows of which any choice passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plain.running import Running
from plain.transparent import Group, Inputs, canonical_cut

LeastRows = Callable[[Sequence[int]], int]  # of the rows of a group


def needed(inputs: Inputs, column: int, least: Callable[[Sequence[int], Sequence[int]], int | None]) -> LeastRows:
    """The least number of rows by one sensitive column, from counts per code; 1 more than all when there is none."""
    codes = [values[column] for values in inputs.sensitive]
    table = [codes.count(code) for code in range(max(codes) + 1)]
    known: dict[tuple[int, ...], int] = {}

    def of(rows: Sequence[int]) -> int:
        counts = [0] * len(table)
        for row in rows:
            counts[codes[row]] += 1
        if tuple(counts) not in known:
            found = least(counts, table)
            known[tuple(counts)] = len(rows) + 1 if found is None else found
        return known[tuple(counts)]

    return of


def tailored(inputs: Inputs, least: Sequence[LeastRows], rows: Sequence[int] | None = None) -> list[Group]:
    """Cut while a group has at least twice the rows that a side needs, by the column that needs most."""
    group = list(range(len(inputs.codes)) if rows is None else rows)
    side = max(one(group) for one in least)
    if len(group) < 2 * side:
        return [sorted(group)]
    sizes = range(side, len(group) - side + 1)
    left, right = canonical_cut(group, inputs.codes, inputs.order, inputs.geometry, sizes)
    return [leaf for part in (left, right) for leaf in tailored(inputs, least, part)]


class RunningTailored(Running):
    """The same, fast enough for thousands of tables (see :mod:`plain.running`)."""

    def tailored(self, least: Sequence[LeastRows], rows: Sequence[int] | None = None) -> list[Group]:
        group = list(range(len(self.codes)) if rows is None else rows)
        side = max(one(group) for one in least)
        if len(group) < 2 * side:
            return [sorted(group)]
        lines = [self.line(group, i) for i in range(len(self.rulers))]
        i, k = self.best([[[row] for row in line] for line in lines], range(side, len(group) - side + 1))
        return [leaf for part in (lines[i][:k], lines[i][k:]) for leaf in self.tailored(least, part)]
