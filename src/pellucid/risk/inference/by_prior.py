"""With a prior by which people differ: an arrangement weighs what its people weigh, times how the method made it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.messages import Count, Message
from pellucid.posterior.shape import Blurred, Likelihood, Plain, raised
from pellucid.risk.adversary import Adversary, Distribution, Learned
from pellucid.risk.exactness import Exactness
from pellucid.risk.facts import Fact, Has, Not, about_single_people
from pellucid.risk.inference.beliefs import Beliefs, Floats
from pellucid.risk.inference.cell_posteriors import Contradiction, contradicted, one_group, to_posteriors
from pellucid.risk.inference.cells import Cells
from pellucid.risk.inference.from_others import from_others
from pellucid.risk.inference.group_posterior import Inference, Posteriors
from pellucid.risk.inference.learning import LARGEST_LOT, LearnedBeliefs, learn
from pellucid.risk.inference.priors import known_prior
from pellucid.risk.inference.scoring import Alone, Scoring, by_statistics, mark_truth
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import Progress

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
        weighed = _learned(evidence, layout, prior, progress, None if exact else LARGEST_LOT, statistics)
    else:
        assert isinstance(prior, Distribution)
        weighed = _distributed(evidence, layout, prior, statistics, budget, progress)
    inference = Inference(evidence, likelihood, False, budget, prior=weighed.weights_of)
    asked_again = evidence.protected is not None  # value by value
    posteriors = _Posteriors(weighed, inference.ratios if inference.bounded else None, keep=asked_again)
    chance = None if statistics is None else np.zeros(layout.people)
    risk, guesses = posteriors.of_everybody(statistics, chance)
    counted = _with_facts(inference, adversary.facts, posteriors)
    posteriors.counted |= counted | _counted_alone(inference, counted)
    posteriors.mark_told_otherwise(evidence, risk, guesses, statistics, chance)

    def posterior_of(row: int) -> dict[Any, Any]:
        group = int(evidence.grouping.labels[row])
        if group < 0:
            return {}
        own = posteriors.of_group(evidence, group)[evidence.members(group).tolist().index(row)]
        codes, _ = evidence.counts(group)
        return {evidence.values[c]: float(belief) for c, belief in zip(codes.tolist(), own, strict=True)}

    def reason_of(row: int) -> Message:
        about = [str(fact) for fact in adversary.facts if inference.about(fact, int(evidence.grouping.labels[row]))]
        known = "{reason}, and it is known that {about}"
        return Message(known, reason=weighed.reason, about=", and ".join(about)) if about else Message(weighed.reason)

    # who learns is defined by how: this is what that attacker believes, however large groups are scaled; by a lot it is
    # an estimate of that, and nobody knows how far off
    known = weighed.drawn is None and (weighed.exact or isinstance(prior, Learned))
    np.minimum(risk, 1.0, out=risk)  # sums of floats may be a rounding above it
    return Beliefs(
        adversary,
        evidence,
        risk=risk,
        engine=f"{weighed.how}; {'permanents' if weighed.exact else 'large groups approximately, by scaling'}",
        posterior_of=posterior_of,
        reason_of=reason_of,
        notes=(*evidence.notes, *weighed.notes),
        chance_of=lambda codes: posteriors.chances(evidence, codes),
        before=weighed.before,
        guesses=lambda: guesses,
        exactness=Exactness.EXACT if known else Exactness.UNKNOWN,
        drawn=weighed.drawn,
        scoring=None if statistics is None or chance is None else Scoring(statistics, chance, weighed.alone),
    )


@dataclass(frozen=True, eq=False)
class _Weighed:
    """The posteriors of groups by a prior and their counts, and the prior's own weights of a group.

    ``cells_of`` computes the cells of the groups from one up to another; ``everybody`` gives them of all groups, once,
    stretch after stretch, and keeps none.
    """

    layout: Cells
    cells_of: Callable[[int, int], Floats]
    everybody: Iterator[tuple[int, int, Floats]]
    weights_of: Callable[[int], Floats]
    exact: bool
    how: str
    reason: str
    before: Floats | None = None
    alone: Alone | None = None  # without the release: see Scoring
    drawn: tuple[int, int] | None = None  # people and groups of the lot that it was learned from, if it was
    notes: tuple[str, ...] = ()


def _learned(
    evidence: Evidence,
    layout: Cells,
    prior: Learned,
    progress: Progress,
    lot: int | None,
    truth: NDArray[np.int32] | None,
) -> _Weighed:
    learned = learn(evidence, layout, prior, progress, lot=lot)
    how: str = f"naive Bayes, {prior.iterations} iterations"
    reason: str = "it learned from all groups of the release which values people who look like this one have"
    by_lot: dict[str, Any] = {}
    if learned.lot is not None:
        lot_of = Count(learned.lot, "people", "people")
        from_lot = Message("{people} in {groups:,} groups, drawn by lot", people=lot_of, groups=learned.lot_groups)
        how = Message("{how}, learned from {lot}", how=how, lot=from_lot)
        reason = Message("it learned from {lot}, which values people who look like this one have", lot=from_lot)
        note = Message(
            "an estimate by somebody who learned from a lot of {people}; {EXACT} takes everybody", people=lot_of
        )
        by_lot = {"drawn": (learned.lot, learned.lot_groups), "notes": (note,)}
    if truth is not None:
        by_lot["alone"] = from_others(learned, prior, truth, evidence.some_events)
    weights_of = lambda group: learned.weights_of(layout, group)  # noqa: E731
    everybody = _after_learning(evidence, learned)
    return _Weighed(layout, learned.cells_of, everybody, weights_of, learned.exact, how, reason, **by_lot)


def _after_learning(evidence: Evidence, learned: LearnedBeliefs) -> Iterator[tuple[int, int, Floats]]:
    """Everybody's cells: those of the last iteration, or those that somebody believes who learned from a lot."""
    layout = learned.layout
    for first, last in layout.stretches():
        try:
            yield first, last, learned.cells_of(first, last)
        except Contradiction as wrong:
            raise contradicted(evidence, wrong.person) from None
        learned.steps.more(int(layout.starts[last] - layout.starts[first]))


def _distributed(
    evidence: Evidence,
    layout: Cells,
    prior: Distribution,
    statistics: NDArray[np.int32] | None,
    budget: int,
    progress: Progress,
) -> _Weighed:
    known = known_prior(evidence, prior, statistics, layout)

    def cells_of(first: int, last: int) -> Floats:
        part = layout.part(first, last)
        cells = known.weigh(part, slice(int(layout.cell_starts[first]), int(layout.cell_starts[last])))
        to_posteriors(part, cells, exactly=True, budget=budget, kinds=known.look.keys)
        return cells

    def everybody() -> Iterator[tuple[int, int, Floats]]:
        progress.stage("attacking", len(layout.members))
        for first, last in layout.stretches():
            try:
                yield first, last, cells_of(first, last)
            except Contradiction as wrong:
                raise contradicted(evidence, wrong.person) from None
            progress.advance(int(layout.starts[last]))

    how = f"distribution by {', '.join(prior.by)}"
    reason = "the distribution says which values people like this one have, and the others of the group"
    weights_of = lambda group: known.weights_of(layout, group)  # noqa: E731
    alone = None
    if prior.probabilities is None and statistics is not None:
        alone = by_statistics(known.look.keys, known.look.kinds, known.look.values, statistics, evidence.some_events)
    return _Weighed(layout, cells_of, everybody(), weights_of, True, how, reason, known.before, alone)


class _Posteriors:
    """Everybody's posteriors, computed when they are asked for: of a large release they are most of what it takes.

    By the prior and the counts of groups; where arrangements are not equally likely (``ratios``, by group), the most
    that can be believed. They are kept where they will be asked for again and again. ``with_facts`` has the cells of
    groups that facts about single people are about, before that; ``counted`` the posteriors of groups that are told
    otherwise.
    """

    def __init__(self, weighed: _Weighed, ratios: Floats | None, *, keep: bool) -> None:
        self.weighed, self.layout, self.ratios = weighed, weighed.layout, ratios
        self._kept = weighed.layout.zeros() if keep else None
        self.with_facts: dict[int, Floats] = {}
        self.counted: Posteriors = {}

    def of_everybody(self, truth: NDArray[np.int32] | None, chance: Floats | None) -> tuple[Floats, NDArray[np.int32]]:
        """Everybody's largest cell and the code that is guessed, but for facts and groups that are told otherwise.

        And the ``chance`` of what is true, where that is known.
        """
        people = self.layout.people
        most, code = np.zeros(people), np.full(people, -1, np.int32)
        for first, last, cells in self.weighed.everybody:
            cells = self._raised(first, last, cells)
            part = self.layout.part(first, last)
            part.mark_likeliest(cells, most, code)
            if truth is not None and chance is not None:
                mark_truth(part, cells, truth, chance)
            if self._kept is not None:
                self._kept[self.layout.cell_starts[first] : self.layout.cell_starts[last]] = cells
        return most, code

    def _by_counts(self, first: int, last: int) -> Floats:
        """The cells of the groups from one up to another, but for facts and groups that are told otherwise."""
        if self._kept is not None:
            return self._kept[self.layout.cell_starts[first] : self.layout.cell_starts[last]]
        return self._raised(first, last, self.weighed.cells_of(first, last))

    def mark_told_otherwise(
        self,
        evidence: Evidence,
        most: Floats,
        code: NDArray[np.int32],
        truth: NDArray[np.int32] | None,
        chance: Floats | None,
    ) -> None:
        """Bring the people up to date whom facts are about, and those of groups that are told otherwise."""
        for group in {**self.with_facts, **self.counted}:
            part = self.layout.part(group, group + 1)
            own = np.ascontiguousarray(self.of_group(evidence, group)).ravel()
            part.mark_likeliest(own, most, code)
            if truth is not None and chance is not None:
                mark_truth(part, own, truth, chance)

    def _raised(self, first: int, last: int, cells: Floats) -> Floats:
        if self.ratios is None:
            return cells
        layout = self.layout
        own = np.repeat(self.ratios[first:last], layout.sizes[first:last] * layout.distinct[first:last])
        higher = own > 1
        cells[higher] = raised(cells[higher], own[higher])
        return cells

    def of_group(self, evidence: Evidence, group: int) -> Floats:
        """The cells of a group, by person and value."""
        if group in self.counted:
            values = [evidence.values[code] for code in evidence.counts(group)[0].tolist()]
            return np.array([[float(person.get(value, 0)) for value in values] for person in self.counted[group]])
        if group in self.with_facts:
            cells = self._raised(group, group + 1, self.with_facts[group].ravel().copy())
        else:
            cells = self._by_counts(group, group + 1)
        return cells.reshape(int(self.layout.sizes[group]), int(self.layout.distinct[group]))

    def chances(self, evidence: Evidence, codes: Longs) -> Floats:
        """How likely each person has one of these values."""
        layout, chances = self.layout, np.zeros(self.layout.people)
        asked = np.isin(layout.codes, codes).astype(np.int8)
        for first, last in layout.stretches():
            layout.part(first, last).mark_chances(self._by_counts(first, last), asked, chances)
        for group in {**self.with_facts, **self.counted}:
            own = np.ascontiguousarray(self.of_group(evidence, group)).ravel()
            layout.part(group, group + 1).mark_chances(own, asked, chances)
        return chances


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


def _with_facts(inference: Inference, facts: Sequence[Fact], posteriors: _Posteriors) -> Posteriors:
    """The posteriors of the groups that facts are about; of facts about single people they are kept at once."""
    evidence = inference.evidence
    simple = about_single_people(facts)
    concerned = {int(evidence.grouping.labels[row]) for fact in simple for row in inference.people_of(fact)}
    if len(simple) < len(facts) or -1 in concerned or not _told_by_counts(inference.likelihood, concerned):
        return inference.concerned(facts)
    for group in concerned:
        about = [fact for fact in simple if inference.about(fact, group)]
        posteriors.with_facts[group] = _given_facts(inference, about, group, posteriors.weighed)
    return {}


def _given_facts(inference: Inference, about: Sequence[Has | Not], group: int, weighed: _Weighed) -> Floats:
    """The posterior of a group, told by its counts, given facts about single people of it."""
    weights = _without_excluded(inference, about, group, weighed.weights_of(group))
    counts = inference.evidence.counts(group)[1].astype(np.int32)
    try:
        return one_group(weights, counts, inference.budget)
    except AttackError as wrong:
        known = "; ".join(map(str, about))
        raise AttackError("given that {known}: {wrong}", known=known, wrong=wrong.message) from None


def _without_excluded(inference: Inference, facts: Sequence[Has | Not], group: int, weights: Floats) -> Floats:
    """The weights of a group with a 0 for what a fact excludes."""
    evidence = inference.evidence
    codes, members = evidence.counts(group)[0], evidence.members(group).tolist()
    weights = weights.copy()
    for fact in facts:
        place = members.index(inference.people_of(fact)[0])
        weights[place, (codes == evidence.code(fact.value)) != isinstance(fact, Has)] = 0.0
    return weights
