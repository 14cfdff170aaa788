"""All classic attacks on one release: what each found, and for those that could not run what they lacked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.evidence import Evidence
from pellucid.attacking.finding import About, Finding
from pellucid.attacking.homogeneity import HOMOGENEITY, homogeneity
from pellucid.attacking.linkage import (
    JOURNALIST,
    MARKETER,
    PROSECUTOR,
    UNIQUENESS,
    journalist,
    marketer,
    prosecutor,
    uniqueness,
)
from pellucid.errors import AttackError
from pellucid.progress import SILENT, Progress

Truth = NDArray[np.int32] | None
Attack = tuple[About, Callable[[Evidence, Truth], Finding]]

ATTACKS: tuple[Attack, ...] = (
    (PROSECUTOR, lambda evidence, _: prosecutor(evidence)),
    (JOURNALIST, lambda evidence, _: journalist(evidence)),
    (MARKETER, lambda evidence, _: marketer(evidence)),
    (UNIQUENESS, lambda evidence, _: uniqueness(evidence)),
    (HOMOGENEITY, lambda evidence, truth: homogeneity(evidence, truth=truth)),
)


def classic_attacks(
    evidence: Evidence, *, truth: NDArray[np.int32] | None = None, progress: Progress = SILENT
) -> list[Finding]:
    """Every classic attack, in a fixed order; one that does not apply is listed with the reason and has no figure.

    ``truth`` has the sensitive codes of the people, for scoring only. The attacks decide without it.

    >>> import pellucid as pc
    >>> from pellucid.attacking.gather import evidence_of_groups
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> found = classic_attacks(evidence_of_groups(table, [0, 0, 0, 0, 1, 1, 1, 1]))
    >>> [(one.attack, one.figure) for one in found[:2]]
    [('prosecutor linkage', 0.25), ('journalist linkage', None)]
    """
    progress.stage("classic attacks", len(ATTACKS))
    found = []
    for number, (about, run) in enumerate(ATTACKS):
        try:
            found.append(run(evidence, truth))
        except AttackError as lacking:
            found.append(about.missed(str(lacking)))
        progress.advance(number + 1)
    return found
