"""``pellucid levels``: how far each privacy model holds in a release, and which group is the weakest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from pellucid.advice import KNOWS_QUASI_ALONE, Advice
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
    by_reason,
    chosen_values,
    exactly,
    group_of,
    group_words,
    number,
    overview,
    roles_given,
    table_of,
    told_values,
)
from pellucid.app.output import JsonOption, Output
from pellucid.app.progress import Bar
from pellucid.app.show import heading, labelled, sentence
from pellucid.app.spark_options import EngineOption, MasterOption, SparkOption, session_of
from pellucid.app.text_tables import with_file_options
from pellucid.app.wording import in_options
from pellucid.audit import Asking, AuditedLevel, look_at
from pellucid.audit.wording import level_words
from pellucid.model import models
from pellucid.model.sensitive import DiversityModel

EXAMPLES = (
    "pellucid levels patients.csv --quasi age,zipcode --sensitive disease",
    "pellucid levels census:50000 --quasi age,gender \\\n  --sensitive occupation,income --kind occupation=category",
    "pellucid levels census:50000 --json",
)


def command() -> Callable[..., None]:
    """The verb."""
    return with_file_options(levels)


def levels(
    source: SourceArgument,
    schema: SchemaOption = None,
    quasi: QuasiOption = None,
    sensitive: SensitiveOption = None,
    kind: KindOption = None,
    population: PopulationOption = None,
    group: GroupOption = None,
    values: ValuesOption = None,
    together: TogetherOption = False,
    exempt_suppressed: ExemptOption = False,
    threads: Annotated[int | None, typer.Option(metavar="N", min=1, help="How many threads to use.")] = None,
    engine: EngineOption = "local",
    master: MasterOption = None,
    spark_option: SparkOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how far each privacy model holds in a release, whoever made it, and which group is the weakest.

    Rows with the same published values form a group; null is a value. A release of pellucid brings its recipe along,
    anything else needs --quasi and --sensitive, or --schema.
    """
    output = Output(as_json=as_json)
    roles = roles_given(schema, quasi, sensitive, kind, group)
    started = session_of(engine, master, spark_option, [source])
    with output.warnings() as warned, started as spark, Bar(shown=not as_json) as bar:
        how: dict[str, Any] = {"exempt_suppressed": exempt_suppressed, "threads": threads, "spark": spark}
        audit = look_at(source, roles, population=population, **how, progress=bar)
        bar.stage("counting", 0)
        chosen = chosen_values(values, audit.sensitive)
        answers = audit.levels(values=chosen, together=together)
    output.say(labelled(overview(audit, values)))
    output.say("\n" + in_words(audit, answers))
    whole = [] if chosen is None and audit.promised is None else about_all(answers)
    if whole:
        output.say("\n" + sentence(f"{', '.join(whole)}: these look at all values of a column, protected or not."))
    if spark is None:
        output.say("\n" + COUNTED)
    if answers.unanswered:
        output.say("\nNothing is said by")
        told = {name: way_out(reason) for name, reason in answers.unanswered.items()}
        for line in by_reason(told):
            output.say(sentence(line, first="- "))
    output.document(
        about(audit)
        | {
            "values": told_values(chosen),
            "together": together,
            "levels": [
                {
                    "model": level.model,
                    "sensitive": level.sensitive,
                    "view": level.view,
                    "level": number(level.level),
                    "exact": exactly(level.exact),
                    "strict": level.strict,
                    "parameters": {name: number(value) for name, value in level.parameters.items()},
                    "meaning": level.meaning,
                    "worst": group_of(level.worst),
                }
                for level in answers
            ],
            "unanswered": [{"model": name, "reason": way_out(reason)} for name, reason in answers.unanswered.items()],
            "warnings": warned,
        }
    )


def about_all(answers: Sequence[AuditedLevel]) -> list[str]:
    """The models that compare how often each value occurs: of these, no value is left out."""
    known = models()
    told = [level.model for level in answers if level.sensitive is not None]
    return list(dict.fromkeys(name for name in told if not issubclass(known[name], DiversityModel)))


HARMONISED = (
    "harmonised: the same for somebody who knows a person's other sensitive columns besides the quasi-identifiers, so "
    "that groups are smaller; no method here promises anything about that."
)


def knowing_others(meaning: str) -> str:
    """What a harmonised level means, which is about somebody who knows more.

    >>> knowing_others(Advice(f"whoever {KNOWS_QUASI_ALONE} names a person's ill with probability at most 1/2"))
    "whoever knows the other sensitive columns too names a person's ill with probability at most 1/2"
    """
    more = "knows the other sensitive columns too"
    return Advice(meaning).told(lambda term: more if term.name == KNOWS_QUASI_ALONE.name else term.python)


def way_out(reason: str) -> str:
    """Why nothing is said, in the words of the command line; what this verb cannot be given, ``verify`` can.

    >>> from pellucid.model.adversary import AdversaryModel
    >>> way_out(AdversaryModel.LACKING)
    'it depends on what an adversary believes, which groups alone do not tell; pellucid verify judges it, with \
--require and the table as --truth or its people as --population'
    """
    return in_options(reason, {"give_table": "pellucid verify judges it, with --require and the table as --truth"})


def in_words(audit: Asking, answers: Sequence[AuditedLevel]) -> str:
    """A table, or with several sensitive columns one for each, harmonised levels below the others."""
    together = len(audit.sensitive) < 2
    parts = []
    for name in [None] if together else [None, *audit.sensitive]:
        lines = [
            (
                "  harmonised" if level.view == "harmonised" else level.model,
                level_words(level),
                group_words(level.worst),
                level.meaning if level.view == "separate" else knowing_others(level.meaning),
            )
            for level in answers
            if together or level.sensitive == name
        ]
        parts.append((heading(name) + "\n" if name else "") + table_of(lines))
    if any(level.view == "harmonised" for level in answers):
        parts.append(sentence(HARMONISED))
    return "\n\n".join(parts)
