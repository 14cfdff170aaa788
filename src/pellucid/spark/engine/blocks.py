"""A block of encoded rows: what is stored and shipped of a large table, many rows as a few runs of bytes.

A block's rows are consecutive in the order of the rows (by identifier) or in the input (without one), so their row
orders are not stored: they follow from the place of the first row, and without an identifier from the coins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.kernels import top as kernel
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.extents import NO_HIGH, NO_LOW
from pellucid.spark.engine.operations import Bins, Longs, Outline, Request, ValueCounts

BySlot = Mapping[str, NDArray[Any]]  # columns with a line for each slot that is not empty


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Encoded rows: quasi-identifier codes row by row, the other codes column by column, and the row orders."""

    quasi: Codes
    sensitive: Codes
    carried: Codes
    orders: Longs

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.orders)

    @classmethod
    def of(cls, table: Table, orders: Longs) -> Rows:
        """The rows of a table in memory."""
        quasi = np.stack([table.codes[i] for i in table.having(Role.QUASI)], axis=1)
        sensitive, carried = (
            np.array([table.codes[i] for i in table.having(role)], np.int32).reshape(-1, len(table))
            for role in (Role.SENSITIVE, Role.CARRY)
        )
        return cls(np.ascontiguousarray(quasi), sensitive, carried, orders)

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """Several blocks as one."""
        return cls(
            np.concatenate([part.quasi for part in parts]),
            np.concatenate([part.sensitive for part in parts], axis=1),
            np.concatenate([part.carried for part in parts], axis=1),
            np.concatenate([part.orders for part in parts]),
        )

    def at(self, places: Longs) -> Rows:
        """Some of the rows."""
        quasi = np.take(self.quasi, places, axis=0)  # several times as fast as an index
        sensitive, carried = (np.take(codes, places, axis=1) for codes in (self.sensitive, self.carried))
        return Rows(quasi, sensitive, carried, np.take(self.orders, places))

    def table(self, outline: Outline) -> Table:
        """The rows as a table with the codebooks of the whole."""
        columns = {
            Role.QUASI: iter(np.ascontiguousarray(self.quasi.T)),
            Role.SENSITIVE: iter(self.sensitive),
            Role.CARRY: iter(self.carried),
        }
        codes = tuple(np.ascontiguousarray(next(columns[attribute.role])) for attribute in outline.attributes)
        return Table(outline.attributes, codes, self.orders)


def orders_from(first: int, rows: int, coins: Coins | None) -> Longs:
    """The row orders of so many rows from place ``first`` on; drawn from the coins where they are given."""
    return np.arange(first, first + rows, dtype=np.int64) if coins is None else coins.order(rows, first=first)


def merged(one: BySlot, other: BySlot) -> BySlot:
    """Two answers by slot as one: how often adds up, of smallest numbers the smaller is kept, of largest the larger.

    >>> one = {"slot": np.array([2, 7]), "times": np.array([1, 1])}
    >>> found = merged(one, {"slot": np.array([7]), "times": np.array([3])})
    >>> {name: column.tolist() for name, column in found.items()}
    {'slot': [2, 7], 'times': [1, 4]}
    """
    slots, place = np.unique(np.concatenate([one["slot"], other["slot"]]), return_inverse=True)
    by_name: dict[str, NDArray[Any]] = {"slot": slots}
    first, second = place[: len(one["slot"])], place[len(one["slot"]) :]  # no slot is twice in an answer
    for name in one:
        if name == "slot":
            continue
        add, nothing = _adding(name, one[name].dtype)
        column = np.full(len(slots), nothing, one[name].dtype)
        column[first] = one[name]
        column[second] = add(column[second], other[name])
        by_name[name] = column
    return by_name


def _adding(name: str, kind: np.dtype[Any]) -> tuple[np.ufunc, int]:
    """How the numbers of one slot become one, and what is there before the first."""
    if name == "times":
        return np.add, 0
    if name.startswith(("low", "earliest")):
        return np.minimum, np.iinfo(kind).max
    return np.maximum, np.iinfo(kind).min


class PassTally:
    """What one pass adds up over blocks: bins by slot, then sensitive counts by slot."""

    def __init__(self, outline: Outline, cuts: Cuts, requests: Sequence[Request], nodes: Sequence[int]) -> None:
        self.cuts, self.requests = cuts, sorted(range(len(requests)), key=lambda r: requests[r].node)
        ordered = [requests[r] for r in self.requests]
        self.bases = np.cumsum([0] + [request.bins for request in ordered])
        d, slots = len(outline.having(Role.QUASI)), int(self.bases[-1])
        self.fields = np.array(
            [[*request[1:], base] for request, base in zip(ordered, self.bases, strict=False)], np.int64
        ).reshape(-1, 8)
        self.starts = np.searchsorted([request.node for request in ordered], np.arange(len(cuts) + 1)).astype(np.int64)
        self.counts = np.zeros(slots, np.int64)
        self.lows, self.highs = np.full((slots, d), NO_LOW), np.full((slots, d), NO_HIGH)
        self.earliest, self.latest = np.full(slots, 2**63 - 1), np.full(slots, -(2**63))
        self.columns = [len(outline.attributes[i]) for i in outline.having(Role.SENSITIVE)]
        self.place = np.full(len(cuts), -1, np.int64)
        self.place[list(nodes)] = np.arange(len(nodes))
        self.nodes = list(nodes)
        self.held = [np.zeros((len(nodes), size), np.int64) for size in self.columns]

    def add(self, rows: Rows) -> None:
        """Add a block."""
        nodes = self.cuts.route(rows.quasi, rows.orders)
        kernel.fill(
            rows.quasi,
            rows.orders,
            nodes,
            self.starts,
            self.fields,
            self.counts,
            self.lows,
            self.highs,
            self.earliest,
            self.latest,
        )
        if not self.nodes:
            return
        places = self.place[nodes]
        wanted = places >= 0
        for codes, size, tally in zip(rows.sensitive, self.columns, self.held, strict=True):
            slots = places[wanted] * size + codes[wanted]
            if tally.size <= 4 * len(rows):
                tally += np.bincount(slots, minlength=tally.size).reshape(tally.shape)
            else:
                filled, counts = np.unique(slots, return_counts=True)
                tally.reshape(-1)[filled] += counts

    def sparse(self) -> BySlot:
        """What was added up, as columns with a line per slot that is not empty; counts follow bins."""
        some = np.flatnonzero(self.counts)
        counts_by_slot = np.concatenate([np.zeros(0, np.int64), *(column.reshape(-1) for column in self.held)])
        others = np.flatnonzero(counts_by_slot)
        d, more = self.lows.shape[1], len(others)
        columns: dict[str, NDArray[np.integer]] = {
            "slot": np.concatenate([some, len(self.counts) + others]),
            "times": np.concatenate([self.counts[some], counts_by_slot[others]]),
            "earliest": np.append(self.earliest[some], np.zeros(more, np.int64)),
            "latest": np.append(self.latest[some], np.zeros(more, np.int64)),
        }
        for i in range(d):
            columns[f"low{i}"] = np.append(self.lows[some, i], np.zeros(more, np.int32))
            columns[f"high{i}"] = np.append(self.highs[some, i], np.zeros(more, np.int32))
        return columns

    def take(self, columns: BySlot) -> None:
        """Take over what :meth:`sparse` gave, added up over all blocks."""
        slots = columns["slot"]
        bins, others = slots < len(self.counts), slots >= len(self.counts)
        some = slots[bins]
        self.counts[some] = columns["times"][bins]
        self.earliest[some], self.latest[some] = columns["earliest"][bins], columns["latest"][bins]
        for i in range(self.lows.shape[1]):
            self.lows[some, i], self.highs[some, i] = columns[f"low{i}"][bins], columns[f"high{i}"][bins]
        counts_by_slot = np.zeros(sum(column.size for column in self.held), np.int64)
        counts_by_slot[slots[others] - len(self.counts)] = columns["times"][others]
        ends = np.cumsum([column.size for column in self.held])
        parts = np.split(counts_by_slot, ends[:-1])
        self.held = [part.reshape(column.shape) for part, column in zip(parts, self.held, strict=True)]

    def answers(self) -> tuple[list[Bins], dict[int, list[ValueCounts]]]:
        """The bins of each request in the order asked, and the sensitive counts of each node."""
        bins: dict[int, Bins] = {}
        for at, r in enumerate(self.requests):
            some = self.bases[at] + np.flatnonzero(self.counts[self.bases[at] : self.bases[at + 1]])
            bins[r] = Bins(self.counts[some], self.lows[some], self.highs[some], self.earliest[some], self.latest[some])
        of_node = {}
        for at, node in enumerate(self.nodes):
            present = [np.flatnonzero(column[at]) for column in self.held]
            of_node[node] = [
                ValueCounts(codes, column[at][codes]) for codes, column in zip(present, self.held, strict=True)
            ]
        return [bins[r] for r in range(len(bins))], of_node
