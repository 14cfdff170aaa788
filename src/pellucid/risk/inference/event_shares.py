"""Groups that look at one event, such as having any of the protected values: how likely is it, and what follows.

Which of the values of the event somebody has goes by how often each occurs in the group, and so it does for the values
outside of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.models import Groups
from pellucid.risk.inference.best_guess import TIE
from pellucid.risk.inference.group_signatures import Event

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EventShares:
    """How likely each of these rows has an event, at least and at most; ``groups`` has the group of each row."""

    event: Event
    published: Groups
    rows: Longs
    groups: NDArray[np.int32]
    has: Floats
    lower: Floats
    upper: Floats

    def largest(self) -> tuple[Floats, Floats, Floats]:
        """The largest share of a value, and its lower and upper end."""
        inside, outside = self._shares(self.event.largest, self.event.largest_other)
        most, least, at_most = (
            np.maximum(event * inside, (1 - lacking) * outside)
            for event, lacking in ((self.has, self.has), (self.lower, self.upper), (self.upper, self.lower))
        )
        return most, least, at_most

    def chances(self, codes: Longs) -> Floats:
        """How likely each row has one of these values."""
        asked = np.isin(self.published.codes, codes)
        inside, outside = self._shares(*self.event.rows(np.where(asked, self.published.counts, 0), self.published))
        return np.asarray(self.has * inside + (1 - self.has) * outside)

    def guesses(self) -> Codes:
        """The likeliest value of each row, by :func:`pellucid.risk.inference.best_guess.best_place`.

        That is the first of the most frequent ones of the event or of the others; of both, where they are as likely.
        """
        inside, outside = self._shares(self.event.largest, self.event.largest_other)
        with_event, without = self.has * inside, (1 - self.has) * outside
        enough = np.maximum(with_event, without) * (1 - TIE)
        first, other = (code[self.groups] for code in self.event.most_frequent(self.published))
        likeliest = np.where(with_event >= enough, first, other)
        return np.where((with_event >= enough) & (without >= enough), np.minimum(first, other), likeliest)

    def _shares(self, having: Longs, others: Longs) -> tuple[Floats, Floats]:
        """For each row how much of the event, and of what is outside of it, so many rows of its group are."""
        positives, sizes = self.event.positives, self.published.sizes
        inside, outside = having / np.maximum(positives, 1), others / np.maximum(sizes - positives, 1)
        return inside[self.groups], outside[self.groups]
