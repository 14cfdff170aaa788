"""``pellucid verify``: whether a release satisfies the models that somebody requires; exit 1 when it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from pellucid.app.auditing import (
    COUNTED,
    ExemptOption,
    GroupOption,
    KindOption,
    PopulationOption,
    QuasiOption,
    SchemaOption,
    SensitiveOption,
    SourceArgument,
    TogetherOption,
    ValuesOption,
    about,
    chosen_values,
    exactly,
    given,
    group_of,
    group_words,
    number,
    overview,
    told_values,
    whose,
)
from pellucid.app.output import JsonOption, Output
from pellucid.app.progress import Bar
from pellucid.app.show import labelled, sentence
from pellucid.audit import examine
from pellucid.audit.answers import Views
from pellucid.audit.wording import level_words
from pellucid.model import parse

EXIT_CODES = (
    "Exit codes: 0 every requirement holds, 1 one does not, 2 the call or the input is wrong, "
    "130 stopped with Ctrl-C, 141 nobody read the verdict."
)
EXAMPLES = (
    "pellucid verify census:50000 --quasi gender --sensitive occupation \\\n"
    "  --require k-anonymity=5 --require l-diversity=3",
    "pellucid verify patients.csv --quasi zipcode --require k-anonymity=1 --json",
)


def command() -> Callable[..., int]:
    """The verb."""
    return verify


def verify(
    source: SourceArgument,
    require: Annotated[
        list[str],
        typer.Option("--require", metavar="MODEL=N", help="A model that must hold, such as k-anonymity=5; repeatable."),
    ],
    schema: SchemaOption = None,
    quasi: QuasiOption = None,
    sensitive: SensitiveOption = None,
    kind: KindOption = None,
    population: PopulationOption = None,
    group: GroupOption = None,
    values: ValuesOption = None,
    together: TogetherOption = False,
    exempt_suppressed: ExemptOption = False,
    harmonised: Annotated[
        bool,
        typer.Option("--harmonised", help="Require it also when the other sensitive columns are known."),
    ] = False,
    threads: Annotated[int | None, typer.Option(metavar="N", min=1, help="How many threads to use.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Say whether a release satisfies the required privacy models: exit 0 when all hold, 1 when one does not.

    Rows with the same published values form a group; null is a value. A release of pellucid brings its recipe along,
    anything else needs --quasi and --sensitive, or --schema.
    """
    output = Output(as_json=as_json)
    required = [parse(requirement) for requirement in require]
    columns = given(schema, quasi, sensitive, kind, population=population, group=group)
    with output.warnings() as warned, Bar(shown=not as_json) as bar:
        audit = examine(source, **columns, exempt_suppressed=exempt_suppressed, threads=threads, progress=bar)
        bar.stage("counting", 0)
        chosen = chosen_values(values, audit.sensitive)
        views: Views = "both" if harmonised else "separate"
        verdicts = audit.verify(required, values=chosen, together=together, views=views)
    holds = all(verdict.holds for verdict in verdicts)
    output.say(labelled(overview(audit)))
    for verdict in verdicts:
        asked = ", ".join(f"{name} = {value}" for name, value in verdict.parameters.items())
        word = "holds" if verdict.holds else "FAILS"
        output.say(f"\n{word}  {verdict.model}{whose(verdict, audit)}: {asked} (reached: {level_words(verdict)})")
        output.say(sentence(verdict.meaning, first="       "))
        if verdict.worst is not None:
            output.say(sentence(f"worst group, {group_words(verdict.worst)}", first="       "))
    failed = sum(not verdict.holds for verdict in verdicts)
    result = f"{failed} of {len(verdicts)} requirements {'fails' if failed == 1 else 'fail'}."
    output.say("\n" + COUNTED)
    output.say("Everything required holds." if holds else result)
    output.document(
        about(audit)
        | {
            "values": told_values(chosen),
            "together": together,
            "holds": holds,
            "verdicts": [
                {
                    "model": verdict.model,
                    "sensitive": verdict.sensitive,
                    "view": verdict.view,
                    "holds": verdict.holds,
                    "required": {name: number(value) for name, value in verdict.parameters.items()},
                    "reached": {name: number(value) for name, value in verdict.reached.items()},
                    "strict": verdict.strict,
                    "level": number(verdict.level),
                    "exact": exactly(verdict.exact),
                    "meaning": verdict.meaning,
                    "worst": group_of(verdict.worst),
                }
                for verdict in verdicts
            ],
            "warnings": warned,
        }
    )
    return 0 if holds else 1
