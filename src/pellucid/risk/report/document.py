"""An attack for a program: what ``AttackReport.document()`` returns, and what ``pellucid attack --json`` prints of it.

docs/schemas/attack.schema.json describes it. The verb adds ``verdict``, its first lines, and ``warnings``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from pellucid.messages import PYTHON, Speaker
from pellucid.risk.adversary_kinds import KINDS
from pellucid.risk.attacks.finding import Finding
from pellucid.risk.report.attack_report import WARNING, Worst
from pellucid.risk.report.results import AttackerResult, AttackResult
from pellucid.risk.report.rightly import Statistic
from pellucid.risk.report.sentences import UNSAID, learned_from, untried, warning_of
from pellucid.text.values import label_of

SHOWN_VALUES = 20
NOT_JUDGED = "not judged"


def document(
    result: AttackResult,
    speaker: Speaker = PYTHON,
    *,
    notes: Speaker = PYTHON,
    lacking: Callable[[Finding], str] = lambda finding: finding.reason,
) -> dict[str, Any]:
    """The record as values that JSON has; a surface has its own words for reasons, for notes, and for what is lacking.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing", "algorithm"])
    >>> report.document()["standing"]
    {'verdict': 'holds', 'bound': '1/2', 'by': 'made for', 'why': None}
    >>> report.document(1 / 8)["standing"]
    {'verdict': 'fails', 'bound': '1/8', 'by': 'asked', 'why': None}
    """
    judged, limit = result.judged, result.limit
    asked = None if result.required is None else result.standing
    return {
        "source": result.source,
        "rows": result.rows,
        "groups": result.groups,
        "people": result.everyone,
        "people_in_groups": result.inside,
        "sensitive": result.column,
        "method": result.method,
        "parameters": result.parameters,
        "guarantee": result.guarantee,
        "l": limit.denominator if limit is not None and limit.numerator == 1 else None,
        "bound": None if limit is None else float(limit),
        "most_frequent": result.guessed,
        "max_risk": result.max_risk,
        "asked": list(judged.kinds) if judged.asked else list(KINDS),
        "judged": {"kinds": list(judged.kinds), "why": judged.why},
        "guessing": result.guessing.record(),
        "required": None if result.required is None else str(result.required),
        "holds": None if asked is None else asked.holds,
        "not_shown": None if asked is None or asked.holds is not None else speaker.tell(asked.why),
        "standing": standing(result, speaker),
        "statistics": [_statistic(one, speaker) for one in result.statistics],
        "told_by_the_rest": _rest(result),
        "adversaries": [_attacker(one, result, speaker, notes) for one in result.attackers],
        "not_tried": [{"name": missed.name, "why": speaker.tell(missed.why)} for missed in result.missed],
        "classic": [_finding(finding, lacking) for finding in result.findings],
        "notes": [notes.tell(note) for note in result.notes],
    }


def _rest(result: AttackResult) -> dict[str, Any] | None:
    return None if result.rest is None else result.rest.document()


def _statistic(one: Statistic, speaker: Speaker) -> dict[str, Any]:
    """What an attacker with statistics gets right; where that is not known, why."""
    return asdict(one) | {"columns": list(one.columns), "why": speaker.tell(one.why) if one.why else None}


def standing(result: AttackResult, speaker: Speaker = PYTHON) -> dict[str, Any]:
    """How the bound stands: the one asked for, else what the release was made for; without one nothing is judged."""
    stands = result.standing
    if stands is None:
        return {"verdict": NOT_JUDGED, "bound": None, "by": None, "why": speaker.tell(UNSAID)}
    why = None if stands.holds is not None else speaker.tell(stands.why or untried(result))
    by = "made for" if result.required is None else "asked"
    return {"verdict": stands.standing.value.lower(), "bound": str(result.bound), "by": by, "why": why}


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


def _attacker(one: AttackerResult, result: AttackResult, speaker: Speaker, notes: Speaker) -> dict[str, Any]:
    judging = one.bound is not None
    return {
        "name": one.name,
        "judged": one.judged,
        "knows": one.knows,
        "prior": one.prior,
        "attributes": list(one.who.columns),
        "learned_from": learned_from(one, result),
        "engine": one.engine,
        "exactness": one.exactness.value,
        "lacking": [speaker.tell(reason) for reason in one.lacking],
        "max_risk": one.max_risk,
        "estimate": one.estimate,
        "confidence": one.most.confidence,
        "baseline": one.by_count,
        "multiple": one.multiple,
        "people_above": one.above if judging else None,
        "people_surely_above": one.surely if judging else None,
        "share_above": one.share_above,
        "average_above": one.average_above,
        "exceeds": one.may_exceed,
        "accuracy": one.accuracy,
        "right": None if one.rightly is None else asdict(one.rightly),
        "worst": None if one.worst is None else _worst(one.worst),
        "warning": WARNING if one.learns else None,
        "notes": [notes.tell(note) for note in one.notes],
    }


def _worst(worst: Worst) -> dict[str, Any]:
    """Who is known best; it names a person, as the report does."""
    values = list(worst.values.items())[:SHOWN_VALUES]
    return {
        "person": worst.person,
        "size": worst.size,
        "published": worst.published,
        "values": [{"value": None if value is None else label_of(value), "rows": rows} for value, rows in values],
        "reasoning": worst.reasoning,
    }


def _finding(finding: Finding, lacking: Callable[[Finding], str]) -> dict[str, Any]:
    record = finding.record() | {"warning": warning_of(finding)}
    return record if finding.ran else record | {"reason": lacking(finding)}
