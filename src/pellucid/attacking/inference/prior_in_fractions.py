"""What somebody with statistics believes, in fractions: where a verdict hangs on the last digits of a float."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Distribution
from pellucid.attacking.evidence import Gathered
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.errors import PellucidError
from pellucid.posterior.qi_distribution import qi_distribution

STATES = 2**18  # of one group
GROUPS = 64  # that are counted at most


def in_fractions(beliefs: Beliefs, gathered: Gathered, rows: NDArray[np.int64]) -> list[Mapping[Any, Fraction]] | None:
    """The posteriors of these people by statistics that were measured; None where they are too many to count so."""
    evidence, adversary, truth = beliefs.evidence, beliefs.adversary, gathered.truth
    prior = adversary.prior
    if not isinstance(prior, Distribution) or adversary.facts or adversary.knows != "nothing":
        return None
    if prior.probabilities is not None or truth is None or evidence.membership is not None:
        return None
    people, labels = evidence.people, evidence.grouping.labels
    columns = [people.codes[[one.name for one in people.attributes].index(name)] for name in prior.attributes]
    looks = list(zip(*(column.tolist() for column in columns), strict=True))
    having = Counter((look, value) for look, value in zip(looks, truth.tolist(), strict=True) if value >= 0)
    alike = Counter(look for look, value in zip(looks, truth.tolist(), strict=True) if value >= 0)
    if len(np.unique(labels[rows])) > GROUPS:
        return None

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
