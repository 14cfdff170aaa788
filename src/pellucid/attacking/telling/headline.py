"""Which figures of attackers who guess may carry a headline: those that rest on many people and beat a plain guess.

The distribution by a column, which an attacker is taken to know, was measured on the true table. Where a value of that
column belongs to a handful of people, it is nearly their secret itself, and being sure of them says nothing about the
release. And whoever is right no more often than somebody who always guesses the most frequent value is bold, not
informed. Both stay in the tables of figures; no summary rests on them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Distribution
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.telling.prior_exposure import most_gained, newly_above
from pellucid.attacking.telling.report import AttackReport, Attempt
from pellucid.schema import Role

HANDFUL = 20  # people who share a value: a distribution that was measured on fewer is about them, and no statistic
PER_VALUE = 5  # and so many for each sensitive value, the usual rule for counts that are to say something
NAMED = 2  # attackers who are named one by one


def enough(evidence: Evidence) -> int:
    """How many people must share a value of a column for the distribution among them to be a statistic."""
    return max(HANDFUL, PER_VALUE * int((evidence.published.table_counts > 0).sum()))


def supported(attempt: Attempt) -> NDArray[np.bool_]:
    """For everybody, whether what is believed of them rests on a statistic of :func:`enough` people.

    That is about the person's own value of the column and about those of the others in the group: what is known of them
    tells of the person too, so that one large value is not enough. Of an attacker who measured nothing on the true
    table it always does.
    """
    prior, people = attempt.beliefs.adversary.prior, attempt.beliefs.evidence.people
    if not isinstance(prior, Distribution) or prior.probabilities is not None:
        return np.ones(len(attempt.risk), np.bool_)
    keys = np.zeros(len(people), np.int64)
    for i in people.having(Role.QUASI):
        if people.attributes[i].name in prior.attributes:
            keys = keys * len(people.attributes[i]) + people.codes[i]
    _, place, sharing = np.unique(keys, return_inverse=True, return_counts=True)
    known = np.asarray(sharing[place] >= enough(attempt.beliefs.evidence))
    labels = attempt.beliefs.evidence.grouping.labels
    lone = np.zeros(int(labels.max(initial=-1)) + 2, np.bool_)  # the last is of people in no group
    lone[labels[~known & (labels >= 0)]] = True
    return np.asarray(known & ~lone[labels])


def telling(attempt: Attempt) -> NDArray[np.int64]:
    """The people above 1/l whom a headline may count: not above it before, and by a figure that is supported."""
    rows = newly_above(attempt)
    return rows[supported(attempt)[rows]]


def told_most(attempt: Attempt) -> float:
    """The largest belief that a headline may tell: of those whom it counts, else of anybody with support, or at all."""
    rows = telling(attempt)
    if not len(rows):
        rows = np.flatnonzero(supported(attempt))
    return float(min(1.0, attempt.risk[rows].max())) if len(rows) else most_gained(attempt)


def worth_nothing(attempt: Attempt, report: AttackReport) -> bool:
    """Whether somebody with a prior of their own is sure of people, and right no more often than by the usual guess."""
    sure = attempt.beliefs.adversary.prior != "uniform" and (attempt.bound is None or bool(len(newly_above(attempt))))
    return sure and attempt.accuracy is not None and attempt.accuracy <= report.by_guessing


def few_people(attempt: Attempt) -> bool:
    """Whether all that an attacker is newly sure of is about values that a handful of people have."""
    if attempt.bound is None:
        return not bool(supported(attempt)[attempt.beliefs.evidence.inside].any())
    return bool(len(newly_above(attempt))) and not len(telling(attempt))


def carries(attempt: Attempt, report: AttackReport) -> bool:
    """Whether a headline may rest on an attacker's figures; those who are above nothing are no headline."""
    return not worth_nothing(attempt, report) and not few_people(attempt)


def few_words(evidence: Evidence) -> str:
    """How few people share a value, and how many there must be for a statistic."""
    why = f"{PER_VALUE} for each value of {evidence.attribute.name}, and at least {HANDFUL}"
    return f"fewer than {enough(evidence):,} people who share a value ({why}, make a statistic)"


def why_aside(attempt: Attempt, report: AttackReport) -> str:
    """Why no headline counts an attacker, as an end of a sentence about them; empty where it does."""
    if few_people(attempt):
        return f"these figures rest on {few_words(report.evidence)}"
    return "such guesses are no better than naming the most frequent value" if worth_nothing(attempt, report) else ""


def aside_words(attempts: Sequence[Attempt], report: AttackReport) -> str:
    """Those on whom a headline does not rest, with the reason; empty without any."""
    few = [attempt for attempt in attempts if few_people(attempt)]
    vain = [attempt for attempt in attempts if worth_nothing(attempt, report) and attempt not in few]
    reasons = [f"{_named(few)}, whose figures rest on {few_words(report.evidence)}"] if few else []
    guess = "guesses" if len(vain) == 1 else "guess"
    reasons += [f"{_named(vain)}, who {guess} no better than by the most frequent value"] if vain else []
    return f"Not counted in this: {'; and '.join(reasons)}." if reasons else ""


def _named(attempts: Sequence[Attempt]) -> str:
    if len(attempts) > NAMED:
        return f"{len(attempts)} others"  # beside those whom the sentence counts
    return " and ".join(f"somebody who {attempt.name}" for attempt in attempts)
