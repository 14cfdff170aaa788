"""People about whom an attack shows nothing: an adversary may believe anything of them, from 0 to 1.

They are taken as exposed wherever a verdict depends on them. But that is caution and no finding, so no page shows it
as a figure: it says that it is not known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.risk.report.attack_report import Attempt


def unknown_people(attempt: Attempt) -> NDArray[np.bool_]:
    """For everybody, whether nothing is shown about them."""
    lower, upper = attempt.beliefs.lower, attempt.beliefs.upper
    if lower is None or upper is None:
        return np.zeros(len(attempt.beliefs.counted), np.bool_)
    return np.asarray((lower <= 0) & (upper >= 1))


def is_unknown(attempt: Attempt) -> bool:
    """Whether it is not known how much this adversary believes of somebody."""
    return bool(unknown_people(attempt).any())


def surely_exceeds(attempt: Attempt) -> bool | None:
    """Whether more than 1/l is believed of anybody as far as that is known; None where there is no l, or unknown.

    A bound from above that is above 1/l tells neither, nor does an estimate by a lot. Another figure without bounds is
    what this adversary believes.
    """
    if attempt.standing is None or attempt.standing.holds is not None:
        return None if attempt.standing is None else not attempt.standing.holds
    beliefs = attempt.beliefs
    exact = beliefs.lower is None and beliefs.upper is None and not beliefs.by_lot
    return True if exact and attempt.exceeds else None
