"""What an attacker learns from a release: beliefs about everybody, exact wherever an engine allows.

``adversary`` says who attacks, ``evidence`` what there is to attack, ``infer`` what follows. Methods tell how they
behave (:meth:`pellucid.group.Method.likelihood`); nothing here names one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pellucid.attacking.adversary import Adversary, Distribution, Learned
from pellucid.attacking.background import background
from pellucid.attacking.beliefs import Beliefs
from pellucid.attacking.black_box import attack_anonymizer
from pellucid.attacking.classic import classic_attacks
from pellucid.attacking.composition import compose, composition, shared_target
from pellucid.attacking.corruption import corruption
from pellucid.attacking.downcoding import downcoding
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.facts import Fact, Has, Implies, Not
from pellucid.attacking.finding import Finding
from pellucid.attacking.gather import evidence_of_release, sensitive_column, table_of
from pellucid.attacking.homogeneity import homogeneity
from pellucid.attacking.infer import infer
from pellucid.attacking.linkage import journalist, marketer, prosecutor, uniqueness
from pellucid.attacking.negative_rules import Rule, mine_rules, negative_rules
from pellucid.attacking.refinement import refinement
from pellucid.attacking.singling_out import singling_out
from pellucid.attacking.skewness import similarity, skewness
from pellucid.errors import AttackError
from pellucid.model import PrivacyModel
from pellucid.posterior.exclusion import BUDGET
from pellucid.progress import SILENT, Progress
from pellucid.release import Release
from pellucid.schema import Schema


def attack(
    release: Release | Evidence,
    adversary: Adversary | None = None,
    *,
    truth: Any = None,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: str | None = None,
    identifier: str | None = None,
    model: PrivacyModel | None = None,
    exact: bool = False,
    budget: int = BUDGET,
    progress: Progress = SILENT,
) -> Beliefs:
    """What an adversary believes about everybody after seeing a release.

    ``release``: what :func:`pellucid.publish` gave. ``truth``: the table it was made of (a frame, a path, or what
    :func:`pellucid.read` gave) with ``schema``, or ``quasi``, ``sensitive`` and ``identifier``. The adversary gets its
    quasi-identifiers, and who is in which group; its sensitive values are used for nothing but scoring.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> pc.attack(release, pc.Adversary(knows="algorithm"), truth=pc.datasets.patients(), **roles).max_risk
    0.5
    """
    who = adversary if adversary is not None else Adversary(knows="algorithm")
    if isinstance(release, Evidence):
        return infer(release, who, exact=exact, budget=budget, progress=progress)
    if truth is None:
        raise AttackError("the attacker knows everybody's quasi-identifiers; give the table that has them as truth=")
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier}
    roles = {role: names for role, names in given.items() if names is not None}
    table, names = table_of(truth, schema, roles)
    evidence = evidence_of_release(release, table, names=names, model=model)
    column, _ = sensitive_column(table)
    known = table.codes[column]
    return infer(evidence, who, exact=exact, budget=budget, progress=progress, statistics=known)


__all__ = [
    "Adversary",
    "Beliefs",
    "Distribution",
    "Evidence",
    "Fact",
    "Finding",
    "Has",
    "Implies",
    "Learned",
    "Not",
    "Rule",
    "attack",
    "attack_anonymizer",
    "background",
    "classic_attacks",
    "compose",
    "composition",
    "corruption",
    "downcoding",
    "homogeneity",
    "infer",
    "journalist",
    "marketer",
    "mine_rules",
    "negative_rules",
    "prosecutor",
    "refinement",
    "shared_target",
    "similarity",
    "singling_out",
    "skewness",
    "uniqueness",
]
