"""Which figures of attackers who guess may carry a headline: those that rest on many people and beat a plain guess.

The distribution by a column, which an attacker is taken to know, was measured on the true table. Where a value of that
column belongs to a handful of people, it is nearly their secret itself, and being sure of them says nothing about the
release. And whoever is right about those people no more often than the values that they believe are frequent is bold,
not informed. Both stay in the tables of figures; no summary rests on them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.risk.adversary import Distribution
from pellucid.risk.inference.priors import looks_by
from pellucid.risk.report.attack_report import AttackReport, Attempt
from pellucid.risk.report.baseline_risk import most_gained, newly_above
from pellucid.risk.views import Evidence

HANDFUL = 20  # people who share a value: a distribution that was measured on fewer is about them, and no statistic
PER_VALUE = 5  # and so many for each sensitive value, the usual rule for counts that are to say something


def enough(evidence: Evidence) -> int:
    """How many people must share a value of a column for the distribution among them to be a statistic."""
    return max(HANDFUL, PER_VALUE * int((evidence.published.table_counts > 0).sum()))


def supported(attempt: Attempt) -> NDArray[np.bool_]:
    """For everybody, whether what is believed of them rests on a statistic of :func:`enough` people.

    That is about the person's own value of the column and about those of the others in the group: what is known of them
    tells of the person too, so that one large value is not enough. Of an attacker who measured nothing on the true
    table it always does.
    """
    prior = attempt.beliefs.adversary.prior
    if not isinstance(prior, Distribution) or prior.probabilities is not None:
        return np.ones(len(attempt.risk), np.bool_)
    keys, _ = looks_by(attempt.beliefs.evidence, prior)
    _, place, sharing = np.unique(keys, return_inverse=True, return_counts=True)
    known = np.asarray(sharing[place] >= enough(attempt.beliefs.evidence))
    labels = attempt.beliefs.evidence.grouping.labels
    lone = np.zeros(int(labels.max(initial=-1)) + 2, np.bool_)  # the last is of people in no group
    lone[labels[~known & (labels >= 0)]] = True
    return np.asarray(known & ~lone[labels])


def telling(attempt: Attempt, known: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """The people above 1/l whom a headline may count: not above it before, and by a figure that is supported.

    ``known`` is what :func:`supported` says, for whoever has that already.
    """
    rows = newly_above(attempt)
    return rows[(supported(attempt) if known is None else known)[rows]]


def told_most(attempt: Attempt, known: NDArray[np.bool_] | None = None) -> float:
    """The largest belief that a headline may tell: of those whom it counts, else of anybody with support, or at all."""
    known = supported(attempt) if known is None else known
    rows = telling(attempt, known)
    if not len(rows):
        rows = np.flatnonzero(known)
    return float(min(1.0, attempt.risk[rows].max())) if len(rows) else most_gained(attempt)


def worth_nothing(attempt: Attempt, report: AttackReport) -> bool:
    """Whether somebody with a prior of their own is sure of people, and right about them no more often than by chance.

    By chance: as often as the values that they believe are frequent. Where that is not known, guesses about everybody
    are compared with the most frequent value.
    """
    found = attempt.rightly
    one = len(attempt.beliefs.evidence.events) == 1 or attempt.beliefs.evidence.protected is None
    if one and found is not None and found.believed and found.correct is not None and found.base is not None:
        return found.correct <= found.base * found.believed
    sure = attempt.beliefs.adversary.prior != "uniform" and (attempt.bound is None or bool(len(newly_above(attempt))))
    return sure and attempt.accuracy is not None and attempt.accuracy <= report.by_guessing


def few_people(attempt: Attempt, known: NDArray[np.bool_] | None = None) -> bool:
    """Whether all that an attacker is newly sure of is about values that a handful of people have."""
    known = supported(attempt) if known is None else known
    if attempt.bound is None:
        return not bool(known[attempt.beliefs.evidence.inside].any())
    return bool(len(newly_above(attempt))) and not len(telling(attempt, known))


def sharing(attempt: Attempt) -> int | None:
    """About how many people have each value of the columns of a distribution; None where it was not measured."""
    prior = attempt.beliefs.adversary.prior
    if not isinstance(prior, Distribution) or prior.probabilities is not None:
        return None
    people, kinds = attempt.beliefs.evidence.people, 1
    if not prior.attributes:
        kinds = looks_by(attempt.beliefs.evidence, prior)[1]
    for i in people.having(Role.QUASI):
        kinds *= len(people.attributes[i]) if people.attributes[i].name in prior.attributes else 1
    return max(1, round(len(people) / kinds))
