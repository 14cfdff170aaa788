"""What an attacker learns who finds all groups of a person with several rows: the values that all of them have."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.messages import Message
from pellucid.runtime.records import record

Bools = NDArray[np.bool_]


@record(eq=False)
class Intersected:
    """What the groups of a person's rows have in common, of each person with several rows.

    ``left`` is how many values a person may have in all rows, ``most`` how probable the likeliest is, ``single`` how
    probable the likeliest value of one row of theirs is, ``right`` whether all rows have the likeliest, and ``once``
    whether at least one has.
    """

    persons: Codes
    left: NDArray[np.int64]
    most: NDArray[np.float64]
    single: NDArray[np.float64]
    right: Bools
    once: Bools

    @property
    def certain(self) -> Bools:
        """Who is left with a single value."""
        return np.equal(self.left, 1)

    def told(self, column: str) -> Message:
        """For how many people one value is left, of how many it is true, and who is certain without intersecting."""
        return Message(
            "Assuming that {column} is the same in all rows of a person, intersecting the groups of these rows leaves "
            "one value for {certain:,} of them. All rows have it for {right:,}, and at least one row for {once:,}. "
            "Without assuming this, the value of some row is certain for {sure:,} of them",
            column=column,
            certain=int(self.certain.sum()),
            right=int((self.certain & self.right).sum()),
            once=int((self.certain & self.once).sum()),
            sure=int((self.single == 1).sum()),
        )


def intersected(persons: Codes, labels: Codes, codes: Codes) -> Intersected:
    """The same value is assumed in all rows of a person; each row of a group is equally likely to be any of its rows.

    A person whose m rows of a group of n are assigned a value that c of them have gets it with probability
    ``c (c - 1) ... / n (n - 1) ...``; groups are independent. Withheld rows, with the label -1, are left out.

    >>> found = intersected(np.array([0, 0, 1, 2]), np.array([0, 1, 0, 1]), np.array([5, 5, 6, 7]))
    >>> found.persons.tolist(), found.left.tolist(), found.most.tolist(), found.single.tolist(), found.right.tolist()
    ([0], [1], [1.0], [0.5], [True])
    """
    rows = pl.DataFrame({"person": persons, "group": labels, "code": codes}).filter(pl.col("group") >= 0)
    held = rows.group_by("group", "code").agg(c=pl.len()).with_columns(n=pl.col("c").sum().over("group"))
    mine = rows.filter(pl.len().over("person") > 1)
    visits = mine.group_by("person", "group").agg(m=pl.len()).with_columns(groups=pl.len().over("person"))
    # the smallest group of a person first: a value that is not in it is not in all
    ways = visits.join(held, on="group").filter(pl.col("c") >= pl.col("m"))
    ways = ways.with_columns(
        weight=_log_falling(ways["c"], ways["m"]) - _log_falling(ways["n"], ways["m"]), share=pl.col("c") / pl.col("n")
    )
    single = ways.group_by("person").agg(single=pl.col("share").max())
    common = ways.group_by("person", "code").agg(
        weight=pl.col("weight").sum(), met=pl.len(), groups=pl.col("groups").first()
    )
    common = common.filter(pl.col("met") == pl.col("groups"))
    likely = pl.col("weight") == pl.col("weight").max()
    told = common.group_by("person").agg(
        left=pl.len(),
        most=1 / (pl.col("weight") - pl.col("weight").max()).exp().sum(),
        likeliest=pl.col("code").filter(likely).min(),
    )
    true = mine.group_by("person").agg(held=pl.col("code").unique())
    told = true.join(told, on="person", how="left").join(single, on="person", how="left").sort("person")
    once = told["held"].list.contains(told["likeliest"]).fill_null(False).to_numpy()
    return Intersected(
        told["person"].to_numpy().astype(np.int32),
        told["left"].fill_null(0).to_numpy().astype(np.int64),
        told["most"].fill_null(0.0).to_numpy(),
        told["single"].fill_null(0.0).to_numpy(),
        once & (told["held"].list.len() == 1).to_numpy(),
        once,
    )


def _log_falling(of: pl.Series, times: pl.Series) -> NDArray[np.float64]:
    """The logarithm of n (n - 1) ... with so many factors."""
    whole = of.to_numpy().astype(np.int64)
    logarithms = np.append(0.0, np.cumsum(np.log(np.arange(1, int(whole.max(initial=0)) + 1))))
    found: NDArray[np.float64] = logarithms[whole] - logarithms[whole - times.to_numpy().astype(np.int64)]
    return found
