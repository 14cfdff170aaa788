"""Earth mover's distances between every group and the whole table, as quotients of integers.

With n rows in a group and N in the table, frequencies differ by ``(c * N - q * n) / (n * N)``, so every distance is an
integer over a known denominator. A group's absent values are not visited one by one: time is linear in its present
ones. Integers are 64 bits wide where they fit, else Python's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.model.figures import Ratios
from pellucid.model.groups import Groups
from pellucid.table import Attribute, Codes
from pellucid.text.values import label_of

Integers = NDArray[Any]  # int64, or object where products would not fit


def equal(groups: Groups) -> Ratios:
    """Total variation: half the sum of ``|c/n - q/N|``."""
    whole = wide(groups, 1)
    rows = groups.table_rows
    sizes: Integers = groups.sizes.astype(whole)
    counts: Integers = groups.counts.astype(whole)
    table: Integers = groups.table_counts.astype(whole)
    apart = _apart(groups, counts, table, groups.codes, groups.starts)
    return Ratios(apart, 2 * sizes * rows)


def hierarchical(groups: Groups) -> Ratios:
    """Every level of the taxonomy adds the total variation of the nodes on it; their mean is the distance.

    Two values that meet h levels up are apart on the h levels below, so that a row moved between them adds h.
    """
    chains, ranks = _ancestors(groups.attribute)
    height = len(chains) - 1
    if height == 0:
        return Ratios(np.zeros(len(groups), np.int64), 1)
    whole = wide(groups, height)
    counts: Integers = groups.counts.astype(whole)
    codes, groups_of = groups.codes, groups.groups_of_entries
    if ranks is not None:
        order = np.lexsort((ranks[codes], groups_of))
        codes, counts = codes[order], counts[order]
    total: Integers = np.zeros(len(groups), dtype=whole)
    for level in chains[:-1]:
        _, nodes = np.unique(level, return_inverse=True)
        table: Integers = np.zeros(int(nodes.max()) + 1, dtype=whole)
        np.add.at(table, nodes, groups.table_counts.astype(whole))
        held = nodes[codes]
        # in the order of the taxonomy's leaves, what stands below a node are neighbours
        first = np.flatnonzero(np.append(True, (held[1:] != held[:-1]) | (groups_of[1:] != groups_of[:-1])))
        starts = np.searchsorted(groups_of[first], np.arange(len(groups) + 1))
        total += _apart(groups, np.add.reduceat(counts, first), table, held[first], starts)
    return Ratios(total, 2 * groups.sizes.astype(whole) * groups.table_rows * height)


def _ancestors(attribute: Attribute) -> tuple[Codes, NDArray[np.int64] | None]:
    """Chains of ancestors by code, and each code's place among the leaves where codes do not follow the leaves.

    Numbers, dates and ordered values are coded in their own order, whatever their taxonomy.
    """
    if attribute.chains is not None:
        return attribute.chains, None
    assert attribute.taxonomy is not None
    labels = [label_of(value) for value in attribute.values.to_list()[attribute.has_null :]]
    null = np.full(int(attribute.has_null), -1, np.int64)
    return attribute.taxonomy.chains(labels, attribute.has_null)[0], np.append(null, attribute.taxonomy.rank(labels))


def ordered(groups: Groups) -> Ratios:
    """The sum of ``|C/n - Q/N|`` over cumulated frequencies, over the number of steps from the first value to the last.

    Between two values that a group has, its cumulated count C stays while the table's Q grows, so that the sign of
    ``C * N - Q * n`` changes once; a search finds where, and sums of Q give both sides.
    """
    values = len(groups.table_counts)
    if values < 2:
        return Ratios(np.zeros(len(groups), np.int64), 1)
    whole = wide(groups, values)
    rows = groups.table_rows
    cumulated = np.cumsum(groups.table_counts)
    sums: Integers = np.append(0, np.cumsum(cumulated.astype(whole))).astype(whole)  # of cumulated counts, up to a code
    sizes: Integers = groups.sizes.astype(whole)
    own = sizes[groups.groups_of_entries]
    held = np.cumsum(groups.counts)
    held -= np.repeat(np.append(0, held[groups.starts[1:-1] - 1]), groups.distinct)
    begin = groups.codes.astype(np.int64)
    end = np.append(begin[1:], values)
    end[groups.starts[1:] - 1] = values
    ahead: Integers = held.astype(whole) * rows
    turn = np.clip(np.searchsorted(cumulated, (ahead // own).astype(np.int64), side="right"), begin, end)
    parts = ahead * (2 * turn - begin - end) + own * (sums[begin] + sums[end] - 2 * sums[turn])
    before = sizes * sums[groups.codes[groups.starts[:-1]]]
    total = before + np.add.reduceat(parts, groups.starts[:-1])
    return Ratios(total, sizes * rows * (values - 1))


def wide(groups: Groups, factor: int) -> type:
    """64-bit integers where four times rows times size times ``factor`` fits, else Python's."""
    largest = 4 * groups.table_rows * int(groups.sizes.max()) * factor
    return np.int64 if largest < 2**62 else object


def _apart(
    groups: Groups, counts: Integers, table: Integers, held: NDArray[Any], starts: NDArray[np.int64]
) -> Integers:
    """The sum of ``|c * N - q * n|`` over all values, of which a group's absent ones have c = 0."""
    rows = groups.table_rows
    owners = np.repeat(np.arange(len(groups)), np.diff(starts))
    expected = table[held] * groups.sizes.astype(table.dtype)[owners]
    present: Integers = np.add.reduceat(np.abs(counts * rows - expected) - expected, starts[:-1])
    everything: Integers = groups.sizes.astype(table.dtype) * rows
    return present + everything
