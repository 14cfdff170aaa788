"""How much of the truth an attacker with statistics believes: by these alone, and with the release.

The truth scores and decides nothing: no belief is made of it here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.risk.inference.cells import Cells, Floats
from pellucid.runtime.records import record

Longs = NDArray[np.int64]
Alone = tuple[Floats, Codes, Floats]


@record(eq=False)
class Scoring:
    """What is believed of each person's true value, whose code is ``truth``; -1 for whoever is not in the table.

    ``chance`` is how likely it is with the release. ``alone`` has how likely it is without, the code that is guessed
    then, and the largest belief; None where nothing is known without the release.
    """

    truth: Codes
    chance: Floats
    alone: Alone | None = None


def mark_truth(part: Cells, cells: Floats, truth: Codes, chance: Floats) -> None:
    """Write into ``chance`` how likely the people of some groups have their true value; 0 where no row has it."""
    people = part.members[part.starts[0] : part.starts[-1]]
    if not len(people):
        return
    groups = np.repeat(np.arange(len(part)), part.sizes)
    within = np.arange(len(people)) - (part.starts[:-1] - part.starts[0])[groups]
    codes = part.codes[part.value_starts[0] : part.value_starts[-1]].astype(np.int64)
    width = int(max(codes.max(initial=0), truth.max(initial=0))) + 2
    keys = np.repeat(np.arange(len(part)), part.distinct) * width + codes  # ascending, as codes of a group are
    asked = groups * width + truth[people]
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    there = (truth[people] >= 0) & (keys[place] == asked)
    column = place - (part.value_starts[:-1] - part.value_starts[0])[groups]
    cell = part.cell_starts[:-1][groups] + within * part.distinct[groups] + column
    chance[people] = np.where(there, cells[np.where(there, cell, 0)], 0.0)


def most_of(shares: Floats, events: Sequence[Longs] | None) -> Floats:
    """The largest share of each line: of a column, or of several together that count as one.

    >>> shares = np.array([[0.5, 0.3, 0.2]])
    >>> [most_of(shares, events).tolist() for events in (None, [np.array([1, 2])], [])]
    [[0.5], [0.5], [0.0]]
    """
    if events is None:
        most: Floats = shares.max(axis=1)
        return most
    most = np.zeros(len(shares))
    for some in events:
        np.maximum(most, shares[:, some].sum(axis=1), out=most)
    return most


def by_statistics(keys: Codes, kinds: int, values: int, truth: Codes, events: Sequence[Longs] | None = None) -> Alone:
    """How likely everybody's true value is among those who look like them, the first of the likeliest, and the most.

    >>> told = by_statistics(np.array([0, 0, 0, 1], np.int32), 2, 2, np.array([1, 1, 0, 0], np.int32))
    >>> [part.round(2).tolist() for part in told]
    [[0.67, 0.67, 0.33, 1.0], [1, 1, 1, 0], [0.67, 0.67, 0.67, 1.0]]
    """
    inside = np.flatnonzero(truth >= 0)
    pairs, place, rows = np.unique(
        keys[inside].astype(np.int64) * values + truth[inside], return_inverse=True, return_counts=True
    )
    look = pairs // values
    people = np.bincount(keys[inside], minlength=kinds)
    chance, guess = np.zeros(len(truth)), np.full(len(truth), -1, np.int32)
    chance[inside] = (rows / people[look])[place.ravel()]
    order = np.lexsort((pairs % values, -rows, look))  # of each look the most frequent first
    first = order[np.flatnonzero(np.diff(look[order], prepend=-1))]
    likeliest = np.full(kinds, -1, np.int32)
    likeliest[look[first]] = (pairs % values)[first]
    guess[inside] = likeliest[keys[inside]]
    most, shares = np.zeros(kinds), rows / people[look]
    if events is None:
        np.maximum.at(most, look, shares)
    for some in events or ():
        counting = np.isin(pairs % values, some)
        np.maximum(most, np.bincount(look[counting], shares[counting], kinds), out=most)
    return chance, guess, most[keys]
