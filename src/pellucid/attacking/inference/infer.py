"""From evidence and an adversary to beliefs: the one place where prior, knowledge of the method and facts meet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.advice import POPULATION, Note, NoteKind
from pellucid.attacking.adversary import Adversary, Distribution, Learned
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.facts import Has, Not
from pellucid.attacking.inference.beliefs import Beliefs, Floats
from pellucid.attacking.inference.by_membership_chance import by_chances
from pellucid.attacking.inference.group_posterior import Inference
from pellucid.attacking.inference.likelihoods import known_likelihood, order_matters
from pellucid.attacking.inference.priors import beliefs_by_weights, learn, one_group, weights_of
from pellucid.errors import AttackError
from pellucid.posterior.exclusion import BUDGET
from pellucid.posterior.shape import Blurred, Likelihood, Plain, raised
from pellucid.posterior.unordered import Loose
from pellucid.posterior.unsettled import Unsettled
from pellucid.posterior.walking import CONFIDENCE
from pellucid.progress import SILENT, Progress

Longs = NDArray[np.int64]
SEVERAL_WAYS = (
    "without an identifier the order of rows is a secret, and several ways of cutting may lead to these groups; give "
    "the identifier that ordered the rows, or publish with one"
)


def infer(
    evidence: Evidence,
    adversary: Adversary,
    *,
    exact: bool = False,
    budget: int = BUDGET,
    progress: Progress = SILENT,
    statistics: NDArray[np.int32] | None = None,
) -> Beliefs:
    """What the adversary believes. The truth is no argument, so it cannot be used.

    ``statistics`` is for a :class:`Distribution` without probabilities alone, which is measured on these codes.
    """
    if evidence.membership is not None:
        return by_chances(evidence, adversary)
    if evidence.anonymous and adversary.prior != "uniform":
        raise AttackError(
            "people differ by their quasi-identifiers, and nobody's are known", f"give everybody's with {POPULATION}"
        )
    likelihood = known_likelihood(evidence, adversary)
    if isinstance(adversary.prior, Learned | Distribution):
        return differing(evidence, adversary, likelihood, statistics, budget, progress)
    inference = Inference(evidence, likelihood, exact, budget)
    by_fact = inference.concerned(adversary.facts)
    risk, lower, upper = inference.risks(progress)
    for group, found in by_fact.items():
        for row, posterior in zip(evidence.members(group).tolist(), found, strict=True):
            risk[row] = float(max(posterior.values()))
            lower[row], upper[row] = inference.bounds.get(row, (risk[row], risk[row]))

    def posterior_of(row: int) -> dict[Any, Any]:
        group = int(evidence.grouping.labels[row])
        if group < 0:
            return {}
        if group in by_fact:
            place: int = evidence.members(group).tolist().index(row)
            return by_fact[group][place]
        return inference.share(group, int(likelihood.part[row]))

    def reason_of(row: int) -> str:
        group = int(evidence.grouping.labels[row])
        if group in by_fact:
            named = [str(fact) for fact in adversary.facts if inference.about(fact, group)]
            return f"given that {', and '.join(named)}"
        if adversary.knows == "nothing":
            return "this attacker knows nothing of the method, and the frequency in the group is all there is"
        shape = inference.shape(group)
        posterior = posterior_of(row)
        value = max(posterior, key=lambda v: posterior[v])
        return shape.reason(int(likelihood.part[row]), value, inference.names(group))

    def chance_of(codes: NDArray[np.int64]) -> Floats:
        chances = inference.chances(codes)
        for group, found in by_fact.items():
            for row, posterior in zip(evidence.members(group).tolist(), found, strict=True):
                chances[row] = float(sum(posterior.get(evidence.values[c], 0) for c in codes.tolist()))
        return chances

    notes = evidence.notes
    exactness, given = Exactness.EXACT, ""
    lacking: tuple[str, ...] = ()
    if adversary.knows == "algorithm" and evidence.method is not None:
        # whoever is in no group was suppressed, unless it is known that they were not in the table at all
        hidden = (evidence.grouping.labels < 0) & (evidence.in_table is None)
        if evidence.method.suppresses and hidden.any():
            # what a suppressed end tells is not counted: nothing is claimed of these people
            risk[hidden] = upper[hidden] = 1.0
            exactness = Exactness.BOUND
            notes += (
                f"{int(hidden.sum()):,} people are in no group; what their suppression tells is not counted, so they "
                "are taken as exposed",
            )
        quiet = all(isinstance(shape, Plain | Blurred) for shape in likelihood.shapes)
        if evidence.people.order is None and any(isinstance(shape, Loose) for shape in likelihood.shapes):
            notes += ("without an identifier the order of rows is a secret: orders that fit are sampled too",)
        elif not quiet and order_matters(evidence, likelihood):
            exactness, given = Exactness.UNKNOWN, "in one of the orders of rows: "
            lacking = ("give the identifier that ordered the rows, or publish with one",)
            notes += ("without an identifier the order of rows is a secret, and is taken as known here",)
    kinds = sorted({type(s).__name__.lower() for s in likelihood.shapes if not isinstance(s, Unsettled)})
    engine = f"{given}exact ({', '.join(kinds)}{', weighted' if by_fact else ''})"
    if inference.bounded and not inference.sampled:
        engine = f"{given}at most ({', '.join(kinds)}{', weighted' if by_fact else ''})"
        exactness = exactness if exactness is Exactness.UNKNOWN else Exactness.BOUND
        labels = evidence.grouping.labels
        notes += (bounded_note(int((inference.ratios[labels[labels >= 0]] > 1).sum())),)
    claimed: dict[str, Any] = {"chance_of": chance_of, "lacking": lacking}
    if not inference.sampled:
        if exactness is Exactness.BOUND or inference.bounded:  # of those who are taken as exposed nothing is certain
            claimed |= {"lower": lower, "upper": upper}
        return Beliefs(
            adversary, evidence, risk, engine, posterior_of, reason_of, notes=notes, exactness=exactness, **claimed
        )
    stuck = (lower <= 0) & (upper >= 1)
    risk[stuck] = 1.0
    open_groups = np.array([isinstance(shape, Unsettled) for shape in likelihood.shapes])[likelihood.of_group]
    kept = evidence.grouping.labels >= 0
    unsettled = np.zeros(len(risk), np.bool_)
    unsettled[kept] = open_groups[evidence.grouping.labels[kept]]
    people = int(((lower < upper) & ~unsettled).sum())
    if people:
        engine += f"; sampled for {people:,} people whose groups have too many arrangements to count"
        notes += (Note(f"the bounds of each sampled risk hold with confidence {CONFIDENCE:g}", NoteKind.CONFIDENCE),)
    if unsettled.any():
        engine = f"{engine}; " if kinds else ""
        engine += f"not known for {int(unsettled.sum()):,} people"
        lacking += (SEVERAL_WAYS,)
        why = f"not known for {int(unsettled.sum()):,} people: {SEVERAL_WAYS}. They are taken as exposed"
        notes += (Note(why, NoteKind.NOT_KNOWN),)
    still = int((stuck & ~unsettled).sum())
    if still:
        notes += (
            f"the walk through arrangements found none that fits, or did not move, for {still:,} people: nothing is "
            "shown about them, and they are taken as exposed",
        )
    if exactness is not Exactness.UNKNOWN:
        exactness = Exactness.SAMPLED
    claimed["lacking"] = lacking
    return Beliefs(
        adversary,
        evidence,
        risk,
        engine,
        posterior_of,
        reason_of,
        lower,
        upper,
        CONFIDENCE,
        notes,
        exactness=exactness,
        **claimed,
    )


def bounded_note(people: int) -> str:
    """What a reader should know of figures that are bounds."""
    return (
        f"the figures of {people:,} people are the most that can be believed: a cut above their groups may have been "
        "refused, and a secret die decided over it"
    )


def differing(
    evidence: Evidence,
    adversary: Adversary,
    likelihood: Likelihood,
    statistics: NDArray[np.int32] | None,
    budget: int,
    progress: Progress,
) -> Beliefs:
    """With a prior by which people differ: an arrangement weighs what its people weigh, times how the method made it.

    A learned prior is learned from the release alone; facts then leave the worlds in which they hold.
    """
    prior = adversary.prior
    if isinstance(prior, Learned):
        posterior, weights, exact = learn(evidence, prior, progress)
        before = None  # what is learned is learned from the release
        how = f"naive Bayes, {prior.iterations} iterations"
    else:
        assert isinstance(prior, Distribution)
        weights = weights_of(evidence, prior, statistics)
        counting = weights if evidence.protected is None else weights[:, evidence.protected]
        before = np.asarray(counting.max(axis=1))  # as the risk is: a likely value that does not count is no finding
        posterior, exact = beliefs_by_weights(evidence, weights, exactly=True, budget=budget)
        how = f"distribution by {', '.join(prior.attributes)}"

    inference = Inference(evidence, likelihood, False, budget, prior=weights)
    counted: dict[int, list[dict[Any, Any]]] = {}
    simple = [fact for fact in adversary.facts if isinstance(fact, Has | Not)]
    concerned = {int(evidence.grouping.labels[row]) for fact in simple for row in inference.people_of(fact)}
    plain = all(
        isinstance(likelihood.shapes[likelihood.of_group[group]], Plain | Blurred) for group in concerned if group >= 0
    )
    if len(simple) == len(adversary.facts) and plain and -1 not in concerned:
        weights = weights.copy()  # facts about single people are weights of 0
        for fact in simple:
            row, codes = inference.people_of(fact)[0], np.arange(len(evidence.values))
            weights[row, (codes == evidence.code(fact.value)) != isinstance(fact, Has)] = 0.0
        for group in concerned:
            try:
                posterior[evidence.members(group)] = one_group(evidence, weights, group, budget)
            except AttackError as wrong:
                said = "; ".join(str(fact) for fact in simple if inference.about(fact, group))
                raise AttackError(f"given that {said}: {wrong.advice.marked}") from None
    else:
        counted = inference.concerned(adversary.facts)
    for group in range(len(evidence.grouping)):
        shape = inference.likelihood.shapes[likelihood.of_group[group]]
        if group not in counted and not isinstance(shape, Plain | Blurred):
            counted |= inference.with_facts([group], [])
    if inference.bounded:
        labels = evidence.grouping.labels
        inside = np.flatnonzero((labels >= 0) & ~np.isin(labels, list(counted)))
        posterior[inside] = raised(posterior[inside], inference.ratios[labels[inside], None])
    for group, found in counted.items():
        for row, one in zip(evidence.members(group).tolist(), found, strict=True):
            posterior[row] = 0.0
            for value, share in one.items():
                posterior[row, evidence.code(value)] = float(share)

    def posterior_of(row: int) -> dict[Any, Any]:
        if evidence.grouping.labels[row] < 0:
            return {}
        codes, _ = evidence.counts(int(evidence.grouping.labels[row]))
        return {evidence.values[c]: float(posterior[row, c]) for c in codes.tolist()}

    def reason_of(row: int) -> str:
        about = [str(fact) for fact in adversary.facts if inference.about(fact, int(evidence.grouping.labels[row]))]
        return base_reason() + (f", and it is known that {', and '.join(about)}" if about else "")

    def base_reason() -> str:
        if isinstance(prior, Learned):
            return "it learned from all groups of the release which values people who look like this one have"
        return "the distribution says which values people like this one have, and the others of the group"

    def chance_of(codes: Longs) -> Floats:
        return np.asarray(posterior[:, codes].sum(axis=1))

    engine = f"{how}; {'permanents' if exact else 'large groups approximately, by scaling'}"
    risk = np.minimum(posterior.max(axis=1), 1.0)  # sums of floats may be a rounding above it
    return Beliefs(
        adversary,
        evidence,
        risk,
        engine,
        posterior_of,
        reason_of,
        notes=evidence.notes,
        chance_of=chance_of,
        before=before,
        # who learns is defined by how: this is what that attacker believes, however large groups are scaled
        exactness=Exactness.EXACT if exact or isinstance(prior, Learned) else Exactness.UNKNOWN,
    )
