"""What never occurs together in a table although one would expect it to: the rules that people may know."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.table import Codes


def missing_pairs(
    keys: NDArray[np.int64], sizes: NDArray[np.int64], values: Codes, counts: NDArray[np.int64], need: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every key and value that never occur together although the product of their counts is at least ``need``.

    There are at most n * n / need such pairs, since the counts of keys and of values both add up to n.
    """
    ranking = np.argsort(-counts, kind="stable")
    enough = np.searchsorted(-counts[ranking], -need // sizes, side="right")  # so many values are frequent enough
    candidates = np.flatnonzero(enough)
    ruled = np.repeat(candidates, enough[candidates])
    place = np.arange(len(ruled)) - np.repeat(np.cumsum(enough[candidates]) - enough[candidates], enough[candidates])
    excluded = ranking[place]
    occurring = np.unique((keys * len(counts) + values)[enough[keys] > 0])
    missing = ~np.isin(ruled * len(counts) + excluded, occurring, assume_unique=True)
    return ruled[missing], excluded[missing]
