"""People who look alike and are in several groups, for somebody who assumes minimality and is not told who is in which.

With local recoding some people of a class are published as they are, and others with more general values. Nobody can
tell which ([W] 4.2): each of them is believed to have what their class has on average.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.messages import Message, NoteKind, kind_of_note
from pellucid.risk.inference.beliefs import Beliefs, Floats
from pellucid.risk.views import Evidence

AVERAGE = "of people who look alike in several groups the average counts; who is told who is in which may believe more"


def on_average(beliefs: Beliefs) -> Beliefs:
    """The same, of people who look alike the average over their groups; of other attackers what they believe."""
    evidence, adversary = beliefs.evidence, beliefs.adversary
    if evidence.lookalikes is None or adversary.knows != "minimality" or adversary.prior != "uniform":
        return beliefs
    kinds = None if adversary.facts else _kinds(evidence)
    if kinds is None:
        return beliefs
    labels, sizes = evidence.grouping.labels, np.bincount(kinds)
    first = np.array([np.inf] * len(sizes))
    np.minimum.at(first, kinds, labels)
    several = np.zeros(len(sizes), np.bool_)
    several[kinds[labels != first[kinds]]] = True
    parted = several[kinds]

    def mean(figures: Floats) -> Floats:
        return np.asarray(np.bincount(kinds, figures, len(sizes))[kinds] / sizes[kinds])

    def chance_of(codes: NDArray[np.int64]) -> Floats:
        return mean(beliefs.belief(*(evidence.values[code] for code in codes.tolist())))

    each = np.array([chance_of(np.array([code])) for code in range(len(evidence.values))])
    risk = np.where(parted, each.max(axis=0), beliefs.risk)
    members = {kind: np.flatnonzero(kinds == kind) for kind in np.flatnonzero(several).tolist()}

    def posterior_of(row: int) -> Any:
        if not parted[row]:
            return beliefs.posterior_of(row)
        alike = members[int(kinds[row])]
        rows = {int(labels[one]): int(one) for one in alike.tolist()}
        found: dict[Any, Any] = {}
        for label, count in Counter(labels[alike].tolist()).items():
            for value, share in beliefs.posterior_of(rows[label]).items():
                found[value] = found.get(value, 0) + share * Fraction(count, len(alike))
        return found

    def reason_of(row: int) -> Message:
        if not parted[row]:
            return Message(beliefs.reason_of(row))
        told = "people who look alike are in several groups, and nobody is told who is in which: that is their average"
        return Message(told)

    notes = [note for note in beliefs.notes if kind_of_note(note) is not NoteKind.LOOK_ALIKE]
    lower, upper = beliefs.lower, beliefs.upper
    if lower is not None and upper is not None:
        known = mean((lower >= upper).astype(float)) == 1
        lower, upper = (
            np.where(parted, np.where(known, risk, one), own) for one, own in ((0, lower), (mean(upper), upper))
        )
    return replace(
        beliefs,
        evidence=replace(evidence, membership=evidence.lookalikes, lookalikes=None),
        risk=risk,
        lower=lower,
        upper=upper,
        surely=None if beliefs.surely is None else np.where(parted, 0.0, beliefs.surely),
        posterior_of=posterior_of,
        chance_of=chance_of,
        reason_of=reason_of,
        guesses=None,
        notes=(*notes, Message(AVERAGE)),
    )


def _kinds(evidence: Evidence) -> NDArray[np.int64] | None:
    """For everybody the number of those who look like them; None where they are not in their groups as is known."""
    people, known = evidence.people, evidence.lookalikes
    columns = [*people.having(Role.QUASI), *people.having(Role.CARRY)]
    _, kinds = np.unique(np.stack([people.codes[i] for i in columns]), axis=1, return_inverse=True)
    kinds = np.asarray(kinds.ravel(), np.int64)
    labels, sizes = evidence.grouping.labels, np.bincount(kinds)
    together = Counter(zip(kinds.tolist(), labels.tolist(), strict=True))
    assert known is not None
    for row, kind in enumerate(kinds.tolist()):
        if any(abs(together[kind, group] - chance * sizes[kind]) > 1e-6 for group, chance in known.of(row)):
            return None
    return kinds
