"""Answer a workload from the original, and estimate it from what is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.kernels import queries as kernel
from pellucid.metrics.boxes import Shown
from pellucid.metrics.workload import Workload
from pellucid.published.choices import Floats, Integers, Ticks
from pellucid.runtime.parallel import run, stretches

PREFIXES = 128  # sets of rows that are kept per column
MOST_BYTES = 1 << 26  # of these sets


@dataclass(frozen=True, slots=True, eq=False)
class RowSets:
    """For each column the rows in sorted order, and the sets of the first ``step``, 2 * ``step``, ... of them."""

    step: int
    order: NDArray[np.int32]
    prefix: NDArray[np.uint64]
    starts: tuple[Integers, ...]  # of each column: how many rows have a code below
    lines: tuple[Ticks, ...]

    @classmethod
    def of(cls, codes: Sequence[Codes], lines: Sequence[Ticks]) -> RowSets:
        """Sort each column once."""
        n = len(codes[0])
        words = (n + 63) // 64
        count = int(np.clip(MOST_BYTES // (words * 8), 8, PREFIXES))
        step = max(1, -(-n // count))
        kept = -(-n // step) + 1
        order = np.empty((len(codes), n), np.int32)
        prefix = np.empty((len(codes), kept, words), np.uint64)
        starts = []
        for i, (of_row, line) in enumerate(zip(codes, lines, strict=True)):
            order[i] = np.argsort(of_row, kind="stable")
            kernel.prefixes(order[i], step, prefix[i])
            starts.append(np.append(0, np.cumsum(np.bincount(of_row, minlength=len(line.of_code)))))
        return cls(step, order, prefix, tuple(starts), tuple(lines))

    def ranks(self, workload: Workload) -> tuple[Integers, Integers]:
        """Each run of a workload as a stretch of the sorted rows; a column that is not here has empty ones."""
        of_run = np.repeat(workload.columns.ravel(), np.diff(workload.starts))
        low, high = np.zeros(len(of_run), np.int64), np.zeros(len(of_run), np.int64)
        for column, line in enumerate(self.lines):
            mine = of_run == column
            low[mine] = self.starts[column][np.searchsorted(line.of_code, workload.low[mine], "left")]
            high[mine] = self.starts[column][np.searchsorted(line.of_code, workload.high[mine], "right")]
        return low, high


def true_answers(workload: Workload, table: Table, *, threads: int = 1) -> Integers:
    """How many rows of a table satisfy each query."""
    return _counts(workload, _row_sets(workload, table), threads)


def true_weights(workload: Workload, table: Table, weights: Floats, *, threads: int = 1) -> Floats:
    """What the weights of the rows of a table add up to that satisfy each query."""
    return _sums(workload, _row_sets(workload, table), weights, threads)


def _row_sets(workload: Workload, table: Table) -> RowSets:
    table = table.as_it_was()
    asked = [i for i in table.having(Role.SENSITIVE) if table.attributes[i].name == workload.names[-1]]
    columns = [*table.having(Role.QUASI), *((asked or table.having(Role.SENSITIVE)) if workload.sensitive else [])]
    attributes = [table.attributes[i] for i in columns]
    workload.check(attributes)
    return RowSets.of([table.codes[i] for i in columns], [Ticks.of(attribute) for attribute in attributes])


def _counts(workload: Workload, rows: RowSets, threads: int) -> Integers:
    """How many rows satisfy each query."""
    out = np.empty(len(workload), np.int64)
    frozen, words = _frozen(workload, rows), rows.prefix.shape[2]

    def work(first: int, last: int) -> None:
        kernel.answers(first, last, *frozen, np.empty(words, np.uint64), np.empty(words, np.uint64), out)

    _share_out(work, len(workload), threads)
    return out


def _sums(workload: Workload, rows: RowSets, weights: Floats, threads: int) -> Floats:
    """What the weights of the rows add up to that satisfy each query."""
    out = np.empty(len(workload), np.float64)
    frozen, words = _frozen(workload, rows), rows.prefix.shape[2]

    def work(first: int, last: int) -> None:
        bits, spare = np.empty(words, np.uint64), np.empty(words, np.uint64)
        kernel.weighted_answers(first, last, *frozen, bits, spare, weights, out)

    _share_out(work, len(workload), threads)
    return out


def _frozen(
    workload: Workload, rows: RowSets
) -> tuple[Codes, Integers, Integers, Integers, int, NDArray[np.int32], NDArray[np.uint64]]:
    """The queries and the rows, as the kernels take them."""
    low, high = rows.ranks(workload)
    return workload.columns, workload.starts, low, high, rows.step, rows.order, rows.prefix


def estimated_answers(workload: Workload, shown: Shown, *, weights: Floats | None = None, threads: int = 1) -> Floats:
    """How many rows satisfy each query by what is shown: values are spread evenly over what a cell leaves open.

    With ``weights``, each row of class g counts ``weights[g]``.

    Of an anatomy release, whose quasi-identifiers are known, each class counts the rows that satisfy the predicates on
    these, and as many of them as the share of the class that has one of the sensitive values. A mean is taken as the
    value of each row.
    """
    shown = shown.valued
    cells = shown.quasi
    secrets = {groups.attribute.name: groups for groups in shown.sensitive} if workload.sensitive else {}
    groups = secrets.get(workload.names[-1], next(iter(secrets.values()), None))
    workload.check([of.attribute for of in cells] + ([groups.attribute] if groups is not None else []))
    if groups is not None:
        counts = (groups.sizes, groups.starts, groups.codes, groups.counts, Ticks.of(groups.attribute).of_code)
    else:
        none, some = np.zeros(0, np.int64), np.zeros(1, np.int64)
        counts = (none, some, np.zeros(0, np.int32), none, none)
    out = np.empty(len(workload), np.float64)
    values = len(counts[-1])
    if shown.anatomy and shown.grouped is None:  # values as people brought them
        lines = [of.ticks for of in cells]
        rows = RowSets.of([of.of_box for of in cells], lines)
        if not workload.sensitive:
            if weights is not None:
                return _sums(workload, rows, weights[shown.classes], threads)
            return _counts(workload, rows, threads).astype(np.float64)
        frozen, words = _frozen(workload, rows), rows.prefix.shape[2]
        of_rows = [] if weights is None else [weights]

        def by_row(first: int, last: int) -> None:
            bits, spare = np.empty(words, np.uint64), np.empty(words, np.uint64)
            flags = np.empty(values, np.uint8)
            rest = (workload.low, workload.high, shown.classes, *counts, flags, out)
            kernel.estimates_by_row(first, last, *frozen, bits, spare, *rest, *of_rows)

        _share_out(by_row, len(workload), threads)
        return out
    layout = _layout(shown)
    amounts = shown.sizes if weights is None else shown.sizes * weights[shown.classes]
    widest = max(len(of.choices) for of in cells)
    frozen_boxes: list[Any] = [
        workload.columns,
        workload.starts,
        workload.low,
        workload.high,
        workload.sensitive,
        *layout,
    ]

    def by_box(first: int, last: int) -> None:
        flags, shares = np.empty(values, np.uint8), np.empty((workload.columns.shape[1], widest))
        rest: list[Any] = [amounts, shown.classes, *counts, flags, shares, out]
        kernel.estimates_by_box(*[first, last, *frozen_boxes, *rest])

    _share_out(by_box, len(workload), threads)
    return out


def _layout(shown: Shown) -> list[Any]:
    """The boxes as the kernel wants them: choices numbered through, with their runs and the boxes that have each."""
    choices = [of.choices for of in shown.quasi]
    offsets = np.append(0, np.cumsum([len(of_column) for of_column in choices])).astype(np.int64)
    lengths = np.concatenate([np.diff(of_column.starts) for of_column in choices])
    boxes = np.stack([np.argsort(of.of_box, kind="stable").astype(np.int32) for of in shown.quasi])
    having = [
        np.cumsum(np.bincount(of.of_box, minlength=len(of_column)))
        for of, of_column in zip(shown.quasi, choices, strict=True)
    ]
    # a choice's boxes end where the next one's begin, so each column needs a beginning of its own
    return [
        np.ascontiguousarray(np.stack([of.of_box for of in shown.quasi]).astype(np.int32)),
        offsets,
        np.append(0, np.cumsum(lengths)).astype(np.int64),
        *(
            np.concatenate([getattr(one, part) for one in choices]).astype(np.int64)
            for part in ("low", "high", "points")
        ),
        np.concatenate([np.append(0, ends) for ends in having]).astype(np.int64),
        boxes,
    ]


def _share_out(work: Callable[[int, int], None], n: int, threads: int) -> None:
    """Give each thread several stretches of the queries."""
    run([partial(work, a, b) for a, b in stretches(n, 4 * threads if threads > 1 else 1)], threads)
