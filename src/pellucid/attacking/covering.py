"""Whom a promise covers: the one place that says so, for every page, report and comparison.

A promise "at most 1/l" is about what somebody believes who reasons rightly from what they know. *Covered* are those who
know no more than the promise allows. *Mistaken* is who assumes that nothing was generalised without need (minimality)
where the promise holds against whoever knows the algorithm: such a method does generalise without need, so that what
follows from the assumption may be firm and wrong, and is no probability of being right. Everybody else is *outside*:
who learns from the release what is typical, who knows from elsewhere how values are distributed, and who knows more of
the method than a weaker promise allows.
"""

from __future__ import annotations

from typing import Literal

from pellucid.attacking.adversary import Adversary

Coverage = Literal["covered", "mistaken", "outside"]

COVERED: dict[str, tuple[str, ...]] = {
    "frequency": ("nothing",),
    "minimality": ("nothing", "minimality"),
    "algorithm": ("nothing", "algorithm"),
}
TITLES: dict[Coverage, str] = {
    "covered": "Covered by the promise",
    "mistaken": "Mistaken about the method: what they believe may be firm and wrong",
    "outside": "Not covered: nothing is promised about them",
}
RISK = "largest belief about anybody, of the attackers who know the release or the method"


def coverage(claim: str, adversary: Adversary) -> Coverage:
    """How an adversary stands to a guarantee.

    >>> coverage("algorithm", Adversary(knows="algorithm")), coverage("frequency", Adversary(knows="algorithm"))
    ('covered', 'outside')
    >>> coverage("algorithm", Adversary(knows="minimality"))
    'mistaken'
    """
    return coverage_of(claim, adversary.knows, more=bool(adversary.facts) or adversary.prior != "uniform")


def coverage_of(claim: str, knows: str, *, more: bool) -> Coverage:
    """The same by what somebody knows of the method, and whether they have facts or a prior of their own besides."""
    if more:
        return "outside"
    if claim == "algorithm" and knows == "minimality":
        return "mistaken"
    return "covered" if knows in COVERED.get(claim, ()) else "outside"
