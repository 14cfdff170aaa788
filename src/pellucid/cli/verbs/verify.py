"""``pellucid verify``: whether a release satisfies the models that somebody requires; exit 1 when it does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from pellucid.anonymize.methods import Method
from pellucid.audit import look_at
from pellucid.audit.answers import AuditedVerdict
from pellucid.audit.auditable import Asking
from pellucid.audit.source import OpenedRelease, opened
from pellucid.audit.wording import level_words
from pellucid.cli.auditing import (
    COUNTED,
    PATIENCE,
    ExemptOption,
    GroupOption,
    GroupsOption,
    IdentifierOption,
    PatienceOption,
    PopulationOption,
    QuasiOption,
    SchemaOption,
    SensitiveOption,
    SourceArgument,
    TogetherOption,
    TruthOption,
    ValuesOption,
    WeightOption,
    about,
    chosen_values,
    exactly,
    group_of,
    group_words,
    number,
    overview,
    roles_given,
    told_values,
    whose,
)
from pellucid.cli.columns import KindOption
from pellucid.cli.output import JsonOption, Output, ThreadsOption
from pellucid.cli.parameters import build_method, words_of_method
from pellucid.cli.progress import Bar
from pellucid.cli.show import labelled, sentence
from pellucid.cli.spark_options import EngineOption, MasterOption, SparkOption, session_of
from pellucid.cli.text_tables import with_file_options
from pellucid.cli.wording import in_options
from pellucid.core.schema import Roles
from pellucid.errors import ModelError
from pellucid.messages import Message, Speaker
from pellucid.messages.speaker import speak, told
from pellucid.models import PrivacyModel, parse
from pellucid.models.adversary import AdversaryModel
from pellucid.runtime.patience import Effort

EXIT_CODES = (
    "Exit codes: 0 every requirement holds, 1 one does not, 2 the call or the input is wrong, "
    "130 stopped with Ctrl-C, 141 nobody read the verdict."
)
EXAMPLES = (
    "pellucid verify census:50000 --quasi gender --sensitive occupation \\\n"
    "  --require k-anonymity=5 --require l-diversity=3",
    "pellucid verify patients.csv --quasi zipcode --require k-anonymity=1 --json",
    "pellucid publish patients.csv --quasi age,zipcode --sensitive disease \\\n"
    "  --identifier name --method tailor --l 2 --out made/",
    "pellucid verify made/ --truth patients.csv --identifier name \\\n"
    "  --require m-confidentiality=2 --require promised",
)


def command() -> Callable[..., int]:
    """The verb."""
    return with_file_options(verify)


def verify(
    source: SourceArgument,
    require: Annotated[
        list[str],
        typer.Option(
            "--require",
            metavar="MODEL=N",
            help="A model that must hold, such as k-anonymity=5; 'promised' is what the release promises; repeatable.",
        ),
    ],
    schema: SchemaOption = None,
    quasi: QuasiOption = None,
    sensitive: SensitiveOption = None,
    weight: WeightOption = None,
    kind: KindOption = None,
    population: PopulationOption = None,
    truth: TruthOption = None,
    identifier: IdentifierOption = None,
    groups: GroupsOption = None,
    made_by: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD", help="The method that made it, with its parameters, as in 'mondrian l=2 strict'."
        ),
    ] = None,
    l: Annotated[
        int | None, typer.Option("--l", metavar="N", min=1, help="The l of --made-by, as attack takes it.")
    ] = None,
    attributes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="By how many quasi-identifiers at once r-robustness knows; 1 unless said."
        ),
    ] = None,
    support: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many people must look alike for r-robustness to know of them.")
    ] = 1,
    patience: PatienceOption = PATIENCE,
    group: GroupOption = None,
    values: ValuesOption = None,
    together: TogetherOption = False,
    exempt_suppressed: ExemptOption = False,
    harmonised: Annotated[
        bool,
        typer.Option("--harmonised", help="Require it also when the other sensitive columns are known."),
    ] = False,
    threads: ThreadsOption = None,
    engine: EngineOption = "local",
    master: MasterOption = None,
    spark_option: SparkOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say whether a release satisfies the required privacy models: exit 0 when all hold, 1 when one does not.

    Rows with the same published values form a group; null is a value. A release of pellucid brings its recipe along,
    anything else needs --quasi and --sensitive, or --schema.
    """
    output = Output(as_json=as_json)
    required = [parse(requirement) for requirement in require]
    roles = roles_given(schema, quasi, sensitive, kind, group, weight)
    method = method_of_words(made_by, l)
    attacked: dict[str, Any] = {"truth": truth, "identifier": identifier, "groups": groups, "made_by": method}
    refuse_idle(attacked, required)
    started = session_of(engine, master, spark_option, [source])
    with output.warnings() as warned, started as spark, Bar(shown=not as_json) as bar:
        opened_source = opened(source, spark)
        looking: dict[str, Any] = {"exempt_suppressed": exempt_suppressed, "threads": threads, "spark": spark}
        audit = look_at(opened_source, roles, population=population, **looking, progress=bar)
        bar.stage("counting", 0)
        chosen = chosen_values(values, audit.sensitive)
        asked: dict[str, Any] = {
            "values": chosen,
            "together": together,
            "views": "both" if harmonised else "separate",
        }
        known = attacked | {"population": population, "effort": Effort(patience, bar)}
        known |= {"attributes": attributes, "support": support}
        verdicts = _verdicts(audit, opened_source, required, roles, known, asked)
    holds = all(verdict.holds for verdict in verdicts)
    speak(Speaker(rows=opened_source.facts.protects_rows))
    output.say(labelled(overview(audit, values)))
    say_verdicts(output, verdicts, audit)
    output.say("\n" + COUNTED if spark is None else "")
    output.say(requirement_words(verdicts))
    if not holds and (told := own_bounds_words(opened_source)):
        output.say(sentence(told))
    output.document(
        about(audit)
        | {
            "values": told_values(chosen),
            "together": together,
            "holds": holds,
            "verdicts": [verdict_document(verdict) for verdict in verdicts],
            "warnings": warned,
        }
    )
    return 0 if holds else 1


def _verdicts(
    audit: Asking,
    source: OpenedRelease,
    required: Sequence[PrivacyModel],
    roles: Roles,
    known: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> Sequence[AuditedVerdict]:
    """Models of groups by the audit; those about an attacker by attacking, where the people are known."""
    if not any(isinstance(model, AdversaryModel) for model in required):
        return audit.verify(required, **asked)
    from pellucid.risk.verify import AskedValues, HowAttacked, about_attackers, verify_audit
    from pellucid.risk.views.given_tables import KnownPeople

    if not about_attackers(required, known=bool(known["truth"] or known["population"])):
        return audit.verify(required, **asked)
    people = KnownPeople(known["truth"], known["population"], known["groups"])
    roles = replace(roles, identifier=known["identifier"])
    how = HowAttacked(known["made_by"], known["attributes"], known["effort"], known["support"])
    return verify_audit(audit, source, required, roles, people, AskedValues(**asked), how)


def say_verdicts(output: Output, verdicts: Sequence[AuditedVerdict], audit: Asking) -> None:
    """Each verdict in lines for a reader."""
    for verdict in verdicts:
        asked = ", ".join(f"{name} = {value}" for name, value in verdict.parameters.items())
        reached = f": {asked} (reached: {level_words(verdict)})" if asked else ""
        output.say(f"\n{verdict.word}  {verdict.model}{whose(verdict, audit)}{reached}")
        output.say(sentence(verdict.meaning, first="       "))
        if verdict.not_shown:
            output.say(sentence(f"not shown: {in_options(verdict.not_shown)}", first="       "))
        if verdict.worst is not None:
            output.say(sentence(f"worst group, {group_words(verdict.worst)}", first="       "))


def verdict_document(verdict: AuditedVerdict) -> dict[str, Any]:
    """A verdict for a program."""
    return {
        "model": verdict.model,
        "sensitive": verdict.sensitive,
        "view": verdict.view,
        "holds": verdict.holds,
        "required": {name: number(value) for name, value in verdict.parameters.items()},
        "reached": {name: number(value) for name, value in verdict.reached.items()},
        "strict": verdict.strict,
        "level": number(verdict.level),
        "exact": exactly(verdict.exact),
        "meaning": told(verdict.meaning),
        "not_shown": in_options(verdict.not_shown) or None,
        "worst": group_of(verdict.worst),
    }


def requirement_words(verdicts: Sequence[AuditedVerdict]) -> str:
    """How many requirements fail, and of how many it is not shown whether they hold."""
    if all(verdict.holds for verdict in verdicts):
        return "Everything required holds."
    failed = sum(not verdict.holds and not verdict.not_shown for verdict in verdicts)
    open_ = sum(bool(verdict.not_shown) for verdict in verdicts)
    of = f"of {len(verdicts)} requirements"
    sentences = [f"{failed} {of} {'fails' if failed == 1 else 'fail'}."] if failed else []
    return " ".join([*sentences, *([f"{open_} {of} {'is' if open_ == 1 else 'are'} not shown."] if open_ else [])])


def own_bounds_words(source: OpenedRelease) -> Message:
    """That the release bounds each person by themselves, so that no model of all groups says whether it keeps that."""
    recipe = source.recipe
    if recipe is None or recipe.method is None or recipe.made_by.whole_from is None:
        return Message("")
    return Message(
        "{method} bounds each person by their own stratum, which no model of all groups expresses: "
        "--require promised says whether that is kept.",
        method=recipe.made_by.name,
    )


def method_of_words(text: str | None, l: int | None = None) -> Method | None:
    """The method that ``--made-by`` names, with its parameters behind it, or l by itself as ``attack`` takes it.

    >>> made = method_of_words("mondrian l=2 strict")
    >>> made.l, made.strict
    (2, True)
    """
    if text is None:
        if l is not None:
            raise ModelError("--l {l} is a parameter of a method, and none is named; name it with --made-by", l=l)
        return None
    name, parameters = words_of_method(text)
    if l is not None:
        parameters["l"] = str(l)
    return build_method(name, parameters)


def refuse_idle(attacked: Mapping[str, Any], required: Sequence[PrivacyModel]) -> None:
    """Raise when an option is given that no required model looks at: it must not seem to have been used."""
    idle = next((name for name, value in attacked.items() if value is not None), None)
    if idle is not None and not any(isinstance(model, AdversaryModel) for model in required):
        option = "--" + idle.replace("_", "-")
        raise ModelError(
            f"{option} is for models about an attacker, and none is required; add --require m-confidentiality=N, "
            "r-robustness=N, 'transparent l-diversity=N' or promised, or leave it out"
        )
