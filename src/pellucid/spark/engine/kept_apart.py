"""Divides a large table first by the values of some columns, which no part of it then mixes: ``same`` of Strata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.same import Apart, parts_of
from pellucid.core.schema import Role
from pellucid.errors import MethodError
from pellucid.spark.engine.cuts import NOT_CUT, Cut, Cuts
from pellucid.spark.engine.operations import ALL_ORDERS, Longs, Operations, Request

MOST_COUNTED = 1 << 20  # bins of one pass, each a value of a column among rows that agree so far


Nodes = list[tuple[int, tuple[int, ...]]]  # with a code of each column so far, in ascending order
Held = list[tuple[NDArray[np.integer], Longs]]  # codes in ascending order, and how many rows have them


def keep_apart(engine: Operations, apart: Sequence[Apart], size: int, cuts: Cuts, sizes: dict[int, int]) -> int:
    """Cut until rows agree in these columns, one after the other; returns how often all rows were looked at.

    The rows of every node are added to ``sizes``. Raises where fewer than ``size`` agree.
    """
    passes = 0
    nodes: Nodes = [(0, ())]
    for depth, column in enumerate(apart):
        last = _last_of_node(column)
        counted, looked = _counted(engine, column, nodes, cuts)
        passes += looked
        found = [_of_nodes(codes, rows, last) for codes, rows in counted]
        parts = sum(len(codes) for codes, _ in found)
        if depth == len(apart) - 1 or parts > max(MOST_COUNTED, engine.outline.rows // size):  # some are too few then
            _require_size(engine, apart[: depth + 1], size, nodes, found)
        nodes = [
            (end, (*before, code))
            for (node, before), (codes, rows) in zip(nodes, found, strict=True)
            for end, code in _by_code(node, column.place, codes, rows, cuts, sizes)
        ]
    return passes


def _last_of_node(column: Apart) -> NDArray[np.bool_]:
    """Which codes are the last of those that are kept together."""
    last = column.last_of_node
    if last is None:
        raise MethodError(
            "same = {spelled}: values that this level takes together are apart in the order of {name}, and Spark "
            "cuts in this order",
            "name another level, or publish without Spark",
            spelled=column.spelled,
            name=column.attribute.name,
        )
    return last


def _counted(engine: Operations, column: Apart, nodes: Nodes, cuts: Cuts) -> tuple[Held, int]:
    """How many rows of each node have which code, and how often all rows were looked at: of the table it is known."""
    if nodes == [(0, ())]:
        counts = engine.outline.counts[engine.outline.having(Role.QUASI)[column.place]]
        return [(np.flatnonzero(counts), counts[counts > 0])], 0
    found: Held = []
    book, passes = len(column.nodes), 0
    each = iter([Request(node, column.place, 0, book - 1, *ALL_ORDERS, False, 0) for node, _ in nodes])
    while requests := list(islice(each, max(1, MOST_COUNTED // book))):
        found += [(bins.lows[:, column.place], bins.counts) for bins in engine.look(cuts, requests, [])[0]]
        passes += 1
    return found, passes


def _require_size(engine: Operations, apart: Sequence[Apart], size: int, nodes: Nodes, found: Held) -> None:
    """Raise where fewer rows agree in these columns, in the words of a table in memory."""
    rows = np.concatenate([rows for _, rows in found])
    records = np.zeros((len(rows), len(engine.outline.having(Role.QUASI)) + 1), np.int32)
    told = zip(nodes, found, strict=True)
    records[:, [one.place for one in apart]] = [(*before, code) for (_, before), (codes, _) in told for code in codes]
    records[:, -1] = np.minimum(rows, np.iinfo(np.int32).max)
    parts_of(apart, records, size)


def _of_nodes(codes: NDArray[np.integer], rows: Longs, last: NDArray[np.bool_]) -> tuple[NDArray[np.integer], Longs]:
    """Of each node that occurs the largest code that does, and how many rows it has."""
    node: Longs = np.cumsum(last) - last  # of each code a number that grows
    begins = np.flatnonzero(np.diff(node[codes], prepend=-1))
    return codes[np.append(begins[1:], len(codes)) - 1], np.add.reduceat(rows, begins)


def _by_code(
    node: int, column: int, codes: NDArray[np.integer], rows: Longs, cuts: Cuts, sizes: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """Cut a node behind all of these codes but the last, in the middle first."""
    if len(codes) == 1:
        yield node, int(codes[0])
        return
    middle = len(codes) // 2
    left, right = cuts.cut(node, Cut(column, int(codes[middle - 1])))
    sizes |= {left: int(rows[:middle].sum()), right: int(rows[middle:].sum())}
    yield from _by_code(left, column, codes[:middle], rows[:middle], cuts, sizes)
    yield from _by_code(right, column, codes[middle:], rows[middle:], cuts, sizes)


def leave_whole(cuts: Cuts, sizes: dict[int, int], most: int) -> None:
    """Take back what is cut below nodes of at most so many rows: who is given these divides them."""
    for node in reversed(range(len(cuts))):  # the sides of a node come behind it
        if cuts.attributes[node] != NOT_CUT and sizes[node] <= most:
            del sizes[cuts.lefts[node]], sizes[cuts.rights[node]]
            cuts.undo(node)
