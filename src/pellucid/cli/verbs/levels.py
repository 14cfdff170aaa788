"""``pellucid levels``: how far each privacy model holds in a release, and which group is the weakest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from pellucid.audit import Asking, Audit, AuditedLevel, HouseholdRisk, look_at
from pellucid.audit.identifying_columns import ColumnSet, Identifying
from pellucid.audit.source import opened
from pellucid.audit.wording import level_words
from pellucid.cli.auditing import (
    COUNTED,
    ExemptOption,
    GroupOption,
    HouseholdOption,
    PopulationOption,
    QuasiOption,
    SchemaOption,
    SensitiveOption,
    SourceArgument,
    TogetherOption,
    ValuesOption,
    WeightOption,
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
from pellucid.cli.columns import KindOption
from pellucid.cli.output import JsonOption, Output, ThreadsOption
from pellucid.cli.progress import Bar
from pellucid.cli.show import heading, labelled, sentence, table_lines
from pellucid.cli.spark_options import EngineOption, MasterOption, SparkOption, session_of
from pellucid.cli.text_tables import with_file_options
from pellucid.cli.wording import in_options
from pellucid.errors import InputError, OutputError
from pellucid.io.groups_file import covers
from pellucid.messages import Count, Message, Speaker
from pellucid.messages.speaker import speak, told
from pellucid.messages.terms import KNOWS_QUASI_ALONE
from pellucid.models import models
from pellucid.models.population_uniqueness import PopulationUniqueness
from pellucid.models.sensitive import DiversityModel
from pellucid.runtime.whole_file import explained, refuse_broken_link, resolved, write_whole
from pellucid.text.figures import counted, figure, percent, probability

SETS = 10  # of columns that are shown; --json has all
BELOW = (2, 3, 5)  # rows in groups smaller than these are counted
EQUALLY = "every row stands for equally many people"
EXAMPLES = (
    "pellucid levels patients.csv --quasi age,zipcode --sensitive disease",
    "pellucid levels census:50000 --quasi age,gender \\\n  --sensitive occupation,income --kind occupation=category",
    "pellucid levels census:50000 --who",
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
    weight: WeightOption = None,
    cluster: HouseholdOption = None,
    kind: KindOption = None,
    population: PopulationOption = None,
    population_size: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Of how many people the table is a sample: estimates who is unique among them."
        ),
    ] = None,
    group: GroupOption = None,
    values: ValuesOption = None,
    together: TogetherOption = False,
    exempt_suppressed: ExemptOption = False,
    rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Write the risk of each row there, for you alone: it names who is easy to find.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of --rows if it exists.")] = False,
    who: Annotated[
        bool,
        typer.Option("--who", help="Also which sets of up to three columns make people unique; --rows tells of whom."),
    ] = False,
    threads: ThreadsOption = None,
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
    roles = roles_given(schema, quasi, sensitive, kind, group, weight, cluster)
    check_rows_file(rows, source, overwrite=overwrite)
    started = session_of(engine, master, spark_option, [source])
    with output.warnings() as warned, started as spark, Bar(shown=not as_json) as bar:
        how: dict[str, Any] = {"exempt_suppressed": exempt_suppressed, "threads": threads, "spark": spark}
        opened_source = opened(source, spark)
        speak(Speaker(rows=opened_source.facts.protects_rows))
        audit = look_at(opened_source, roles, population=population, **how, progress=bar)
        bar.stage("counting", 0)
        chosen = chosen_values(values, audit.sensitive)
        answers = audit.levels(values=chosen, together=together)
        estimated = uniqueness_of(audit, population_size)
        below = {str(k): audit.rows_below(k) for k in BELOW}
        refuse_on_spark(audit, {"--rows": rows is not None, "--cluster": cluster is not None, "--who": who})
        identified = audit.identifying if who and isinstance(audit, Audit) else None
        household = _risks_of_rows(audit, population_size, rows, identified)
        matched = _matched(audit)
    small = small_groups(below, audit.rows) | ({"nulls match": matched_words(matched)} if matched else {})
    output.say(labelled(overview(audit, values) | small))
    output.say("\n" + in_words(audit, answers))
    whole = [] if chosen is None and audit.promised is None else about_all(answers)
    if whole:
        output.say("\n" + sentence(f"{', '.join(whole)}: these look at all values of a column, protected or not."))
    _say_of_people(output, estimated, household, identified, rows)
    if spark is None:
        output.say("\n" + COUNTED)
    unanswered = {name: in_options(reason, OTHER_VERB) for name, reason in answers.unanswered.items()}
    say_unanswered(output, unanswered)
    output.document(
        about(audit)
        | {
            "values": told_values(chosen),
            "together": together,
            "levels": [level_document(level) for level in answers],
            "unanswered": [{"model": name, "reason": reason} for name, reason in unanswered.items()],
            "warnings": warned,
            "rows_below": below,
        }
        | ({"nulls_match": matched} if matched else {})
        | ({} if identified is None else {"identifying": [_set_document(one) for one in identified.sets]})
        | _estimates(household, estimated)
    )


def _say_of_people(output: Output, estimated: Any, household: Any, identified: Any, rows: Path | None) -> None:
    """How many are unique in the population, households, and which columns make people unique, where asked."""
    if estimated is not None:
        say_estimated(output, estimated, household)
    elif household is not None:
        output.say("\n" + sentence(f"Households: {household_words(household)}."))
    if identified is not None:
        output.say(
            "\n" + heading("columns that make people unique") + "\n" + "\n".join(table_lines(shown_sets(identified)))
        )
        if len(identified.sets) > SETS:
            output.say(f"{SETS} of {len(identified.sets)} sets, those by which most rows are alone; --json has all.")
    if rows is not None:
        output.say(f"\nThe risk of each row: {rows} (private)")


def _matched(audit: Asking) -> dict[str, Any]:
    """The fewest rows that a row matches where null matches every value, and how many rows match few; else empty."""
    found = audit.matches if isinstance(audit, Audit) else None
    if found is None:
        return {}
    return {"k": int(found.rows.min()), "rows_below": {str(k): found.below(k) for k in BELOW}}


def matched_words(matched: Mapping[str, Any]) -> Message:
    """The same in a line, beside the strict view."""
    return Message(
        "counted as sdcMicro does, where null and * match every value: k = {k}, and {few} match only themselves; it "
        "holds for attackers who do not know what was taken out",
        k=matched["k"],
        few=Count(matched["rows_below"]["2"], "row"),
    )


def _estimates(household: HouseholdRisk | None, estimated: PopulationUniqueness | None) -> dict[str, Any]:
    """What the document has of estimates, where there are any."""
    told: dict[str, Any] = {} if household is None else {"household_risk": asdict(household)}
    if estimated is not None:
        told["population_uniqueness"] = asdict(estimated) | {"believed": estimated.model, "estimated": True}
    return told


def say_unanswered(output: Output, reasons: Mapping[str, str]) -> None:
    """The models that say nothing here, with the reason of each."""
    if reasons:
        output.say("\nNothing is said by")
    for line in by_reason(reasons):
        output.say(sentence(line, first="- "))


def check_rows_file(path: Path | None, source: str, *, overwrite: bool) -> None:
    """Raise before anything is read when the risks of rows cannot be written there."""
    if path is None:
        return
    called = f"--rows {path}"
    if path.suffix.lower() != ".csv":
        raise OutputError(f"{called}: risks are written as CSV; name it {path.with_suffix('.csv').name}")
    refuse_broken_link(path, called=called)
    with explained(called):
        place = resolved(path)
        if covers(Path(source), place):
            raise OutputError("{called}: this is what is looked at; choose another name", called=called)
        if place.exists() and not overwrite:
            raise OutputError("{called} exists; choose another name, or add --overwrite to replace it", called=called)


def refuse_on_spark(audit: Asking, options: Mapping[str, bool]) -> None:
    """Raise where something is asked that takes rows one by one, of a release with Spark."""
    option = next((name for name, given in options.items() if given), None)
    if not isinstance(audit, Audit) and option is not None:
        raise InputError(
            "{option}: a release with Spark is not looked at row by row; leave --engine spark out", option=option
        )


def _risks_of_rows(
    audit: Asking, people: int | None, file: Path | None, identified: Identifying | None
) -> HouseholdRisk | None:
    """Write the risk of each row where that is asked, and tell that of households where there are some."""
    if not isinstance(audit, Audit) or (file is None and audit.households is None):
        return None
    risks = audit.row_risks(people)
    if file is not None:
        frame = risks.frame
        if identified is not None:
            frame = frame.with_columns(alone_by=pl.Series(identified.named(), dtype=pl.String))
        write_whole(file, frame.write_csv().encode(), private=True)
    return audit.household_risk_in(risks)


def shown_sets(found: Identifying) -> pl.DataFrame:
    """The sets by which most rows are alone, with what they tell apart."""
    some = found.sets[:SETS]
    return pl.DataFrame(
        {
            "columns": [" + ".join(one.columns) for one in some],
            "rows alone": [f"{one.alone:,}" for one in some],
            "distinction": [percent(float(one.distinction)) for one in some],
            "separation": [percent(float(one.separation)) for one in some],
        }
    )


def _set_document(one: ColumnSet) -> dict[str, Any]:
    return {
        "columns": list(one.columns),
        "alone": one.alone,
        "distinction": float(one.distinction),
        "separation": float(one.separation),
    }


def small_groups(below: Mapping[str, int], rows: int) -> dict[str, str]:
    """How many rows are in groups of fewer than k rows, for the usual k.

    >>> small_groups({"2": 366, "3": 712}, 3943)
    {'below k': 'of 3,943 rows 366 are in groups of fewer than 2 rows, 712 of fewer than 3'}
    """
    (first, alone), *others = below.items()
    more = "".join(f", {count:,} of fewer than {k}" for k, count in others)
    are = "is" if alone == 1 else "are"
    return {"below k": f"of {rows:,} rows {alone:,} {are} in groups of fewer than {first} rows{more}"}


def household_words(found: HouseholdRisk) -> Message:
    """How likely somebody of a household is found, and how that is meant."""
    by = f"{counted(found.households, 'household')} by {found.column}; 1 - the product of 1 - risk over the rows of one"
    told = (
        "estimated: somebody of a person's household is found with about {mean} on average, the highest estimate is "
        "{highest} ({by}); no bound"
        if found.estimated
        else "somebody of a person's household is found with {mean} on average and {highest} at most, by the people of "
        "the population who look alike ({by})"
    )
    return Message(told, mean=probability(found.mean), highest=probability(found.highest), by=by)


def say_estimated(output: Output, uniqueness: PopulationUniqueness, household: HouseholdRisk | None) -> None:
    """What is estimated of a population, and what that means."""
    output.say("\n" + heading(f"in a population of {uniqueness.population:,} people, estimated"))
    lines = estimates(uniqueness)
    output.say(labelled(lines if household is None else lines | {"household": household_words(household)}))
    output.say("\n" + sentence(uniqueness.meaning + "."))


def level_document(level: AuditedLevel) -> dict[str, Any]:
    """How far one model holds, for a program."""
    return {
        "model": level.model,
        "sensitive": level.sensitive,
        "view": level.view,
        "level": number(level.level),
        "exact": exactly(level.exact),
        "strict": level.strict,
        "estimated": level.estimated,
        "parameters": {name: number(value) for name, value in level.parameters.items()},
        "meaning": told(level.meaning),
        "worst": group_of(level.worst),
    }


def uniqueness_of(audit: Asking, people: int | None) -> PopulationUniqueness | None:
    """What is estimated of a population of so many people, if that is asked, or if weights tell how many they are."""
    if people is None and not (isinstance(audit, Audit) and audit.weighed_people):
        return None
    if not isinstance(audit, Audit):
        raise InputError("--population-size: a release with Spark is not looked at for it; leave --engine spark out")
    return audit.population_uniqueness(people)


def estimates(estimated: PopulationUniqueness) -> dict[str, str]:
    """The figures, with what they mean."""
    weights, each = estimated.people_by_weight, EQUALLY
    if weights is not None:
        times = Message(
            "{times} times its weight, since the weights add up to {weights}",
            times=figure(estimated.population / weights),
            weights=figure(weights),
        )
        as_said = round(weights) == estimated.population
        each = f"a row stands for {'as many people as its weight says' if as_said else times}"
    by_model = {"pitman": estimated.pitman, "zayatz": estimated.zayatz, "snb": estimated.snb}
    lines = {
        name: (
            "not known"
            if share is None
            else f"{percent(share)} of the people are estimated to be alone with their values"
        )
        + (" (believed)" if name == estimated.model else "")
        for name, share in by_model.items()
    }
    return lines | {
        "risk": f"estimated: somebody of the table is found with about {probability(estimated.mean_risk)} on average, "
        f"the highest estimate is {probability(estimated.highest_risk)} (Benedetti and Franconi; "
        f"{each}); no bound: who is alone in the population is found for certain"
    }


def about_all(answers: Sequence[AuditedLevel]) -> list[str]:
    """The models that compare how often each value occurs: of these, no value is left out."""
    known = models()
    names = [level.model for level in answers if level.sensitive is not None]
    return list(dict.fromkeys(name for name in names if not issubclass(known[name], DiversityModel)))


HARMONISED = (
    "harmonised: the same for somebody who knows a person's other sensitive columns besides the quasi-identifiers, so "
    "that groups are smaller; no method here promises anything about that."
)


OTHER_VERB = {"give_table": "pellucid verify judges it, with --require and the table as --truth"}


def knowing_others(meaning: str) -> str:
    """What a harmonised level means, which is about somebody who knows more.

    >>> from pellucid.messages import Message
    >>> knowing_others(Message("whoever {KNOWS_QUASI_ALONE} names a person's ill with probability at most 1/2"))
    "whoever knows the other sensitive columns too names a person's ill with probability at most 1/2"
    """
    more = "knows the other sensitive columns too"
    return Speaker(lambda term: more if term.name == KNOWS_QUASI_ALONE.name else term.python).tell(meaning)


def _line(level: AuditedLevel) -> tuple[str, str, str, str]:
    """A line of the table: the model, how far it holds, where it is weakest, and what that means."""
    return (
        "  harmonised" if level.view == "harmonised" else level.model,
        level_words(level),
        group_words(level.worst),
        level.meaning if level.view == "separate" else knowing_others(level.meaning),
    )


def in_words(audit: Asking, answers: Sequence[AuditedLevel]) -> str:
    """A table, or with several sensitive columns one for each, harmonised levels below the others."""
    together = len(audit.sensitive) < 2
    parts = []
    for name in [None] if together else [None, *audit.sensitive]:
        lines = [_line(level) for level in answers if together or level.sensitive == name]
        parts.append((heading(name) + "\n" if name else "") + table_of(lines))
    if any(level.view == "harmonised" for level in answers):
        parts.append(sentence(HARMONISED))
    return "\n\n".join(parts)
