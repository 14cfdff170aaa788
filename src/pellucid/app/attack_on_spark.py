"""``pellucid attack --engine spark``: what follows from a release whose rows stay with Spark, where that is a count.

The figures are those of the same verb in memory. Tried are those whom a promise about whoever knows the algorithm
covers: who knows only the release, and who knows the algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pellucid.app.attack_document import document_of_several
from pellucid.app.output import Output
from pellucid.app.progress import Bar
from pellucid.app.show import heading, labelled, sentence
from pellucid.attacking.adversary_kinds import KINDS, KindName
from pellucid.attacking.evidence.reader_view import classes_may_be_several
from pellucid.attacking.inference.believe import ALIKE_AS_ONE
from pellucid.attacking.verdict import BoundVerdict, Standing
from pellucid.audit.examination import look_at
from pellucid.audit.source import opened
from pellucid.errors import AttackError
from pellucid.group import Method
from pellucid.recipe import Recipe
from pellucid.schema import Role, Roles
from pellucid.spark.attack import CountedBeliefs, believed, require_counts_tell_all
from pellucid.spark.audit import SparkAudit
from pellucid.table import Attribute
from pellucid.text.figures import counted, probability
from pellucid.text.values import label_of

TRIED: tuple[KindName, ...] = ("nothing", "algorithm")
IN_MEMORY = "with Spark nobody is compared with the people of the table; attack without --engine spark"
TELL_WHO = "attack without --engine spark, with the table as --truth and who is in which group as --groups"
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
            found = believed(audit, column, method.promised)
            bounded = _Bounded.by(found, most, method, release.recipe)
            documents.append(_document(audit, column, method, found, bounded, adversaries, asked))
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


def standing_of(found: CountedBeliefs, bound: Fraction, method: Method, recipe: Recipe | None) -> BoundVerdict:
    """How a bound stands, told who is in which group or not.

    What is proved of the method bounds whoever is told. Below that, a class that may be several groups published alike
    shows nothing: one of them may have a value more often than the class.

    >>> import pellucid as pc
    >>> found = CountedBeliefs(12, 2, Fraction(2, 5), 0, {0: 2, 1: 3}, {}, 7)
    >>> made = Recipe(recode="intervals")
    >>> [standing_of(found, Fraction(*most), pc.Hybrid(l=2), made).standing.value for most in ((1, 2), (2, 5), (1, 3))]
    ['holds', 'NOT SHOWN', 'FAILS']
    """
    if found.most > bound:
        return BoundVerdict(Standing.FAILS)
    recoder = None if recipe is None else recipe.writer
    kinds = [] if recipe is None else [column.kind for column in recipe.columns if column.role is Role.QUASI]
    proved = method.proved
    if (proved is not None and proved <= bound) or not classes_may_be_several(method, recoder, kinds, found.largest):
        return BoundVerdict(Standing.HOLDS)
    more = "may believe more" if proved is None else f"believes at most {proved}"
    return BoundVerdict(Standing.NOT_SHOWN, f"{ALIKE_AS_ONE} {more}; {TELL_WHO}")


@dataclass(frozen=True, slots=True)
class _Bounded:
    """A bound, whether it was asked for or promised, and how it stands; without one nothing is judged."""

    bound: Fraction | None
    asked: bool
    stands: BoundVerdict | None

    @classmethod
    def by(cls, found: CountedBeliefs, most: Fraction | None, method: Method, recipe: Recipe | None) -> _Bounded:
        bound = method.promised if most is None else most
        return cls(bound, most is not None, None if bound is None else standing_of(found, bound, method, recipe))

    def document(self) -> dict[str, Any]:
        """What was asked for, and how that, or what is promised, stands."""
        if self.bound is None or self.stands is None:
            unsaid = "nobody says what is allowed; say it with --max-risk"
            standing = {"verdict": "not judged", "bound": None, "by": None, "why": unsaid}
            return {"required": None, "holds": None, "not_shown": None, "standing": standing}
        by, why = "asked" if self.asked else "made for", str(self.stands.why) or None
        verdict = self.stands.standing.value.lower()
        return {
            "required": str(self.bound) if self.asked else None,
            "holds": self.stands.holds if self.asked else None,
            "not_shown": why if self.asked else None,
            "standing": {"verdict": verdict, "bound": str(self.bound), "by": by, "why": why},
        }

    def sentence(self, found: CountedBeliefs, judged: Sequence[KindName], why: str) -> str:
        """How the bound stands, in one sentence that begins with it."""
        who = " and ".join(KINDS[kind].name for kind in judged)
        figure = probability(float(found.most))
        if self.stands is None:
            return f"The most that is believed of anybody is {figure}, by one who {who}."
        if self.stands.holds:
            return f"holds: nobody {why} (who {who}) believes more than {self.bound} of anybody."
        if self.stands.holds is None:
            return f"NOT SHOWN: counting gives at most {figure}, and {self.bound} is allowed, but {self.stands.why}."
        return f"FAILS: somebody who {who} believes {figure} of somebody, and {self.bound} is allowed."


def _document(
    audit: SparkAudit,
    column: str,
    method: Method,
    found: CountedBeliefs,
    bounded: _Bounded,
    adversaries: Sequence[KindName] | None,
    asked: Sequence[KindName],
) -> dict[str, Any]:
    """The attack as a program reads it: docs/schemas/attack.schema.json describes it."""
    attribute, counts = audit.books[column].attribute, audit.books[column].counts
    frequent = float(Fraction(int(counts.max()), found.rows))
    judged = [kind for kind in TRIED if kind in asked]
    why = f"whom the promise of {method.name} covers" if adversaries is None else "as asked"
    worst = _worst(found, attribute)
    return {
        "source": audit.name,
        "verdict": bounded.sentence(found, judged, why),
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
        **bounded.document(),
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
