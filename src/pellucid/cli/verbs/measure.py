"""``pellucid measure``: what a release is still good for, set against the table that it was made of."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.cli.auditing import by_reason, names
from pellucid.cli.output import JsonOption, Output, error_line
from pellucid.cli.progress import Bar
from pellucid.cli.show import labelled, sentence
from pellucid.cli.spark_options import EngineOption, MasterOption, SparkOption, session_of
from pellucid.cli.text_tables import with_file_options
from pellucid.cli.wording import in_options
from pellucid.core.schema import Roles
from pellucid.errors import MeasureError
from pellucid.io.secrets import without_password
from pellucid.metrics import Metric, Score, metric_named, metrics, scores
from pellucid.metrics.boxes import Shown
from pellucid.metrics.contrasts import ESTIMATE
from pellucid.metrics.margins import Counted
from pellucid.metrics.open_release import shown_of
from pellucid.text.figures import counted, figure

EXAMPLES = (
    "pellucid publish patients --l 2 --out out/",
    "pellucid measure out/ --original patients.csv",
    "pellucid measure out/ --original patients.csv --metric loss \\\n"
    "  --metric query-error:dimensions=2,selectivity=0.2 --json",
)

SAID = {"workload": "workload: a file of saved queries"}  # what a parameter is called in the help
STRONGEST = 8  # contrasts that are told one by one
UNSAID = {"weights"}  # nobody can write them on a command line


def command() -> Callable[..., None]:
    """The verb."""
    return with_file_options(measure)


def naming_metrics(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb, whose help ends with the metrics that there are and their parameters."""
    parameters = {
        name: ", ".join(SAID.get(field, field) for field in kind.model_fields if field not in UNSAID)
        for name, kind in metrics().items()
    }
    those = ", ".join(f"{name} ({meaning})" for name, meaning in parameters.items() if meaning)
    verb.__doc__ = f"{getdoc(verb)}\n\nMetrics: {', '.join(parameters)}. Those with parameters: {those}."
    return verb


@naming_metrics
def measure(
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            show_default=False,
            help="The folder of a release, or a CSV, Parquet or Arrow file, whoever made it.",
        ),
    ],
    original: Annotated[
        str, typer.Option("--original", metavar="TABLE", help="The table that the release was made of.")
    ],
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", help="What each column is, with taxonomies and orders of values."),
    ] = None,
    quasi: Annotated[
        str | None, typer.Option("--quasi", metavar="A,B", help="The columns that are generalised, without a schema.")
    ] = None,
    sensitive: Annotated[str | None, typer.Option("--sensitive", metavar="X", help="The sensitive columns.")] = None,
    weight: Annotated[
        str | None, typer.Option("--weight", metavar="W", help="The weights of the survey, without a schema.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Metrics, as a,b or repeated; with parameters as NAME:a=1,b=2. All unless given.",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="FILE",
            help="What publish --keep-groups wrote: sse needs it, classification to hold rows out, and every metric "
            "where publish left rows out (--people ...=one, --where).",
        ),
    ] = None,
    engine: EngineOption = "local",
    master: MasterOption = None,
    spark_option: SparkOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a release is still good for: each metric with its unit, its direction and what it means.

    What the columns are comes from the release's recipe, from --schema, or from --quasi and --sensitive.
    """
    output = Output(as_json=as_json)
    chosen = None if metric is None else all_asked_for(metric)
    roles = Roles(schema=schema, quasi=names(quasi), sensitive=names(sensitive), weight=weight)
    started = session_of(engine, master, spark_option, [release, original])
    with output.warnings() as warned, started as spark, Bar(shown=not as_json) as bar:
        shown = shown_of(release, original, roles, groups=groups, spark=spark, progress=bar)
        scored = scores(shown, chosen, lenient=chosen is not None and len(chosen) > 1, progress=bar)
    silent = {score.metric: in_options(score.meaning) for score in scored if not score.applies}
    if len(silent) == len(scored):
        raise MeasureError("; ".join(by_reason(silent)))
    release, original = without_password(release), without_password(original)
    _say(output, shown, scored, {"release": release, "original": original})
    for score in scored:
        if score.metric == "contrasts" and score.applies:
            output.say("\n" + contrasts_in_words(score))
    for line in by_reason(silent) if chosen is None else ():
        output.say("\n" + sentence(line))
    output.document({"release": release, "original": original} | _document(shown, scored) | {"warnings": warned})
    if silent and chosen is not None:
        _fail_for(silent)


def _say(output: Output, shown: Shown | Counted, scored: Sequence[Score], named: Mapping[str, str]) -> None:
    """What was measured, and each figure that there is."""
    by = ", ".join([*(cells.attribute.name for cells in shown.columns), *shown.carried])
    classes = counted(shown.classes_in_all, "class", "classes")
    what = f"{counted(shown.rows, 'row')} in {classes} of rows published alike, by {by}"
    original = f"{named['original']}: {shown.original_rows:,} rows"
    output.say(labelled({"release": f"{named['release']}: {what}", "original": original}))
    output.say("\n" + in_words([score for score in scored if score.applies]))


def _document(shown: Shown | Counted, scored: Sequence[Score]) -> dict[str, object]:
    """The same for programs."""
    return {
        "rows": shown.rows,
        "classes": shown.classes_in_all,
        "original_rows": shown.original_rows,
        "quasi": [cells.attribute.name for cells in shown.columns],
        "carried": list(shown.carried),
        "sensitive": list(shown.secrets),
        "scores": [as_document(score) for score in scored if score.applies],
        "unanswered": [{"metric": s.metric, "reason": s.meaning} for s in scored if not s.applies],
    }


def _fail_for(silent: Mapping[str, str]) -> None:
    """End with the reasons of those that were asked for and have no figure."""
    for line in by_reason(silent):
        error_line(line)
    raise typer.Exit(2)


def all_asked_for(words: Sequence[str]) -> list[Metric]:
    """The metrics that the words name, each of which may name several."""
    return [asked_for(part) for word in words for part in apart(word)]


def apart(word: str) -> list[str]:
    """The metrics that a word names: a comma begins another one, unless a parameter follows it.

    >>> apart("loss,precision"), apart("query-error:dimensions=2,seed=3,loss")
    (['loss', 'precision'], ['query-error:dimensions=2,seed=3', 'loss'])
    """
    words: list[str] = []
    for part in filter(None, (piece.strip() for piece in word.split(","))):
        if words and ":" in words[-1] and "=" in part and ":" not in part:
            words[-1] += f",{part}"
        else:
            words.append(part)
    return words or [word]


def asked_for(word: str) -> Metric:
    """The metric that a word names, with its parameters.

    >>> asked_for("query-error:dimensions=2,form=sets")
    QueryError(weighted=False, dimensions=2, selectivity=0.06, queries=1000, seed=1, form='sets', delta=0.005, \
sensitive=True, workload=None)
    """
    name, _, rest = word.partition(":")
    parameters: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, given, text = part.partition("=")
        if not given:
            raise MeasureError(f"--metric {word}: {part!r} has no value; write {name}:{key.strip()}=...")
        parameters[key.strip()] = _value(text.strip())
    return metric_named(name)(**parameters)


def _value(text: str) -> object:
    """A number or true or false where it is one, as in Python too, else the text.

    >>> _value("False"), _value("true"), _value("2"), _value("sets")
    (False, True, 2, 'sets')
    """
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except ValueError:
        return text


def contrasts_in_words(score: Score) -> str:
    """The strongest contrasts, line by line; the same figures are in ``details``."""
    lines = [("value", "of", "class", "original", "release")]
    for one in score.details["contrasts"][:STRONGEST]:
        classes = f"{one['quasi']} {one['high']} less {one['low']}"
        points = (f"{100 * one[key]:+.1f}" for key in ("true", "published"))
        lines.append((one["value"], one["sensitive"], classes, *points))
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = [
        "  ".join(
            [*(text.ljust(width) for text, width in zip(line[:3], wide, strict=False)), *map("{:>8}".format, line[3:])]
        )
        for line in lines
    ]
    return "\n".join([sentence(f"Strongest differences between classes, in points. {ESTIMATE}"), "", *rows])


def in_words(scored: Sequence[Score]) -> str:
    """A table of metrics, with what each means below it.

    >>> print(in_words([Score("loss", 0.25, "share of the domain", "lower", "a quarter is left open")]))
    metric  value  better  unit
    loss     0.25  lower   share of the domain
        a quarter is left open
    """
    first = max(len("metric"), *(len(score.metric) for score in scored))
    values = [figure(score.value) for score in scored]
    second = max(len("value"), *map(len, values))
    lines = [f"{'metric':<{first}}  {'value':>{second}}  better  unit"]
    for score, value in zip(scored, values, strict=True):
        lines.append(f"{score.metric:<{first}}  {value:>{second}}  {score.direction:<6}  {score.unit}")
        lines.append(sentence(score.meaning, first="    "))
    return "\n".join(lines)


def as_document(score: Score) -> dict[str, Any]:
    """A score for a program."""
    return {
        "metric": score.metric,
        "value": _plain(score.value),
        "unit": score.unit,
        "direction": score.direction,
        "meaning": score.meaning,
        "details": _plain(score.details),
    }


def _plain(value: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return "infinity"
    return value
