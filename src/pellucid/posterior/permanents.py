"""Who has which of a group's values when people differ beforehand, for many small groups at once.

The weight of an arrangement is the product of its people's weights, so what is believed is a ratio of permanents. Both
are sums over subsets of the group's values: a pass over the people from either end, each subset once. Multiplying a
person's weights, or a value's, by a constant changes nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.kernels import permanents as kernel

Floats = NDArray[np.float64]
LARGEST = 14  # people of a group that are counted exactly: 2**14 subsets
SETTLED = 1e-12  # how far sums may be off when scaling ends


def marginals(weights: Floats) -> Floats:
    """For each group, person and slot the probability that the person has the slot's value.

    ``weights[group, person, slot]`` is how likely the person has the slot's value beforehand. A group in which no
    arrangement has any weight gets NaN.

    >>> marginals(np.array([[[0.5, 0.5], [0.2, 0.8]]])).round(3).tolist()
    [[[0.8, 0.2], [0.2, 0.8]]]
    """
    batch, people, slots = weights.shape
    if people != slots:
        raise ValueError(f"{people} people and {slots} values")
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = weights / weights.max(axis=2, keepdims=True)
    masks = _masks_by_number(people)
    forward = np.zeros((1 << people, batch))
    forward[0] = 1.0
    for person in range(people):
        for mask in masks[person]:
            for slot in range(people):
                if not mask >> slot & 1:
                    forward[mask | 1 << slot] += forward[mask] * scaled[:, person, slot]
    backward = np.zeros((1 << people, batch))
    backward[-1] = 1.0
    weights_of = np.zeros_like(scaled)
    for person in reversed(range(people)):
        for mask in masks[person]:
            total = backward[mask]
            for slot in range(people):
                if not mask >> slot & 1:
                    step = scaled[:, person, slot] * backward[mask | 1 << slot]
                    total += step
                    weights_of[:, person, slot] += forward[mask] * step
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = weights_of / backward[0][:, None, None]
    return shares


def _masks_by_number(slots: int) -> list[list[int]]:
    """Every choice of slots as a mask, by how many slots it has."""
    masks: list[list[int]] = [[] for _ in range(slots + 1)]
    for mask in range(1 << slots):
        masks[mask.bit_count()].append(mask)
    return masks


def by_value(weights: Floats, counts: NDArray[np.int32]) -> Floats | None:
    """How likely each person of one group has each value: ``weights[person, value]`` before, ``counts`` rows of each.

    Rows of a value are counted together, so a group with few values takes far less than the subsets of its people.
    None where floats cannot hold the sum, which is 0 when no arrangement has any weight.

    >>> by_value(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]), np.array([1, 2], np.int32)).round(3)[0].tolist()
    [0.333, 0.667]
    """
    expected = np.zeros(weights.shape)
    total = kernel.expected(np.ascontiguousarray(weights), np.ones(len(weights), np.int32), counts, expected)
    return expected if 1e-200 < total < 1e200 else None


def balanced(weights: Floats, counts: NDArray[np.int32], *, rounds: int = 200) -> Floats:
    """The same for one group of any size, approximately: scaled until people sum to one and values to their rows.

    It ends when another round would change nothing that a reader sees, mostly after a few: this is where an attacker
    who learns from a release of large groups spends the time.
    """
    shares: Floats = np.array(weights, dtype=np.float64)
    shares /= shares.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        columns = shares.sum(axis=0, keepdims=True) / counts
        columns[columns <= 0] = 1
        if np.abs(columns - 1).max(initial=0.0) < SETTLED:
            break
        shares /= columns
        rows = shares.sum(axis=1, keepdims=True)
        rows[rows <= 0] = 1
        shares /= rows
    return shares
