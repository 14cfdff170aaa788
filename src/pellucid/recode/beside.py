"""Before and after, side by side: what a row was, and what anybody can read about it in the release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from pellucid.group import Grouping
from pellucid.recode.alike import as_read, published_alike
from pellucid.recode.published import texts_of
from pellucid.recode.recoder import Recoder, RowRecoder
from pellucid.schema import Role
from pellucid.table import Table

MANY = 6  # sensitive values of a group that are named


def beside(
    table: Table, grouping: Grouping, recoder: Recoder, rows: Sequence[int]
) -> list[tuple[dict[str, str | None], dict[str, str | None]]]:
    """For each row what it was and what a reader can tell of it: the sensitive value is one of those published alike.

    A reader takes groups that are published alike for one, so that the values of all of them are told. A row that is in
    no group is published as nothing at all: its second half is empty. What a release publishes in place of the truth is
    shown as it is published. For the publisher's eyes: it links rows to groups.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> table = pc.read(pc.datasets.patients(), **roles)
    >>> release = pc.publish(table, pc.Tailor(l=2))
    >>> before, after = beside(table, release.private.grouping, pc.Intervals(), [4])[0]
    >>> before
    {'age': '54', 'zipcode': '60000', 'disease': 'flu'}
    >>> after
    {'age': '[54, 60]', 'zipcode': '[60000, 63000]', 'disease': 'bronchitis or flu'}
    """
    shown = [i for i, a in enumerate(table.attributes) if a.role in (Role.QUASI, Role.CARRY, Role.SENSITIVE)]
    known, kept = grouping.as_published(table)
    read = as_read(kept, published_alike(table, grouping, recoder))
    texts = {i: texts_of(table.attributes[i]) for i in shown}
    spelled = _spelled(table, grouping, recoder, shown)
    halves = []
    for row in rows:
        before = {table.attributes[i].name: texts[i][int(table.codes[i][row])] for i in shown}
        group = int(grouping.labels[row])
        after: dict[str, str | None] = {}
        for i in shown if group >= 0 else ():
            name = table.attributes[i].name
            if table.attributes[i].role is Role.SENSITIVE:
                after[name] = _one_of(known, read, i, int(read.labels[row]))
            elif i in spelled:
                after |= {title or name: cells[int(ranks[group])] for title, cells, ranks in spelled[i]}
            else:
                after[name] = before[name]
        halves.append((before, after))
    return halves


def _spelled(
    table: Table, grouping: Grouping, recoder: Recoder, columns: Sequence[int]
) -> dict[int, list[tuple[str, pl.Series, Any]]]:
    """The published columns of each recoded one: its name, its different texts, and which of them each group has."""
    spelled: dict[int, list[tuple[str, pl.Series, Any]]] = {}
    if not isinstance(recoder, RowRecoder):
        return spelled
    for i in columns:
        if table.attributes[i].role is not Role.SENSITIVE:
            published = recoder.spell_column(table, i, grouping, 1)
            spelled[i] = [(cells.name, cells.cast(pl.String), published.ranks) for cells in published.columns]
    return spelled


def _one_of(table: Table, grouping: Grouping, column: int, group: int) -> str:
    """The different values of a group, in the order of the codebook."""
    members = grouping.members[grouping.starts[group] : grouping.starts[group + 1]]
    codes = np.unique(table.codes[column][members]).tolist()
    texts = texts_of(table.attributes[column])
    said = ["null" if texts[code] is None else str(texts[code]) for code in codes[:MANY]]
    more = len(codes) - MANY
    if more > 0:
        return f"{', '.join(said)} or {more} more"
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"
