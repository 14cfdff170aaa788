"""Who is above 1/l before the release: an attacker with knowledge of their own may believe much that it did not tell.

Who knows the distribution of diseases by birth date, where nearly every birth date is one person's, has the truth
already. That they are above 1/l is no finding about the release; of whom they were not before, is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.telling.report import Attempt
from pellucid.attacking.verdict import ROUNDING

SEEING = "before seeing the release"


def newly_above(attempt: Attempt) -> NDArray[np.int64]:
    """The people above 1/l who were not above it before; all of them where nothing was known before."""
    before, rows = attempt.beliefs.before, attempt.above
    if before is None or attempt.bound is None:
        return rows
    return rows[before[rows] <= attempt.bound * ROUNDING]


def knew_before(attempt: Attempt) -> bool:
    """Whether somebody is above 1/l, and everybody who is was above it before."""
    return bool(attempt.exceeds) and not len(newly_above(attempt))


def most_gained(attempt: Attempt) -> float:
    """The largest belief of those newly above 1/l; the largest at all where there is none, or no l."""
    rows = newly_above(attempt)
    return float(min(1.0, attempt.risk[rows].max())) if len(rows) else attempt.max_risk


def before_words(attempt: Attempt) -> str:
    """What must be read beside the number of people above 1/l; empty where nobody was above it before."""
    known = len(attempt.above) - len(newly_above(attempt))
    if not known:
        return ""
    whom = "all of them" if known == len(attempt.above) else f"{known:,} of them"
    return f"{whom} already {SEEING}"


def before_sentence(attempts: Sequence[Attempt], limit: Fraction | None) -> str:
    """Those who believe more than 1/l only of people of whom they did before, in a sentence; empty without any."""
    names = [attempt.name for attempt in attempts if knew_before(attempt)]
    if not names:
        return ""
    who = "; who ".join(names)
    return (
        f"Already {SEEING}, somebody who {who} believed more than {limit} of each of those of whom they do now: that "
        "is no finding about it."
    )
