"""All classic attacks on one release: what each found, and for those that could not run what they lacked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.classic.background import BACKGROUND, background
from pellucid.attacking.classic.composition import COMPOSITION
from pellucid.attacking.classic.corruption import CORRUPTION, corruption
from pellucid.attacking.classic.downcoding import DOWNCODING, downcoding
from pellucid.attacking.classic.finding import About, Finding
from pellucid.attacking.classic.homogeneity import HOMOGENEITY, homogeneity
from pellucid.attacking.classic.linkage import (
    JOURNALIST,
    MARKETER,
    PROSECUTOR,
    UNIQUENESS,
    journalist,
    marketer,
    prosecutor,
    uniqueness,
)
from pellucid.attacking.classic.negative_rules import NEGATIVE_RULES
from pellucid.attacking.classic.refinement import REFINEMENT
from pellucid.attacking.classic.singling_out import SINGLING_OUT, singling_out
from pellucid.attacking.classic.skewness import SIMILARITY, SKEWNESS, similarity, skewness
from pellucid.attacking.evidence import Evidence
from pellucid.errors import AttackError, ModelError
from pellucid.progress import SILENT, Progress

Truth = NDArray[np.int32] | None
Attack = tuple[About, Callable[[Evidence, Truth], Finding]]


def _lacking(reason: str) -> Callable[[Evidence, Truth], Finding]:
    """An attack that one release alone does not allow."""

    def refuse(evidence: Evidence, truth: Truth) -> Finding:  # noqa: ARG001
        raise AttackError(reason)

    return refuse


ATTACKS: tuple[Attack, ...] = (
    (PROSECUTOR, lambda evidence, _: prosecutor(evidence)),
    (JOURNALIST, lambda evidence, _: journalist(evidence)),
    (MARKETER, lambda evidence, _: marketer(evidence)),
    (UNIQUENESS, lambda evidence, _: uniqueness(evidence)),
    (HOMOGENEITY, lambda evidence, truth: homogeneity(evidence, truth=truth)),
    (BACKGROUND, lambda evidence, _: background(evidence)),
    (SKEWNESS, lambda evidence, _: skewness(evidence)),
    (SIMILARITY, lambda evidence, _: similarity(evidence)),
    (CORRUPTION, lambda evidence, _: corruption(evidence)),
    (DOWNCODING, lambda evidence, _: downcoding(evidence)),
    (SINGLING_OUT, lambda evidence, _: singling_out(evidence)),
    (
        REFINEMENT,
        _lacking("needs the rounds in which the release was recoded; give them to refinement(evidence, rounds=[...])"),
    ),
    (
        NEGATIVE_RULES,
        _lacking("needs rules of what never occurs together; give them to negative_rules(), or mine them in a table"),
    ),
    (COMPOSITION, _lacking("needs another release of the same people; give both to composition([first, second])")),
)


def classic_attacks(
    evidence: Evidence, *, truth: NDArray[np.int32] | None = None, progress: Progress = SILENT
) -> list[Finding]:
    """Every classic attack, in a fixed order; one that does not apply is listed with the reason and has no figure.

    ``truth`` has the sensitive codes of the people, for scoring only. The attacks decide without it.

    >>> import pellucid as pc
    >>> from pellucid.attacking.evidence.known_groups import evidence_of_groups
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> found = classic_attacks(evidence_of_groups(table, [0, 0, 0, 0, 1, 1, 1, 1]))
    >>> [(one.attack, one.figure) for one in found[:2]]
    [('prosecutor linkage', 0.25), ('journalist linkage', None)]
    """
    progress.stage("classic attacks", len(ATTACKS))
    found = []
    for number, (about, run) in enumerate(ATTACKS):
        try:
            found.append(_with_caveat(run(evidence, truth), evidence))
        except (AttackError, ModelError) as lacking:
            found.append(about.missed(str(lacking)))
        progress.advance(number + 1)
    return found


def _with_caveat(found: Finding, evidence: Evidence) -> Finding:
    """What is certain in the release need not be true where values may be replaced or records added."""
    changes = evidence.grouping.changes
    if not changes:
        return found
    return replace(found, sentence=f"{found.sentence} This is about what is published: {', and '.join(changes)}.")
