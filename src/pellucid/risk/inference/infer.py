"""From evidence and an adversary to beliefs: the one place where prior, knowledge of the method and facts meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.messages import Count, Message, Note, NoteKind
from pellucid.posterior.exclusion import BUDGET
from pellucid.posterior.mcmc import CONFIDENCE
from pellucid.posterior.shape import Blurred, Likelihood, Plain
from pellucid.posterior.unordered import Loose, Unsettled
from pellucid.risk.adversary import Adversary, Distribution, Learned
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs, Floats
from pellucid.risk.inference.best_guess import best_guess
from pellucid.risk.inference.by_membership_chance import by_chances, made_without_values
from pellucid.risk.inference.by_prior import by_prior
from pellucid.risk.inference.group_posterior import Inference
from pellucid.risk.inference.guesses import guesses_of
from pellucid.risk.inference.likelihoods import known_likelihood, order_matters
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import SILENT, Progress

SEVERAL_WAYS = Message.of(
    "without an identifier the order of rows is a secret, and several ways of cutting may lead to these groups",
    "give the identifier that ordered the rows, or publish with one",
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
    _refuse_prior_of_nobody(evidence, adversary)
    likelihood = known_likelihood(evidence, adversary)
    if isinstance(adversary.prior, Learned | Distribution):
        return by_prior(evidence, adversary, likelihood, statistics, budget, progress, exact=exact)
    inference = Inference(evidence, likelihood, exact, budget)
    answers = _Answers(adversary, inference, inference.concerned(adversary.facts))
    figures = _Figures(*answers.risks(progress), notes=evidence.notes)
    if adversary.knows == "algorithm" and evidence.method is not None:
        _expose_suppressed(figures, evidence)
        _assume_order(figures, evidence, likelihood)
    engine = _name_engine(figures, answers)
    # of those who are taken as exposed nothing is certain, so the ends are shown beside their figures
    with_ends = inference.sampled or inference.bounded or figures.exactness is Exactness.BOUND
    return Beliefs(
        adversary,
        evidence,
        figures.risk,
        engine,
        answers.posterior_of,
        answers.reason_of,
        lower=figures.lower if with_ends else None,
        upper=figures.upper if with_ends else None,
        confidence=CONFIDENCE if inference.sampled else 1.0,
        notes=figures.notes,
        chance_of=answers.chance_of,
        guesses=answers.guesses,
        exactness=figures.exactness,
        lacking=figures.lacking,
    )


def _refuse_prior_of_nobody(evidence: Evidence, adversary: Adversary) -> None:
    if evidence.anonymous and adversary.prior != "uniform":
        raise AttackError(
            "people differ by their quasi-identifiers, and nobody's are known", "give everybody's with {POPULATION}"
        )


@dataclass(frozen=True, eq=False)
class _Answers:
    """What is believed of single people: by what their group tells, and by the facts that are about somebody of it."""

    adversary: Adversary
    inference: Inference
    by_fact: dict[int, list[dict[Any, Any]]]  # the groups with facts: a posterior for each of their people

    def people_with_facts(self) -> Iterator[tuple[int, dict[Any, Any]]]:
        """The rows of people in groups that facts are about, with what is believed of them."""
        for group, posteriors in self.by_fact.items():
            yield from zip(self.inference.evidence.members(group).tolist(), posteriors, strict=True)

    def risks(self, progress: Progress) -> tuple[Floats, Floats, Floats]:
        """Everybody's risk, and its lower and upper end."""
        risk, lower, upper = self.inference.risks(progress)
        for row, posterior in self.people_with_facts():
            risk[row] = float(max(posterior.values()))
            lower[row], upper[row] = self.inference.bounds.get(row, (risk[row], risk[row]))
        return risk, lower, upper

    def posterior_of(self, row: int) -> dict[Any, Any]:
        evidence = self.inference.evidence
        group = int(evidence.grouping.labels[row])
        if group < 0:
            return {}
        if group in self.by_fact:
            place: int = evidence.members(group).tolist().index(row)
            return self.by_fact[group][place]
        return self.inference.share(group, int(self.inference.likelihood.part[row]))

    def reason_of(self, row: int) -> Message:
        group = int(self.inference.evidence.grouping.labels[row])
        if group in self.by_fact:
            named = [str(fact) for fact in self.adversary.facts if self.inference.about(fact, group)]
            return Message("given that {named}", named=", and ".join(named))
        if self.adversary.knows == "nothing":
            return Message("this attacker knows nothing of the method, and the frequency in the group is all there is")
        shape = self.inference.shape(group)
        posterior = self.posterior_of(row)
        value = best_guess(posterior)
        return shape.reason(int(self.inference.likelihood.part[row]), value, self.inference.names(group))

    def guesses(self) -> NDArray[np.int32]:
        guesses = guesses_of(self.inference)
        for row, posterior in self.people_with_facts():
            guesses[row] = self.inference.evidence.code(best_guess(posterior))
        return guesses

    def chance_of(self, codes: NDArray[np.int64]) -> Floats:
        chances = self.inference.chances(codes)
        values = [self.inference.evidence.values[code] for code in codes.tolist()]
        for row, posterior in self.people_with_facts():
            chances[row] = float(sum(posterior.get(value, 0) for value in values))
        return chances


@dataclass(eq=False)
class _Figures:
    """Everybody's risk between its ends, and what is claimed of these figures."""

    risk: Floats
    lower: Floats
    upper: Floats
    notes: tuple[str, ...]
    exactness: Exactness = Exactness.EXACT
    given: str = ""  # what is assumed, before the name of the engine
    lacking: tuple[str, ...] = ()


def _expose_suppressed(figures: _Figures, evidence: Evidence) -> None:
    """What it tells to be suppressed is not counted: nothing is claimed of these people.

    Where a method looks at nothing but quasi-identifiers, not even at the order of rows, it tells nothing, and no row
    of the release is theirs.
    """
    hidden = evidence.withheld
    if evidence.method is None or not hidden.any():
        return
    if made_without_values(evidence.method) and evidence.method.order_decides == "nothing":
        figures.notes += (
            Message(
                "{are} in no group, withheld for quasi-identifiers alone: nothing of theirs is published",
                are=Count(int(hidden.sum()), "person is", "people are"),
            ),
        )
    else:
        figures.risk[hidden] = figures.upper[hidden] = 1.0
        figures.exactness = Exactness.BOUND
        figures.notes += (
            Message(
                "{are} in no group; what their suppression tells is not counted, so they are taken as exposed",
                are=Count(int(hidden.sum()), "people are", "people are"),
            ),
        )


def _assume_order(figures: _Figures, evidence: Evidence, likelihood: Likelihood) -> None:
    """Say what follows from an order of rows that nobody knows."""
    shapes = likelihood.shapes
    if evidence.people.order is None and any(isinstance(shape, Loose) for shape in shapes):
        figures.notes += ("without an identifier the order of rows is a secret: orders that fit are sampled too",)
    elif not all(isinstance(shape, Plain | Blurred) for shape in shapes) and order_matters(evidence, likelihood):
        figures.exactness, figures.given = Exactness.UNKNOWN, "in one of the orders of rows: "
        figures.lacking = ("give the identifier that ordered the rows, or publish with one",)
        figures.notes += ("without an identifier the order of rows is a secret, and is taken as known here",)


def _name_engine(figures: _Figures, answers: _Answers) -> Message:
    """The engine's name; where its figures are less than exact, that goes to what is claimed of them."""
    inference = answers.inference
    shapes = inference.likelihood.shapes
    kinds = sorted({type(shape).__name__.lower() for shape in shapes if not isinstance(shape, Unsettled)})
    how = f"({', '.join(kinds)}{', weighted' if answers.by_fact else ''})"
    if inference.sampled:
        return Message.joined(_sampled_parts(figures, inference, [f"{figures.given}exact {how}"] if kinds else []))
    if not inference.bounded:
        return Message("{given}exact {how}", given=figures.given, how=how)
    if figures.exactness is not Exactness.UNKNOWN:
        figures.exactness = Exactness.BOUND
    labels = inference.evidence.grouping.labels
    figures.notes += (bounded_note(int((inference.ratios[labels[labels >= 0]] > 1).sum())),)
    return Message("{given}at most {how}", given=figures.given, how=how)


def _sampled_parts(figures: _Figures, inference: Inference, engines: list[str]) -> list[str]:
    """The engines, and of how many people the figures are sampled, or not known at all."""
    stuck = (figures.lower <= 0) & (figures.upper >= 1)
    figures.risk[stuck] = 1.0
    unsettled = _unsettled_people(inference)
    people = int(((figures.lower < figures.upper) & ~unsettled).sum())
    if people:
        told = "sampled for {people} whose groups have too many arrangements to count"
        engines = [*engines, Message(told, people=Count(people, "people", "people"))]
        confident = f"the bounds of each sampled risk hold with confidence {CONFIDENCE:g}"
        figures.notes += (Note(confident, NoteKind.CONFIDENCE),)
    if unsettled.any():
        whom = Count(int(unsettled.sum()), "people", "people")
        engines = [*engines, Message("not known for {people}", people=whom)]
        figures.lacking += (SEVERAL_WAYS,)
        why = Message("not known for {people}: {why}", people=whom, why=SEVERAL_WAYS.problem)
        so = Message("{way_out}. They are taken as exposed", way_out=SEVERAL_WAYS.way_out)
        figures.notes += (Note(Message.of(why, so), NoteKind.NOT_KNOWN),)
    still = int((stuck & ~unsettled).sum())
    if still:
        figures.notes += (
            Message(
                "the walk through arrangements found none that fits, or did not move, for {people}: nothing is shown "
                "about them, and they are taken as exposed",
                people=Count(still, "people", "people"),
            ),
        )
    if figures.exactness is not Exactness.UNKNOWN:
        figures.exactness = Exactness.SAMPLED
    return engines


def _unsettled_people(inference: Inference) -> NDArray[np.bool_]:
    """Who is in a group that several ways of cutting may have led to."""
    likelihood, labels = inference.likelihood, inference.evidence.grouping.labels
    open_groups = np.array([isinstance(shape, Unsettled) for shape in likelihood.shapes])[likelihood.of_group]
    unsettled = np.zeros(len(labels), np.bool_)
    kept = labels >= 0
    unsettled[kept] = open_groups[labels[kept]]
    return unsettled


def bounded_note(people: int) -> Message:
    """What a reader should know of figures that are bounds."""
    return Message(
        "the figures of {people} are the most that can be believed: a cut above their groups may have been refused, "
        "and a secret die decided over it",
        people=Count(people, "people", "people"),
    )
