"""With a prior by which people differ: an arrangement weighs what its people weigh, times how the method made it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Adversary, Distribution, Learned
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.facts import Fact, Has, Not
from pellucid.attacking.inference.beliefs import Beliefs, Floats
from pellucid.attacking.inference.group_posterior import Inference, Posteriors
from pellucid.attacking.inference.priors import beliefs_by_weights, learn, one_group, weights_of
from pellucid.errors import AttackError
from pellucid.posterior.shape import Blurred, Likelihood, Plain, raised
from pellucid.progress import Progress

Longs = NDArray[np.int64]


def by_prior(
    evidence: Evidence,
    adversary: Adversary,
    likelihood: Likelihood,
    statistics: NDArray[np.int32] | None,
    budget: int,
    progress: Progress,
) -> Beliefs:
    """What somebody with a learned or measured prior believes.

    A learned prior is learned from the release alone; facts then leave the worlds in which they hold.
    """
    prior = adversary.prior
    if isinstance(prior, Learned):
        weighed = _learned(evidence, prior, progress)
    else:
        assert isinstance(prior, Distribution)
        weighed = _distributed(evidence, prior, statistics, budget)
    posterior = weighed.posterior
    inference = Inference(evidence, likelihood, False, budget, prior=weighed.weights)
    counted = _with_facts(inference, adversary.facts, weighed)
    for group in range(len(evidence.grouping)):
        if group not in counted and not _told_by_counts(likelihood, [group]):
            counted |= inference.with_facts([group], [])
    _raise_the_others(posterior, inference, counted)
    _write(posterior, evidence, counted)

    def posterior_of(row: int) -> dict[Any, Any]:
        if evidence.grouping.labels[row] < 0:
            return {}
        codes, _ = evidence.counts(int(evidence.grouping.labels[row]))
        return {evidence.values[c]: float(posterior[row, c]) for c in codes.tolist()}

    def reason_of(row: int) -> str:
        about = [str(fact) for fact in adversary.facts if inference.about(fact, int(evidence.grouping.labels[row]))]
        return weighed.reason + (f", and it is known that {', and '.join(about)}" if about else "")

    def chance_of(codes: Longs) -> Floats:
        return np.asarray(posterior[:, codes].sum(axis=1))

    return Beliefs(
        adversary,
        evidence,
        risk=np.minimum(posterior.max(axis=1), 1.0),  # sums of floats may be a rounding above it
        engine=f"{weighed.how}; {'permanents' if weighed.exact else 'large groups approximately, by scaling'}",
        posterior_of=posterior_of,
        reason_of=reason_of,
        notes=evidence.notes,
        chance_of=chance_of,
        before=weighed.before,
        # who learns is defined by how: this is what that attacker believes, however large groups are scaled
        exactness=Exactness.EXACT if weighed.exact or isinstance(prior, Learned) else Exactness.UNKNOWN,
    )


@dataclass(frozen=True, eq=False)
class _Weighed:
    """Everybody's posterior [person, code] by a prior and the counts of groups, and the prior's own weights."""

    posterior: Floats
    weights: Floats
    exact: bool
    how: str
    reason: str
    before: Floats | None = None


def _learned(evidence: Evidence, prior: Learned, progress: Progress) -> _Weighed:
    posterior, weights, exact = learn(evidence, prior, progress)
    how = f"naive Bayes, {prior.iterations} iterations"
    reason = "it learned from all groups of the release which values people who look like this one have"
    return _Weighed(posterior, weights, exact, how, reason)  # nothing before: what is learned is of the release


def _distributed(
    evidence: Evidence, prior: Distribution, statistics: NDArray[np.int32] | None, budget: int
) -> _Weighed:
    weights = weights_of(evidence, prior, statistics)
    counting = weights if evidence.protected is None else weights[:, evidence.protected]
    before = np.asarray(counting.max(axis=1))  # as the risk is: a likely value that does not count is no finding
    posterior, exact = beliefs_by_weights(evidence, weights, exactly=True, budget=budget)
    how = f"distribution by {', '.join(prior.attributes)}"
    reason = "the distribution says which values people like this one have, and the others of the group"
    return _Weighed(posterior, weights, exact, how, reason, before)


def _told_by_counts(likelihood: Likelihood, groups: Iterable[int]) -> bool:
    """Whether nothing but the counts of these groups tells what their people have."""
    return all(isinstance(likelihood.shapes[likelihood.of_group[group]], Plain | Blurred) for group in groups)


def _with_facts(inference: Inference, facts: Sequence[Fact], weighed: _Weighed) -> Posteriors:
    """The posteriors of the groups that facts are about; of facts about single people they are written at once."""
    labels = inference.evidence.grouping.labels
    simple = [fact for fact in facts if isinstance(fact, Has | Not)]
    concerned = {int(labels[row]) for fact in simple for row in inference.people_of(fact)}
    if len(simple) < len(facts) or -1 in concerned or not _told_by_counts(inference.likelihood, concerned):
        return inference.concerned(facts)
    weights = _without_excluded(inference, simple, weighed.weights)
    for group in concerned:
        try:
            members = inference.evidence.members(group)
            weighed.posterior[members] = one_group(inference.evidence, weights, group, inference.budget)
        except AttackError as wrong:
            known = "; ".join(str(fact) for fact in simple if inference.about(fact, group))
            raise AttackError(f"given that {known}: {wrong.advice.marked}") from None
    return {}


def _without_excluded(inference: Inference, facts: Sequence[Has | Not], weights: Floats) -> Floats:
    """The weights with a 0 for what a fact excludes."""
    evidence = inference.evidence
    weights = weights.copy()
    codes = np.arange(len(evidence.values))
    for fact in facts:
        row = inference.people_of(fact)[0]
        weights[row, (codes == evidence.code(fact.value)) != isinstance(fact, Has)] = 0.0
    return weights


def _raise_the_others(posterior: Floats, inference: Inference, counted: Posteriors) -> None:
    """The most that can be believed of whoever is in no counted group, where arrangements are not equally likely."""
    if inference.bounded:
        labels = inference.evidence.grouping.labels
        inside = np.flatnonzero((labels >= 0) & ~np.isin(labels, list(counted)))
        posterior[inside] = raised(posterior[inside], inference.ratios[labels[inside], None])


def _write(posterior: Floats, evidence: Evidence, counted: Posteriors) -> None:
    for group, of_people in counted.items():
        for row, shares in zip(evidence.members(group).tolist(), of_people, strict=True):
            posterior[row] = 0.0
            for value, share in shares.items():
                posterior[row, evidence.code(value)] = float(share)
