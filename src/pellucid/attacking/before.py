"""Who was as sure before: an attacker with knowledge of their own may believe much that the release did not tell.

Who knows the distribution of diseases by birth date, where nearly every birth date is one person's, has the truth
already. That they are sure is no news about the release; what counts is of whom they became surer by it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.suite import ROUNDING, Attempt

SEEING = "before seeing the release"


def newly_above(attempt: Attempt) -> NDArray[np.int64]:
    """The people above 1/l of whom this attacker was less sure before; all of them where nothing was known before."""
    before = attempt.beliefs.before
    rows = attempt.above
    return rows if before is None else rows[attempt.risk[rows] > before[rows] * ROUNDING]


def knew_before(attempt: Attempt) -> bool:
    """Whether somebody is above 1/l, and nobody of whom this attacker was less sure before."""
    return bool(attempt.exceeds) and not len(newly_above(attempt))


def most_gained(attempt: Attempt) -> float:
    """The largest belief above 1/l that was less before; the largest at all where there is none, or no l."""
    rows = newly_above(attempt)
    return float(min(1.0, attempt.risk[rows].max())) if len(rows) else attempt.max_risk


def before_words(attempt: Attempt) -> str:
    """What must be read beside the number of people above 1/l; empty where nobody was as surely known before."""
    known = len(attempt.above) - len(newly_above(attempt))
    if not known:
        return ""
    whom = "all of them" if known == len(attempt.above) else f"{known:,} of them"
    return f"of {whom} as sure {SEEING}"


def before_sentence(attempts: Sequence[Attempt]) -> str:
    """Those who believe nothing above 1/l that they did not believe before, in a sentence; empty without any."""
    names = [attempt.name for attempt in attempts if knew_before(attempt)]
    if not names:
        return ""
    if len(names) == 1:
        return f"Somebody who {names[0]} was as sure {SEEING}, so that theirs is no finding about it."
    who = "; who ".join(names)
    return f"These {len(names)} were as sure {SEEING}, so that theirs is no finding about it: somebody who {who}."
