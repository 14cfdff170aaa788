"""What ``pellucid attack --json`` prints; docs/schemas/attack.schema.json describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from pellucid.app.attack_words import lacking_words
from pellucid.app.wording import in_attack_options, in_options
from pellucid.attacking.adversary_kinds import KINDS
from pellucid.attacking.classic.finding import Finding
from pellucid.attacking.telling.guessing import guessing_of
from pellucid.attacking.telling.report import WARNING, AttackReport, Attempt
from pellucid.attacking.telling.words import learned_from, most_frequent
from pellucid.attacking.verdict import BoundVerdict
from pellucid.guessing import COVERED_BY_NONE
from pellucid.text.values import label_of

SHOWN_VALUES = 20


def document(
    report: AttackReport,
    promise: str | None,
    most: Fraction | None,
    stands: BoundVerdict | None,
    said: Sequence[str],
    warned: Sequence[str],
) -> dict[str, Any]:
    """The report for a program; ``said`` are the first lines for a person."""
    evidence = report.evidence
    method = evidence.method
    return {
        "source": report.source,
        "verdict": " ".join(said),
        "rows": int(evidence.published.sizes.sum()),
        "groups": len(evidence.published),
        "people": len(evidence.people),
        "people_in_groups": int(evidence.inside.sum()),
        "sensitive": evidence.attribute.name,
        "method": None if method is None else method.name,
        "parameters": None if method is None else method.model_dump(mode="json", exclude_none=True),
        "guarantee": None if method is None else method.claim,
        "l": report.l,
        "bound": report.bound,
        "most_frequent": most_frequent(report),
        "max_risk": report.max_risk if report.attempts else None,
        "asked": list(report.judged.kinds) if report.judged.asked else list(KINDS),
        "judged": {"kinds": list(report.judged.kinds), "why": report.judged.why},
        "guessing": guessing_of(report, promise or COVERED_BY_NONE).record(),
        "required": None if most is None else str(most),
        "holds": None if stands is None else stands.holds,
        "not_shown": None if stands is None or stands.holds is not None else in_attack_options(stands.why),
        "adversaries": [_attempt(attempt, judged=report.judges(attempt.kind)) for attempt in report.attempts],
        "not_tried": [{"name": missed.name, "why": in_attack_options(missed.why)} for missed in report.missed],
        "classic": [_finding(finding) for finding in report.findings],
        "notes": [in_options(note) for note in report.notes],
        "warnings": list(warned),
    }


def document_of_several(columns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The documents of several sensitive columns in one, with a verdict on all of them.

    It holds when it does of each column, and not when it does not of one; else it is not shown.
    """
    most, each = columns[0]["required"], [one["holds"] for one in columns]
    names = [one["sensitive"] for one in columns]
    open_ = [name for name, holds in zip(names, each, strict=True) if holds is not True]
    if most is None:
        said = "each of them has figures of its own"
    else:
        said = f"{most} is exceeded or not shown for {', '.join(open_)}" if open_ else "All of them hold"
    return {
        "source": columns[0]["source"],
        "verdict": f"{len(columns)} sensitive columns ({', '.join(names)}): {said}.",
        "sensitive": names,
        "required": most,
        "holds": False if False in each else None if None in each else True,
        "columns": list(columns),
        "warnings": list(dict.fromkeys(warning for one in columns for warning in one["warnings"])),
    }


def _attempt(attempt: Attempt, *, judged: bool) -> dict[str, Any]:
    beliefs, worst = attempt.beliefs, attempt.worst
    adversary = beliefs.adversary
    prior = "uniform" if adversary.prior == "uniform" else type(adversary.prior).__name__.lower()
    return {
        "name": attempt.name,
        "judged": judged,
        "knows": adversary.knows,
        "prior": prior,
        "attributes": list(getattr(adversary.prior, "attributes", ())),
        "learned_from": learned_from(attempt),
        "engine": beliefs.engine,
        "exactness": beliefs.exactness.value,
        "lacking": [in_attack_options(one) for one in beliefs.lacking],
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
        "notes": [in_options(note) for note in beliefs.notes],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    told = finding.record() | {"warning": WARNING if "composition" in finding.attack else None}
    return told if finding.ran else told | {"reason": lacking_words(finding)}
