"""Values of a category that differ in blanks or capital letters alone: ``F`` and ``F ``, which count as two."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Table
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.messages import Count, Message
from pellucid.text.values import label_of

MOST = 10_000  # values of a column that are looked at


def spelled_alike(table: Table) -> list[Message]:
    """For each category such values, with how many rows have the rarer ones, and the way out.

    >>> import pellucid as pc, polars as pl
    >>> people = pl.DataFrame({"sex": ["F", "F", "F ", "M"], "ill": list("abcd")})
    >>> spelled_alike(pc.read(people, quasi="sex", sensitive="ill"))[0].partition(", which")[0]
    "sex has 'F' and 'F ' (1 row)"
    """
    told = []
    for attribute, codes in zip(table.attributes, table.codes, strict=True):
        if attribute.kind is not Kind.CATEGORY or len(attribute) > MOST:
            continue
        rows = np.bincount(codes, minlength=len(attribute))
        several = _several_alike(attribute, rows)
        if several:
            labels = [label_of(attribute.values[code]) for code in several[0]]
            told.append(
                Message(
                    "{column} has {first!r} and {other!r} ({rows}), which differ in blanks or capital letters alone "
                    "and count as two values{more}. Write them alike, or put merge = {merge} into the schema",
                    column=attribute.name,
                    first=labels[0],
                    other=labels[1],
                    rows=Count(int(rows[several[0][1]]), "row"),
                    more=f", as do {len(several) - 1} more" if len(several) > 1 else "",
                    merge=toml_value({labels[0]: labels[1:]}),
                )
            )
    return told


def _several_alike(attribute: Attribute, rows: NDArray[np.intp]) -> list[list[int]]:
    """The codes of values that differ in blanks or capital letters alone, those of the most rows first."""
    alike: dict[str, list[int]] = defaultdict(list)
    for code, value in enumerate(attribute.values.to_list()):
        if isinstance(value, str):
            alike[" ".join(value.casefold().split())].append(code)
    return [sorted(some, key=rows.take, reverse=True) for some in alike.values() if len(some) > 1]
