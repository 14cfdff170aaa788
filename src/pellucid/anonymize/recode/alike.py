"""Groups that are published alike: a method may make more groups than a reader of the release can tell apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.recoder import Recoder, RowRecoder, alike_as_one
from pellucid.core.schema import OF_GROUP
from pellucid.core.table import Table


def published_alike(table: Table, grouping: Grouping, recoder: Recoder, threads: int = 1) -> NDArray[np.int64]:
    """For each group the number of what a reader takes for one group, from 0: those published alike have the same.

    Two groups are published alike when every column but the sensitive ones reads the same. Groups that come with
    numbers of their own, as in two tables, are all different.

    >>> import pellucid as pc
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [20, 30, 30, 20, 40], "ill": list("abcde")})
    >>> table = pc.read(people, quasi="age", sensitive="ill")
    >>> published_alike(table, Grouping.from_labels(np.array([0, 0, 1, 1, 2], np.int32)), pc.Intervals()).tolist()
    [0, 0, 1]
    """
    if not isinstance(recoder, RowRecoder):
        return np.arange(len(grouping), dtype=np.int64)
    class_of_group = np.zeros(len(grouping), np.int64)
    columns = [i for i, attribute in enumerate(table.attributes) if attribute.role in OF_GROUP]
    if not columns or not len(grouping):
        return class_of_group
    spelled = [alike_as_one(recoder.spell_column(table, i, grouping, threads), table.attributes[i]) for i in columns]
    groups, classes = sort_rows([column.ranks for column in spelled], [len(column) for column in spelled], threads)
    class_of_group[groups] = np.repeat(np.arange(len(classes) - 1), np.diff(classes))
    return class_of_group


def as_read(grouping: Grouping, alike: NDArray[np.int64]) -> Grouping:
    """The groups that a reader can tell apart: those published alike as one.

    >>> made = Grouping.from_labels(np.array([0, 1, 2, 1], np.int32))
    >>> as_read(made, np.array([0, 1, 0])).labels.tolist()
    [0, 1, 0, 1]
    """
    labels = grouping.labels
    merged = Grouping.from_labels(np.where(labels < 0, -1, alike[labels]).astype(np.int32))
    merged.levels, merged.sensitive = grouping.levels, grouping.sensitive
    return merged
