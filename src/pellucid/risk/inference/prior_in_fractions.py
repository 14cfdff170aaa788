"""What somebody with statistics believes, in fractions: where a verdict hangs on the last digits of a float."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import PellucidError
from pellucid.posterior.qi_distribution import qi_distribution
from pellucid.risk.adversary import Distribution
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.views import Gathered

STATES = 2**18  # of one group
GROUPS = 64  # that are counted at most


def in_fractions(beliefs: Beliefs, gathered: Gathered, rows: NDArray[np.int64]) -> list[Mapping[Any, Fraction]] | None:
    """The posteriors of these people by statistics that were measured; None where they are too many to count so."""
    evidence, truth, prior = beliefs.evidence, gathered.truth, beliefs.adversary.prior
    people, labels = evidence.people, evidence.grouping.labels
    if truth is None or not isinstance(prior, Distribution) or not _counts_alone(beliefs):
        return None
    if len(np.unique(labels[rows])) > GROUPS:
        return None
    columns = [people.codes[[one.name for one in people.attributes].index(name)] for name in prior.attributes]
    looks = list(zip(*(column.tolist() for column in columns), strict=True))
    told = [(look, value) for look, value in zip(looks, truth.tolist(), strict=True) if value >= 0]
    having, alike = Counter(told), Counter(look for look, _ in told)
    looks = _supported(looks, told, having, alike, prior.support)

    @cache
    def of_group(group: int) -> list[dict[int, Fraction]]:
        codes, counts = evidence.counts(group)
        chances = [
            {code: Fraction(having[looks[row], code], max(alike[looks[row]], 1)) for code in codes.tolist()}
            for row in evidence.members(group).tolist()
        ]
        return qi_distribution(chances, np.repeat(codes, counts).tolist(), exact=True, budget=STATES)

    try:
        found = [
            of_group(int(labels[row]))[int(np.flatnonzero(evidence.members(labels[row]) == row)[0])] for row in rows
        ]
    except PellucidError:  # too many states
        return None
    return [{evidence.values[code]: share for code, share in one.items()} for one in found]


def _supported(
    looks: list[tuple[int, ...]],
    told: list[tuple[tuple[int, ...], int]],
    having: Counter[tuple[tuple[int, ...], int]],
    alike: Counter[tuple[int, ...]],
    support: int,
) -> list[tuple[int, ...]]:
    """Everybody's look, and the whole table's, which is counted besides, for those whose look fewer people have."""
    if support == 1:
        return looks
    having.update(((), value) for _, value in told)
    found = [look if alike[look] >= support else () for look in looks]
    alike[()] = len(told)
    return found


def _counts_alone(beliefs: Beliefs) -> bool:
    """Whether statistics are measured, and counts in known groups are all that is known besides."""
    adversary = beliefs.adversary
    given = isinstance(adversary.prior, Distribution) and adversary.prior.probabilities is not None
    known = beliefs.evidence.membership is None
    return known and not given and not adversary.facts and adversary.knows == "nothing"
