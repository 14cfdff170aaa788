"""Every adversary that applies to a release, side by side: how much each believes, who is exposed, and why.

An adversary that cannot run is listed with what it lacks. That never counts as safety.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.advice import PATIENCE, Advice, advised
from pellucid.arguments import yes_or_no
from pellucid.attacking.adversary import Adversary, Learned
from pellucid.attacking.adversary_kinds import KINDS, KindName, kind_of
from pellucid.attacking.classic import classic_attacks
from pellucid.attacking.classic.finding import Finding
from pellucid.attacking.evidence import Evidence, Gathered
from pellucid.attacking.evidence.gather import gather
from pellucid.attacking.evidence.given_tables import KnownPeople
from pellucid.attacking.evidence.how_made import required_by
from pellucid.attacking.evidence.published_alike import alike_note
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.attacking.inference.believe import believe
from pellucid.attacking.inference.by_worlds import Contradicted
from pellucid.attacking.telling.guarantee_coverage import Judged, judged_by
from pellucid.attacking.telling.report import MOST_SCORED, AttackReport, Attempt, Missed
from pellucid.errors import AttackError, Cancelled, PellucidError
from pellucid.group import Method
from pellucid.model import PrivacyModel
from pellucid.patience import Patient, TooLong, at_most
from pellucid.posterior.exclusion import BUDGET, Impossible
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role, Roles


def attack_all(  # noqa: PLR0913  (a public verb)
    release: Any,
    *,
    truth: Any = None,
    population: Any = None,
    made_by: Method | None = None,
    schema: Any = None,
    quasi: Sequence[str] | str | None = None,
    sensitive: str | None = None,
    identifier: str | None = None,
    group: str | None = None,
    model: PrivacyModel | None = None,
    groups: Any = None,
    adversaries: Sequence[KindName] | None = None,
    classic: bool = True,
    exact: bool = False,
    budget: int = BUDGET,
    patience: float | None = None,
    progress: Progress = SILENT,
) -> AttackReport:
    """Every adversary that applies to a release; takes what :func:`pellucid.attack` takes.

    Somebody who knows nothing of the method, minimality, the algorithm; who learns from the release; and, where the
    truth is given, who knows how values depend on each single quasi-identifier. Then the classic attacks. Each may
    take ``patience`` seconds. Who learns from a large release does so from people drawn by lot, unless it is to be
    ``exact``. The verdict of the report (:meth:`AttackReport.standing`) is about those whom the promise covers
    (:mod:`pellucid.attacking.telling.guarantee_coverage`), or, where ``adversaries`` names some, about these.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), **roles)
    >>> report = attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing", "algorithm"], **roles)
    >>> [(attempt.name, attempt.max_risk, attempt.exceeds) for attempt in report.attempts]
    [('knows only the release', 0.5, False), ('knows the algorithm', 0.5, False)]
    >>> report.standing().standing.value
    'holds'
    """
    for kind in adversaries or ():
        if kind not in KINDS:
            raise AttackError(f"there is no adversary {kind!r}", f"choose among {', '.join(KINDS)}")
    roles = Roles(schema, quasi, sensitive, identifier, group=group)
    people = KnownPeople(truth, population, groups)
    found = gather(release, roles, people, made_by=made_by, model=model, progress=progress)
    how: dict[str, Any] = {"classic": classic, "budget": budget, "patience": patience, "progress": progress}
    exact = yes_or_no(exact, "exact", AttackError)
    return attack_gathered(found, adversaries=adversaries, exact=exact, **how)


def attack_gathered(
    found: Gathered,
    *,
    adversaries: Sequence[KindName] | None = None,
    classic: bool = True,
    exact: bool = False,
    budget: int = BUDGET,
    patience: float | None = None,
    progress: Progress = SILENT,
) -> AttackReport:
    """The same of what was gathered already."""
    evidence = found.evidence
    judged = judged_of(found, adversaries)
    adversaries = tuple(KINDS) if adversaries is None else adversaries
    limit = promised(evidence)
    attempts: list[Attempt] = []
    missed: list[Missed] = [
        Missed(KINDS[kind].name, KINDS[kind].lacking, kind=kind)
        for kind in KINDS
        if kind in adversaries and KINDS[kind].lacking and not truth_is_told(found)
    ]
    who = applying(found, adversaries)
    for number, adversary in enumerate(who):
        everybody = exact and isinstance(adversary.prior, Learned)
        trying = (budget, patience, Patient(progress, told(number, who), patience))
        one = _tried(found, adversary, *trying, exact=everybody)
        if isinstance(one, Missed):
            missed.append(one)
        else:
            beliefs, right = one
            attempts.append(Attempt(beliefs, None if limit is None else float(limit), right, found.rows))
    findings, late = _classic_findings(found, patience, progress) if classic else ([], ())
    scored = found.truth is not None
    notes = advised((*evidence.notes, *alike_note(evidence), *late))
    tried, not_tried, ran = tuple(attempts), tuple(missed), tuple(findings)
    guessed = share_of_most_frequent(evidence, found.truth)
    return AttackReport(found.name, evidence, limit, tried, not_tried, ran, scored, notes, guessed, judged)


def _classic_findings(
    found: Gathered, patience: float | None, progress: Progress
) -> tuple[list[Finding], tuple[str, ...]]:
    """What the classic attacks find, and a note where they took too long."""
    known = None if found.truth is None or (found.truth < 0).any() or found.rows is not None else found.truth
    try:
        with at_most(patience):
            return classic_attacks(found.rows or found.evidence, truth=known, progress=progress), ()
    except TooLong:
        return [], (f"the classic attacks were {not_done(patience).marked}",)


def judged_of(found: Gathered, asked: Sequence[KindName] | None) -> Judged:
    """Whom a verdict is about: those asked for, else those whom the promise of the release covers."""
    method = found.evidence.method
    name, claim = ("", None) if method is None else (method.name, method.claim)
    return judged_by(found.promise, name, claim, asked)


def told(number: int, who: Sequence[Adversary]) -> str:
    """One of several attackers, for whoever waits."""
    return f"attacker {number + 1} of {len(who)}, who {who[number].name}"


def _tried(
    found: Gathered,
    adversary: Adversary,
    budget: int,
    patience: float | None,
    progress: Progress,
    *,
    exact: bool = False,
) -> tuple[Beliefs, float | None] | Missed:
    """What one adversary believes, and how often it is right; or why that is not known."""
    kind = kind_of(adversary)
    try:
        with at_most(patience):
            beliefs = believe(found, adversary, exact=exact, budget=budget, progress=progress)
            return beliefs, accuracy(beliefs, found.truth)
    except TooLong:
        return Missed(adversary.name, not_done(patience), kind=kind, unfinished=True)
    except Cancelled:
        raise
    except PellucidError as wrong:
        return Missed(adversary.name, wrong.advice, isinstance(wrong, Contradicted | Impossible), kind)


def not_done(patience: float | None) -> Advice:
    """What to say of an attack that took too long."""
    return Advice.of(f"not done after {patience:g} seconds", f"allow more with {PATIENCE}")


def applying(found: Gathered, kinds: Sequence[KindName]) -> list[Adversary]:
    """The adversaries of these kinds; distributions are measured on the truth, so without it there are none."""
    people = found.evidence.people
    quasi = [people.attributes[i].name for i in people.having(Role.QUASI)]
    return [
        adversary
        for name, kind in KINDS.items()
        if name in kinds and (truth_is_told(found) or not kind.lacking)
        for adversary in kind.tried(quasi)
    ]


def truth_is_told(found: Gathered) -> bool:
    """Whether there is a true table to measure on, with people in it."""
    return found.truth is not None and not found.evidence.anonymous


def promised(evidence: Evidence) -> Fraction | None:
    """The most that may be believed: as the method promises it, or as the model that is named bounds it.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> for asked in ("l-diversity=2", "distinct l-diversity=2"):
    ...     release = pc.publish(pc.datasets.patients(), pc.Tailor(model=asked), **roles)
    ...     print(pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing"], **roles).limit)
    1/2
    None
    """
    method, model = evidence.method, evidence.model
    if method is not None and (model is None or model == required_by(method, evidence.attribute.name)):
        return method.promised
    return None if model is None else model.largest_share


def share_of_most_frequent(evidence: Evidence, truth: NDArray[np.int32] | None) -> float | None:
    """How many of the people in the table have the value that is published most often; None without the truth."""
    if truth is None:
        return None
    scored = truth[(truth >= 0) & evidence.inside]
    return float((scored == evidence.published.table_counts.argmax()).mean()) if len(scored) else None


def accuracy(beliefs: Beliefs, truth: NDArray[np.int32] | None) -> float | None:
    """How often the best guess about somebody in the table is right; scored after the inference."""
    if truth is None:
        return None
    evidence = beliefs.evidence
    scored = np.flatnonzero((truth >= 0) & evidence.inside)
    if not len(scored):
        return None
    if beliefs.guesses is not None:
        return float((beliefs.guesses()[scored] == truth[scored]).mean())
    if len(scored) > MOST_SCORED:
        return None
    right = 0
    for row in scored.tolist():
        posterior = beliefs.posterior_of(row)
        if posterior:
            guess = max(posterior, key=lambda value: posterior[value])
            right += guess == evidence.values[int(truth[row])]
    return right / len(scored)
