"""The groups of which an adversary believes most, each with the reasoning about its most exposed person."""

from __future__ import annotations

import numpy as np

from pellucid.attacking.telling.report import Attempt, Worst, described
from pellucid.text.figures import probability


def worst_groups(attempt: Attempt, most: int = 5) -> list[tuple[float, Worst]]:
    """The groups with the largest beliefs, worst first: the belief, the group, and why, in words.

    Of groups that are published alike the worst is told, once.
    Where it is not certain who is in which group, only the worst person of all is told.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["algorithm"], **roles)
    >>> [(belief, found.size, found.person) for belief, found in worst_groups(report.attempts[0], most=2)]
    [(0.5, 4, 'Ann'), (0.5, 2, 'Ed')]
    """
    evidence = attempt.beliefs.evidence
    if evidence.membership is not None:
        return [(attempt.max_risk, attempt.worst)]
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
        worst_first.append((float(risks[group]), worst))
    return worst_first


def tie_words(attempt: Attempt, shown: int) -> str:
    """How many groups share the largest belief where they are more than one; empty otherwise, or where it is unknown.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["algorithm"], **roles)
    >>> tie_words(report.attempts[0], 2)
    'The largest belief, 0.5, is the same in 3 of 3 groups; 2 of them are shown, none is worse than another.'
    """
    if attempt.beliefs.evidence.membership is not None:
        return ""
    risks, alike = attempt.by_group(), attempt.beliefs.evidence.alike
    most = float(risks.max(initial=0.0))
    tied, all_told = len(np.unique(alike[risks >= most * (1 - 1e-9)])), len(np.unique(alike))
    if tied <= 1:
        return ""
    those = "all are shown" if tied <= shown else f"{shown:,} of them are shown"
    groups = "groups" if all_told == len(risks) else "groups that a reader can tell apart"
    return (
        f"The largest belief, {probability(most)}, is the same in {tied:,} of {all_told:,} {groups}; {those}, none is "
        "worse than another."
    )
