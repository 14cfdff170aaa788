"""How much of each published column a release keeps: 1 minus the mean extent of what is published for a row.

The extent of a generalisation is the share of the column that it leaves open: of an interval its width by the range, of
a name in a taxonomy its leaves less one by all leaves less one, of a set its values less one by all values less one.
A value that is published as it is has extent 0, a suppressed one 1.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.group import Grouping
from pellucid.kernels import canonical as kernel
from pellucid.recode.published import ranges_of
from pellucid.recode.sets import distinct_sets
from pellucid.recode.taxonomic import common_ancestors, leaf_chains, level_of
from pellucid.schema import Kind, Role
from pellucid.table import Attribute, Codes, Table
from pellucid.taxonomy import Taxonomy
from pellucid.taxonomy.wording import label_of

Extents = NDArray[np.float64]
_BITS = 64  # the set of a group fits one machine word


def information_kept(table: Table, grouping: Grouping, recode: str = "intervals") -> dict[str, float]:
    """For each quasi-identifier and each carried column the share of its information in the release, from 0 to 1.

    A row whose interval spans a tenth of the range keeps nine tenths; a row in no group keeps nothing.
    """
    kept = {}
    for i in [*table.having(Role.QUASI), *table.having(Role.CARRY)]:
        level = level_of(table, i, grouping) if recode == "taxonomy" else None
        if level is None:
            extents = published_extents(table.attributes[i], table.codes[i], grouping, recode)
        else:
            extents = level_extents(table.attributes[i], table.codes[i], grouping, level)
        kept[table.attributes[i].name] = float((grouping.sizes * (1 - extents)).sum() / len(table))
    return kept


def published_extents(attribute: Attribute, codes: Codes, grouping: Grouping, recode: str) -> Extents:
    """The extent of what each group publishes of a column, by the rules of the recoder of that name."""
    if recode == "anatomy":
        return np.zeros(len(grouping))
    if recode == "suppression":
        low, high = _ends(codes, grouping)
        return np.where(low == high, 0.0, 1.0)
    if recode == "taxonomy" or attribute.kind is Kind.CATEGORY:
        if attribute.taxonomy is None:
            return set_extents(attribute, codes, grouping)
        if attribute.taxonomy.is_tree:
            return node_extents(attribute, attribute.taxonomy, codes, grouping)
        return dag_extents(attribute, attribute.taxonomy, codes, grouping)
    return interval_extents(attribute, codes, grouping)


def level_extents(attribute: Attribute, codes: Codes, grouping: Grouping, level: int) -> Extents:
    """Full-domain recoding: what the ancestor on that level leaves open; without a taxonomy nothing or everything."""
    taxonomy = attribute.taxonomy
    if taxonomy is None:
        return np.full(len(grouping), float(level > 0 and len(attribute) > 1))
    chains, leaves, codes = leaf_chains(attribute, taxonomy, codes)
    covered = leaves[chains[level, codes[grouping.members[grouping.starts[:-1]]]]]
    extents: Extents = (covered - 1) / max(int(leaves.max()) - 1, 1)
    return extents


def interval_extents(attribute: Attribute, codes: Codes, grouping: Grouping) -> Extents:
    """An interval: its width by the range; null beside values leaves everything open."""
    low, high = _ends(codes, grouping)
    extents: Extents = (attribute.positions[high] - attribute.positions[low]) / max(attribute.width, 1)
    if attribute.has_null:
        extents[(low == 0) & (high > 0)] = 1.0
    return np.where(low == high, 0.0, extents)


def set_extents(attribute: Attribute, codes: Codes, grouping: Grouping) -> Extents:
    """A set: the values that it has, null among them, less one, by all values less one."""
    if len(attribute) <= _BITS:
        bits = np.empty(len(grouping), np.uint64)
        kernel.group_sets(codes, grouping.members, grouping.starts, bits)
        sizes = np.bitwise_count(bits).astype(np.int64)
    else:
        groups = np.repeat(np.arange(len(grouping), dtype=np.int32), grouping.sizes)
        pairs = pl.DataFrame({"group": groups, "code": codes[grouping.members]}).unique()
        sizes = np.bincount(pairs["group"].to_numpy(), minlength=len(grouping))
    return (sizes - 1) / max(len(attribute) - 1, 1)


def node_extents(attribute: Attribute, taxonomy: Taxonomy, codes: Codes, grouping: Grouping) -> Extents:
    """A name in a tree: its leaves less one by all leaves less one; a null hangs below the root as a leaf."""
    chains, leaves, codes = leaf_chains(attribute, taxonomy, codes)
    ranges = ranges_of(attribute, codes, grouping, threads=1)
    low = np.where(ranges.nulls, 0, ranges.low)
    high = np.where(ranges.high < 0, 0, ranges.high)
    covered = leaves[common_ancestors(chains, low, high)]
    return (covered - 1) / max(int(leaves.max()) - 1, 1)


def dag_extents(attribute: Attribute, taxonomy: Taxonomy, codes: Codes, grouping: Grouping) -> Extents:
    """The same where a name has several parents: the common ancestor is that of the whole set of values."""
    number, code, ranks = distinct_sets(codes, grouping)
    labels = ["" if value is None else label_of(value) for value in attribute.values.to_list()]
    _, leaves, most = taxonomy.chains(list(dict.fromkeys(taxonomy.leaves)), attribute.has_null)
    covers: dict[str, int] = {}
    for node, count in enumerate(leaves.tolist()):
        name = taxonomy.node_label(node)
        covers[name] = max(count, covers.get(name, 0))
    members: dict[int, list[int]] = {}
    for n, c in zip(number.tolist(), code.tolist(), strict=True):
        members.setdefault(n, []).append(c)
    by_set = np.zeros(len(members))
    for n, values in members.items():
        if len(values) > 1:
            mixed = attribute.has_null and 0 in values
            covered = most + 1 if mixed else covers[taxonomy.common_ancestor([labels[c] for c in values])]
            by_set[n] = (covered - 1) / max(most, 1)
    return by_set[ranks]


def _ends(codes: Codes, grouping: Grouping) -> tuple[Codes, Codes]:
    """The smallest and the largest code of each group; a null is code 0."""
    mine = codes[grouping.members]
    return np.minimum.reduceat(mine, grouping.starts[:-1]), np.maximum.reduceat(mine, grouping.starts[:-1])
