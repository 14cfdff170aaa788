"""``pellucid attack --engine spark``: what follows from a release whose rows stay with Spark, where that is a count.

The figures are those of the same verb in memory. Tried are those whom a promise about whoever knows the algorithm
covers: who knows only the release, and who knows the algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.audit.examination import look_at
from pellucid.audit.source import opened
from pellucid.cli.attack_document import document, document_of_several
from pellucid.cli.attack_words import first_lines, in_words
from pellucid.cli.output import Output
from pellucid.cli.progress import Bar
from pellucid.cli.show import heading, sentence
from pellucid.core.guessing import Guessing
from pellucid.core.recipe import Recipe
from pellucid.core.schema import Role, Roles
from pellucid.core.table import Attribute
from pellucid.errors import AttackError
from pellucid.messages import Count, Message, Probability, Value
from pellucid.risk.adversary_kinds import KINDS, KindName
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.select_engine import ALIKE_AS_ONE
from pellucid.risk.report.attack_report import Missed, Who, Worst
from pellucid.risk.report.guarantee_coverage import judged_by
from pellucid.risk.report.results import AttackerResult, AttackResult, Largest
from pellucid.risk.verdict import BoundVerdict, Standing
from pellucid.risk.views.how_made import described, required_by
from pellucid.risk.views.reader_view import classes_may_be_several
from pellucid.spark.attack import CountedBeliefs, believed, require_counts_tell_all
from pellucid.spark.audit import SparkAudit
from pellucid.text.values import label_of

TRIED: tuple[KindName, ...] = ("nothing", "algorithm")
IN_MEMORY = "with Spark nobody is compared with the people of the table; attack without --engine spark"
TELL_WHO = "attack without --engine spark, with the table as --truth and who is in which group as --groups"


def attack_by_spark(
    source: str,
    roles: Roles,
    started: AbstractContextManager[Any],
    *,
    adversaries: Sequence[KindName] | None,
    most: Fraction | None,
    as_json: bool,
    promised: bool = False,
) -> int:
    """Attack a release by counting in its groups; 1 where more is believed than may be."""
    _refuse_untried(adversaries or ())
    output = Output(as_json=as_json)
    results = []
    method = require_counts_tell_all(opened(source).recipe)  # before Java starts
    with output.warnings() as warned, started as spark, Bar(shown=not as_json) as bar:
        release = opened(source, spark)
        audit = look_at(release, roles, spark=spark, progress=bar)
        assert isinstance(audit, SparkAudit)
        if not audit.books:
            raise AttackError("the release has no sensitive column: there is nothing to attack")
        for column in audit.books:
            found = believed(audit, column, method.promised)
            results.append(result_of_counts(audit, column, method, found, most, adversaries, release.recipe))
    documents = []
    for result in results:
        if len(results) > 1:
            output.say(heading(result.column))
        lines = first_lines(result)
        output.say("\n".join(map(sentence, lines)) + "\n")
        output.say(in_words(result))
        documents.append(document(result, lines, warned))
    output.document(documents[0] if len(documents) == 1 else document_of_several(documents))
    judged = promised or most is not None
    return int(judged and any(one["standing"]["verdict"] != Standing.HOLDS for one in documents))


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


def result_of_counts(
    audit: SparkAudit,
    column: str,
    method: Method,
    found: CountedBeliefs,
    most: Fraction | None,
    adversaries: Sequence[KindName] | None,
    recipe: Recipe | None,
) -> AttackResult:
    """What counting tells, as the record of an attack: those who are tried count, and are told nothing else."""
    attribute, counts, limit = audit.books[column].attribute, audit.books[column].counts, method.promised
    bound = limit if most is None else most
    judged = judged_by(method.claim, method.name, method.claim, adversaries)
    stands = None if bound is None else standing_of(found, bound, method, recipe)
    model = required_by(method, column)
    untried = () if adversaries is not None else (kind for kind in KINDS if kind not in TRIED)
    return AttackResult(
        source=audit.name,
        column=column,
        rows=found.rows,
        groups=found.groups,
        made=found.groups,
        told_apart=found.groups,
        everyone=found.rows,
        inside=found.rows,
        anonymous=True,
        named=False,
        uncertain=False,
        counting="",
        method=method.name,
        parameters=method.model_dump(mode="json", exclude_none=True),
        guarantee=method.claim,
        model=None if model is None else described(model),
        limit=limit,
        required=most,
        standing=stands,
        claim=method.claim,
        promise=method.claim,
        judged=judged,
        attackers=tuple(
            _counting(kind, found, attribute, limit, bound, stands) for kind in TRIED if kind in judged.kinds
        ),
        missed=tuple(Missed(KINDS[kind].name, IN_MEMORY, kind=kind) for kind in untried),
        open=(),
        findings=(),
        notes=("no population is given, so the people are the rows of the release",),
        parted=None,
        guessing=Guessing(column, float(counts.max() / found.rows), None, IN_MEMORY, method.claim),
        guessed=float(counts.max() / found.rows),
        scored=False,
        enough=0,
        protected="",
        about_all=False,
    )


def _counting(
    kind: KindName,
    found: CountedBeliefs,
    attribute: Attribute,
    limit: Fraction | None,
    bound: Fraction | None,
    stands: BoundVerdict | None,
) -> AttackerResult:
    """One attacker, who counts."""
    most = float(found.most)
    exceeds = None if limit is None else found.most > limit
    return AttackerResult(
        who=Who(KINDS[kind].name, kind),
        knows=kind,
        prior="uniform",
        coverage="covered",
        judged=True,
        most=Largest(most, most, most),
        estimate=most,
        certain=most,
        by_count=most,
        bound=None if limit is None else float(limit),
        multiple=None if limit is None else most / float(limit),
        people=found.rows,
        engine="exact (counted by Spark)",
        exactness=Exactness.EXACT,
        above=found.above,
        surely=found.above,
        share_above=None if limit is None else found.above / found.rows,
        asked=stands,
        asked_above=(found.above, found.above) if bound == limit else None,
        exceeds=exceeds,
        worst=_worst(found, attribute),
    )


def _worst(found: CountedBeliefs, attribute: Attribute) -> Worst:
    """The group in which counting tells most."""
    size = sum(found.values.values())
    code, most = max(found.values.items(), key=lambda item: item[1])
    reasoning = Message(
        "somebody is in a group of {rows}, {having} of them with {value}: counting gives {chance}, and every "
        "arrangement of the values inside a group is equally likely, so that counting is all there is.",
        rows=Count(size, "row"),
        having=f"{most:,}",
        value=Value(attribute.values[code]),
        chance=Probability(float(found.most)),
    )
    values = {attribute.values[code]: rows for code, rows in found.values.items()}
    published = {name: label_of(value) for name, value in found.published.items()}
    return Worst("somebody", None, size, published, values, reasoning)
