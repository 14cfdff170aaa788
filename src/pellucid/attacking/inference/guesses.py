"""Everybody's likeliest value at once: what a person-by-person look at posteriors gives, group by group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.inference.best_guess import best_place
from pellucid.attacking.inference.group_kinds import kinds_of
from pellucid.attacking.inference.group_shares import GroupShares, route
from pellucid.model import Groups
from pellucid.table import Codes

Longs = NDArray[np.int64]


def most_frequent(published: Groups) -> Codes:
    """Each group's most frequent code, the first of several.

    >>> import polars as pl
    >>> from pellucid.io import read
    >>> table = read(pl.DataFrame({"q": [1, 1, 1, 2, 2], "s": ["a", "b", "b", "b", "a"]}), quasi="q", sensitive="s")
    >>> most_frequent(Groups.of(table.codes[0], table.codes[1], table.attributes[1])).tolist()
    [1, 0]
    """
    most = published.counts == np.repeat(published.largest, published.distinct)
    place = np.where(most, np.arange(len(most)), len(most))
    return published.codes[np.minimum.reduceat(place, published.starts[:-1])]


def by_frequency(published: Groups) -> Codes:
    """The codes of each group, the most frequent ones first, and of equally frequent ones the first."""
    order = np.lexsort((-published.counts, published.groups_of_entries))  # which keeps codes in ascending order
    return published.codes[order]


def guesses_of(shares: GroupShares) -> Codes:
    """Everybody's likeliest code by what their group tells; -1 for whoever is in no group."""
    evidence, likelihood = shares.evidence, shares.likelihood
    published, labels = evidence.published, evidence.grouping.labels
    guesses = np.full(len(labels), -1, np.int32)
    kept = np.flatnonzero(labels >= 0)
    guesses[kept] = most_frequent(published)[labels[kept]]
    ways = np.array([route(shape) for shape in likelihood.shapes], np.int8)[likelihood.of_group]
    for group in np.flatnonzero(ways == 1).tolist():  # which event it is tells nothing of the values beside it
        codes, of_kind = shares.computed(group)
        members = evidence.members(group)
        guesses[members] = codes[_likeliest(of_kind.shares)][likelihood.part[members]]
    for way in (2, 3):
        groups = np.flatnonzero(ways == way).astype(np.int64)
        if len(groups):
            codes = by_frequency(published) if way == 2 else published.codes
            rows = kept[ways[labels[kept]] == way]
            parts, places = _of_kinds(shares, groups, symmetric=way == 2)
            first = np.zeros(len(published), np.int64)
            first[groups] = parts
            likeliest = places[first[labels[rows]] + likelihood.part[rows]]
            guesses[rows] = codes[published.starts[labels[rows]] + likeliest]
    return guesses


def _likeliest(shares: list[list[Any]]) -> list[int]:
    """For each part of a group the place of its likeliest value, the first of several."""
    return [best_place(part) for part in shares]


def _of_kinds(shares: GroupShares, groups: Longs, *, symmetric: bool) -> tuple[Longs, Longs]:
    """For each group where the parts of its kind begin, in the likeliest places of all parts of all kinds."""
    kinds = kinds_of(shares.likelihood, shares.evidence.published, groups, symmetric=symmetric)
    places = [_likeliest(shares.computed(group)[1].shares) for group in kinds.example.tolist()]
    starts = np.append(0, np.cumsum([len(parts) for parts in places]))[:-1]
    return starts[kinds.of_group], np.concatenate(places)
