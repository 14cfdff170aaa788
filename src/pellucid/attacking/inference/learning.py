"""A prior that is learned from the release itself: the deFinetti attack (Kifer 2009).

If people who smoke are often in groups with cancer, a smoker in a group with cancer is believed to be the one who has
it. Expectation and maximisation of a naive Bayes classifier: what everybody has is believed softly, the classifier is
fitted to these beliefs, and the beliefs follow from the classifier and the counts of each group, again and again.

Of a large release it is learned from groups that are drawn by lot, ``LARGEST_LOT`` people of them, and then applied to
everybody: what is believed of a person is that learner's belief. How far one who learns from everybody may be off it is
told by learning again from each fifth of the lot: what so many people tell differs from fifth to fifth, and what five
times as many tell by less (Student's distribution). The lot is public: everybody who repeats it draws the same groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Learned
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.inference.cell_posteriors import Contradiction, contradicted, to_posteriors
from pellucid.attacking.inference.cells import Cells, Floats, Longs, Looks
from pellucid.kernels import cells as kernel
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role
from pellucid.table import Codes

LARGEST_LOT = 200_000  # people to learn from, unless everybody is asked for
FIFTHS = 5
CONFIDENCE = 0.95  # of each person's interval
STUDENT = 2.7764451051977987  # that quantile of Student's distribution, both sides, with FIFTHS - 1 degrees of freedom
SEED = 20090629  # of the lot


@dataclass(frozen=True, eq=False)
class Classifier:
    """Naive Bayes: for each quasi-identifier the logarithm of how frequent each of its values is given a secret."""

    tables: tuple[Floats, ...]

    def weigh(self, cells: Cells, looks: tuple[Looks, ...]) -> Floats:
        """What each cell weighs, the largest of each person being 1."""
        held = cells.zeros()
        for look, table in zip(looks, self.tables, strict=True):
            look.add(cells, table, held)
        kernel.raise_e(0, len(cells), cells.starts, cells.value_starts, cells.cell_starts, held)
        return held


@dataclass(frozen=True, eq=False)
class LearnedBeliefs:
    """Everybody's cells after learning, and the classifier; with a lot, how far each largest cell may be off."""

    cells: Floats
    exact: bool
    classifier: Classifier
    looks: tuple[Looks, ...]
    lot: int | None = None  # people who were drawn to learn from; None for everybody
    lot_groups: int = 0
    spread: Floats | None = None  # half of each person's interval

    def weights_of(self, layout: Cells, group: int) -> Floats:
        """What the classifier says of a group's people, by person and value, before the counts of the group."""
        one = layout.part(group, group + 1)
        looks = tuple(look.at(layout.block(group)) for look in self.looks)
        return self.classifier.weigh(one, looks).reshape(int(layout.sizes[group]), int(layout.distinct[group]))


def learn(
    evidence: Evidence, layout: Cells, prior: Learned, progress: Progress = SILENT, *, lot: int | None = LARGEST_LOT
) -> LearnedBeliefs:
    """What is believed after the iterations; ``lot``: the most people to learn from, None for everybody."""
    people = evidence.people
    quasi = people.having(Role.QUASI)
    values = len(evidence.values)
    looks = tuple(Looks.of(people.codes[i], len(people.attributes[i]), values, layout) for i in quasi)
    try:
        if lot is None or len(layout.members) <= lot:
            progress.stage("learning from the release", prior.iterations * len(layout.members))
            classifier, held, exact = _fit(layout, looks, prior, _Steps(progress))
            return LearnedBeliefs(held, exact, classifier, looks)
        return _by_lot(layout, looks, prior, progress, lot)
    except Contradiction as wrong:
        raise contradicted(evidence, wrong.person) from None


class _Steps:
    """Counts people whose beliefs were computed once more, over several rounds of work."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._done = progress, 0

    def more(self, people: int) -> None:
        self._done += people
        self._progress.advance(self._done)


def _fit(layout: Cells, looks: tuple[Looks, ...], prior: Learned, steps: _Steps) -> tuple[Classifier, Floats, bool]:
    """Learn from these groups; the classifier, and what follows from it for them."""
    held, classifier, exact = layout.frequencies(), Classifier(()), True
    for _ in range(prior.iterations):
        classifier = _fitted(layout, looks, held, prior.smoothing)
        exact = _apply(classifier, layout, looks, held, steps)
    return classifier, held, exact


def _fitted(layout: Cells, looks: tuple[Looks, ...], held: Floats, smoothing: float) -> Classifier:
    """The classifier that fits beliefs; how often a value occurs is known from the counts of the groups."""
    tables = []
    for look in looks:
        totals = np.bincount(layout.codes, layout.counts, look.values)
        shares = look.sums(layout, held)
        shares += smoothing
        by_value = (totals + smoothing * look.kinds)[look.code_of_pair]
        tables.append(np.log(np.divide(shares, by_value, out=shares), out=shares))
    return Classifier(tuple(tables))


def _apply(classifier: Classifier, layout: Cells, looks: tuple[Looks, ...], held: Floats, steps: _Steps) -> bool:
    """Write into ``held`` what the classifier and the counts of each group say; whether all groups are exact."""
    exact = True
    for first, last in layout.stretches():
        part = layout.part(first, last)
        here = slice(int(layout.cell_starts[first]), int(layout.cell_starts[last]))
        weights = classifier.weigh(part, tuple(look.at(here) for look in looks))
        exact &= to_posteriors(part, weights)
        held[here] = weights
        steps.more(int(part.starts[-1] - part.starts[0]))
    return exact


def _by_lot(layout: Cells, looks: tuple[Looks, ...], prior: Learned, progress: Progress, people: int) -> LearnedBeliefs:
    """Learn from groups drawn by lot and from fifths of them, and ask each of these learners about everybody."""
    drawn = draw_groups(layout.sizes, people)
    lot = int(layout.sizes[drawn].sum())
    progress.stage("learning from the release", 2 * prior.iterations * lot + (1 + FIFTHS) * len(layout.members))
    steps = _Steps(progress)
    learners = [_fit(*_of_groups(layout, looks, some), prior, steps)[0] for some in (drawn, *fifths(drawn))]
    held = layout.zeros()
    exact = _apply(learners[0], layout, looks, held, steps)
    _, likeliest = layout.likeliest(held)
    spread = _spread(layout, looks, learners[1:], likeliest, steps)
    return LearnedBeliefs(held, exact, learners[0], looks, lot, len(drawn), spread)


def draw_groups(sizes: Longs, people: int) -> Longs:
    """Groups by lot, as many as have no more than so many people together and at least five, in ascending order.

    >>> drawn = draw_groups(np.full(100, 4), 40)
    >>> len(drawn), bool((np.diff(drawn) > 0).all())
    (10, True)
    """
    order = np.random.default_rng(SEED).permutation(len(sizes))
    fit = int(np.searchsorted(np.cumsum(sizes[order]), people, side="right"))
    return np.sort(order[: max(fit, min(FIFTHS, len(sizes)))])


def fifths(groups: Longs) -> Iterator[Longs]:
    """The groups of a lot in five parts, again by lot."""
    order = np.random.default_rng(SEED + 1).permutation(len(groups))
    return (np.sort(groups[order[number::FIFTHS]]) for number in range(FIFTHS))


def _of_groups(layout: Cells, looks: tuple[Looks, ...], groups: Longs) -> tuple[Cells, tuple[Looks, ...]]:
    places = layout.places(groups) if any(look.width == 0 for look in looks) else np.zeros(0, np.int64)
    return layout.some(groups), tuple(look.at(places) for look in looks)


def _spread(
    layout: Cells, looks: tuple[Looks, ...], learners: list[Classifier], likeliest: Codes, steps: _Steps
) -> Floats:
    """Half of the interval of each person's likeliest value: what the learners of the fifths say of it, compared."""
    sums: list[NDArray[np.float64]] = [np.zeros(layout.people), np.zeros(layout.people)]
    for first, last in layout.stretches():
        part = layout.part(first, last)
        here = slice(int(layout.cell_starts[first]), int(layout.cell_starts[last]))
        beside = tuple(look.at(here) for look in looks)
        members = part.members[part.starts[0] : part.starts[-1]]
        asked = _cell_of_value(part, likeliest[members])
        for learner in learners:
            weights = learner.weigh(part, beside)
            to_posteriors(part, weights)
            told = weights[asked]
            sums[0][members] += told
            sums[1][members] += told**2
            steps.more(len(members))
    variance = np.maximum(0.0, sums[1] - sums[0] ** 2 / FIFTHS) / (FIFTHS - 1)
    return np.asarray(STUDENT * np.sqrt(variance) / sqrt(FIFTHS))


def _cell_of_value(part: Cells, codes: Codes) -> Longs:
    """For each of the members of consecutive groups the cell of one of the values of their group."""
    width = np.repeat(part.distinct, part.sizes)
    values = part.codes[part.value_starts[0] : part.value_starts[-1]]
    owner = np.repeat(np.arange(len(part)), part.distinct)
    most = int(values.max(initial=0)) + 1
    known = owner * most + values  # ascending, since the codes of a group are
    asked = np.repeat(np.arange(len(part)), part.sizes) * most + codes
    place = np.searchsorted(known, asked) - np.repeat(part.value_starts[:-1] - part.value_starts[0], part.sizes)
    return np.asarray(np.append(0, np.cumsum(width))[:-1] + place)
