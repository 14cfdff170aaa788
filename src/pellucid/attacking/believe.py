"""The way from what was gathered to beliefs: which engine answers, and which one is tried next."""

from __future__ import annotations

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.beliefs import Beliefs
from pellucid.attacking.by_worlds import Contradicted, by_worlds
from pellucid.attacking.evidence import Gathered
from pellucid.attacking.infer import infer
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
    if not isinstance(adversary, Adversary):
        raise AttackError(f"adversary = {adversary!r}: must be one, as in pellucid.Adversary(knows='algorithm')")
    if not isinstance(budget, int) or budget < 1:
        raise AttackError(f"budget = {budget!r}: must be a whole number of steps, at least 1")
    evidence.check(adversary.facts)
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
