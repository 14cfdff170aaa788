"""What each group of a grouping publishes of a column, by the rules of the recoder of that name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.group import Grouping
from pellucid.kernels import canonical as kernel
from pellucid.published.choices import (
    Choices,
    Integers,
    Ticks,
    anything,
    intervals,
    is_line,
    names,
    sets,
    values_as_they_are,
)
from pellucid.published.reader import choices_of
from pellucid.recode import RECODERS, Recoder
from pellucid.recode.published import numbered, ranges_of
from pellucid.recode.recoder import RowRecoder, reads_like_a_group
from pellucid.recode.sets import distinct_sets, sizes_of_sets
from pellucid.recode.taxonomic import common_ancestors, leaf_chains, level_of
from pellucid.schema import Kind
from pellucid.table import Attribute, Codes, Table
from pellucid.text.values import label_of

BITS = 64  # the set of a group fits one machine word


def published_choices(table: Table, column: int, grouping: Grouping, recoder: Recoder | str) -> tuple[Codes, Choices]:
    """Which choice each group publishes of a column, and the choices; not for anatomy, which publishes rows."""
    made = RECODERS[recoder]() if isinstance(recoder, str) else recoder
    recode, largest = made.name, getattr(made, "largest_set", None)
    attribute, codes = table.attributes[column], table.codes[column]
    if reads_like_a_group(attribute):
        return _as_read(table, column, grouping, made)
    level = level_of(table, column, grouping) if recode == "taxonomy" else None
    if level is not None and (level > 0 or attribute.taxonomy is not None):
        return _on_level(attribute, codes, grouping, level)
    if recode == "suppression":
        return _shared_values(attribute, codes, grouping)
    if recode == "taxonomy" or attribute.kind is Kind.CATEGORY:
        if attribute.taxonomy is None:
            return _sets(attribute, codes, grouping, largest)
        return _ancestors(attribute, codes, grouping)
    return _ranges(attribute, codes, grouping)


def _as_read(table: Table, column: int, grouping: Grouping, recoder: Recoder) -> tuple[Codes, Choices]:
    """What anybody reads in the published texts, where a value may be taken for a generalisation of others."""
    assert isinstance(recoder, RowRecoder)
    published = recoder.spell_column(table, column, grouping, 1)
    texts = published.columns[0]
    how: dict[str, Any] = {"recode": recoder.name, "largest": getattr(recoder, "largest_set", None)}
    of_text, choices = choices_of(table.attributes[column], texts.to_frame(), [texts.name], **how)
    return of_text[published.ranks], choices


def _ranges(attribute: Attribute, codes: Codes, grouping: Grouping) -> tuple[Codes, Choices]:
    """The tightest interval, and null beside it."""
    ranges = ranges_of(attribute, codes, grouping, threads=1)
    size = len(attribute) + 1
    keys = ((ranges.low.astype(np.int64) + 1) * size + ranges.high + 1) * 2 + ranges.nulls
    distinct, ranks = numbered(keys, 2 * size * size)
    low, high = distinct // 2 // size - 1, distinct // 2 % size - 1
    nulls = distinct % 2 == 1
    some = low >= 0  # else nothing but nulls: the null itself
    ticks = Ticks.of(attribute).of_code
    covered = high - low + 1 + nulls
    spans = intervals(attribute, ticks[low[some]], ticks[high[some]], nulls[some], covered[some])
    parts = [values_as_they_are(attribute, np.zeros(int((~some).sum()), np.int64)), spans]
    return ranks, Choices.joined(parts)  # null is the smallest key


def _shared_values(attribute: Attribute, codes: Codes, grouping: Grouping) -> tuple[Codes, Choices]:
    """The value that a group shares, else ``*``."""
    low, high = ends(codes, grouping)
    shared = np.where(low == high, low, len(attribute)).astype(np.int64)
    distinct, ranks = numbered(shared, len(attribute) + 1)
    hidden = distinct == len(attribute)
    return ranks, Choices.joined(
        [values_as_they_are(attribute, distinct[~hidden]), *([anything(attribute)] if hidden.any() else [])]
    )


def _sets(attribute: Attribute, codes: Codes, grouping: Grouping, largest: int | None) -> tuple[Codes, Choices]:
    """The set of a group's values; beyond the largest one that is listed what is published in its place."""
    if len(attribute) <= BITS:
        bits = np.empty(len(grouping), np.uint64)
        kernel.group_sets(codes, grouping.members, grouping.starts, bits)
        distinct, found = np.unique(bits, return_inverse=True)
        flags = (distinct[:, None] >> np.arange(len(attribute), dtype=np.uint64)) & np.uint64(1)
        number, code = np.nonzero(flags)
        ranks, count = found.astype(np.int64), len(distinct)
    else:
        number, code, ranks = distinct_sets(codes, grouping)
        count = int(ranks.max()) + 1
    large = np.zeros(count, np.bool_)
    if largest is not None:
        large = sizes_of_sets(attribute, number, code) > largest
    if not large.any():
        return ranks.astype(np.int32), sets(attribute, number, code, count)
    place = np.cumsum(~large) - 1
    kept = ~large[number]
    small = sets(attribute, place[number[kept]], code[kept], int((~large).sum()))
    choice, others = _large_sets(attribute, number[~kept], code[~kept], count)
    return np.where(large, len(small) + choice, place)[ranks].astype(np.int32), Choices.joined([small, others])


def _large_sets(
    attribute: Attribute, number: Integers, code: Integers, count: int
) -> tuple[NDArray[np.int64], Choices]:
    """What is published for sets that are too large: their ends in the column's order, or everything."""
    if not is_line(attribute):
        return np.zeros(count, np.int64), anything(attribute)
    null = attribute.has_null & (code == 0)
    low, high, nulls = np.full(count, len(attribute)), np.full(count, -1), np.zeros(count, np.bool_)
    np.minimum.at(low, number[~null], code[~null])
    np.maximum.at(high, number[~null], code[~null])
    nulls[number[null]] = True
    mine = np.flatnonzero(high >= 0)
    ends_, choice = np.unique(np.stack([low, high, nulls], axis=1)[mine], axis=0, return_inverse=True)
    ticks, with_null = Ticks.of(attribute).of_code, ends_[:, 2].astype(np.bool_)
    covered = ends_[:, 1] - ends_[:, 0] + 1 + with_null
    of_set = np.zeros(count, np.int64)
    of_set[mine] = choice.ravel()
    return of_set, intervals(attribute, ticks[ends_[:, 0]], ticks[ends_[:, 1]], with_null, covered)


def _ancestors(attribute: Attribute, codes: Codes, grouping: Grouping) -> tuple[Codes, Choices]:
    """The nearest common ancestor; where names have several parents that of the whole set of values."""
    taxonomy = attribute.taxonomy
    assert taxonomy is not None
    if not taxonomy.is_tree:
        return _ancestors_of_sets(attribute, codes, grouping)
    chains, leaves, codes = leaf_chains(attribute, taxonomy, codes)
    ranges = ranges_of(attribute, codes, grouping, threads=1)
    low = np.where(ranges.nulls, 0, ranges.low)
    high = np.where(ranges.high < 0, 0, ranges.high)
    return _named(attribute, chains, leaves, common_ancestors(chains, low, high))


def _on_level(attribute: Attribute, codes: Codes, grouping: Grouping, level: int) -> tuple[Codes, Choices]:
    """The ancestor on one level, the same for every value; without a taxonomy everything is left open."""
    taxonomy = attribute.taxonomy
    if taxonomy is None:
        return np.zeros(len(grouping), np.int32), anything(attribute)
    chains, leaves, codes = leaf_chains(attribute, taxonomy, codes)
    return _named(attribute, chains, leaves, chains[level, codes[grouping.members[grouping.starts[:-1]]]])


def _named(attribute: Attribute, chains: Codes, leaves: NDArray[np.int64], nodes: Codes) -> tuple[Codes, Choices]:
    """Nodes by their number in the chains; the null is one of its own."""
    taxonomy = attribute.taxonomy
    assert taxonomy is not None
    distinct, ranks = numbered(nodes.astype(np.int64), len(leaves))
    null = distinct == (int(chains[0, 0]) if attribute.has_null else -1)  # the last number
    labels = [taxonomy.node_label(int(node)) for node in distinct[~null]]
    nulls = values_as_they_are(attribute, np.zeros(int(null.sum()), np.int64))
    return ranks, Choices.joined([names(attribute, labels), nulls])


def _ancestors_of_sets(attribute: Attribute, codes: Codes, grouping: Grouping) -> tuple[Codes, Choices]:
    taxonomy = attribute.taxonomy
    assert taxonomy is not None
    number, code, ranks = distinct_sets(codes, grouping)
    labels = ["" if value is None else label_of(value) for value in attribute.values.to_list()]
    members: dict[int, list[int]] = {}
    for n, c in zip(number.tolist(), code.tolist(), strict=True):
        members.setdefault(n, []).append(c)
    root = taxonomy.path(taxonomy.leaves[0])[-1]
    spelled: list[str | None] = []
    for n in range(len(members)):
        mixed = attribute.has_null and 0 in members[n]
        alone = mixed and len(members[n]) == 1
        spelled.append(None if alone else root if mixed else taxonomy.common_ancestor([labels[c] for c in members[n]]))
    distinct = sorted({label for label in spelled if label is not None})
    place: dict[str | None, int] = {label: i for i, label in enumerate(distinct)}
    place[None] = len(distinct)
    choice = np.array([place[label] for label in spelled], np.int32)[ranks]
    nulls = values_as_they_are(attribute, np.zeros(int(None in spelled), np.int64))
    return choice, Choices.joined([names(attribute, distinct), nulls])


def ends(codes: Codes, grouping: Grouping) -> tuple[Codes, Codes]:
    """The smallest and the largest code of each group; a null is code 0."""
    mine = codes[grouping.members]
    return np.minimum.reduceat(mine, grouping.starts[:-1]), np.maximum.reduceat(mine, grouping.starts[:-1])
