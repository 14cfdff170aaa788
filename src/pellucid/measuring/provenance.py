"""Whether a release was made of this original: every row of it that is not suppressed lies in some published class.

Columns that fit one by one do not suffice: of a table with one column shuffled each value is still published. So rows
are looked at as a whole: there must be a box that covers all quasi-identifiers of a row, in a class that has the row's
sensitive value, unless sensitive values were replaced.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import MeasureError
from pellucid.measuring.boxes import Shown
from pellucid.model import Groups
from pellucid.published.choices import Choices, Integers
from pellucid.schema import Role
from pellucid.table import Codes
from pellucid.text.values import label_of

EFFORT = 20_000_000  # pairs of a row and a box that are looked at; of large tables some rows, evenly spread

Fits = NDArray[np.bool_]


def check_belongs(shown: Shown) -> None:
    """Raise when more rows of the original than are suppressed lie in no published class."""
    table = shown.table
    n, boxes = len(table), len(shown.sizes)
    most = max(boxes, *(len(cells.choices) for cells in shown.quasi))
    rows = np.unique(np.linspace(0, n - 1, min(n, max(50, EFFORT // most))).astype(np.int64))
    fits = np.ones((len(rows), boxes), np.bool_)
    for i, cells in zip(table.having(Role.QUASI), shown.quasi, strict=True):
        values, place = np.unique(cells.ticks.of_code[table.codes[i][rows]], return_inverse=True)
        fits &= covering(cells.choices, values)[place][:, cells.of_box]
    if not shown.replaces:
        for i, groups in zip(table.having(Role.SENSITIVE), shown.sensitive, strict=True):
            codes, place = np.unique(table.codes[i][rows].astype(np.int64), return_inverse=True)
            fits &= holding(groups, codes)[place][:, shown.classes]
    outside = rows[~fits.any(axis=1)]
    if len(outside) > shown.suppressed:
        compared = [*table.having(Role.QUASI), *([] if shown.replaces else table.having(Role.SENSITIVE))]
        values_ = [(table.attributes[i], int(table.codes[i][outside[0]])) for i in compared]
        told = ", ".join(f"{of.name} {_shown(of.values[code])}" for of, code in values_)
        looked_at = f"{len(outside):,} of {len(rows):,} rows of the original that were compared"
        raise MeasureError(
            f"{looked_at} lie in no published group, such as the one with {told}; "
            "give the table that the release was made of"
        )


def covering(choices: Choices, ticks: Integers) -> Fits:
    """For each of some ticks, ascending, and each choice whether the choice covers it; null is the tick -1.

    >>> from pellucid.published.choices import Choices
    >>> none, two = np.zeros(2), np.ones(2, np.int64)
    >>> low, high = np.array([0, 4]), np.array([3, 5])
    >>> nulls = np.array([False, True])
    >>> covering(Choices(np.arange(3), low, high, nulls, none, two, two, none), np.array([-1, 3, 4])).tolist()
    [[False, True], [True, False], [False, True]]
    """
    null = int(len(ticks) > 0 and ticks[0] < 0)
    places = ticks[null:]
    change = np.zeros((len(places) + 1, len(choices)), np.int32)
    owner = np.repeat(np.arange(len(choices)), np.diff(choices.starts))
    np.add.at(change, (np.searchsorted(places, choices.low, "left"), owner), 1)
    np.add.at(change, (np.searchsorted(places, choices.high, "right"), owner), -1)
    covered = np.cumsum(change, axis=0)[:-1] > 0
    return np.concatenate((np.tile(choices.nulls, (null, 1)), covered))


def holding(groups: Groups, codes: Codes | Integers) -> Fits:
    """For each of some sensitive codes, ascending, and each class whether the class has it."""
    owner = np.repeat(np.arange(len(groups.sizes)), np.diff(groups.starts))
    wanted = np.isin(groups.codes, codes)
    found = np.zeros((len(codes), len(groups.sizes)), np.bool_)
    found[np.searchsorted(codes, groups.codes[wanted]), owner[wanted]] = True
    return found


def _shown(value: object) -> str:
    return "null" if value is None else label_of(value)
