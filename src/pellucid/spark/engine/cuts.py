"""The top of Tailor's tree: which cuts are known so far, and where a row goes by them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.kernels import top as kernel

NOT_CUT = -1
EVERY_ORDER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Cut:
    """Rows with a smaller code go left, and of those with this code the ones with a row order up to the threshold."""

    attribute: int
    code: int
    threshold: int = EVERY_ORDER

    @property
    def by_order(self) -> bool:
        """Whether rows with this code may be on both sides."""
        return self.threshold != EVERY_ORDER


@dataclass(slots=True)
class Cuts:
    """A binary tree that grows by :meth:`cut`. Node 0 is the whole table.

    >>> cuts = Cuts()
    >>> cuts.cut(0, Cut(0, 4))
    (1, 2)
    >>> cuts.route(np.array([[4], [5]], np.int32), np.array([0, 1])).tolist(), cuts.ends
    ([1, 2], [1, 2])
    """

    attributes: list[int] = field(default_factory=lambda: [NOT_CUT])
    codes: list[int] = field(default_factory=lambda: [0])
    thresholds: list[int] = field(default_factory=lambda: [0])
    lefts: list[int] = field(default_factory=lambda: [0])
    rights: list[int] = field(default_factory=lambda: [0])

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.attributes)

    def cut(self, node: int, cut: Cut) -> tuple[int, int]:
        """Cut a node; returns the numbers of its two sides."""
        self.attributes[node], self.codes[node], self.thresholds[node] = cut.attribute, cut.code, cut.threshold
        left = len(self)
        self.lefts[node], self.rights[node] = left, left + 1
        for _ in range(2):
            self.attributes.append(NOT_CUT)
            for column in (self.codes, self.thresholds, self.lefts, self.rights):
                column.append(0)
        return left, left + 1

    def undo(self, node: int) -> None:
        """Take back the cut of a node whose sides are not cut; no row finds them any more."""
        self.attributes[node] = NOT_CUT

    @property
    def paths(self) -> dict[int, tuple[int, ...]]:
        """The nodes that are not cut, left to right, with the sides that lead to each: 0 left, 1 right."""
        path_of: dict[int, tuple[int, ...]] = {}
        ahead: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while ahead:
            node, path = ahead.pop()
            if self.attributes[node] == NOT_CUT:
                path_of[node] = path
            else:
                ahead += [(self.rights[node], (*path, 1)), (self.lefts[node], (*path, 0))]
        return path_of

    @property
    def ends(self) -> list[int]:
        """The nodes that are not cut, left to right."""
        return list(self.paths)

    def route(self, codes: Codes, orders: NDArray[np.int64]) -> Codes:
        """The node of each row, given the codes of its quasi-identifiers and its row order."""
        nodes = np.empty(len(orders), np.int32)
        kernel.route(
            codes,
            orders,
            np.array(self.attributes, np.int32),
            np.array(self.codes, np.int32),
            np.array(self.thresholds, np.int64),
            np.array(self.lefts, np.int32),
            np.array(self.rights, np.int32),
            nodes,
        )
        return nodes
