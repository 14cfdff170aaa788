"""Who is above 1/l before the release: an attacker with knowledge of their own may believe much that it did not tell.

Who knows the distribution of diseases by birth date, where nearly every birth date is one person's, has the truth
already. That they are above 1/l is no finding about the release; of whom they were not before, is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.risk.report.attack_report import Attempt
from pellucid.risk.verdict import ROUNDING


def newly_above(attempt: Attempt) -> NDArray[np.int64]:
    """The people above 1/l who were not above it before; all of them where nothing was known before."""
    before, rows = attempt.beliefs.before, attempt.above
    if before is None or attempt.bound is None:
        return rows
    allowed = attempt.bound if attempt.own is None else attempt.own[rows]
    return rows[before[rows] <= allowed * ROUNDING]


def most_gained(attempt: Attempt) -> float:
    """The largest belief of those newly above 1/l; the largest at all where there is none, or no l."""
    rows = newly_above(attempt)
    return float(min(1.0, attempt.risk[rows].max())) if len(rows) else attempt.max_risk
