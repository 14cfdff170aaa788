"""Attack the release: every adversary, the worst groups, one person."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import polars as pl

from pellucid.app.web.charts import belief_histogram, belief_strip
from pellucid.app.web.people import row_called, row_numbered, rows_together
from pellucid.app.web.tasks.opening import shown
from pellucid.app.web.tasks.trying import SECONDS, Effort, attacked_so_far, reported
from pellucid.app.web.worker_state import Attacked, Desk
from pellucid.attacking.adversary_kinds import KINDS, KindName
from pellucid.attacking.evidence.published_alike import counted_words, shared_words
from pellucid.attacking.telling.guarantee_coverage import coverage, coverage_of
from pellucid.attacking.telling.guessing import guessing_of
from pellucid.attacking.telling.headline import enough, few_people, told_most, why_aside
from pellucid.attacking.telling.prior_exposure import before_words, newly_above
from pellucid.attacking.telling.report import AttackReport, Attempt
from pellucid.attacking.telling.undetermined import surely_exceeds, unknown_people, unknown_words
from pellucid.attacking.telling.words import verdict
from pellucid.attacking.telling.worst_groups import tie_words, worst_groups
from pellucid.guessing import COVERED_BY_NONE
from pellucid.posterior.exclusion import BUDGET
from pellucid.progress import Progress
from pellucid.reporting.opened import protected_by
from pellucid.reporting.promise_status import figures_count, standing_of
from pellucid.schema import Role
from pellucid.sentence import promises_nothing
from pellucid.text.figures import against

WORST = 3  # groups of each adversary that are told
VALUES = 6  # beliefs about a person that are told
TOGETHER = 20  # rows that belong together of which it is told
State = Literal["kept", "weak", "open", "broken"]  # of the promise


def attack(
    desk: Desk,
    *,
    source: dict[str, Any],
    schema: str,
    kinds: Sequence[KindName],
    column: str = "",
    seconds: float = SECONDS,
    budget: int = BUDGET,
    progress: Progress,
) -> dict[str, Any]:
    """What these kinds of adversaries believe of a protected column, or the only one, with those tried before."""
    report = reported(desk, source, schema, kinds, progress, Effort(seconds, budget), column)
    about = attacked_so_far(desk, source, schema, progress, column)
    progress.stage("drawing", 0)
    recipe = desk.release.public.recipe
    method = recipe.made_by
    protected = protected_by(method, report.evidence.attribute.name)
    claim = str(recipe.guarantee)
    standing = standing_of(report, claim, protected)
    return {
        "limit": "" if report.limit is None else str(report.limit),
        "state": state_of(report, claim, standing.broken, waiting=[k for k in KINDS if k not in about.tried]),
        "guessed": report.by_guessing,
        "verdict": "" if standing.sentences else verdict(report),
        "claim": claim,
        "covered": standing.covered,
        "mistaken": standing.mistaken,
        "outside": standing.outside,
        "aside": standing.aside,
        "parted": standing.parted,
        "guessing": guessing_of(report, COVERED_BY_NONE if promises_nothing(method) else claim).line,
        "broken": standing.broken,
        "protected": "" if figures_count(report) else protected,
        "attempts": [_shown(about, attempt, report, claim) for attempt in report.attempts],
        "counted": counted_words(report.evidence),
        "notes": list(report.notes),
        "named": report.evidence.names is not None,
        "people": len(report.evidence.people),
        "enough": enough(report.evidence),
        "together": desk.schema(schema).names(Role.CLUSTER),
        "sensitive": report.evidence.attribute.name,
        **_how_far(about, claim),
        **_beside(about, report),
    }


def _how_far(about: Attacked, claim: str) -> dict[str, Any]:
    """Which kinds of adversaries were tried, and which not yet, or not to the end."""
    open_ = [kind for kind in KINDS if kind in about.unfinished or kind not in about.tried]
    return {
        "tried": list(about.tried),
        "waiting": [KINDS[kind].name for kind in KINDS if kind not in about.tried],
        "unfinished": {KINDS[kind].name: given_up.why for kind, given_up in about.unfinished.items()},
        "suggested": max((given_up.suggested for given_up in about.unfinished.values()), default=round(SECONDS)),
        "unknown": [KINDS[kind].name for kind in open_ if coverage_of(claim, kind, more=False) == "covered"],
    }


def _beside(about: Attacked, report: AttackReport) -> dict[str, Any]:
    """What is told beside the attempts: who could not be tried, and what classic attacks found."""
    unfinished = {KINDS[kind].name for kind in about.unfinished}
    return {
        "missed": [
            {"name": missed.name, "why": missed.why} for missed in report.missed if missed.name not in unfinished
        ],
        "findings": [
            {"name": finding.attack, "story": finding.story, "sentence": finding.sentence, "measure": finding.measure}
            for finding in report.findings
            if finding.ran
        ],
        "lacking": [{"name": finding.attack, "why": finding.reason} for finding in report.findings if not finding.ran],
    }


def state_of(report: AttackReport, claim: str, broken: bool, waiting: Sequence[KindName]) -> State:
    """Whether the promise is kept: ``kept`` only where everybody whom it covers was tried and shown to stay within it.

    Nobody was tried, somebody is still to come, or a figure shows nothing by itself: ``open``.
    ``weak`` is a promise that does not cover whoever knows the method.
    """
    if broken:
        return "broken"
    covered = {kind for kind in KINDS if coverage_of(claim, kind, more=False) == "covered"}
    tried = [one for one in report.attempts if coverage(claim, one.beliefs.adversary) == "covered"]
    left = {*waiting, *(one.kind for one in report.missed)}
    shown = tried and not covered & left and report.limit is not None and report.limit < 1
    if not (shown and all(surely_exceeds(one) is False for one in tried)):
        return "open"
    return "kept" if claim == "algorithm" else "weak"


def _shown(about: Attacked, attempt: Attempt, report: AttackReport, claim: str) -> dict[str, Any]:
    """An attempt for the page; drawn once, for it is shown again whenever another attacker is done."""
    known = about.drawn.get(id(attempt))
    if known is None or known[0] is not attempt:
        known = about.drawn[id(attempt)] = attempt, _attempt(attempt, report.limit)
    covered = coverage(claim, attempt.beliefs.adversary)
    uncounted = why_aside(attempt, report) if covered == "outside" else ""
    counted = told_most(attempt) if covered == "outside" and not uncounted else attempt.max_risk
    return known[1] | {
        "coverage": covered,
        "uncounted": uncounted,
        "few": few_people(attempt),
        "counted": counted if counted < attempt.max_risk * (1 - 1e-9) else None,
    }


def _attempt(attempt: Attempt, limit: Fraction | None) -> dict[str, Any]:
    unknown = unknown_people(attempt)
    everybody = bool(unknown[attempt.beliefs.evidence.inside].all())
    return {
        "unknown": int(unknown.sum()),
        "unknown_words": unknown_words(attempt),
        "surely": len(attempt.surely_above),
        "name": attempt.name,
        "about": KINDS[attempt.kind].in_short,
        "max_risk": attempt.max_risk,
        "estimate": attempt.beliefs.by_lot,
        "baseline": attempt.baseline,
        "multiple": attempt.multiple,
        "above": None if attempt.bound is None else len(attempt.above),
        "share_above": attempt.share_above,
        "before": before_words(attempt),
        "accuracy": attempt.accuracy,
        "exceeds": surely_exceeds(attempt),
        "warning": attempt.warning,
        "engine": attempt.beliefs.engine,
        "notes": list(attempt.beliefs.notes),
        "chart": "" if unknown.any() and everybody else belief_histogram(attempt, limit),
        "strip": "" if unknown.any() and everybody else belief_strip(attempt, limit),
        "ties": "" if unknown.any() else tie_words(attempt, WORST),
        "worst": [
            {
                "belief": None if _hidden(attempt, found.group) else belief,
                "size": found.size,
                "shared": "" if found.group is None else shared_words(attempt.beliefs.evidence, found.group),
                "published": found.published,
                "values": [
                    {"value": shown(value), "rows": int(rows)} for value, rows in list(found.values.items())[:VALUES]
                ],
                "more": max(len(found.values) - VALUES, 0),
                "reasoning": found.reasoning,
            }
            for belief, found in worst_groups(attempt, WORST)
        ],
    }


def _hidden(attempt: Attempt, group: int | None) -> bool:
    """Whether the largest belief in a group is not known: of somebody in it nothing is shown, and nobody is certain."""
    unknown, lower = unknown_people(attempt), attempt.beliefs.lower
    members = attempt.beliefs.evidence.grouping.labels == group
    return bool(unknown[members].any()) and not (lower is not None and bool((lower[members] >= 1).any()))


def person(
    desk: Desk,
    *,
    source: dict[str, Any],
    schema: str,
    kinds: Sequence[KindName],
    who: str,
    column: str = "",
    progress: Progress,
    **effort: Any,
) -> dict[str, Any]:
    """What these adversaries believe of one person, by name or row number; or of all rows that belong together."""
    report = reported(desk, source, schema, kinds, progress, Effort(**effort), column)
    evidence = report.evidence
    limit = "" if report.limit is None else str(report.limit)
    together: list[int] = []
    if not _is_row(report, who):
        together = rows_together(_belonging(desk, source, schema, progress), len(evidence.people), who)
    claim = str(desk.release.public.recipe.guarantee)
    rows = together or [_row_of(report, who)]
    found = [{"who": evidence.name_of(row), "told": _told_of(report, row, claim)} for row in rows[:TOGETHER]]
    whose = who.strip() if together else found[0]["who"]
    more = len(rows) - len(found)
    return {"who": whose, "rows": found, "more": more, "sensitive": evidence.attribute.name, "limit": limit}


def _belonging(desk: Desk, source: dict[str, Any], schema: str, progress: Progress) -> pl.Series | None:
    """The column that says which rows belong together, as it came; None where there is none."""
    named = desk.schema(schema).names(Role.CLUSTER)
    return desk.frame(source, progress)[named[0]] if named else None


def _told_of(report: AttackReport, row: int, claim: str) -> list[dict[str, Any]]:
    """What each adversary believes of one row."""
    evidence = report.evidence
    key = evidence.names[row] if evidence.names is not None else row
    told = []
    for attempt in report.attempts:
        unknown = bool(unknown_people(attempt)[row])
        posterior = {} if unknown else attempt.beliefs.posterior_of(row)
        likeliest = sorted(posterior.items(), key=lambda item: -float(item[1]))[:VALUES]
        told.append(
            {
                "name": attempt.name,
                "explanation": attempt.beliefs.explain(key),
                "beliefs": [
                    {"value": shown(value), "belief": against(float(belief), report.limit)}
                    for value, belief in likeliest
                ],
                "more": max(len(posterior) - VALUES, 0),
                "at_most": sum(map(float, posterior.values())) > 1 + 1e-6,  # bounds: they cannot all be true
                "exceeds": not unknown and attempt.bound is not None and row in attempt.above,
                "before": not unknown and row in attempt.above and row not in newly_above(attempt),
                "coverage": coverage(claim, attempt.beliefs.adversary),
                "unknown": unknown,
            }
        )
    return told


def _is_row(report: AttackReport, who: str) -> bool:
    """Whether one row is called exactly so, or has that number where rows have no names."""
    names = report.evidence.names
    if names is not None:
        return who.strip() in map(str, names)
    return who.strip().isdecimal() and 1 <= int(who) <= len(report.evidence.people)


def _row_of(report: AttackReport, who: str) -> int:
    names = report.evidence.names
    return row_numbered(len(report.evidence.people), who) if names is None else row_called(names, who)
