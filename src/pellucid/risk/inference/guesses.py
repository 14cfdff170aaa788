"""Everybody's likeliest value at once: what a person-by-person look at posteriors gives, group by group."""

from __future__ import annotations

import numpy as np

from pellucid.core.table import Codes
from pellucid.models import Groups
from pellucid.risk.inference.group_shares import GroupShares
from pellucid.risk.inference.group_signatures import first_code, frequent_first


def most_frequent(published: Groups) -> Codes:
    """Each group's most frequent code, the first of several.

    >>> import polars as pl
    >>> from pellucid.io import read
    >>> table = read(pl.DataFrame({"q": [1, 1, 1, 2, 2], "s": ["a", "b", "b", "b", "a"]}), quasi="q", sensitive="s")
    >>> most_frequent(Groups.of(table.codes[0], table.codes[1], table.attributes[1])).tolist()
    [1, 0]
    """
    return first_code(published, published.counts == np.repeat(published.largest, published.distinct))


def guesses_of(shares: GroupShares) -> Codes:
    """Everybody's likeliest code by what their group tells; -1 for whoever is in no group."""
    evidence = shares.evidence
    published, labels = evidence.published, evidence.grouping.labels
    guesses = np.full(len(labels), -1, np.int32)
    kept = np.flatnonzero(labels >= 0)
    guesses[kept] = most_frequent(published)[labels[kept]]
    ways = shares.ways
    for way in np.unique(ways[ways > 0]).tolist():
        rows = kept[ways[labels[kept]] == way]
        if way == 1:
            guesses[rows] = shares.event().guesses()
            continue
        codes = published.codes if way == 3 else published.codes[frequent_first(published)]
        likeliest = shares.table(way).likeliest()[shares.lines_of(way, rows)]
        guesses[rows] = codes[published.starts[labels[rows]] + likeliest]
    return guesses
