"""Classic attacks, one file each: what each finds in a release, and for those that could not run what they lacked.

Adding a file with ``ATTACKS`` adds its attacks everywhere.
"""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module

from pellucid.risk.attacks.finding import ClassicAttack, Finding, Truth
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import SILENT, Progress


@cache
def known_attacks() -> tuple[ClassicAttack, ...]:
    """Every classic attack, found by looking through this folder, in the order of their places."""
    attacks = [
        attack
        for module in pkgutil.iter_modules(__path__)
        for attack in getattr(import_module(f"{__name__}.{module.name}"), "ATTACKS", ())
    ]
    return tuple(sorted(attacks, key=lambda attack: attack.place))


def classic_attacks(evidence: Evidence, *, truth: Truth = None, progress: Progress = SILENT) -> list[Finding]:
    """Every classic attack, in a fixed order; one that does not apply is listed with the reason and has no figure.

    ``truth`` has the sensitive codes of the people, for scoring only. The attacks decide without it.

    >>> import pellucid as pc
    >>> from pellucid.risk.views.known_groups import evidence_of_groups
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> found = classic_attacks(evidence_of_groups(table, [0, 0, 0, 0, 1, 1, 1, 1]))
    >>> [(one.attack, one.figure) for one in found[:2]]
    [('prosecutor linkage', 0.25), ('journalist linkage', None)]
    """
    attacks = [attack for attack in known_attacks() if attack.concerns(evidence)]
    progress.stage("classic attacks", len(attacks))
    findings = []
    for number, attack in enumerate(attacks):
        findings.append(_with_caveat(attack.on(evidence, truth), evidence))
        progress.advance(number + 1)
    return findings


def _with_caveat(finding: Finding, evidence: Evidence) -> Finding:
    """What is certain in the release need not be true where values may be replaced or records added."""
    changes = evidence.grouping.changes
    if not changes or not finding.ran:
        return finding
    return replace(finding, sentence=f"{finding.sentence} This is about what is published: {', and '.join(changes)}.")
