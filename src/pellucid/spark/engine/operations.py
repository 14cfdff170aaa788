"""The few operations that a method needs from a table which is too large for memory.

An engine holds the rows, as codes, somewhere: spread over the machines of a Spark cluster
(:mod:`pellucid.spark.engine.on_cluster`), or in memory (the one that tests compare it to). What decides about
groups asks it for counts and boxes, never for rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.spark.engine.cuts import Cuts

Longs = NDArray[np.int64]
ALL_ORDERS = (-(2**63), 2**63 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What is known of a table without its rows: codebooks, how often each code occurs, and the number of rows.

    ``ordered``: whether an identifier orders the rows; otherwise the coins do. ``before``: how many values the columns
    had that were rounded or capped, by name.
    """

    attributes: tuple[Attribute, ...]
    counts: tuple[Longs, ...]
    rows: int
    ordered: bool
    before: Mapping[str, int] = field(default_factory=dict)

    def having(self, role: Role) -> list[int]:
        """Positions of the attributes with this role, in schema order."""
        return [i for i, attribute in enumerate(self.attributes) if attribute.role is role]

    def without_rows(self) -> Table:
        """A table with these attributes and no rows, for those who look at nothing else."""
        order = np.zeros(0, np.int64) if self.ordered else None
        return Table(self.attributes, tuple(np.zeros(0, np.int32) for _ in self.attributes), order)


class Request(NamedTuple):
    """Bins of a node's rows, by code or, inside one code, by row order: bin (x - first) >> shift."""

    node: int
    attribute: int
    first_code: int
    last_code: int
    first_order: int
    last_order: int
    by_order: bool
    shift: int

    @property
    def bins(self) -> int:
        """How many bins there are at most."""
        first, last = self.first_code, self.last_code
        if self.by_order:
            first, last = self.first_order, self.last_order
        return ((last - first) >> self.shift) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bins of a request that have rows, in ascending order.

    ``lows`` and ``highs`` are the smallest and largest code of every quasi-identifier, ``earliest`` and ``latest`` the
    smallest and largest row order.
    """

    counts: Longs
    lows: Codes
    highs: Codes
    earliest: Longs
    latest: Longs


class ValueCounts(NamedTuple):
    """The sensitive values of a node in one column, and how often each occurs."""

    codes: Longs
    counts: Longs


class Operations(Protocol):
    """What an engine does. A node is a number in ``cuts``; rows find their node by themselves."""

    outline: Outline

    def look(
        self, cuts: Cuts, requests: Sequence[Request], nodes: Sequence[int]
    ) -> tuple[list[Bins], dict[int, list[ValueCounts]]]:
        """One pass over all rows: the bins of each request, and the sensitive counts of these nodes by column."""
