"""Survey weights as they are published: one number for each group, the rounded mean of its rows' weights.

**Definition.** A group whose rows have the weights ``w_1 .. w_n`` shows in every row their mean, rounded to so many
significant digits (``digits`` of the schema's column, 3 unless said; halves to even).

**Why that tells nothing of sensitive values.** The number depends on the group's weights as a multiset and on nothing
else: not on the order of its rows (the sum is rounded once, :func:`math.fsum`), and not on any sensitive value.
Somebody who knows everybody's weight, as the promise of every method grants, and who is in which group could compute it
without the release. So given the groups it is a constant, and what a method promises to somebody who knows the groups
holds as it is. A weight inside a group is *not* safe: the mean over the rows of one sensitive value tells who they are.

**Sums.** The published weights of a group's rows add up to n times the rounded mean, which is off by at most
``5 / 10 ** digits`` of the truth: 0.5 % with 3 digits. So is every sum over whole groups, and that of all published
rows. Rows that are withheld have no published weight: a sum over the table lacks what they stand for.
"""

from __future__ import annotations

from itertools import pairwise
from math import fsum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.published import Published
from pellucid.core.schema import Role
from pellucid.core.schema.column import USUAL_DIGITS
from pellucid.core.table import Table
from pellucid.messages import Message

Floats = NDArray[np.float64]
AT_ONCE = 1 << 16  # groups


def weights_of(table: Table) -> Floats | None:
    """For how many people each row of a table stands; None where the table does not say.

    >>> import pellucid as pc
    >>> people = pl.DataFrame({"age": [20, 30], "w": [1.5, 40], "ill": ["a", "b"]})
    >>> weights_of(pc.read(people, quasi="age", sensitive="ill", weight="w")).tolist()
    [1.5, 40.0]
    """
    column = weight_column(table)
    return None if column is None else _values(table, column)[table.codes[column]]


def weight_column(table: Table) -> int | None:
    """The place of the attribute that has the weights."""
    return next(iter(table.having(Role.WEIGHT)), None)


def digits_of(table: Table) -> int:
    """To how many significant digits the means of a table's groups are published."""
    (column,) = table.having(Role.WEIGHT)
    name = table.attributes[column].name
    declared = None if table.schema is None else table.schema.columns.get(name)
    return USUAL_DIGITS if declared is None else declared.significant


def mean_weights(table: Table, grouping: Grouping) -> Floats:
    """The number that each group shows.

    >>> import pellucid as pc
    >>> people = pl.DataFrame({"age": [20, 30, 40], "w": [1000.0, 2000.5, 0.125], "ill": ["a", "b", "c"]})
    >>> table = pc.read(people, quasi="age", sensitive="ill", weight="w")
    >>> mean_weights(table, Grouping.from_labels(np.array([0, 0, 1], np.int32))).tolist()
    [1500.0, 0.125]
    """
    (column,) = table.having(Role.WEIGHT)
    values, codes, digits = _values(table, column), table.codes[column], digits_of(table)
    means: list[float] = []
    for first in range(0, len(grouping), AT_ONCE):
        starts = grouping.starts[first : first + AT_ONCE + 1]
        rows = grouping.members[starts[0] : starts[-1]]
        weights = values[codes[rows]].tolist()
        ends = (starts - starts[0]).tolist()
        means += [rounded_mean(weights[a:b], digits) for a, b in pairwise(ends)]
    return np.array(means, np.float64)


def rounded_mean(weights: list[float], digits: int) -> float:
    """The mean of some weights to so many significant digits, whatever their order.

    >>> rounded_mean([0.1] * 10, 3), rounded_mean([1e15, 1.0], 3), rounded_mean([1234.0], 2)
    (0.1, 500000000000000.0, 1200.0)
    """
    return float(f"{fsum(weights) / len(weights):.{digits - 1}e}")


def spelled_means(table: Table, column: int, grouping: Grouping) -> Published:
    """How the weights of every group are published."""
    distinct, ranks = np.unique(mean_weights(table, grouping), return_inverse=True)
    return Published(ranks.astype(np.int32), [pl.Series(table.attributes[column].name, distinct)])


def in_words(name: str, digits: int) -> Message:
    """What is published of the weights, in a sentence.

    >>> in_words("w", 3)
    'The weights (w) are published as the mean of each group, to 3 significant digits: the sum of the weights of \
all published rows is right to 0.5 %, sums over a part of these may be off by more.'
    """
    off = f"{500 / 10**digits:g}"
    plural = "" if digits == 1 else "s"
    return Message(
        "The weights ({name}) are published as the mean of each group, to {digits} significant digit{plural}: the "
        "sum of the weights of all published rows is right to {off} %, sums over a part of these may be off by more.",
        name=name,
        digits=digits,
        plural=plural,
        off=off,
    )


def _values(table: Table, column: int) -> Floats:
    return table.attributes[column].values.cast(pl.Float64).to_numpy()
