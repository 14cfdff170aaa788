"""Codebooks of what is published: values that only withheld rows have leave no trace, not even in an order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pellucid.group import Grouping
from pellucid.table import Attribute, Codes, Table, frequencies


def only_published(table: Table, grouping: Grouping, threads: int = 1) -> Table:
    """The table of which a recoder may see everything: each codebook holds exactly the values that groups have.

    A code is a rank among the values of all rows, so the code of a published value tells how many smaller ones there
    are among suppressed rows, or were before they were replaced. Recoders look at codes: group numbers come from
    fingerprints of them, and a codebook with a value that reads like a group is sorted in another way. Suppressed rows
    keep their places, with codes that mean nothing.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age"], sensitive="disease")
    >>> table.attributes[0].values.to_list(), table.codes[0].tolist()
    ([21, 27, 32, 54, 60], [0, 1, 2, 2, 3, 4, 4, 4])
    >>> seen = only_published(table, Grouping.from_labels(np.array([0, -1, 0, 0, 0, 0, -1, 0], np.int32)))
    >>> seen.attributes[0].values.to_list(), seen.codes[0].tolist()
    ([21, 32, 54, 60], [0, 0, 1, 1, 2, 3, 3, 3])
    """
    if not len(grouping.members) or not (grouping.suppressed or grouping.changes):
        return table
    seen = [_seen(*column, grouping, threads) for column in zip(table.attributes, table.codes, strict=True)]
    return replace(table, attributes=tuple(book for book, _ in seen), codes=tuple(codes for _, codes in seen))


def _seen(attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> tuple[Attribute, Codes]:
    occurs = frequencies(np.take(codes, grouping.members), len(attribute), threads) > 0
    if occurs.all():
        return attribute, codes
    place = np.where(occurs, np.cumsum(occurs) - 1, 0).astype(np.int32)
    book = replace(
        attribute,
        values=attribute.values.filter(occurs),
        has_null=attribute.has_null and bool(occurs[0]),
        positions=attribute.positions[occurs],
        chains=None if attribute.chains is None else attribute.chains[:, occurs],
    )
    return book, np.take(place, codes)
