"""Before and after, side by side: what a row was, and what anybody can read about it in the release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.alike import as_read, published_alike
from pellucid.anonymize.recode.published import Published, texts_of
from pellucid.anonymize.recode.recoder import Recoder, RowRecoder
from pellucid.anonymize.recode.weights import spelled_means
from pellucid.core.schema import OF_GROUP, Role
from pellucid.core.table import Table
from pellucid.runtime.records import record

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
    both = all_beside(table, grouping, recoder)
    chosen = list(rows)
    before, after = both.before[chosen].rows(named=True), both.after[chosen].rows(named=True)
    return [(old, new if both.published[row] else {}) for row, old, new in zip(chosen, before, after, strict=True)]


@record()
class Beside:
    """Every row before and after; ``published`` says of each whether it is published at all.

    ``made_of`` says of each column after what it was called before: ``age_mean`` was ``age``.
    """

    before: pl.DataFrame
    after: pl.DataFrame
    published: NDArray[np.bool_]
    made_of: dict[str, str]


def all_beside(table: Table, grouping: Grouping, recoder: Recoder) -> Beside:
    """The same for every row, as :func:`beside` gives it for some; texts are kept once each, as categories."""
    published_columns = [i for i, a in enumerate(table.attributes) if a.role in (*OF_GROUP, Role.SENSITIVE)]
    known, kept = grouping.as_published(table)
    read = as_read(kept, published_alike(table, grouping, recoder))
    labels = grouping.labels
    before: list[pl.Series] = []
    after: list[pl.Series] = []
    made_of: dict[str, str] = {}
    for i in published_columns:
        attribute, known_after = table.attributes[i], len(after)
        own = _gathered(attribute.name, texts_of(attribute), table.codes[i].astype(np.int64))
        before.append(own)
        if attribute.role is Role.SENSITIVE:
            chosen = _one_of(known, read, i)
            after.append(_gathered(attribute.name, chosen, read.labels[: len(table)].astype(np.int64)))
        elif isinstance(recoder, RowRecoder) or attribute.role is Role.WEIGHT:
            published = _spelled(table, i, grouping, recoder)
            ranks = np.where(labels < 0, -1, np.asarray(published.ranks)[labels])
            after += [
                _gathered(column.name or attribute.name, column.cast(pl.String), ranks.astype(np.int64))
                for column in published.columns
            ]
        else:
            after.append(own)
        made_of |= {column.name: attribute.name for column in after[known_after:]}
    return Beside(pl.DataFrame(before), pl.DataFrame(after), labels[: len(table)] >= 0, made_of)


def _spelled(table: Table, column: int, grouping: Grouping, recoder: Recoder) -> Published:
    """What is published once for all rows of a group; in two tables that is its weight."""
    if isinstance(recoder, RowRecoder):
        return recoder.spell_column(table, column, grouping, 1)
    return spelled_means(table, column, grouping)


def _gathered(name: str, texts: pl.Series, places: NDArray[np.int64]) -> pl.Series:
    """The text of each row, by its place among the different ones; below 0: nothing."""
    known = pl.Series(np.where(places < 0, 0, places))
    gathered = (
        texts.cast(pl.Categorical).gather(known) if len(texts) else pl.Series([None] * len(places), dtype=pl.String)
    )
    hidden = pl.Series(places < 0)
    return pl.select(pl.when(~hidden).then(gathered)).to_series().alias(name)


def _one_of(table: Table, grouping: Grouping, column: int) -> pl.Series:
    """The different values of each group, by the codebook: ``flu``, ``flu or gout``, ``a, b or 3 more``."""
    inside = grouping.labels >= 0
    codes_of_groups = pl.DataFrame({"group": grouping.labels[inside], "code": table.codes[column][inside]})
    texts = texts_of(table.attributes[column]).cast(pl.String).fill_null("null")
    several = pl.col("told")
    first, last = several.list.head(MANY).list, several.list.last()
    listed = (
        codes_of_groups.unique()
        .sort("group", "code")
        .with_columns(told=pl.col("code").replace_strict(range(len(texts)), texts, return_dtype=pl.String))
        .group_by("group", maintain_order=True)
        .agg("told")
        .select(
            "group",
            pl.when(several.list.len() > MANY)
            .then(pl.format("{} or {} more", first.join(", "), several.list.len() - MANY))
            .when(several.list.len() > 1)
            .then(pl.format("{} or {}", several.list.slice(0, several.list.len() - 1).list.join(", "), last))
            .otherwise(last)
            .alias("said"),
        )
    )
    groups = pl.DataFrame({"group": np.arange(len(grouping), dtype=np.int32)})
    return groups.join(listed.with_columns(pl.col("group").cast(pl.Int32)), "group", "left").sort("group")["said"]
