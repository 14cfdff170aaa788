"""Codebooks of what is published: values that only withheld rows have leave no trace, not even in an order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.core.table import AsItWas, Attribute, Codes, Table, frequencies
from pellucid.runtime.records import record


def only_published(table: Table, grouping: Grouping, threads: int = 1) -> Table:
    """The table of which a recoder may see everything: each codebook holds exactly the values that groups have.

    A code is a rank among the values of all rows, so the code of a published value tells how many smaller ones there
    are among suppressed rows, or were before they were replaced. Recoders look at codes: group numbers come from
    fingerprints of them, and a codebook with a value that reads like a group is sorted in another way. Suppressed rows
    keep their places, with codes that mean nothing. Columns as they were before they were rounded are told likewise.

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
    columns = [_Seen.of(*column, grouping, threads) for column in zip(table.attributes, table.codes, strict=True)]
    before = {
        attribute.name: seen.before(table.before[attribute.name], grouping, threads)
        for attribute, seen in zip(table.attributes, columns, strict=True)
        if attribute.name in table.before
    }
    return replace(
        table, attributes=tuple(of.book for of in columns), codes=tuple(of.codes for of in columns), before=before
    )


@record(eq=False)
class _Seen:
    """A column with the values that groups have, and for each code of the whole column its place among them, or -1."""

    book: Attribute
    codes: Codes
    place: Codes

    @classmethod
    def of(cls, attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> _Seen:
        occurs = frequencies(np.take(codes, grouping.members), len(attribute), threads) > 0
        if occurs.all():
            return cls(attribute, codes, np.arange(len(attribute), dtype=np.int32))
        place = _places(occurs)
        return cls(_only(attribute, occurs), np.take(np.maximum(place, 0), codes), place)

    def before(self, was: AsItWas, grouping: Grouping, threads: int) -> AsItWas:
        """The column before it was rounded, with the values of published rows; without rows, what became one of them.

        What those become has the codes of this book.
        """
        afterwards = np.take(self.place, was.becomes)
        if was.codes is None:
            return AsItWas(_only(was.attribute, afterwards >= 0), None, afterwards[afterwards >= 0])
        earlier = _Seen.of(was.attribute, was.codes, grouping, threads)
        return AsItWas(earlier.book, earlier.codes, afterwards[earlier.place >= 0])


def _places(occurs: NDArray[np.bool_]) -> Codes:
    return np.where(occurs, np.cumsum(occurs) - 1, -1).astype(np.int32)


def _only(attribute: Attribute, occurs: NDArray[np.bool_]) -> Attribute:
    return replace(
        attribute,
        values=attribute.values.filter(occurs),
        has_null=attribute.has_null and bool(occurs[0]),
        positions=attribute.positions[occurs],
        chains=None if attribute.chains is None else attribute.chains[:, occurs],
    )
