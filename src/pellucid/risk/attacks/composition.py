"""Composition: several releases of the same people, each of them safe, tell together what none tells alone.

**Claim.** The exact posterior of everybody given all releases, wherever the groups that hang together are small enough
to count; elsewhere which values are still possible is exact about what it excludes, and the posterior is an estimate
that is marked as one.

**Story.** Two hospitals publish their patients, each in groups of people with different diseases. Ann was in both. Her
group in one says flu or cold, in the other flu or gout: Ann has the flu. Nobody made a mistake, except that each
release was judged as if it were the only one.

**Definition.** Each release gives the multiset of values of each of its groups, and a person has the same value in all
of them. A world gives everybody a value such that every group of every release has its multiset. Worlds are weighed by
the product of the people's prior probabilities; without a prior they are equally likely. People who share their groups
in all releases are exchangeable, so worlds are counted over such cells, forward and backward, in each connected part.
When the target is all that the releases share, this is ``c1(s) c2(s) ... / prior(s) ** (releases - 1)`` up to a factor,
which :func:`shared_target` computes; a part beyond the budget uses it as an estimate.

**Example.** Four people, two releases in groups of two different values, and a single world:

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> people = pl.DataFrame({"q": [1, 2, 3, 4], "s": ["flu", "cold", "flu", "gout"]})
>>> table = pc.read(people, quasi="q", sensitive="s")
>>> found = composition([evidence_of_groups(table, [0, 0, 1, 1]), evidence_of_groups(table, [0, 1, 1, 0])])
>>> found.figure, found.baseline, found.details["worlds"]
(1.0, 0.5, 1)

**Citation.** Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information in data privacy, KDD 2008.

**Baseline.** The largest frequency in any single one of the releases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.messages import Message, Probability
from pellucid.messages.terms import in_python
from pellucid.posterior.exclusion import OverBudget
from pellucid.risk.attacks.cells_of_releases import Cell, CellsTogether, groups_in, parts_of
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, counted, share_right, some
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import SILENT, Progress
from pellucid.text.values import text_of

BUDGET = 200_000  # steps per connected part
COMPOSITION = About(
    "composition",
    "Two hospitals publish their patients, each in groups that hide everybody. One person was in both: the first "
    "release leaves flu or cold, the second flu or gout, and together they leave flu.",
    "Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information in data privacy. KDD 2008.",
    "largest posterior of anybody's value given all releases",
    "the largest frequency in any single release",
)


def shared_target(
    counts: Sequence[Mapping[Any, int]], prior: Mapping[Any, Any] | None = None, *, exact: bool = False
) -> dict[Any, Any]:
    """What is believed of somebody who is in a group of each release and is all that these groups share.

    ``counts`` has each group's values; ``prior`` how likely each value is beforehand, all alike when it is not given.

    >>> shared_target([{"flu": 1, "cold": 1}, {"flu": 2, "cold": 1}], {"flu": 0.5, "cold": 0.5}, exact=True)["flu"]
    Fraction(2, 3)
    """
    weights = {}
    for value in counts[0]:
        before = Fraction(1) if prior is None else Fraction(str(prior.get(value, 0)))
        weight = before
        for group in counts:
            weight = weight * group.get(value, 0) / before if before else Fraction(0)
        weights[value] = weight
    total = sum(weights.values())
    if not total:
        raise AttackError(
            "the groups have no value in common, so no person can be in all of them", "check who is in them"
        )
    return {value: (weight / total if exact else float(weight / total)) for value, weight in weights.items() if weight}


@dataclass(frozen=True, eq=False)
class Composed:
    """What several releases tell together: ``posteriors[row]`` is empty for people in no group of any release."""

    posteriors: Sequence[Mapping[Any, Any]]
    worlds: int | None  # how many are left; None when some part was not counted
    estimated: NDArray[np.int64]  # rows whose posterior is an estimate


def compose(
    releases: Sequence[Evidence],
    *,
    prior: Mapping[Any, Any] | None = None,
    budget: int = BUDGET,
    exact: bool = False,
    progress: Progress = SILENT,
) -> Composed:
    """The posterior of everybody given all releases, which are about the same people in the same order."""
    people = _same_people(releases)
    values, counts = _shared_codebook(releases)
    weights = _weights(values, prior)
    parts = parts_of(np.stack([release.grouping.labels for release in releases], axis=1))
    posteriors: list[Mapping[Any, Any]] = [{}] * people
    worlds: int | None = 1
    estimated: list[int] = []
    progress.stage("composing releases", len(parts))
    for number, cells in enumerate(parts):
        try:
            shares, ways = CellsTogether(cells, counts, weights).count(budget)
            worlds = None if worlds is None else worlds * ways
        except OverBudget:
            shares, worlds = [_estimate(cell, counts, weights) for cell in cells], None
            estimated += chain.from_iterable(cells.values())
        for rows, share in zip(cells.values(), shares, strict=True):
            _give(posteriors, rows, {values[code]: (p if exact else float(p)) for code, p in share.items()})
        progress.advance(number + 1)
    return Composed(posteriors, worlds, np.array(sorted(estimated), np.int64))


def _weights(values: Sequence[Any], prior: Mapping[Any, Any] | None) -> list[Fraction]:
    """How likely each value is beforehand, up to a factor."""
    return [Fraction(1) if prior is None else Fraction(str(prior.get(v, 0))) for v in values]


def _give(posteriors: list[Mapping[Any, Any]], rows: Sequence[int], posterior: Mapping[Any, Any]) -> None:
    """Of all people of these rows the same is believed."""
    for row in rows:
        posteriors[row] = posterior


def composition(
    releases: Sequence[Evidence],
    *,
    prior: Mapping[Any, Any] | None = None,
    budget: int = BUDGET,
    truth: NDArray[np.int32] | None = None,
    progress: Progress = SILENT,
) -> Finding:
    """What the releases tell together; exposed is of whom they tell more than each single one.

    ``truth`` has codes of the first release's sensitive column, for scoring only.
    """
    composed = compose(releases, prior=prior, budget=budget, progress=progress)
    first = releases[0]
    risk = np.array([max(one.values(), default=0.0) for one in composed.posteriors])
    alone = np.max([one.baseline for one in releases], axis=0)
    exposed = np.flatnonzero(risk > alone + 1e-9).astype(np.int64)
    certain = np.flatnonzero(risk >= 1 - 1e-12).astype(np.int64)
    worst = int(risk.argmax())
    value = max(composed.posteriors[worst].items(), key=lambda item: item[1])[0]
    codes = {text_of(v): code for code, v in enumerate(first.values)}
    guesses = [
        codes.get(text_of(max(composed.posteriors[row].items(), key=lambda i: i[1])[0]), -1) for row in exposed.tolist()
    ]
    rough = Message(" For {people} this is an estimate.", people=some(len(composed.estimated)))
    sentence = Message(
        "Together the {releases} releases give {person} {value!r} with probability {together}; the most that one of "
        "them gives anybody is {alone}. They tell more than each alone about {people}.{left}{rough}",
        releases=len(releases),
        person=first.name_of(worst),
        value=value,
        together=Probability(float(risk[worst])),
        alone=Probability(float(alone.max())),
        people=some(len(exposed)),
        left="" if composed.worlds is None else f" {counted(composed.worlds, 'world is', 'worlds are')} left.",
        rough=rough if len(composed.estimated) else "",
    )
    return COMPOSITION.finding(
        risk[worst],
        alone.max(),
        exposed,
        sentence,
        worlds=composed.worlds,
        certain=len(certain),
        estimated=len(composed.estimated),
        **share_right(first, exposed, np.array(guesses, np.int64), truth),
    )


def _same_people(releases: Sequence[Evidence]) -> int:
    if len(releases) < 2:
        raise AttackError("composition is of two releases at least", "give another release of the same people")
    if any(release.anonymous for release in releases):
        raise AttackError(
            "no people are given, so which rows of the releases are the same person is not known",
            "give everybody's quasi-identifiers with {POPULATION}, or the table as {TRUTH}",
        )
    sizes = {len(release.people) for release in releases}
    if len(sizes) > 1:
        raise AttackError(
            f"the releases are about {' and '.join(f'{n:,}' for n in sorted(sizes))} people",
            "give everyone in the same order in each, with label -1 for whoever is in no group",
        )
    for number, release in enumerate(releases):
        if (release.published.sizes != release.grouping.sizes).any():
            raise AttackError(
                f"release {number + 1} has groups with more or fewer rows than people",
                "records were added, or who is in the table is not known, and the worlds cannot be counted",
            )
    return sizes.pop()


def _shared_codebook(releases: Sequence[Evidence]) -> tuple[list[Any], list[list[dict[int, int]]]]:
    """All sensitive values of the releases, and by release and group how often each occurs."""
    values = list({text_of(v): v for release in releases for v in release.values}.values())
    place = {text_of(v): code for code, v in enumerate(values)}
    return values, [_counts(release, [place[text_of(v)] for v in release.values]) for release in releases]


def _counts(evidence: Evidence, codes: Sequence[int]) -> list[dict[int, int]]:
    """Each group's values by common code."""
    published = evidence.published
    value_codes, number = published.codes.tolist(), published.counts.tolist()
    return [{codes[value_codes[i]]: number[i] for i in range(a, b)} for a, b in pairwise(published.starts.tolist())]


def _estimate(
    cell: Cell, held: Sequence[Sequence[Mapping[int, int]]], weights: Sequence[Fraction]
) -> dict[int, Fraction]:
    """As if the person were all that the groups share; values that some group lacks are excluded for certain."""
    groups = [held[release][group] for release, group in groups_in(cell)]
    shares = shared_target(groups, {code: weights[code] for code in groups[0]}, exact=True)
    return dict(shares)


ATTACKS = (
    ClassicAttack(
        140,
        COMPOSITION,
        lacking=Message.of(
            "needs another release of the same people",
            Message("{way}", way=in_python("give both to composition([first, second])")),
        ),
    ),
)
