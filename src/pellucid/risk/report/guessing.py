"""What an attack found out about those who guess: :class:`pellucid.core.guessing.Guessing` of a report."""

from __future__ import annotations

from pellucid.core.guessing import COVERED_BY_NONE, Guessing
from pellucid.risk.adversary import Adversary, Learned
from pellucid.risk.report.attack_report import MOST_SCORED, AttackReport
from pellucid.risk.report.undecided import is_unknown
from pellucid.risk.views import Evidence

__all__ = ["COVERED_BY_NONE", "LEARNER", "Guessing", "guessing_of"]

LEARNER = Adversary(prior=Learned()).name
COUNTER = Adversary().name


def guessing_of(report: AttackReport, claim: str) -> Guessing:
    """What an attack found out about those who guess; ``claim`` is the guarantee of the release.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> guessing_of(pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["learned"]), "algorithm").frequent
    0.25
    """
    learner = next((attempt for attempt in report.attempts if attempt.name == LEARNER), None)
    learned = None if learner is None or is_unknown(learner) else learner.accuracy
    counted = next(
        (attempt.accuracy for attempt in report.attempts if attempt.name == COUNTER and not is_unknown(attempt)), None
    )
    why = "" if learned is not None else _why_not(report)
    evidence = report.evidence
    name, withheld = evidence.attribute.name, evidence.rows_withheld
    return Guessing(name, report.by_guessing, learned, why, claim, counted, withheld, _if_told(evidence))


def _if_told(evidence: Evidence) -> float | None:
    """How often at least somebody is right who counts in the groups and is told who is in which; None: it is not known.

    What reads as one group may be several: who is told which guesses no worse in each of them. Where published values
    may not be the true ones, their counts tell nothing of it.
    """
    if evidence.membership is None or evidence.distorted:
        return None
    return float(evidence.published.largest.sum() / max(evidence.published.rows, 1))


def _why_not(report: AttackReport) -> str:
    """Why it is not known how often the learner is right."""
    missed = next((one.why for one in report.missed if one.name == LEARNER), None)
    if missed is not None:
        return missed
    if not any(one.name == LEARNER for one in report.attempts):
        return "it was not tried"
    if not report.scored:
        return "only the true table tells"
    if len(report.evidence.people) > MOST_SCORED:
        return f"guesses are scored for up to {MOST_SCORED:,} people"
    return "nothing is shown about them"
