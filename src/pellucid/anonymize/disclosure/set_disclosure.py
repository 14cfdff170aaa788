"""That somebody has one or another of several protected values: certain in groups where nobody has any other value."""

from __future__ import annotations

import numpy as np

from pellucid.anonymize.method import Method
from pellucid.messages import Message
from pellucid.models import Groups
from pellucid.models.sensitive import code_of


def protects_several(method: Method, column: str) -> bool:
    """Whether a promise is about several values of a column, each by itself, and not about all of them.

    >>> import pellucid as pc
    >>> methods = pc.SoftCut(l=2, values=["flu", "gout"]), pc.SoftCut(l=2, values=["flu"]), pc.SoftCut(l=2)
    >>> [protects_several(method, "ill") for method in methods]
    [True, False, False]
    """
    return not method.promises_nothing and not method.as_one and len(set(method.about(column) or ())) > 1


def one_or_another(method: Method | None, groups: Groups) -> Message:
    """How many rows are in groups of nothing but protected values of a column, and what that tells; empty: none is.

    ``groups`` are those that a reader tells apart. Of each value by itself the promise holds there.

    >>> import polars as pl, pellucid as pc
    >>> people = pl.DataFrame({"age": ["2*"] * 2 + ["3*"] * 2, "ill": ["flu", "gout", "flu", "cold"]})
    >>> groups = pc.examine(people, quasi="age", sensitive="ill").groups_of("ill").groups
    >>> one_or_another(pc.SoftCut(l=2, values=["flu", "gout"]), groups).partition(":")[0]
    "2 rows are in groups where everybody's ill is 'flu' or 'gout'"
    >>> one_or_another(pc.SoftCut(l=2, values=["flu", "cold", "gout"]), groups).partition(" are ")[0]
    '4 rows'
    """
    column = groups.attribute.name
    if method is None or not protects_several(method, column):
        return Message("")
    coded = [(value, code_of(value, groups.attribute)) for value in dict.fromkeys(method.about(column) or ())]
    codes = {code: value for value, code in coded if code is not None}
    held = np.where(np.isin(groups.codes, [*codes]), groups.counts, 0)
    rows = int(groups.sizes[np.add.reduceat(held, groups.starts[:-1]) == groups.sizes].sum())
    if rows == 0:
        return Message("")
    named = " or ".join("null" if value is None else repr(value) for value in codes.values())
    return Message(
        "{rows:,} rows are in groups where everybody's {column} is {named}: each value by itself stays a guess, but "
        "that they have one of them is certain; if that is the secret, write these values as one in the table",
        rows=rows,
        column=column,
        named=named,
    )
