"""The groups of which an adversary believes most, each with the reasoning about its most exposed person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.risk.report.attack_report import Attempt, Worst, described
from pellucid.risk.report.undecided import unknown_people


@dataclass(frozen=True)
class WorstGroup:
    """A group with the largest belief about anybody in it, whether that is known, and its most exposed person.

    ``alike`` is how many groups are published as this one is, itself among them.
    """

    belief: float
    known: bool
    alike: int
    worst: Worst


def worst_groups(attempt: Attempt, most: int = 5) -> list[WorstGroup]:
    """The groups with the largest beliefs, worst first.

    Of groups that are published alike the worst is told, once.
    Where it is not certain who is in which group, only the worst person of all is told.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["algorithm"], **roles)
    >>> [(one.belief, one.worst.size, one.worst.person) for one in worst_groups(report.attempts[0], most=2)]
    [(0.5, 4, 'Ann'), (0.5, 2, 'Ed')]
    """
    evidence = attempt.beliefs.evidence
    if evidence.membership is not None:
        return [_group(attempt, attempt.max_risk, attempt.worst)]
    risks = attempt.by_group()
    worst_first = []
    for group in attempt.worst_told_apart(most):
        members = evidence.members(group)
        if not len(members):
            continue
        row = int(members[attempt.risk[members].argmax()])
        person = evidence.names[row] if evidence.names is not None else row
        worst = Worst(
            evidence.name_of(row),
            group,
            int(evidence.published.sizes[group]),
            described(attempt.rows or evidence, group),
            evidence.published.of_group(group),
            attempt.beliefs.explain(person),
        )
        worst_first.append(_group(attempt, float(risks[group]), worst))
    return worst_first


def _group(attempt: Attempt, belief: float, worst: Worst) -> WorstGroup:
    alike = attempt.beliefs.evidence.alike
    several = 1 if worst.group is None else int((alike == alike[worst.group]).sum())
    return WorstGroup(belief, not _hidden(attempt, worst.group), several, worst)


@dataclass(frozen=True)
class Tie:
    """How many groups share the largest belief, of all that a reader can tell apart; these may be all ``groups``."""

    belief: float
    tied: int
    told_apart: int
    groups: int


def tie_of(attempt: Attempt) -> Tie | None:
    """The groups that share the largest belief; None where it is one, or not known which.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["algorithm"], **roles)
    >>> tie_of(report.attempts[0])
    Tie(belief=0.5, tied=3, told_apart=3, groups=3)
    """
    if attempt.beliefs.evidence.membership is not None:
        return None
    risks, alike = attempt.by_group(), attempt.beliefs.evidence.alike
    most = float(risks.max(initial=0.0))
    tied = len(np.unique(alike[risks >= most * (1 - 1e-9)]))
    return Tie(most, tied, len(np.unique(alike)), len(risks)) if tied > 1 else None


def _hidden(attempt: Attempt, group: int | None) -> bool:
    """Whether the largest belief in a group is not known: of somebody in it nothing is shown, and nobody is certain."""
    unknown, lower = unknown_people(attempt), attempt.beliefs.lower
    members = attempt.beliefs.evidence.grouping.labels == group
    return bool(unknown[members].any()) and not (lower is not None and bool((lower[members] >= 1).any()))
