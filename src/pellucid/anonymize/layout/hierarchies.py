"""The levels of every quasi-identifier, for methods that generalise along taxonomies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import MethodError
from pellucid.runtime.records import record
from pellucid.text.values import label_of


@record(eq=False)
class Hierarchy:
    """What the values of one attribute become level by level.

    ``nodes[h, code]`` is the number of the code's ancestor h levels up, from 0 on each level, in the order of the
    nodes' first codes. Level 0 is the value, the last level has one node, the root. ``open[h, code]`` counts the
    leaves that this ancestor leaves open besides the value, and ``width`` what the root does (at least 1); their
    quotient is the share of the attribute that is lost.
    """

    nodes: Codes
    open: NDArray[np.int64]
    width: int

    @property
    def top(self) -> int:
        """The level of the root."""
        return len(self.nodes) - 1


def hierarchies(table: Table) -> list[Hierarchy]:
    """The hierarchies of the quasi-identifiers, in schema order."""
    return [hierarchy_of(table.attributes[i]) for i in table.having(Role.QUASI)]


def hierarchy_of(attribute: Attribute) -> Hierarchy:
    """The levels of the attribute's taxonomy; without one there are two, the value and everything.

    A null that the taxonomy does not name is a leaf below the root.
    """
    taxonomy = attribute.taxonomy
    if taxonomy is not None and not taxonomy.is_tree:
        raise MethodError(
            "the taxonomy of {attribute!r} gives a name several parents, so a value has no single name on a level",
            "keep one parent of each name",
            attribute=attribute.name,
        )
    if attribute.chains is not None and attribute.leaves is not None:
        return numbered_levels(attribute.chains, attribute.leaves)
    if taxonomy is not None:  # a number or a date with a ladder
        labels = [label_of(value) for value in attribute.values.drop_nulls().to_list()]
        chains, leaves, _ = taxonomy.chains(labels, attribute.has_null)
        return numbered_levels(chains, leaves)
    size = len(attribute)
    two = np.zeros((2, size), np.int32)
    two[0] = np.arange(1, size + 1, dtype=np.int32)
    return numbered_levels(two, np.append(size, np.ones(size, np.int64)))


def numbered_levels(chains: Codes, leaves: NDArray[np.int64]) -> Hierarchy:
    """The same with nodes numbered level by level."""
    nodes = np.empty_like(chains)
    for h, level in enumerate(chains):
        _, first, number = np.unique(level, return_index=True, return_inverse=True)
        place = np.empty(len(first), np.int32)
        place[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        nodes[h] = place[number]
    still_open = leaves[chains] - 1
    return Hierarchy(nodes, still_open, max(1, int(still_open.max())))
