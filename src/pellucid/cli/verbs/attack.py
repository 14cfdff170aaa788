"""``pellucid attack``: what every kind of attacker learns from a release; exit 1 when that is more than is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.anonymize.methods import Method
from pellucid.audit.protected import protecting
from pellucid.cli.attack_document import document, document_of_several
from pellucid.cli.attack_on_spark import attack_by_spark
from pellucid.cli.attack_words import first_lines, in_words
from pellucid.cli.auditing import (
    PATIENCE,
    GroupOption,
    GroupsOption,
    IdentifierOption,
    PatienceOption,
    QuasiOption,
    SchemaOption,
    SensitiveOption,
    SourceArgument,
    TruthOption,
    names,
)
from pellucid.cli.columns import split_names
from pellucid.cli.output import JsonOption, Output
from pellucid.cli.parameters import Given, build_method, complete_method, with_method_options, words_of_method
from pellucid.cli.progress import Bar
from pellucid.cli.show import heading, sentence
from pellucid.cli.spark_options import EngineOption, MasterOption, SparkOption, session_of
from pellucid.cli.text_tables import with_file_options
from pellucid.core.schema import Roles
from pellucid.core.sentence import protects_rows
from pellucid.errors import AttackError, OutputError
from pellucid.messages import Speaker
from pellucid.messages.speaker import speak
from pellucid.messages.terms import MAX_RISK
from pellucid.models import PROMISED, PrivacyModel, of
from pellucid.posterior.exclusion import BUDGET
from pellucid.risk.adversary_kinds import KINDS, KindName
from pellucid.risk.attack_all import Besides, attack_gathered
from pellucid.risk.facts import facts_in
from pellucid.risk.report.chart import check_chart, drawn, write_panels
from pellucid.risk.report.results import AttackResult, require_promise, result_of
from pellucid.risk.views import Evidence
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.risk.views.known_groups import SeveralColumns
from pellucid.runtime.whole_file import refuse_broken_link
from pellucid.text.suggestions import meant

ALL = "all"
EXIT_CODES = (
    "Exit codes: 0 done, 1 --max-risk is exceeded or not shown, 2 the call or the input is wrong, "
    "130 stopped with Ctrl-C, 141 nobody read the verdict."
)
EXAMPLES = (
    "pellucid publish patients.csv --quasi age,zipcode --sensitive disease \\\n  --method tailor --l 2 --out out/",
    "pellucid attack out/ --population patients.csv --max-risk promised",
    "pellucid attack out/data.csv --made-by tailor --l 2 --population voters \\\n  --identifier name --json",
    "pellucid attack census:500 --quasi gender --sensitive occupation --l 2 \\\n  --adversary nothing --max-risk 1/2",
)


def command(words: Sequence[str] | None = None) -> Callable[..., int]:
    """The verb, with the parameters of every method as options."""
    return with_file_options(with_method_options(attack, words))


def attack(
    source: SourceArgument,
    population: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Everybody's quasi-identifiers: the people of the table, or more than these."
        ),
    ] = None,
    truth: TruthOption = None,
    groups: GroupsOption = None,
    schema: SchemaOption = None,
    quasi: QuasiOption = None,
    sensitive: SensitiveOption = None,
    identifier: IdentifierOption = None,
    made_by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The method that made it (pellucid methods), with its parameters as options.",
            autocompletion=complete_method,
        ),
    ] = None,
    group: GroupOption = None,
    adversary: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help=f"Try and judge these alone ({', '.join(KINDS)}), or all. Unless given, all are tried, and judged "
            "are those whom a promise about whoever knows the algorithm covers, else all who reason.",
        ),
    ] = None,
    max_risk: Annotated[
        str | None,
        typer.Option(
            metavar="BOUND",
            help="End with 1 unless no attacker who is judged believes more than this of anybody, such as 1/4. "
            "promised: more than the release promises of each person.",
        ),
    ] = None,
    budget: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="STEPS",
            help="How much may be counted exactly for one group; beyond, it is sampled or not told.",
        ),
    ] = BUDGET,
    patience: PatienceOption = PATIENCE,
    facts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What attackers know of single people besides: a CSV with person, knows (has or not) and value.",
        ),
    ] = None,
    also: Annotated[
        str | None,
        typer.Option(metavar="RELEASE", help="Another release of the same people: what both tell together."),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Who learns from a large release takes everybody, and not 2,000,000 people drawn by lot."
        ),
    ] = False,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it: FILE.png, .svg, .html, or .json (Vega-Lite).")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of --chart if it exists.")] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Tell the classic attacks too: linkage, homogeneity, skewness and more.")
    ] = False,
    engine: EngineOption = "local",
    master: MasterOption = None,
    spark_option: SparkOption = None,
    as_json: JsonOption = False,
    *,
    parameters: Given,
) -> int:
    """Say what attackers learn from a release: how much each kind believes, of whom, and why.

    Attackers who know only the release, that nothing was changed without need, the algorithm; who learn from the
    release itself; who know how values depend on a column. A release of pellucid brings along how it was made;
    anything else needs --quasi and --sensitive, or --schema, and --made-by. Several sensitive columns are attacked one
    after the other; with --json they are one document, with --chart one picture.
    """
    promised = max_risk == PROMISED
    most = None if promised else bound_of(max_risk)
    if chart is not None:
        check_chart(chart)
        refuse_to_replace(chart, overwrite=overwrite)
    method, model, about = how_made(made_by, parameters)
    kinds = adversaries_named(adversary)
    roles = Roles(schema=schema, quasi=names(quasi), sensitive=sensitive, identifier=identifier, group=group)
    started = session_of(engine, master, spark_option, [source])
    if engine == "spark":
        refuse_with_spark(
            population=population,
            truth=truth,
            groups=groups,
            identifier=identifier,
            made_by=made_by,
            facts=facts,
            also=also,
            chart=chart,
        )
        if parameters:
            raise AttackError(f"--{next(iter(parameters)).replace('_', '-')}: with --engine spark the recipe says it")
        return attack_by_spark(source, roles, started, adversaries=kinds, most=most, promised=promised, as_json=as_json)
    with started:  # which says what is for Spark alone
        pass
    given = AttackTarget(source, roles, KnownPeople(truth, population, groups), method, model, about, facts, also)
    trying: dict[str, Any] = {"adversaries": kinds, "budget": budget, "patience": patience, "exact": exact}
    telling: dict[str, Any] = {
        "most": most,
        "promised": promised,
        "chart": chart,
        "details": details,
        "as_json": as_json,
    }
    columns = names(sensitive) or []
    if len(columns) <= 1:
        try:
            return _attack_one(given, trying, **telling)
        except SeveralColumns as several:
            if columns or not several.columns:
                raise
            columns = list(several.columns)
    return _attack_each(given, columns, trying, **telling)


def refuse_to_replace(chart: Path, *, overwrite: bool) -> None:
    """Raise where the chart would replace a file, or has the name of a folder, before any work is done."""
    if chart.is_dir():
        raise OutputError(f"--chart {chart} is a folder; give the name of a file in it, such as {chart / 'risk.png'}")
    refuse_broken_link(chart, called=f"--chart {chart}")
    if chart.exists() and not overwrite:
        raise OutputError("--chart {chart} exists; choose another name, or add --overwrite to replace it", chart=chart)


def refuse_with_spark(**given: object) -> None:
    """Raise for what is not looked at with Spark."""
    for name, value in given.items():
        if value is not None:
            option = "--" + name.replace("_", "-")
            raise AttackError(
                f"{option} {value}: with --engine spark an attack counts values in the groups of a release and looks "
                f"at nothing else; leave {option} out, or --engine spark"
            )


@dataclass(frozen=True, slots=True)
class AttackTarget:
    """What is attacked, with what is known of it."""

    source: str
    roles: Roles
    people: KnownPeople
    made_by: Method | None
    model: PrivacyModel | None
    about: tuple[str, ...] | None = None
    facts: Path | None = None
    also: str | None = None


@dataclass(frozen=True)
class _Found:
    """What attackers learn of one sensitive column: for a program, whether it may be, and drawn."""

    document: dict[str, Any]
    code: int
    panel: Any


def _say_chart(output: Output, chart: Path, empty: Sequence[str]) -> None:
    """Where the chart of several columns is, and which of them are not in it."""
    output.say(f"Chart: {chart}" + (f" (without {', '.join(empty)}: nobody could be tried)" if empty else ""))


def _attack_each(
    given: AttackTarget, columns: Sequence[str], trying: Any, *, chart: Path | None, as_json: bool, **telling: Any
) -> int:
    """Each column by itself, with a verdict for each; 1 unless all hold."""
    output = Output(as_json=as_json)
    looks = []
    for column in columns:
        output.say(heading(column))
        of_column = replace(given, roles=replace(given.roles, sensitive=column))
        looks.append(_look(of_column, trying, output, drawing=chart is not None, **telling))
        output.say()
    if chart is not None:
        write_panels([look.panel for look in looks], chart)
    whole = document_of_several([look.document for look in looks])
    if telling["most"] is not None:
        output.say(sentence(whole["verdict"]))
    if chart is not None:
        _say_chart(output, chart, [column for column, look in zip(columns, looks, strict=True) if look.panel is None])
    output.document(whole)
    return max(look.code for look in looks)


def _attack_one(given: AttackTarget, trying: Any, *, chart: Path | None, as_json: bool, **telling: Any) -> int:
    """What attackers learn of the only sensitive column, or of the one that was named."""
    output = Output(as_json=as_json)
    look = _look(given, trying, output, drawing=chart is not None, **telling)
    if chart is not None:
        write_panels([look.panel], chart)
        output.say(f"\nChart: {chart}")
    output.document(look.document)
    return look.code


def _look(
    given: AttackTarget,
    trying: Any,
    output: Output,
    *,
    drawing: bool,
    most: Fraction | None,
    promised: bool,
    details: bool,
) -> _Found:
    """Attack one sensitive column and tell the person."""
    with output.warnings() as warned, Bar(shown=not output.as_json) as bar:
        gathered = gather(
            given.source,
            given.roles,
            given.people,
            made_by=given.made_by,
            model=given.model,
            about=given.about,
            also_truth=True,
            progress=bar,
        )
        report = attack_gathered(gathered, **trying, besides=_besides(given, gathered.evidence), progress=bar)
        if drawing:
            bar.stage("drawing", 0)
        panel = drawn(report) if drawing else None
    speak(Speaker(rows=protects_rows(gathered.evidence.people)))
    result = result_of(report, most=most, persons=True)
    lines = first_lines(result)
    output.say("\n".join(map(sentence, lines)) + "\n")
    output.say(in_words(result, details=details))
    whole = document(result, lines, warned)
    return _Found(whole, ending(result, promised=promised), panel)


def _besides(given: AttackTarget, evidence: Evidence) -> Besides:
    """What attackers know besides the release: facts about people, and another release of them."""
    facts = () if given.facts is None else facts_in(given.facts, evidence.names)
    if given.also is None:
        return Besides(facts)
    people = replace(given.people, groups=None)
    return Besides(facts, [gather(given.also, given.roles, people, also_truth=True).evidence])


def ending(result: AttackResult, *, promised: bool) -> int:
    """0 where the bound that was asked for holds, or none was; 1 where it does not, or where that is not shown.

    ``promised``: what the release promises was asked for.
    """
    if promised:
        require_promise(result, MAX_RISK.such_as(PROMISED))
    judged = promised or result.required is not None
    return int(judged and (result.standing is None or result.standing.holds is not True))


def adversaries_named(text: str | None) -> Sequence[KindName] | None:
    """The attackers that were asked for; None unless some are named.

    >>> adversaries_named("algorithm, nothing"), adversaries_named("all") == tuple(KINDS)
    (('nothing', 'algorithm'), True)
    """
    if text is None:
        return None
    asked = names(text) or []
    for kind in asked:
        if kind not in (*KINDS, ALL):
            raise AttackError(f"--adversary {kind}: choose among {', '.join(KINDS)}, or {ALL}{meant(kind, KINDS)}")
    return tuple(kind for kind in KINDS if kind in asked or ALL in asked)


def bound_of(text: str | None) -> Fraction | None:
    """The bound as it was typed: 1/4 or 0.25.

    >>> bound_of("1/4"), bound_of("0.25")
    (Fraction(1, 4), Fraction(1, 4))
    """
    if text is None:
        return None
    try:
        bound = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise AttackError(
            "--max-risk {text}: must be a probability, such as 1/4 or 0.25, or promised", text=text
        ) from None
    if not 0 < bound <= 1:
        raise AttackError("--max-risk {text}: must be above 0 and at most 1", text=text)
    return bound


def how_made(name: str | None, parameters: Given) -> tuple[Method | None, PrivacyModel | None, tuple[str, ...] | None]:
    """The method that was named; without one, --l or --model still say what the groups are meant to satisfy.

    With ``--l``, ``--values`` says of which values, as in the examples of papers where HIV alone is sensitive. Values
    alone are what is asked about.

    >>> how_made(None, {"l": "2", "values": "HIV"})[1:], how_made(None, {"values": "HIV"})
    ((LDiversity(sensitive=('HIV',), together=False, l=2), None), (None, None, ('HIV',)))
    """
    if name is not None:
        name, in_words_too = words_of_method(name)
        return build_method(name, in_words_too | parameters), None, None
    if not parameters:
        return None, None, None
    if set(parameters) == {"l"}:
        return None, _model(f"l-diversity={parameters['l']}"), None
    if set(parameters) == {"l", "values"}:
        model = protecting(_model(f"l-diversity={parameters['l']}"), split_names(str(parameters["values"])))
        return None, model, None
    if set(parameters) == {"values"}:
        return None, None, tuple(split_names(str(parameters["values"])))
    if set(parameters) == {"model"}:
        return None, _model(str(parameters["model"])), None
    option = "--" + next(iter(parameters)).replace("_", "-")
    raise AttackError("{option} is a parameter of a method, and none is named; name it with --made-by", option=option)


def _model(text: str) -> PrivacyModel:
    model = of(text)
    assert isinstance(model, PrivacyModel)
    return model
