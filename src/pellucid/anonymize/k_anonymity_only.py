"""Tables in which nothing is sensitive: people are hidden among k others, and there is no value to protect.

Only a method that asks for the sizes of groups alone can group them. Everything below it counts the values of one
sensitive column; here that is a column in which everybody has the same value, which nobody ever publishes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Table
from pellucid.messages import Message
from pellucid.models import PrivacyModel

HIDING = "mondrian"  # the method that hides people among k rows where nothing is sensitive
NOBODYS = Attribute(
    name="",
    role=Role.SENSITIVE,
    kind=Kind.CATEGORY,
    values=pl.Series([""]),
    has_null=False,
    positions=np.zeros(1, np.int64),
    width=0,
)


def counting(table: Table, model: PrivacyModel) -> Table:
    """The table, or where it has nothing sensitive and the model looks at sizes alone, with a column of one value.

    Any other model needs a sensitive column, and its method says so.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age"], sensitive=())
    >>> [len(counting(table, model).having(Role.SENSITIVE)) for model in (pc.KAnonymity(k=2), pc.LDiversity(l=2))]
    [1, 0]
    """
    if table.having(Role.SENSITIVE) or model.looks_at != "sizes":
        return table
    return replace(table, attributes=(*table.attributes, NOBODYS), codes=(*table.codes, np.zeros(len(table), np.int32)))


def hidden_sentence(k: int) -> Message:
    """What k-anonymity alone promises, and what it does not.

    >>> hidden_sentence(1)
    'k = 1 promises nothing: a row may belong to one person alone.'
    """
    if k == 1:
        return Message("k = 1 promises nothing: a row may belong to one person alone.")
    return Message(
        "In everything that is published, every row looks exactly like at least {k:,} others, whatever somebody "
        "knows about the method: nobody can tell which of at least {k_2:,} rows is a given person's. Nothing is "
        "promised about what a group's values tell: what all its rows have in common is true of everybody in it, and "
        "who is in the table at all may be told.",
        k=k - 1,
        k_2=k,
    )
