"""An attack for a program: what ``AttackReport.document()`` returns, and what ``pellucid attack --json`` prints of it.

docs/schemas/attack.schema.json describes it. The verb adds ``verdict``, its first lines, and ``warnings``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from pellucid.attacking.adversary import prior_name
from pellucid.attacking.adversary_kinds import KINDS
from pellucid.attacking.classic.finding import Finding
from pellucid.attacking.telling.guessing import guessing_of
from pellucid.attacking.telling.report import WARNING, AttackReport, Attempt
from pellucid.attacking.telling.words import learned_from, most_frequent
from pellucid.guessing import COVERED_BY_NONE
from pellucid.messages import Message
from pellucid.text.values import label_of

SHOWN_VALUES = 20
NOT_JUDGED = "not judged"
UNSAID = Message.of("nobody says how much may be believed of anybody", "say it with {MAX_RISK}")
Words = Callable[[str], str]  # how a surface tells an advice: Python's words are the text itself


def document(
    report: AttackReport,
    most: Fraction | None = None,
    *,
    told: Words = str,
    told_of_attack: Words = str,
    lacking: Callable[[Finding], str] = lambda finding: finding.reason,
) -> dict[str, Any]:
    """The report as values that JSON has; ``most`` is what may be believed, the promise's bound unless given."""
    return {
        **_about(report),
        **_judging(report, most, told_of_attack),
        "adversaries": [
            _attempt(attempt, told, told_of_attack, report.judges(attempt.kind)) for attempt in report.attempts
        ],
        "not_tried": [{"name": missed.name, "why": told_of_attack(missed.why)} for missed in report.missed],
        "classic": [_finding(finding, lacking) for finding in report.findings],
        "notes": [told(note) for note in report.notes],
    }


def _about(report: AttackReport) -> dict[str, Any]:
    """What was attacked, and how it was made."""
    evidence, method = report.evidence, report.evidence.method
    made: dict[str, Any] = {"method": None, "parameters": None, "guarantee": None}
    if method is not None:
        parameters = method.model_dump(mode="json", exclude_none=True)
        made = {"method": method.name, "parameters": parameters, "guarantee": method.claim}
    return {
        "source": report.source,
        "rows": int(evidence.published.sizes.sum()),
        "groups": len(evidence.published),
        "people": len(evidence.people),
        "people_in_groups": int(evidence.inside.sum()),
        "sensitive": evidence.attribute.name,
        **made,
    }


def _judging(report: AttackReport, most: Fraction | None, told: Words) -> dict[str, Any]:
    """The figures of the report as a whole, and how the bound stands."""
    stands = None if most is None else report.standing(float(most))
    return {
        "l": report.l,
        "bound": report.bound,
        "most_frequent": most_frequent(report),
        "max_risk": report.max_risk if report.attempts else None,
        "asked": list(report.judged.kinds) if report.judged.asked else list(KINDS),
        "judged": {"kinds": list(report.judged.kinds), "why": report.judged.why},
        "guessing": guessing_of(report, report.promise or COVERED_BY_NONE).record(),
        "required": None if most is None else str(most),
        "holds": None if stands is None else stands.holds,
        "not_shown": None if stands is None or stands.holds is not None else told(stands.why),
        "standing": standing(report, most, told),
    }


def standing(report: AttackReport, most: Fraction | None, told: Words = str) -> dict[str, Any]:
    """How the bound stands: the one asked for, else what the release was made for; without one nothing is judged.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing", "algorithm"])
    >>> standing(report, None)
    {'verdict': 'holds', 'bound': '1/2', 'by': 'made for', 'why': None}
    >>> standing(report, Fraction(1, 8))
    {'verdict': 'fails', 'bound': '1/8', 'by': 'asked', 'why': None}
    """
    bound = report.limit if most is None else most
    if bound is None:
        return {"verdict": NOT_JUDGED, "bound": None, "by": None, "why": told(UNSAID)}
    stands = report.standing(float(bound))
    why = None if stands.holds is not None else told(stands.why) or _untried(report)
    by = "made for" if most is None else "asked"
    return {"verdict": stands.standing.value.lower(), "bound": str(bound), "by": by, "why": why}


def standing_of_several(each: list[dict[str, Any]]) -> dict[str, Any]:
    """The same of several sensitive columns: what is worst of one is so of all of them.

    >>> standing_of_several([
    ...     {"verdict": "holds", "bound": "1/2", "by": "made for", "why": None},
    ...     {"verdict": "not shown", "bound": "1/3", "by": "made for", "why": "too many worlds"},
    ... ])
    {'verdict': 'not shown', 'bound': None, 'by': 'made for', 'why': 'too many worlds'}
    """
    worst_first = ("fails", "not shown", NOT_JUDGED, "holds")
    worst = min(each, key=lambda one: worst_first.index(one["verdict"]))
    alike = {key: worst[key] if all(one[key] == worst[key] for one in each) else None for key in ("bound", "by")}
    return worst | alike


def _untried(report: AttackReport) -> str:
    """Who was not tried, where that alone leaves it open."""
    who = " or who ".join(dict.fromkeys(report.open))
    return f"nothing is known of somebody who {who}: see not_tried" if who else "no attacker who is judged was tried"


def _attempt(attempt: Attempt, told: Words, told_of_attack: Words, judged: bool) -> dict[str, Any]:
    beliefs, worst = attempt.beliefs, attempt.worst
    adversary = beliefs.adversary
    return {
        "name": attempt.name,
        "judged": judged,
        "knows": adversary.knows,
        "prior": prior_name(adversary.prior),
        "attributes": list(getattr(adversary.prior, "attributes", ())),
        "learned_from": learned_from(attempt),
        "engine": beliefs.engine,
        "exactness": beliefs.exactness.value,
        "lacking": [told_of_attack(reason) for reason in beliefs.lacking],
        "max_risk": attempt.max_risk,
        "estimate": beliefs.max_risk,
        "confidence": beliefs.confidence,
        "baseline": attempt.baseline,
        "multiple": attempt.multiple,
        "people_above": None if attempt.bound is None else len(attempt.above),
        "people_surely_above": None if attempt.bound is None else len(attempt.surely_above),
        "share_above": attempt.share_above,
        "average_above": attempt.average_above,
        "exceeds": attempt.exceeds,
        "accuracy": attempt.accuracy,
        "worst": {
            "person": worst.person,
            "size": worst.size,
            "published": worst.published,
            "values": [
                {"value": None if value is None else label_of(value), "rows": count}
                for value, count in list(worst.values.items())[:SHOWN_VALUES]
            ],
            "reasoning": worst.reasoning,
        },
        "warning": attempt.warning,
        "notes": [told(note) for note in beliefs.notes],
    }


def _finding(finding: Finding, lacking: Callable[[Finding], str]) -> dict[str, Any]:
    record = finding.record() | {"warning": WARNING if "composition" in finding.attack else None}
    return record if finding.ran else record | {"reason": lacking(finding)}
