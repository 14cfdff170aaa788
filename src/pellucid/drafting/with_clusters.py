"""How large l can be if a column of the draft, such as the number of a household, becomes its cluster.

A cluster has a value if one of its rows has, and clusters of equally many rows are grouped by themselves: so l is at
most the number of clusters of a size by the number of those with its most frequent value, at every size. That is what
publishing demands (:mod:`pellucid.anonymize.clusters`), counted before there is a schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from pellucid.core.schema import Role
from pellucid.drafting.choice import codes_of
from pellucid.drafting.draft import Suggestion
from pellucid.messages import Message


def with_clusters(suggestions: Sequence[Suggestion], frame: pl.DataFrame) -> list[Suggestion]:
    """The draft, whose sensitive column also says how large l can be with a cluster, where that is less."""
    homes = [suggestion.name for suggestion in suggestions if suggestion.together and not suggestion.facts.nulls]
    return [
        _with_limits(suggestion, homes, frame) if suggestion.role is Role.SENSITIVE else suggestion
        for suggestion in suggestions
    ]


def _with_limits(secret: Suggestion, homes: Sequence[str], frame: pl.DataFrame) -> Suggestion:
    largest = secret.facts.largest_l
    if largest < 2:  # its reason says what is in the way
        return secret
    values = pl.Series(codes_of(frame, secret)[0])
    limits = {home: largest_l(frame[home], values) for home in homes}
    words = {
        home: f"up to {limit:,}" if limit > 1 else "only 1, which protects nobody" for home, limit in limits.items()
    }
    said = "".join(f", with {home} as cluster {words[home]}" for home, limit in limits.items() if limit < largest)
    return replace(secret, reach=Message("{reach}{said}", reach=secret.reach, said=said))


def largest_l(homes: pl.Series, values: pl.Series) -> int:
    """The largest l with which clusters of every size can be grouped; ``homes`` says which rows are one.

    Three homes of two people, two of which have somebody with a 1, and four people who live alone:

    >>> largest_l(pl.Series([1, 1, 2, 2, 3, 3, 4, 5, 6, 7]), pl.Series([1, 2, 1, 3, 4, 5, 1, 2, 3, 4]))
    1
    """
    rows = pl.DataFrame({"home": homes.alias("home"), "value": values.alias("value")})
    rows = rows.with_columns(size=pl.len().over("home"))
    clusters = rows.group_by("size").agg(clusters=pl.col("home").n_unique())
    having = rows.unique(["home", "value"]).group_by("size", "value").len().group_by("size").agg(pl.col("len").max())
    return int(clusters.join(having, on="size").select((pl.col("clusters") // pl.col("len")).min()).item())
