"""Attack the release: every adversary, the worst groups, one person."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from pellucid.anonymize.disclosure.strata_odds import told_inside
from pellucid.core.schema import Role
from pellucid.core.sentence import promises_nothing
from pellucid.core.table import Table
from pellucid.messages import Message, Probability
from pellucid.posterior.exclusion import BUDGET
from pellucid.reports.contrast_pictures import right_picture
from pellucid.reports.opened import protected_by
from pellucid.risk.adversary_kinds import KINDS, KindName
from pellucid.risk.report.attack_report import WARNING, AttackReport, Attempt
from pellucid.risk.report.baseline_risk import newly_above
from pellucid.risk.report.guarantee_coverage import Coverage, coverage, kinds_covered
from pellucid.risk.report.results import AttackerResult, AttackResult, State, attacker_of, result_of
from pellucid.risk.report.sentences import (
    PromiseStatus,
    already_before,
    groups_counted,
    nothing_known,
    own_limits,
    people,
    promise_status,
    published_alike,
    rightly_words,
    tied,
    why_aside,
    with_missed,
)
from pellucid.risk.report.statistics_words import limit_of, right_sentence, right_table
from pellucid.risk.report.undecided import unknown_people
from pellucid.risk.report.worst_groups import WorstGroup
from pellucid.runtime.progress import Progress
from pellucid.text.figures import against
from pellucid.web.charts import belief_histogram, belief_strip
from pellucid.web.people import row_called, row_numbered, rows_together
from pellucid.web.tasks.attack_budget import SECONDS, Effort, attacked_so_far, reported
from pellucid.web.tasks.open_table import shown
from pellucid.web.worker_state import Attacked, Desk

WORST = 3  # groups of each adversary that are told
VALUES = 6  # beliefs about a person that are told
TOGETHER = 20  # rows that belong together of which it is told


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
    protected = protected_by(recipe.made_by, report.evidence.attribute.name)
    claim = str(recipe.guarantee)
    result = result_of(report, claim, protected, nothing=promises_nothing(recipe.made_by))
    waiting = [kind for kind in KINDS if kind not in about.tried]
    unknown = _unknown(about, result, waiting)
    status, state = promise_status(result), result.state(waiting)
    beyond = bool(status.covered) and any(one.exceeds for one in result.of("outside"))
    return {
        "limit": "" if result.limit is None else str(result.limit),
        "above": limit_of(result),
        "own": own_limits(result),
        "state": state,
        "guessed": result.guessed,
        "verdict": verdict_on(result, status, state, unknown, beyond=beyond),
        "signing": beyond and state in ("kept", "weak"),
        "meaning": _meaning(status, beyond=beyond),
        "strata": bool(result.fixed),
        "inside": "" if waiting else _inside_strata(desk, desk.table(source, schema, progress)),
        "helps": claim == "algorithm" and any(one.exceeds for one in result.of("outside")),
        "guessing": result.guessing.line,
        **_right(result),
        "protected": protected if result.about_all else "",
        "attempts": [
            _shown(about, attempt, one, result, counts=beyond and bool(status.outside))
            for attempt, one in zip(report.attempts, result.attackers, strict=True)
        ],
        "counted": groups_counted(result),
        "notes": list(result.notes),
        "named": result.named,
        "people": result.everyone,
        "enough": result.enough,
        "together": desk.schema(schema).names(Role.CLUSTER),
        "sensitive": result.column,
        "waiting": [KINDS[kind].name for kind in waiting],
        **_tried(about, result),
    }


def _inside_strata(desk: Desk, table: Table) -> Message:
    """What statistics tell inside strata, by columns that strata mix."""
    return told_inside(table, desk.release.public.recipe.made_by)


def _right(result: AttackResult) -> dict[str, Any]:
    """What attackers with statistics get right: in a sentence, as lines and as a picture."""
    drawn, found = right_picture(result), right_table(result)
    return {
        "right": right_sentence(result),
        "right_table": None if found is None else vars(found),
        "right_picture": "" if drawn is None else drawn.figure,
    }


def _unknown(about: Attacked, result: AttackResult, waiting: Sequence[KindName]) -> list[str]:
    """Attackers whom the promise covers and of whom nothing is known yet."""
    open_ = [kind for kind in KINDS if kind in waiting or kind in about.unfinished]
    return [KINDS[kind].name for kind in open_ if kind in kinds_covered(result.claim, result.fixed)]


def _tried(about: Attacked, result: AttackResult) -> dict[str, Any]:
    """Who was tried, who was given up or could not be, and what classic attacks found."""
    return {
        "tried": list(about.tried),
        "unfinished": {KINDS[kind].name: about.unfinished[kind].why for kind in about.unfinished},
        "suggested": max((one.suggested for one in about.unfinished.values()), default=round(SECONDS)),
        "missed": [{"name": one.name, "why": one.why} for one in result.missed if one.kind not in about.unfinished],
        "findings": [{"name": one.attack, "sentence": one.sentence} for one in result.findings if one.ran],
        "lacking": [{"name": one.attack, "why": one.reason} for one in result.findings if not one.ran],
    }


def verdict_on(
    result: AttackResult, status: PromiseStatus, state: State, unknown: Sequence[str], *, beyond: bool
) -> list[dict[str, Any]]:
    """How the promise stands, as paragraphs: what is said of it in bold, then a sentence, and how it looks."""
    paragraphs = []
    if state == "broken":
        more = Message("An attacker whom it covers believes more of somebody. Do not publish this; please report it.")
        paragraphs.append({"looks": "alert", "strong": Message("The promise is not kept."), "text": more})
    strong, text = _covered(result, status, state, unknown)
    paragraphs.append({"looks": "", "strong": strong, "text": text})
    if status.parted:
        paragraphs.append({"looks": "beyond", "strong": "", "text": status.parted})
    if beyond:
        text = status.outside or status.aside
        text = Message.joined([text, *_uncounted(result)], " ") if status.outside else text
        paragraphs.append({"looks": "beyond", "strong": "", "text": text})
    return paragraphs


def _covered(result: AttackResult, status: PromiseStatus, state: State, unknown: Sequence[str]) -> tuple[Message, str]:
    """What is known of attackers whom the promise covers, and who of them is not known yet."""
    missing = Message("; ".join(unknown))
    if status.covered:
        too = Message("Not known yet, though the promise covers them too: somebody who {who}.", who=missing)
        text = Message.joined([status.covered, too], " ") if unknown else status.covered
        return KEPT.get(state) or Message("So far:" if unknown else ""), text
    strong = Message("The method promises nothing." if result.claim == "none" else "")
    yet = Message("Not known yet, though the promise covers them: somebody who {who}.", who=missing)
    first = [] if strong else [yet] if unknown else [NONE_TRIED]
    rest = status.outside or Message.joined([] if status.sentences else with_missed(result, ()), " ")
    return strong, Message.joined([part for part in (*first, rest, status.aside) if part], " ")


KEPT = {
    "kept": Message("The promise is kept."),
    "weak": Message("The promise is kept, and it is a weak one."),
}
NONE_TRIED = Message("None of the attackers whom the promise covers could be tried.")


def _uncounted(result: AttackResult) -> list[Message]:
    """How many attackers outside the promise are not counted in the sentence about them, and why."""
    aside = [one for one in result.of("outside") if not one.carries]
    few = sum(one.few for one in aside)
    blind, enough = len(aside) - few, people(result.enough)
    if few and blind:
        both = (
            "Not counted: {few} more (figures of fewer than {enough}) and {blind} more (right no more often than by "
            "chance)."
        )
        return [Message(both, few=few, blind=blind, enough=enough)]
    if few:
        return [Message("Not counted: {few} more (figures of fewer than {enough}).", few=few, enough=enough)]
    told = "Not counted: {blind} more (right no more often than by chance)."
    return [Message(told, blind=blind)] if blind else []


def _meaning(status: PromiseStatus, *, beyond: bool) -> list[Message]:
    """What is said of those outside the promise where the verdict does not say it already."""
    if not status.covered:
        return []
    outside = Message("") if beyond else status.outside
    aside = Message("") if beyond and not status.outside else status.aside
    return [one for one in (status.mistaken, outside, aside) if one]


def _shown(
    about: Attacked, attempt: Attempt, one: AttackerResult, result: AttackResult, *, counts: bool
) -> dict[str, Any]:
    """An attacker's card; drawn once, for it is shown again whenever another attacker is done.

    ``counts``: there is a sentence above the cards about those whom the promise does not cover.
    """
    known = about.drawn.get(id(attempt))
    if known is None or known[0] is not attempt:
        known = about.drawn[id(attempt)] = attempt, _drawn(attempt, result.line, vain=one.vain)
    outside = one.coverage == "outside"
    uncounted = why_aside(one, result) if outside and counts else Message("")
    smaller = outside and counts and one.carries and one.headline < one.max_risk * (1 - 1e-9)
    return known[1] | {
        "name": one.name,
        "about": KINDS[one.kind].in_short,
        "coverage": one.coverage,
        "cover": COVER[one.coverage] if not uncounted else Message("not covered, not counted here"),
        "looks": "bad" if one.exceeds and one.coverage == "covered" else one.coverage,
        "badge": _badge(one, result),
        "line": _at_the_line(one, result.line),
        "uncounted": uncounted,
        "counted": one.headline if smaller else None,
        "unknown": one.unknown,
        "unknown_words": nothing_known(one),
        "surely": one.surely,
        "max_risk": one.max_risk,
        "estimate": one.most.by_lot,
        "baseline": one.by_count,
        "above": None if one.bound is None else one.above,
        "share_above": one.share_above,
        "before": already_before(one),
        "accuracy": one.accuracy,
        "rightly": rightly_words(one, result),
        "warning": WARNING if one.learns else None,
        "engine": one.engine,
        "notes": list(one.notes),
    }


COVER: dict[Coverage, Message] = {
    "covered": Message("covered by the promise"),
    "mistaken": Message("wrong about the method"),
    "outside": Message("not covered"),
}
ABOVE: dict[Coverage, str] = {"covered": " bad", "mistaken": "", "outside": " warn"}  # how a badge looks


def _at_the_line(one: AttackerResult, limit: Fraction | None) -> Message:
    """What the bars beyond the limit are."""
    if limit is None:
        return Message("")
    told = {
        "covered": "The dashed line is {limit}: bars to the right of it are people about whom more is believed than "
        "promised.",
        "mistaken": "The dashed line is {limit}: bars to the right of it are people about whom more is believed, by "
        "somebody who is wrong about the method: sure, but not for that reason right.",
        "outside": "The dashed line is {limit}: bars to the right of it are people about whom more is believed; the "
        "promise does not cover this attacker.",
    }
    return Message(told[one.coverage], limit=Probability(limit))


def _badge(one: AttackerResult, result: AttackResult) -> dict[str, Any] | None:
    """Whether an attacker is above the limit, in a word, and how that looks; None where there is nothing to say."""
    limit = limit_of(result)
    if not limit or (one.exceeds is None and one.unknown):
        return None
    if one.exceeds is None:
        return {"looks": "", "text": Message("not shown to be within {limit}", limit=limit)}
    if not one.exceeds:
        return {"looks": " good", "text": Message("within {limit}", limit=limit)}
    looks = "" if one.vain else ABOVE[one.coverage]  # sure, and right no more often than by chance
    return {"looks": looks, "text": Message("above {limit}", limit=limit)}


def _drawn(attempt: Attempt, limit: Fraction | None, *, vain: bool) -> dict[str, Any]:
    """What takes time: the charts of an attacker, and the worst groups."""
    one = attacker_of(attempt, groups=WORST)
    return {
        "chart": "" if one.unknown_all else belief_histogram(attempt, limit, vain=vain),
        "strip": "" if one.unknown_all else belief_strip(attempt, limit, vain=vain),
        "ties": "" if one.unknown else tied(one.tie, WORST),
        "worst": [_group(group) for group in one.groups],
    }


def _group(group: WorstGroup) -> dict[str, Any]:
    """One of the worst groups, in words."""
    worst = group.worst
    return {
        "belief": group.belief if group.known else None,
        "size": worst.size,
        "shared": published_alike(group.alike),
        "published": worst.published,
        "values": [{"value": shown(value), "rows": int(rows)} for value, rows in list(worst.values.items())[:VALUES]],
        "more": max(len(worst.values) - VALUES, 0),
        "reasoning": worst.reasoning,
    }


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
    return desk.rows(source, desk.table(source, schema, progress), progress)[named[0]] if named else None


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
                "unknown": unknown,
                **_stands(attempt, row, coverage(claim, attempt.beliefs.adversary, report.fixed), unknown=unknown),
            }
        )
    return told


def _stands(attempt: Attempt, row: int, covered: Coverage, *, unknown: bool) -> dict[str, Any]:
    """Whether an attacker is above the limit for one row: in a word, how that looks, and what to know beside it."""
    told: dict[str, Any] = {"coverage": covered, "cover": "", "badge": None, "beside": ""}
    if covered == "covered":
        told["cover"] = COVER["covered"]
    if unknown:
        return told | {"badge": {"looks": "", "text": Message("not known")}}
    if attempt.bound is None or row not in attempt.above:
        return told
    limit = Fraction(attempt.bound if attempt.own is None else attempt.own[row]).limit_denominator(1_000_000)
    told["badge"] = {"looks": ABOVE[covered], "text": Message("above {limit}", limit=Probability(limit))}
    if covered != "covered":
        before = [] if row in newly_above(attempt) else [Message("already before seeing the release")]
        told["beside"] = Message.joined([OTHERS[covered], *before])
    return told


OTHERS: dict[Coverage, Message] = {
    "mistaken": Message("mistaken about the method"),
    "outside": Message("not covered by the promise"),
}


def _is_row(report: AttackReport, who: str) -> bool:
    """Whether one row is called exactly so, or has that number where rows have no names."""
    names = report.evidence.names
    if names is not None:
        return who.strip() in map(str, names)
    return who.strip().isdecimal() and 1 <= int(who) <= len(report.evidence.people)


def _row_of(report: AttackReport, who: str) -> int:
    names = report.evidence.names
    return row_numbered(len(report.evidence.people), who) if names is None else row_called(names, who)
