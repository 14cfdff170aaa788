"""Sensitive values that count as one: the table in which a method sees a single value instead of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.models.sensitive import codes_of
from pellucid.text.values import label_of


def merged_column(attribute: Attribute, codes: Codes, values: tuple[Any, ...]) -> tuple[Attribute, Codes, str]:
    """A sensitive column in which one value stands for all of ``values``, and that value.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi="age", sensitive="disease")
    >>> column = merged_column(table.attributes[1], table.codes[1], ("flu", "gastritis"))
    >>> column[0].values.to_list()[2:], column[1].tolist()
    (['dyspepsia', 'flu or gastritis'], [2, 3, 3, 3, 3, 0, 2, 1])
    """
    some = np.sort(codes_of(values, attribute))
    becomes = np.arange(len(attribute.values), dtype=np.int32)
    becomes[some] = some[0]
    kept = np.unique(becomes)
    texts = [None if value is None else label_of(value) for value in attribute.values.to_list()]
    name = " or ".join("null" if texts[code] is None else str(texts[code]) for code in some.tolist())
    while name in texts and len(some) > 1:
        name += " "  # a value of the column is called so
    labels = [name if code == some[0] else texts[code] for code in kept.tolist()]
    attribute = replace(
        attribute,
        values=pl.Series(attribute.values.name, labels, dtype=pl.String),
        has_null=labels[0] is None,
        positions=np.arange(len(labels), dtype=np.int64),
        width=max(1, len(labels) - 1),
        chains=None,
        leaves=None,
        taxonomy=None,
    )
    return attribute, np.searchsorted(kept, becomes[codes]).astype(np.int32), name


def merged_table(table: Table, about: dict[str, tuple[Any, ...] | None]) -> tuple[Table, dict[str, tuple[str, ...]]]:
    """The table with one value for those of each column, and which value that is; None: a column stays as it is."""
    attributes, columns = list(table.attributes), list(table.codes)
    named: dict[str, tuple[str, ...]] = {}
    for place in table.having(Role.SENSITIVE):
        values = about.get(table.attributes[place].name)
        if values is not None:
            attributes[place], columns[place], name = merged_column(attributes[place], columns[place], values)
            named[attributes[place].name] = (name,)
    before = {name: was for name, was in table.before.items() if name not in named}
    return replace(table, attributes=tuple(attributes), codes=tuple(columns), before=before), named
