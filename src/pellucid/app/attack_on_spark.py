"""``pellucid attack --engine spark``: what follows from a release whose rows stay with Spark, where that is a count.

The figures are those of the same verb in memory. Tried are those whom a promise about whoever knows the algorithm
covers: who knows only the release, and who knows the algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

from pellucid.app.attack_document import document_of_several
from pellucid.app.output import Output
from pellucid.app.progress import Bar
from pellucid.app.show import heading, labelled, sentence
from pellucid.attacking.adversary_kinds import KINDS, KindName
from pellucid.audit.examination import look_at
from pellucid.audit.source import opened
from pellucid.errors import AttackError
from pellucid.group import Method
from pellucid.schema import Roles
from pellucid.spark.attack import CountedBeliefs, believed, require_counts_tell_all
from pellucid.spark.audit import SparkAudit
from pellucid.table import Attribute
from pellucid.text.figures import counted, probability
from pellucid.text.values import label_of

TRIED: tuple[KindName, ...] = ("nothing", "algorithm")
IN_MEMORY = "with Spark nobody is compared with the people of the table; attack without --engine spark"
REASON = "every arrangement of the values inside a group is equally likely, so that counting is all there is"


def attack_by_spark(
    source: str,
    roles: Roles,
    started: AbstractContextManager[Any],
    *,
    adversaries: Sequence[KindName] | None,
    most: Fraction | None,
    as_json: bool,
) -> int:
    """Attack a release by counting in its groups; 1 where more is believed than may be."""
    asked = tuple(KINDS) if adversaries is None else tuple(adversaries)
    _refuse_untried(adversaries or ())
    output = Output(as_json=as_json)
    documents = []
    method = require_counts_tell_all(opened(source).recipe)  # before Java starts
    with output.warnings() as warned, started as spark, Bar(shown=not as_json) as bar:
        release = opened(source, spark)
        audit = look_at(release, roles, spark=spark, progress=bar)
        assert isinstance(audit, SparkAudit)
        columns = list(audit.books)
        if not columns:
            raise AttackError("the release has no sensitive column: there is nothing to attack")
        for column in columns:
            bound = method.promised if most is None else most
            found = believed(audit, column, method.promised)
            documents.append(_document(audit, column, method, found, bound, most, adversaries, asked))
    for column, told in zip(columns, documents, strict=True):
        if len(columns) > 1:
            output.say(heading(column))
        _say(output, told)
        told["warnings"] = list(warned)
    output.document(documents[0] if len(documents) == 1 else document_of_several(documents))
    return 0 if most is None or all(told["holds"] for told in documents) else 1


def _refuse_untried(asked: Sequence[KindName]) -> None:
    """Raise for whoever is asked about and cannot be tried here: nobody is safe from one who was not tried."""
    untried = [kind for kind in asked if kind not in TRIED]
    if untried:
        raise AttackError(f"--adversary {','.join(untried)}: {IN_MEMORY}, or name {' and '.join(TRIED)} alone")


def _document(
    audit: SparkAudit,
    column: str,
    method: Method,
    found: CountedBeliefs,
    bound: Fraction | None,
    most: Fraction | None,
    adversaries: Sequence[KindName] | None,
    asked: Sequence[KindName],
) -> dict[str, Any]:
    """The attack as a program reads it: docs/schemas/attack.schema.json describes it."""
    attribute, counts = audit.books[column].attribute, audit.books[column].counts
    frequent = float(Fraction(int(counts.max()), found.rows))
    holds = None if bound is None else found.most <= bound
    judged = [kind for kind in TRIED if kind in asked]
    why = f"whom the promise of {method.name} covers" if adversaries is None else "as asked"
    worst = _worst(found, attribute)
    return {
        "source": audit.name,
        "verdict": _verdict(found, bound, judged, why),
        "rows": found.rows,
        "groups": found.groups,
        "people": found.rows,
        "people_in_groups": found.rows,
        "sensitive": column,
        "method": method.name,
        "parameters": method.model_dump(mode="json", exclude_none=True),
        "guarantee": method.claim,
        "l": getattr(method, "l", None),
        "bound": None if method.promised is None else float(method.promised),
        "most_frequent": frequent,
        "max_risk": float(found.most),
        "asked": list(asked),
        "judged": {"kinds": judged, "why": why},
        "guessing": _guessing(column, frequent, method),
        "required": None if most is None else str(most),
        "holds": None if most is None else holds,
        "not_shown": None,
        "standing": _standing(found, bound, asked=most is not None),
        "adversaries": [_adversary(kind, found, method, worst) for kind in judged],
        "not_tried": [
            {"name": KINDS[kind].name, "why": IN_MEMORY} for kind in KINDS if kind in asked and kind not in TRIED
        ],
        "classic": [],
        "notes": ["no population is given, so the people are the rows of the release"],
        "warnings": [],
    }


def _worst(found: CountedBeliefs, attribute: Attribute) -> dict[str, Any]:
    """The group in which counting tells most."""
    size = sum(found.values.values())
    values = [{"value": label_of(attribute.values[code]), "rows": rows} for code, rows in found.values.items()]
    code, most = max(found.values.items(), key=lambda item: item[1])
    return {
        "person": "somebody",
        "size": size,
        "published": {name: label_of(value) for name, value in found.published.items()},
        "values": values,
        "reasoning": f"somebody is in a group of {size:,} rows, {most:,} of them with "
        f"{label_of(attribute.values[code])}: counting gives {probability(float(found.most))}, and {REASON}.",
    }


def _guessing(column: str, frequent: float, method: Method) -> dict[str, Any]:
    """How often somebody is right who only guesses; who learns is not tried here."""
    line = (
        f"Who only guesses the most frequent {column} is right for {frequent:.0%} of the people; how often somebody is "
        "right who learns from the release, whom the promise does not cover, is not known: " + IN_MEMORY + "."
    ).replace("%", " %")
    return {
        "column": column,
        "frequent": frequent,
        "learned": None,
        "why": IN_MEMORY,
        "claim": method.claim,
        "counted": None,
        "line": line,
    }


def _standing(found: CountedBeliefs, bound: Fraction | None, *, asked: bool) -> dict[str, Any]:
    """How the bound stands, and who set it."""
    if bound is None:
        why = "nobody says what is allowed; say it with --max-risk"
        return {"verdict": "not judged", "bound": None, "by": None, "why": why}
    verdict = "holds" if found.most <= bound else "fails"
    return {"verdict": verdict, "bound": str(bound), "by": "asked" if asked else "made for", "why": None}


def _adversary(kind: KindName, found: CountedBeliefs, method: Method, worst: dict[str, Any]) -> dict[str, Any]:
    """One attacker, who counts."""
    limit, most = method.promised, float(found.most)
    return {
        "name": KINDS[kind].name,
        "judged": True,
        "knows": kind,
        "prior": "uniform",
        "attributes": [],
        "learned_from": None,
        "engine": "exact (counted by Spark)",
        "exactness": "exact",
        "lacking": [],
        "max_risk": most,
        "estimate": most,
        "confidence": 1.0,
        "baseline": most,
        "multiple": None if limit is None else most / float(limit),
        "people_above": None if limit is None else found.above,
        "people_surely_above": None if limit is None else found.above,
        "share_above": None if limit is None else found.above / found.rows,
        "average_above": None,
        "exceeds": None if limit is None else found.most > limit,
        "accuracy": None,
        "worst": worst,
        "warning": None,
        "notes": [],
    }


def _verdict(found: CountedBeliefs, bound: Fraction | None, judged: Sequence[KindName], why: str) -> str:
    """How the bound stands, in one sentence that begins with it."""
    who = " and ".join(KINDS[kind].name for kind in judged)
    figure = probability(float(found.most))
    if bound is None:
        return f"The most that is believed of anybody is {figure}, by one who {who}."
    if found.most <= bound:
        return f"holds: nobody {why} (who {who}) believes more than {bound} of anybody."
    return f"FAILS: somebody who {who} believes {figure} of somebody, and {bound} is allowed."


def _say(output: Output, told: dict[str, Any]) -> None:
    """The same for a person."""
    output.say(sentence(told["verdict"]))
    output.say(sentence(told["guessing"]["line"]) + "\n")
    lines = {
        "release": f"{told['source']}: {counted(told['rows'], 'row')} in {counted(told['groups'], 'group')}, "
        f"{told['sensitive']} is sensitive",
        "made by": f"{told['method']}, guarantee {told['guarantee']}",
        "most": f"{probability(told['max_risk'])} is believed of somebody",
    }
    one = told["adversaries"][0]
    if one["people_above"] is not None:
        lines["above"] = f"{probability(told['bound'])}: {counted(one['people_above'], 'person', 'people')}"
    output.say(labelled(lines))
    output.say("\n" + sentence(f"Best known: {one['worst']['reasoning']}"))
    if told["not_tried"]:
        names = "; ".join(other["name"] for other in told["not_tried"])
        output.say("\n" + sentence(f"Not tried, which says nothing about safety ({names}): {IN_MEMORY}."))
