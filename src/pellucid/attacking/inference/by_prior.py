"""With a prior by which people differ: an arrangement weighs what its people weigh, times how the method made it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.advice import EXACT
from pellucid.attacking.adversary import Adversary, Distribution, Learned
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.facts import Fact, Has, Not, about_single_people
from pellucid.attacking.inference.beliefs import Beliefs, Floats
from pellucid.attacking.inference.cell_posteriors import Contradiction, contradicted, one_group, to_posteriors
from pellucid.attacking.inference.cells import Cells
from pellucid.attacking.inference.group_posterior import Inference, Posteriors
from pellucid.attacking.inference.learning import LARGEST_LOT, learn
from pellucid.attacking.inference.priors import known_prior
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
    *,
    exact: bool = False,
) -> Beliefs:
    """What somebody with a learned or measured prior believes.

    A learned prior is learned from the release alone, of a very large one from a lot unless ``exact``, and then nothing
    is claimed; facts leave the worlds in which they hold.
    """
    prior = adversary.prior
    layout = Cells.of(evidence)
    if isinstance(prior, Learned):
        weighed = _learned(evidence, layout, prior, progress, None if exact else LARGEST_LOT)
    else:
        assert isinstance(prior, Distribution)
        weighed = _distributed(evidence, layout, prior, statistics, budget, progress)
    inference = Inference(evidence, likelihood, False, budget, prior=weighed.weights_of)
    counted = _with_facts(inference, adversary.facts, weighed)
    counted |= _counted_alone(inference, counted)
    _raise_the_others(weighed, inference, counted)
    _write(weighed, evidence, counted)
    cells = weighed.cells

    def posterior_of(row: int) -> dict[Any, Any]:
        group = int(evidence.grouping.labels[row])
        if group < 0:
            return {}
        own = layout.of_group(cells, group)[evidence.members(group).tolist().index(row)]
        codes, _ = evidence.counts(group)
        return {evidence.values[c]: float(belief) for c, belief in zip(codes.tolist(), own, strict=True)}

    def reason_of(row: int) -> str:
        about = [str(fact) for fact in adversary.facts if inference.about(fact, int(evidence.grouping.labels[row]))]
        return weighed.reason + (f", and it is known that {', and '.join(about)}" if about else "")

    # who learns is defined by how: this is what that attacker believes, however large groups are scaled; by a lot it is
    # an estimate of that, and nobody knows how far off
    known = weighed.drawn is None and (weighed.exact or isinstance(prior, Learned))
    risk, guesses = layout.likeliest(cells)
    risk = np.minimum(risk, 1.0)  # sums of floats may be a rounding above it
    return Beliefs(
        adversary,
        evidence,
        risk=risk,
        engine=f"{weighed.how}; {'permanents' if weighed.exact else 'large groups approximately, by scaling'}",
        posterior_of=posterior_of,
        reason_of=reason_of,
        notes=(*evidence.notes, *weighed.notes),
        chance_of=lambda codes: layout.chances(cells, codes),
        before=weighed.before,
        guesses=lambda: guesses,
        exactness=Exactness.EXACT if known else Exactness.UNKNOWN,
        drawn=weighed.drawn,
    )


@dataclass(frozen=True, eq=False)
class _Weighed:
    """Everybody's posterior by a prior and the counts of groups, and the prior's own weights of a group."""

    layout: Cells
    cells: Floats
    weights_of: Callable[[int], Floats]
    exact: bool
    how: str
    reason: str
    before: Floats | None = None
    drawn: tuple[int, int] | None = None  # people and groups of the lot that it was learned from, if it was
    notes: tuple[str, ...] = ()


def _learned(evidence: Evidence, layout: Cells, prior: Learned, progress: Progress, lot: int | None) -> _Weighed:
    learned = learn(evidence, layout, prior, progress, lot=lot)
    how = f"naive Bayes, {prior.iterations} iterations"
    reason = "it learned from all groups of the release which values people who look like this one have"
    by_lot: dict[str, Any] = {}
    if learned.lot is not None:
        from_lot = f"{learned.lot:,} people in {learned.lot_groups:,} groups, drawn by lot"
        how += f", learned from {from_lot}"
        reason = f"it learned from {from_lot}, which values people who look like this one have"
        note = f"an estimate by somebody who learned from a lot of {learned.lot:,} people; {EXACT} takes everybody"
        by_lot = {"drawn": (learned.lot, learned.lot_groups), "notes": (note,)}
    weights_of = lambda group: learned.weights_of(layout, group)  # noqa: E731
    return _Weighed(layout, learned.cells, weights_of, learned.exact, how, reason, **by_lot)


def _distributed(
    evidence: Evidence,
    layout: Cells,
    prior: Distribution,
    statistics: NDArray[np.int32] | None,
    budget: int,
    progress: Progress,
) -> _Weighed:
    known = known_prior(evidence, prior, statistics, layout)
    cells = layout.zeros()
    progress.stage("attacking", len(layout.members))
    for first, last in layout.stretches():
        part = layout.part(first, last)
        here = slice(int(layout.cell_starts[first]), int(layout.cell_starts[last]))
        cells[here] = known.weigh(part, here)
        try:
            to_posteriors(part, cells[here], exactly=True, budget=budget, kinds=known.look.keys)
        except Contradiction as wrong:
            raise contradicted(evidence, wrong.person) from None
        progress.advance(int(part.starts[-1]))
    how = f"distribution by {', '.join(prior.attributes)}"
    reason = "the distribution says which values people like this one have, and the others of the group"
    weights_of = lambda group: known.weights_of(layout, group)  # noqa: E731
    return _Weighed(layout, cells, weights_of, True, how, reason, known.before)


def _told_by_counts(likelihood: Likelihood, groups: Iterable[int]) -> bool:
    """Whether nothing but the counts of these groups tells what their people have."""
    return all(isinstance(likelihood.shapes[likelihood.of_group[group]], Plain | Blurred) for group in groups)


def _counted_alone(inference: Inference, counted: Posteriors) -> Posteriors:
    """The posteriors of the groups that are told otherwise than by their counts, but for those counted already."""
    shapes, of_group = inference.likelihood.shapes, inference.likelihood.of_group
    alone = np.array([not isinstance(shape, Plain | Blurred) for shape in shapes])[of_group]
    posteriors: Posteriors = {}
    for group in np.flatnonzero(alone).tolist():
        if group not in counted:
            posteriors |= inference.with_facts([group], [])
    return posteriors


def _with_facts(inference: Inference, facts: Sequence[Fact], weighed: _Weighed) -> Posteriors:
    """The posteriors of the groups that facts are about; of facts about single people they are written at once."""
    evidence = inference.evidence
    simple = about_single_people(facts)
    concerned = {int(evidence.grouping.labels[row]) for fact in simple for row in inference.people_of(fact)}
    if len(simple) < len(facts) or -1 in concerned or not _told_by_counts(inference.likelihood, concerned):
        return inference.concerned(facts)
    for group in concerned:
        _write_with_facts(inference, [fact for fact in simple if inference.about(fact, group)], group, weighed)
    return {}


def _write_with_facts(inference: Inference, about: Sequence[Has | Not], group: int, weighed: _Weighed) -> None:
    """The posterior of a group, told by its counts, given facts about single people of it."""
    weights = _without_excluded(inference, about, group, weighed.weights_of(group))
    counts = inference.evidence.counts(group)[1].astype(np.int32)
    try:
        weighed.layout.of_group(weighed.cells, group)[:] = one_group(weights, counts, inference.budget)
    except AttackError as wrong:
        known = "; ".join(map(str, about))
        raise AttackError(f"given that {known}: {wrong.advice.marked}") from None


def _without_excluded(inference: Inference, facts: Sequence[Has | Not], group: int, weights: Floats) -> Floats:
    """The weights of a group with a 0 for what a fact excludes."""
    evidence = inference.evidence
    codes, members = evidence.counts(group)[0], evidence.members(group).tolist()
    weights = weights.copy()
    for fact in facts:
        place = members.index(inference.people_of(fact)[0])
        weights[place, (codes == evidence.code(fact.value)) != isinstance(fact, Has)] = 0.0
    return weights


def _raise_the_others(weighed: _Weighed, inference: Inference, counted: Posteriors) -> None:
    """The most that can be believed of whoever is in no counted group, where arrangements are not equally likely."""
    if inference.bounded:
        ratios, layout = inference.ratios.copy(), weighed.layout
        ratios[list(counted)] = 1
        groups = np.flatnonzero(ratios > 1)
        places = layout.places(groups)
        own = np.repeat(ratios[groups], layout.sizes[groups] * layout.distinct[groups])
        weighed.cells[places] = raised(weighed.cells[places], own)


def _write(weighed: _Weighed, evidence: Evidence, counted: Posteriors) -> None:
    for group, of_people in counted.items():
        values = [evidence.values[code] for code in evidence.counts(group)[0].tolist()]
        shares = [[float(of_person.get(value, 0)) for value in values] for of_person in of_people]
        weighed.layout.of_group(weighed.cells, group)[:] = shares
