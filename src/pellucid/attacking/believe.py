"""The way from what was gathered to beliefs: which engine answers, and which one is tried next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.beliefs import Beliefs, shown
from pellucid.attacking.by_worlds import Contradicted, by_worlds
from pellucid.attacking.evidence import Evidence, Gathered
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
    """What is believed of the values that the promise is about: all of them, or those that the method protects."""
    return as_promised(_believe(found, adversary, exact=exact, budget=budget, progress=progress))


def as_promised(beliefs: Beliefs) -> Beliefs:
    """The risk in protected values alone; and the proved bound where groups tell the informed more than frequencies.

    Figures of other values stay in the posterior, and a note says that they do not count.
    """
    evidence = beliefs.evidence
    about, method = evidence.protected, evidence.method
    informed = beliefs.adversary.knows == "algorithm" and method is not None and method.at_most is not None
    if about is None and not informed:
        return beliefs
    risk, lower, upper, notes = beliefs.risk, beliefs.lower, beliefs.upper, beliefs.notes
    if about is not None:
        named = [evidence.values[code] for code in about.tolist()]
        chances = [beliefs.belief(value) for value in named]
        risk = np.max(chances, axis=0) if chances else np.zeros(len(risk))
        lower = None if lower is None else np.minimum(lower, risk)
        notes += (others_note(evidence, named, risk),)
    if informed and beliefs.adversary.prior == "uniform" and not beliefs.adversary.facts:
        assert method is not None
        bound = float(method.at_most or 1)
        lower = risk if lower is None else lower
        upper = np.where(risk > 0, np.maximum(risk, bound), risk)
        together = "groups may be put together of several: what somebody believes who tells them apart is"
        notes += (f"{together} bounded by {method.at_most}, not computed",)
    elif informed:
        notes += ("every arrangement inside a group is taken as equally likely, which is not exact for this method",)
    return replace(beliefs, risk=risk, lower=lower, upper=upper, notes=notes)


def others_note(evidence: Evidence, named: Sequence[Any], risk: NDArray[np.float64]) -> str:
    """That other values do not count, and of how many people it is certain that they have no protected one."""
    free = int((evidence.inside & (risk <= 0)).sum())
    said = "counts alone" if len(named) == 1 else "count alone"
    known = f"; {free:,} people are known to have another one, which nothing is promised about" if free else ""
    return f"{' and '.join(map(shown, named)) or 'no value'} of {evidence.attribute.name} {said}{known}"


def _believe(
    found: Gathered,
    adversary: Adversary,
    *,
    exact: bool,
    budget: int,
    progress: Progress,
) -> Beliefs:
    """By an exact engine where one applies; otherwise by trying worlds, or by walking through them."""
    evidence = found.evidence
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
