"""What an attacker learns of a person from everybody but the person's own group: what is typical, and not their row.

**Definition.** The classifier of :mod:`learning` is fitted once more to what is believed at the end, without beliefs
about people of the person's group, and without its counts. How likely a value v is, is proportional to the rows of the
other groups that have it, times for each quasi-identifier the share of these who are believed to look like the person,
each with the usual smoothing. The counts of the own group have no part in it: the difference between this and what is
believed with them is what the person's own row gave away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pellucid.core.table import Codes
from pellucid.risk.adversary import Learned
from pellucid.risk.inference.best_guess import TIE
from pellucid.risk.inference.cells import Cells, Floats, Looks
from pellucid.risk.inference.learning import LearnedBeliefs
from pellucid.risk.inference.scoring import Alone, Longs, most_of

MOST = 400_000_000  # people times values times columns: more takes longer than the learning
AT_ONCE = 2_000_000  # people times values that are worked on together


def from_others(learned: LearnedBeliefs, prior: Learned, truth: Codes, events: Sequence[Longs] | None) -> Alone | None:
    """How likely everybody's true value is so, the code that is guessed, and the largest belief about what counts.

    None where it takes too much, or a lot.
    """
    layout, looks = learned.layout, learned.looks
    values = looks[0].values if looks else 0
    work = len(layout.members) * values * len(looks)
    if len(layout) < 2 or not 0 < work <= MOST or learned.lot is not None or any(look.width == 0 for look in looks):
        return None
    sums = [np.zeros(look.count) for look in looks]
    for first, last in layout.stretches():
        part, cells = layout.part(first, last), learned.cells_of(first, last)
        for look, of_look in zip(looks, sums, strict=True):
            look.add_up(part, cells, of_look)
    tables = [of_look.reshape(look.kinds, values) for look, of_look in zip(looks, sums, strict=True)]
    fitted = Fitted(looks, tables, np.bincount(layout.codes, layout.counts, values).astype(np.float64), prior.smoothing)
    chance, guess, most = np.zeros(layout.people), np.full(layout.people, -1, np.int32), np.zeros(layout.people)
    first = 0
    while first < len(layout):
        last = int(np.searchsorted(layout.starts, layout.starts[first] + AT_ONCE // values, side="right")) - 1
        last = max(first + 1, last)
        part = layout.part(first, last)
        people = part.members[part.starts[0] : part.starts[-1]]
        weights = fitted.weights(part, learned.cells_of(first, last))
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        known = np.flatnonzero(truth[people] >= 0)
        chance[people[known]] = weights[known, truth[people[known]]]
        guess[people] = (weights >= weights.max(axis=1, keepdims=True) * (1 - TIE)).argmax(axis=1)
        most[people] = most_of(weights, events)
        first = last
    return chance, guess, most


class Fitted:
    """What is believed of everybody, by column and value, and what values weigh by that for people of some groups."""

    def __init__(self, looks: tuple[Looks, ...], tables: list[Floats], totals: Floats, smoothing: float) -> None:
        self.looks, self.tables, self.totals, self.smoothing = looks, tables, totals, smoothing
        with np.errstate(divide="ignore"):
            self._values = np.log(totals)
        self._logs = [
            np.log(table + smoothing) - np.log(totals + smoothing * look.kinds)
            for look, table in zip(looks, tables, strict=True)
        ]

    def weights(self, part: Cells, cells: Floats) -> Floats:
        """What each value weighs, by what is believed of the people of all other groups.

        Only values that the own group has weigh otherwise than by what is believed of everybody.
        """
        values, distinct = len(self.totals), part.distinct
        people = part.members[part.starts[0] : part.starts[-1]]
        group = np.repeat(np.arange(len(part)), part.sizes)
        weights = np.repeat(self._values[None, :], len(people), axis=0)
        for look, logs in zip(self.looks, self._logs, strict=True):
            weights += logs[look.keys[people]]
        person = np.repeat(np.arange(len(people)), distinct[group])  # of each cell, in the order of the cells
        first = (part.value_starts[:-1] - part.value_starts[0])[group] - np.cumsum(distinct[group]) + distinct[group]
        entry = part.value_starts[0] + np.arange(len(cells)) + first[person]
        code = part.codes[entry]
        others = np.maximum(self.totals[code] - part.counts[entry], 0.0)
        with np.errstate(divide="ignore"):
            own = np.log(others)
        for look, table in zip(self.looks, self.tables, strict=True):
            keys = look.keys[people]
            looking, alike = np.unique(group * look.kinds + keys, return_inverse=True)
            place = alike.ravel()[person] * values + code
            mine = np.bincount(place, cells, len(looking) * values)[place]
            believed = np.maximum(table[keys[person], code] - mine, 0.0)
            own += np.log((believed + self.smoothing) / (others + self.smoothing * look.kinds))
        weights[person, code] = own
        weights -= weights.max(axis=1, keepdims=True)
        found: Floats = np.exp(np.nan_to_num(weights, copy=False, nan=-np.inf, neginf=-np.inf), out=weights)
        return found
