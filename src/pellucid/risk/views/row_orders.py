"""Whether the order of rows matters, where coins gave it: that some orders agree is no proof that all do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from math import factorial

import numpy as np

from pellucid.anonymize.methods import Method
from pellucid.core.schema import Role
from pellucid.core.table import Table

MOST_ORDERS = 120  # that are tried one by one


def order_is_idle(method: Method, table: Table) -> bool:
    """Whether every order of the rows gives the same groups, by what the method lets the order decide.

    >>> import pellucid as pc
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 40, 50, 50], "ill": ["a", "b", "a", "b"]})
    >>> ages = pc.read(frame, quasi="age", sensitive="ill")
    >>> order_is_idle(pc.Mondrian(l=2), ages), order_is_idle(pc.Mondrian(l=2, strict=True), ages)
    (False, True)
    """
    decides = method.order_decides
    if method.draws_coins or decides == "anything":
        return False
    columns = [table.codes[i] for i in table.having(Role.QUASI)]
    if decides == "nothing":
        return True
    if decides == "equal values":
        return all(len(np.unique(codes)) == len(table) for codes in columns)
    return len(np.unique(np.stack(columns), axis=1).T) == len(table)


def every_order(table: Table) -> Iterator[Table] | None:
    """The table in every order of its rows; None where these are too many."""
    rows = len(table)
    if rows > MOST_ORDERS or factorial(rows) > MOST_ORDERS:
        return None
    return (replace(table, order=np.array(order, np.int64)) for order in permutations(range(rows)))
