"""How often an attacker with statistics is right: by these alone, with the release, and about those it is sure of.

Accuracy over everybody says little of a rare value: an attacker who is right about 42 % of those whom it believes to
have what 6 % have has learned much, though always naming the most frequent value is right more often.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.telling.report import Attempt
from pellucid.records import record


@record()
class Rightly:
    """What an attacker makes of the ``people`` in the table, beside what it makes of them without the release.

    - ``mean`` is the probability that it gives to the true value, on average; ``right`` how often its best guess is;
    - ``mean_alone`` and ``right_alone`` are the same by its statistics alone, ``mean_column`` and ``right_column`` by
      the distribution of the column alone, which is the baseline;
    - of ``believed`` people it believes a value above the bound, of ``correct`` of them rightly, and ``base`` is the
      share that the values so believed have in the table; None where there is no bound, or several values count.
    """

    people: int
    mean: float
    right: float
    mean_column: float
    right_column: float
    mean_alone: float | None = None
    right_alone: float | None = None
    believed: int | None = None
    correct: int | None = None
    base: float | None = None


def rightly(attempt: Attempt) -> Rightly | None:
    """What is known of it; None where there is no truth, or it is open who is in which group."""
    beliefs, evidence = attempt.beliefs, attempt.beliefs.evidence
    scoring = beliefs.scoring
    if scoring is None or beliefs.guesses is None or evidence.membership is not None:
        return None
    rows = np.flatnonzero((scoring.truth >= 0) & evidence.inside)
    if not len(rows):
        return None
    truth, guesses = scoring.truth[rows], beliefs.guesses()
    shares = np.bincount(truth, minlength=len(evidence.values)) / len(rows)
    alone: tuple[float | None, float | None] = (None, None)
    if scoring.alone is not None and scoring.guess is not None:
        alone = float(scoring.alone[rows].mean()), float((scoring.guess[rows] == truth).mean())
    mean, right = float(scoring.chance[rows].mean()), float((guesses[rows] == truth).mean())
    column = float((shares**2).sum()), float(shares.max())
    believed, correct, base = _above(attempt, rows, shares)
    return Rightly(len(rows), mean, right, *column, *alone, believed, correct, base)


def _above(
    attempt: Attempt, rows: NDArray[np.int64], shares: NDArray[np.float64]
) -> tuple[int | None, int | None, float | None]:
    """Of how many people more is believed than is allowed, and of how many of them rightly."""
    allowed, scoring, evidence = attempt.allowed, attempt.beliefs.scoring, attempt.beliefs.evidence
    if allowed is None or scoring is None:
        return None, None, None
    above = np.intersect1d(attempt.above, rows)
    if evidence.as_one:  # what is scored is the belief in the true value alone
        return len(above), None, None
    protected = evidence.protected
    truth = scoring.truth[above]
    counts = np.ones(len(above), np.bool_) if protected is None else np.isin(truth, protected)
    limit = np.broadcast_to(allowed, len(scoring.truth))[above]
    correct = int((counts & (scoring.chance[above] > limit * (1 + 1e-9))).sum())
    base = None
    if len(above) and protected is None and attempt.beliefs.guesses is not None:
        base = float(shares[attempt.beliefs.guesses()[above]].mean())
    elif protected is not None and len(protected) == 1:
        base = float(shares[protected[0]])
    return len(above), correct, base
