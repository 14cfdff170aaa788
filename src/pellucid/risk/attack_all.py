"""Every adversary that applies to a release, side by side: how much each believes, who is exposed, and why.

An adversary that cannot run is listed with what it lacks. That never counts as safety.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Method
from pellucid.core.schema import Role, Roles, as_roles
from pellucid.errors import AttackError, Cancelled, PellucidError
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.posterior.exclusion import BUDGET, Impossible
from pellucid.risk.adversary import Adversary, Distribution, Learned
from pellucid.risk.adversary_kinds import KINDS, KindName, kind_of
from pellucid.risk.attacks import classic_attacks
from pellucid.risk.attacks.composition import COMPOSITION, composition
from pellucid.risk.attacks.finding import Finding
from pellucid.risk.facts import Fact
from pellucid.risk.inference.as_if_minimal import as_if_minimal
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.best_guess import best_guess
from pellucid.risk.inference.own_bounds import own_bounds
from pellucid.risk.inference.select_engine import believe
from pellucid.risk.inference.world_enumeration import Contradicted
from pellucid.risk.report.attack_report import MOST_SCORED, AttackReport, Attempt, Missed, Who
from pellucid.risk.report.guarantee_coverage import Judged, judged_by
from pellucid.risk.report.parted_clusters import parted_clusters
from pellucid.risk.report.rightly import Statistic
from pellucid.risk.report.timeouts import not_done, told
from pellucid.risk.report.with_statistics import statistics_of
from pellucid.risk.views import Evidence, Gathered
from pellucid.risk.views.equivalence_classes import alike_note
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.risk.views.how_made import required_by
from pellucid.risk.views.strata_again import cut_again
from pellucid.runtime.arguments import whole_number, yes_or_no
from pellucid.runtime.patience import Patient, TooLong, at_most, seconds_given
from pellucid.runtime.progress import SILENT, Progress


def attack_all(  # noqa: PLR0913  (a public verb)
    release: Any,
    *,
    truth: Any = None,
    population: Any = None,
    made_by: Method | None = None,
    roles: Roles | None = None,
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
    (:mod:`pellucid.risk.report.guarantee_coverage`), or, where ``adversaries`` names some, about these.

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
    budget, patience = whole_number(budget, "budget", AttackError, least=1), seconds_given(patience)
    columns = as_roles(roles, schema=schema, quasi=quasi, sensitive=sensitive, identifier=identifier, group=group)
    people = KnownPeople(truth, population, groups)
    gathered = gather(release, columns, people, made_by=made_by, model=model, progress=progress)
    how: dict[str, Any] = {"classic": classic, "budget": budget, "patience": patience, "progress": progress}
    exact = yes_or_no(exact, "exact", AttackError)
    return attack_gathered(gathered, adversaries=adversaries, exact=exact, **how)


@dataclass(frozen=True, eq=False)
class Besides:
    """What attackers who reason know of single people, and other releases of the same people."""

    facts: Sequence[Fact] = ()
    also: Sequence[Evidence] = ()


NOTHING_BESIDES = Besides()


def attack_gathered(
    gathered: Gathered,
    *,
    besides: Besides = NOTHING_BESIDES,
    adversaries: Sequence[KindName] | None = None,
    classic: bool = True,
    exact: bool = False,
    budget: int = BUDGET,
    patience: float | None = None,
    progress: Progress = SILENT,
) -> AttackReport:
    """The same of what was gathered already."""
    evidence = gathered.evidence
    judged = judged_of(gathered, adversaries)
    adversaries = tuple(KINDS) if adversaries is None else adversaries
    limit = promised(evidence)
    bounds = own_bounds(evidence) if limit is not None and _by_method(evidence) else None
    own = None if bounds is None else bounds.allows
    attempts: list[Attempt] = []
    missed = _lacking_the_truth(gathered, adversaries)
    who = _with_facts(gathered, applying(gathered, adversaries), besides.facts)
    for number, adversary in enumerate(who):
        everybody = exact and isinstance(adversary.prior, Learned)
        trying = (budget, patience, Patient(progress, told(number, who), patience))
        outcome = _tried(gathered, adversary, *trying, exact=everybody)
        if isinstance(outcome, Missed):
            missed.append(outcome)
        else:
            beliefs, right = outcome
            attempts.append(Attempt(beliefs, None if limit is None else float(limit), right, gathered.rows, own))
    findings, late = _classic_findings(gathered, patience, progress) if classic else ([], ())
    findings = _composed(findings, gathered, besides.also, progress)
    scored = gathered.truth is not None
    notes = tuple(map(Message, (*evidence.notes, *alike_note(evidence), *late)))
    tried, not_tried, ran = tuple(attempts), tuple(missed), tuple(findings)
    guessed = share_of_most_frequent(evidence, gathered.truth)
    statistics = _statistics(gathered, adversaries, own if limit is None or own is not None else float(limit), patience)
    parted, rest = parted_clusters(gathered), gathered.rest()
    beside = (scored, notes, guessed, judged, gathered.promise, parted, own, statistics, rest)
    return AttackReport(gathered.name, evidence, limit, tried, not_tried, ran, *beside)


def _lacking_the_truth(gathered: Gathered, adversaries: Sequence[KindName]) -> list[Missed]:
    """The kinds asked for that are not tried because something is lacking which the true table tells."""
    if truth_is_told(gathered):
        return []
    return [
        Missed(KINDS[kind].name, KINDS[kind].lacking, kind=kind)
        for kind in KINDS
        if kind in adversaries and KINDS[kind].lacking
    ]


def _classic_findings(
    gathered: Gathered, patience: float | None, progress: Progress
) -> tuple[list[Finding], tuple[str, ...]]:
    """What the classic attacks find, and a note where they took too long."""
    known = (
        None if gathered.truth is None or (gathered.truth < 0).any() or gathered.rows is not None else gathered.truth
    )
    try:
        with at_most(patience):
            return classic_attacks(gathered.rows or gathered.evidence, truth=known, progress=progress), ()
    except TooLong:
        return [], (Message("the classic attacks were {not_done}", not_done=not_done(patience)),)


def _with_facts(gathered: Gathered, who: list[Adversary], facts: Sequence[Fact]) -> list[Adversary]:
    """The adversaries, and those who reason once more with these facts."""
    gathered.evidence.check(facts)
    return who + [replace(one, facts=facts) for one in who if facts and KINDS[kind_of(one)].reasons]


def _composed(
    findings: list[Finding], gathered: Gathered, also: Sequence[Evidence], progress: Progress
) -> list[Finding]:
    """The findings, with what the releases tell together, or why that is not known."""
    if not also:
        return findings
    try:
        found = composition([gathered.evidence, *also], truth=gathered.truth, progress=progress)
    except PellucidError as wrong:
        found = COMPOSITION.missed(wrong.message)
    return [*(one for one in findings if one.attack != COMPOSITION.attack), replace(found, asked=True)]


def _statistics(
    gathered: Gathered, kinds: Sequence[KindName], allowed: float | NDArray[np.float64] | None, patience: float | None
) -> tuple[Statistic, ...]:
    """What attackers with statistics get right, where distributions are asked about."""
    if "distribution" not in kinds:
        return ()
    try:
        with at_most(patience):
            return statistics_of(gathered, allowed)
    except TooLong:
        return (Statistic("columns", (), why=not_done(patience)),)


def judged_of(gathered: Gathered, asked: Sequence[KindName] | None) -> Judged:
    """Whom a verdict is about: those asked for, else those whom the promise of the release covers."""
    method = gathered.evidence.method
    name, claim = ("", None) if method is None else (method.name, method.claim)
    return judged_by(gathered.promise, name, claim, asked)


def _tried(
    gathered: Gathered,
    adversary: Adversary,
    budget: int,
    patience: float | None,
    progress: Progress,
    *,
    exact: bool = False,
) -> tuple[Beliefs, float | None] | Missed:
    """What one adversary believes, and how often it is right; or why that is not known."""
    who = Who.of(adversary)
    told_of: dict[str, Any] = {"kind": who.kind, "columns": who.columns, "facts": who.facts}
    try:
        with at_most(patience):
            beliefs = believe(gathered, adversary, exact=exact, budget=budget, progress=progress)
            return beliefs, accuracy(beliefs, gathered.truth)
    except TooLong:
        return Missed(adversary.name, not_done(patience), unfinished=True, **told_of)
    except Cancelled:
        raise
    except PellucidError as wrong:
        contradicts = isinstance(wrong, Contradicted | Impossible)
        why = _with_assumption(wrong.message, gathered, adversary, budget, patience, progress)
        return Missed(adversary.name, why, contradicts, **told_of)


def _with_assumption(
    why: Message, gathered: Gathered, adversary: Adversary, budget: int, patience: float | None, progress: Progress
) -> Message:
    """Why somebody who knows minimality was not tried, with what would follow from the l that the table has."""
    evidence = gathered.evidence
    if adversary.knows != "minimality" or evidence.method is not None or evidence.model is not None or adversary.facts:
        return why
    try:
        with at_most(patience):
            assumed = as_if_minimal(gathered, budget=budget, progress=progress)
    except TooLong:
        return why
    return why if assumed is None else Message("{why}; {assumed}", why=why, assumed=assumed)


def applying(gathered: Gathered, kinds: Sequence[KindName]) -> list[Adversary]:
    """The adversaries of these kinds; distributions are measured on the truth, so without it there are none."""
    people = gathered.evidence.people
    quasi = [people.attributes[i].name for i in people.having(Role.QUASI)]
    found = [
        adversary
        for name, kind in KINDS.items()
        if name in kinds and (truth_is_told(gathered) or not kind.lacking)
        for adversary in kind.tried(quasi)
    ]
    strata = "distribution" in kinds and truth_is_told(gathered) and cut_again(gathered.evidence) is not None
    return [*found, Adversary(prior=Distribution())] if strata else found


def truth_is_told(gathered: Gathered) -> bool:
    """Whether there is a true table to measure on, with people in it."""
    return gathered.truth is not None and not gathered.evidence.anonymous


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
    if method is not None and _by_method(evidence):
        return method.usual_bound(evidence.attribute.name) if evidence.promise_covers else method.promised
    return None if model is None else model.largest_share


def _by_method(evidence: Evidence) -> bool:
    """Whether the bound is what the method promises, and not that of a model that is named."""
    method, model = evidence.method, evidence.model
    return method is not None and (model is None or model == required_by(method, evidence.attribute.name))


def share_of_most_frequent(evidence: Evidence, truth: NDArray[np.int32] | None) -> float | None:
    """How many of the people who are published have the value that is published most often; None without the truth."""
    if truth is None:
        return None
    scored = truth[(truth >= 0) & evidence.inside]
    return float((scored == evidence.published.shown_counts.argmax()).mean()) if len(scored) else None


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
            right += best_guess(posterior) == evidence.values[int(truth[row])]
    return right / len(scored)
