"""A prior that is learned from the release itself: the deFinetti attack (Kifer 2009).

If people who smoke are often in groups with cancer, a smoker in a group with cancer is believed to be the one who has
it. Expectation and maximisation of a naive Bayes classifier: what everybody has is believed softly, the classifier is
fitted to these beliefs, and the beliefs follow from the classifier and the counts of each group, again and again.

Of a very large release it is learned from groups that are drawn by lot, ``LARGEST_LOT`` people of them, and applied to
everybody: what is believed of a person is that learner's belief, an estimate of what one believes who learns from
everybody, and nothing is claimed of how far off it is. (Comparing learners of parts of the lot gives no interval: what
is learned depends on how many people it is learned from, and not only on which.) The lot is public: everybody who
repeats it draws the same groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pellucid.core.schema import Role
from pellucid.kernels import cells as kernel
from pellucid.risk.adversary import Learned
from pellucid.risk.inference.cell_posteriors import Contradiction, contradicted, counts_all, to_posteriors
from pellucid.risk.inference.cells import Cells, Floats, Longs, Looks
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import SILENT, Progress

LARGEST_LOT = 2_000_000  # people to learn from, unless everybody is asked for
SEED = 20090629  # of the lot
NOISE = 16  # binary digits at the end of a sum that may differ with the order of people


Part = tuple[Cells, tuple[Looks, ...]]  # some groups, and what their people look like


@dataclass(frozen=True, eq=False)
class Classifier:
    """Naive Bayes: for each quasi-identifier the logarithm of how frequent each of its values is given a secret."""

    tables: tuple[Floats, ...]

    def weigh(self, cells: Cells, looks: tuple[Looks, ...]) -> Floats:
        """What each cell weighs, the largest of each person being 1."""
        weights = cells.zeros()
        for look, table in zip(looks, self.tables, strict=True):
            look.add(cells, table, weights)
        kernel.raise_e(0, len(cells), cells.starts, cells.value_starts, cells.cell_starts, weights)
        return weights


@dataclass(frozen=True, eq=False)
class LearnedBeliefs:
    """The classifier that was learned; with a lot, how many people and groups it has.

    What follows for groups is computed when it is asked for: of a large release, everybody's cells would be most of
    what is kept of what somebody believes.
    """

    classifier: Classifier
    looks: tuple[Looks, ...]
    layout: Cells
    steps: _Steps
    lot: int | None = None  # people who were drawn to learn from; None for everybody
    lot_groups: int = 0

    @property
    def exact(self) -> bool:
        """Whether all groups are counted, and none is scaled."""
        return counts_all(self.layout)

    @property
    def cells(self) -> Floats:
        """Everybody's cells after learning."""
        return np.concatenate([np.zeros(0), *(self.cells_of(a, b) for a, b in self.layout.stretches())])

    def cells_of(self, first: int, last: int) -> Floats:
        """The cells of the groups from one up to another, not included."""
        return _posteriors(self.classifier, *_between(self.layout, self.looks, first, last))

    def weights_of(self, layout: Cells, group: int) -> Floats:
        """What the classifier says of a group's people, by person and value, before the counts of the group."""
        part = layout.part(group, group + 1)
        looks = tuple(look.at(layout.block(group)) for look in self.looks)
        return self.classifier.weigh(part, looks).reshape(int(layout.sizes[group]), int(layout.distinct[group]))


def learn(
    evidence: Evidence, layout: Cells, prior: Learned, progress: Progress = SILENT, *, lot: int | None = LARGEST_LOT
) -> LearnedBeliefs:
    """What is believed after the iterations; ``lot``: the most people to learn from, None for everybody."""
    people = evidence.people
    quasi = people.having(Role.QUASI)
    values = len(evidence.values)
    looks = tuple(Looks.of(people.codes[i], len(people.attributes[i]), values, layout) for i in quasi)
    try:
        drawn = None if lot is None else draw_groups(layout.sizes, lot)
        if drawn is None or len(drawn) == len(layout):  # a lot of everybody is no lot
            progress.stage("learning from the release", prior.iterations * len(layout.members))
            steps = _Steps(progress)
            return LearnedBeliefs(_fit(layout, looks, prior, steps), looks, layout, steps)
        return _by_lot(layout, looks, prior, progress, drawn)
    except Contradiction as wrong:
        raise contradicted(evidence, wrong.person) from None


class _Steps:
    """Counts people whose beliefs were computed once more, over several rounds of work."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._done = progress, 0

    def more(self, people: int) -> None:
        self._done += people
        self._progress.advance(self._done)


def _between(layout: Cells, looks: tuple[Looks, ...], first: int, last: int) -> Part:
    """The groups from one up to another, not included."""
    here = slice(int(layout.cell_starts[first]), int(layout.cell_starts[last]))
    return layout.part(first, last), tuple(look.at(here) for look in looks)


def _posteriors(classifier: Classifier, part: Cells, looks: tuple[Looks, ...]) -> Floats:
    """What the classifier and the counts of each of these groups say."""
    cells = classifier.weigh(part, looks)
    to_posteriors(part, cells)
    return cells


def _fit(layout: Cells, looks: tuple[Looks, ...], prior: Learned, steps: _Steps) -> Classifier:
    """Learn from these groups. What follows from the last classifier is for whoever asks it, and the last iteration."""
    classifier = _fitted(layout, looks, lambda part, _: part.frequencies(), prior.smoothing)
    for _ in range(1, prior.iterations):

        def believed(part: Cells, looks: tuple[Looks, ...], classifier: Classifier = classifier) -> Floats:
            steps.more(int(part.starts[-1] - part.starts[0]))
            return _posteriors(classifier, part, looks)

        classifier = _fitted(layout, looks, believed, prior.smoothing)
    return classifier


def _fitted(
    layout: Cells,
    looks: tuple[Looks, ...],
    believed: Callable[[Cells, tuple[Looks, ...]], Floats],
    smoothing: float,
) -> Classifier:
    """The classifier that fits beliefs; how often a value occurs is known from the counts of the groups.

    Beliefs are computed for a stretch of groups, added up while they are in the cache, and forgotten.
    """
    sums = [np.zeros(look.count) for look in looks]
    for first, last in layout.stretches():
        part, mine = _between(layout, looks, first, last)
        cells = believed(part, mine)
        for look, of_look in zip(mine, sums, strict=True):
            look.add_up(part, cells, of_look)
    tables = []
    for look, shares in zip(looks, sums, strict=True):
        totals = np.bincount(layout.codes, layout.counts, look.values)
        shares += smoothing
        _without_noise(shares)
        by_value = (totals + smoothing * look.kinds)[look.code_of_pair]
        tables.append(np.log(np.divide(shares, by_value, out=shares), out=shares))
    return Classifier(tuple(tables))


def _without_noise(sums: Floats) -> None:
    """Round positive sums, in place, to 36 binary digits: those that are equal but for rounding become equal.

    Two values that nothing tells apart stay equally likely only while nothing breaks the tie. Sums of floats depend on
    the order of people in their last digits, and round after round that difference grows until one of the two wins.

    >>> sums = np.array([0.1 + 0.2, 0.3, 1e-300, 7.0, 0.0])
    >>> _without_noise(sums)
    >>> bool(sums[0] == sums[1]), bool(abs(sums[1] / 0.3 - 1) < 1e-10), sums[3:].tolist()
    (True, True, [7.0, 0.0])
    """
    bits = sums.view(np.int64)
    bits += 1 << (NOISE - 1)
    bits &= -1 << NOISE


def _by_lot(
    layout: Cells, looks: tuple[Looks, ...], prior: Learned, progress: Progress, drawn: Longs
) -> LearnedBeliefs:
    """Learn from groups drawn by lot; that learner is asked about everybody."""
    lot = int(layout.sizes[drawn].sum())
    progress.stage("learning from the release", (prior.iterations - 1) * lot + len(layout.members))
    steps = _Steps(progress)
    classifier = _fit(*_of_groups(layout, looks, drawn), prior, steps)
    return LearnedBeliefs(classifier, looks, layout, steps, lot, len(drawn))


def draw_groups(sizes: Longs, people: int) -> Longs:
    """Groups by lot, as many as have no more than so many people together and at least one, in ascending order.

    >>> drawn = draw_groups(np.full(100, 4), 40)
    >>> len(drawn), bool((np.diff(drawn) > 0).all())
    (10, True)
    """
    order = np.random.default_rng(SEED).permutation(len(sizes))
    fit = int(np.searchsorted(np.cumsum(sizes[order]), people, side="right"))
    return np.sort(order[: max(fit, 1)])


def _of_groups(layout: Cells, looks: tuple[Looks, ...], groups: Longs) -> Part:
    places = layout.places(groups) if any(look.width == 0 for look in looks) else np.zeros(0, np.int64)
    return layout.some(groups), tuple(look.at(places) for look in looks)
