"""The way from what was gathered to beliefs: which engine answers, and which one is tried next."""

from __future__ import annotations

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.beliefs import Beliefs
from pellucid.attacking.by_worlds import Contradicted, by_worlds
from pellucid.attacking.evidence import Gathered
from pellucid.attacking.infer import infer
from pellucid.attacking.steering import require_known, told_apart_by_method
from pellucid.attacking.uncertain import NoLaw
from pellucid.errors import AttackError
from pellucid.posterior.exclusion import BUDGET
from pellucid.progress import SILENT, Progress


def believe(
    found: Gathered,
    adversary: Adversary,
    *,
    exact: bool = False,
    budget: int = BUDGET,
    progress: Progress = SILENT,
) -> Beliefs:
    """By an exact engine where one applies; otherwise by trying worlds, or by walking through them."""
    evidence = found.evidence
    evidence.check(adversary.facts)
    require_known(evidence, adversary)
    if evidence.lookalikes is not None and not evidence.anonymous:
        evidence = told_apart_by_method(evidence, adversary)
    if evidence.membership is not None and adversary.knows == "algorithm" and evidence.method is not None:
        try:  # who is in the table is a part of what whoever knows the method infers
            return by_worlds(evidence, adversary, exact=exact, progress=progress)
        except Contradicted:
            raise
        except AttackError:
            pass  # out of reach; the chances of groups follow
    try:
        return infer(evidence, adversary, exact=exact, budget=budget, progress=progress, statistics=found.truth)
    except NoLaw:
        if adversary.knows != "algorithm" or evidence.membership is not None or evidence.anonymous:
            raise
    return by_worlds(evidence, adversary, truth=found.truth, exact=exact, progress=progress)
