"""``pellucid publish``: a table in, a release out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pellucid.app.columns import (
    ClusterOption,
    ImportanceOption,
    KindOption,
    SchemaOption,
    SensitiveOption,
    WeightOption,
    names_in,
    read_with_roles,
)
from pellucid.app.inputs import input_files, refuse_inputs_in
from pellucid.app.memory import enough_memory
from pellucid.app.named_values import with_named_values
from pellucid.app.output import JsonOption, Output, QuietOption, ThreadsOption
from pellucid.app.parameters import Given, build_method, complete_method, with_method_options
from pellucid.app.progress import Bar
from pellucid.app.remarks import without_taxonomies
from pellucid.app.show import labelled
from pellucid.app.summary import account_of, in_words, named_truth, tell, written
from pellucid.app.text_tables import with_file_options
from pellucid.app.wording import as_typed
from pellucid.errors import MethodError, OutputError, SchemaError
from pellucid.group import Method
from pellucid.group.method import DEFAULT, RecoderName
from pellucid.group.nothing_sensitive import HIDING
from pellucid.importance import importance_in, weighed
from pellucid.io import check_target, read
from pellucid.io.database import without_password
from pellucid.io.groups_file import check_groups_file, kept_groups
from pellucid.parallel import thread_count
from pellucid.progress import Progress
from pellucid.publishing import publish as publish_table
from pellucid.publishing import without_names
from pellucid.recode import RECODERS, Recoder
from pellucid.recode.found_once import finding_once
from pellucid.recode.sets import LARGEST_SET
from pellucid.schema import Role, Schema
from pellucid.table import Table

EXAMPLES = (
    "pellucid publish patients.csv --schema patients.toml --l 2 --out out/",
    "pellucid publish patients.csv --quasi age,zipcode --sensitive disease \\\n  --l 2 --out again/",
    "pellucid publish census:50000 --l 8 --recode anatomy --out census/ --json",
)


def command(words: Sequence[str] | None = None) -> Callable[..., None]:
    """The verb, with the parameters of every method as options."""
    return with_file_options(with_method_options(publish, words))


def publish(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help="A CSV, Parquet or Arrow file, a folder of Parquet files, sqlite:///x.db::table, census:50000, "
            "or patients.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder of the release.")],
    schema: SchemaOption = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B", help="Columns that an attacker may know, instead of a schema; may be given several times."
        ),
    ] = None,
    sensitive: SensitiveOption = None,
    nothing_sensitive: Annotated[
        bool,
        typer.Option(
            "--nothing-sensitive",
            help="Instead of --sensitive: people are hidden among --k rows, and no value is protected (mondrian).",
        ),
    ] = False,
    identifier: Annotated[
        list[str] | None, typer.Option(metavar="I", help="A column that names the person; never published.")
    ] = None,
    carry: Annotated[
        list[str] | None, typer.Option(metavar="C", help="Columns to publish that do not steer the groups.")
    ] = None,
    cluster: ClusterOption = None,
    weight: WeightOption = None,
    kind: KindOption = None,
    accept_known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B", help="Columns to publish though they give the sensitive one away; the recipe says so."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"How rows are grouped (pellucid methods); {DEFAULT}, unless given.",
            autocompletion=complete_method,
        ),
    ] = None,
    recode: Annotated[
        RecoderName | None,
        typer.Option(help="What a group becomes; intervals, unless the method usually does otherwise."),
    ] = None,
    split_intervals: Annotated[
        bool, typer.Option("--split-intervals", help="Two columns, low and high, for each interval.")
    ] = False,
    importance: ImportanceOption = None,
    median: Annotated[
        bool, typer.Option("--median", help="With --recode means: the median of a group instead of the mean.")
    ] = False,
    largest_set: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help=f"The most values that are listed as a set; a larger one is * ({LARGEST_SET})."
        ),
    ] = None,
    file_format: Annotated[
        Literal["csv", "parquet", "arrow"] | None,
        typer.Option("--format", help="Format of the files; csv, and with Spark parquet."),
    ] = None,
    keep_groups: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the group of each row, for attack --groups; it stays with you."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder if it exists.")] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Fix the coins, for tests only: the promise needs them secret.")
    ] = None,
    threads: ThreadsOption = None,
    engine: Annotated[
        Literal["local", "spark"],
        typer.Option(help="Who does the work: this process, or Spark for Parquet of any size."),
    ] = "local",
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="With Spark: where it runs, such as spark://host:7077; local[*], this machine, unless given.",
        ),
    ] = None,
    rows_per_worker: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With Spark: how many rows one worker groups at a time.")
    ] = None,
    spark_option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="With Spark: one of its own settings.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    *,
    parameters: Given,
) -> None:
    """Turn a table into a release; with the default method an informed attacker cannot break it.

    Rows are put into groups, and what is published of a group is the same for all its rows. The method's parameters
    are options too: --l 8 promises at most 1/8, and the closing sentence says to whom, and whom it does not cover.
    """
    began = time.perf_counter()
    output = Output(as_json=as_json, quiet=quiet)
    chosen = _method_for(method, parameters, engine, nothing_sensitive=nothing_sensitive)
    recoder = recoder_named(recode or chosen.recoder, split=split_intervals, largest_set=largest_set, median=median)
    accepted, matters = names_in(accept_known or ()), importance_in(importance or ())
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "carry": carry}
    given |= {"cluster": cluster, "weight": weight}
    described, words = given_roles(source, schema, named_roles(given, nothing_sensitive=nothing_sensitive))
    words = with_kinds(words, kind, described)
    chosen = with_named_values(chosen, described, words)
    with as_typed(out):
        check_target(out, overwrite=overwrite)
        read_too = input_files(source, described, parameters.values())
        refuse_inputs_in(out, read_too)
        check_groups_file(keep_groups, out, read_too, overwrite=overwrite)
    if engine == "spark" or any(said is not None for said in (master, rows_per_worker, spark_option)):
        from pellucid.app.publish_on_spark import SparkCall, SparkJob, publish_by_spark

        on_spark = SparkCall.of(engine, master, rows_per_worker, spark_option)
        refuse_groups_with_spark(keep_groups)
        asked = SparkJob(
            source, described, words, chosen, recoder, seed, out, file_format, overwrite, accepted, matters
        )
        publish_by_spark(asked, on_spark, output, began, shown=not (as_json or quiet))
        return
    with output.warnings() as warned, Bar(shown=not (as_json or quiet)) as bar, enough_memory(source):
        table = weighed(without_names(read_described(source, described, words, threads, bar)), matters)
        with finding_once():
            release = publish_table(
                table, chosen, accept_known=accepted, recode=recoder, seed=seed, threads=threads, progress=bar
            )
            bar.stage("measuring what is kept", 0)
            account, remarks = account_of(table, release, chosen, thread_count(threads, len(table)), source=source)
        remarks += without_taxonomies(table, chosen, account["information_kept"])
        bar.stage("writing the release", 0)
        with kept_groups(keep_groups, lambda: release.private.labels) as put_groups, as_typed(out):
            release.write(out, format=file_format or "csv", overwrite=overwrite, then=put_groups)
        written(account, out, keep_groups)
    tell(account, remarks, warned, release.recipe, began)
    output.say(labelled(in_words(account | named_truth(source))))
    output.document(account)


def _method_for(
    name: str | None, parameters: Mapping[str, str | bool], engine: str, *, nothing_sensitive: bool
) -> Method:
    """The method that is named; else the usual one, or with Spark one that can be divided among machines."""
    chosen = build_method(name or default_method(nothing_sensitive=nothing_sensitive), parameters)
    if name is None and engine == "spark":
        from pellucid.app.publish_on_spark import divisible

        return chosen if divisible(chosen) else build_method("hybrid", parameters)
    return chosen


def refuse_groups_with_spark(keep_groups: Path | None) -> None:
    """Raise where groups are to be kept that no file of ours has."""
    if keep_groups is not None:
        raise OutputError(
            f"--keep-groups {keep_groups}: the groups of a table with Spark stay with Spark; leave it out"
        )


def read_described(
    source: str,
    schema: Schema | Path | None,
    words: Mapping[str, Sequence[str]],
    threads: int | None,
    progress: Progress,
) -> Table:
    """The table under a schema, or with the roles that options give."""
    if schema is None:
        return read_with_roles(source, words, threads=threads, progress=progress)
    return read(source, schema=schema, threads=threads, progress=progress)


def recoder_named(name: str, *, split: bool = False, largest_set: int | None = None, median: bool = False) -> Recoder:
    """The recoder that ``--recode`` names, with what else is said about it."""
    if median and name != "means":
        raise MethodError(f"--median goes with --recode means, not with --recode {name}")
    if split and name != "intervals":
        raise MethodError(f"--split-intervals goes with --recode intervals, not with --recode {name}")
    kind = RECODERS[name]
    if largest_set is not None and "largest_set" not in kind.model_fields:
        sets = "--recode intervals, taxonomy or means"
        raise MethodError(f"--largest-set goes with {sets}: --recode {name} lists no sets")
    settings: dict[str, Any] = {"split": True} if split else {"statistic": "median"} if median else {}
    return kind(**settings, **({} if largest_set is None else {"largest_set": largest_set}))


def default_method(*, nothing_sensitive: bool) -> str:
    """The method that is meant where none is named."""
    return HIDING if nothing_sensitive else DEFAULT


def named_roles(
    given: Mapping[str, Sequence[str] | None], *, nothing_sensitive: bool = False
) -> dict[str, Sequence[str]]:
    """The roles that options name; of none being sensitive it is said on purpose.

    >>> named_roles({"quasi": ["age"], "sensitive": None, "carry": []}, nothing_sensitive=True)
    {'quasi': ['age'], 'sensitive': ()}
    """
    named = {role: names for role, names in given.items() if names}
    if not nothing_sensitive:
        return named
    if "sensitive" in named:
        raise SchemaError("--sensitive and --nothing-sensitive contradict each other; give one of the two")
    return {**named, "sensitive": ()}


def with_kinds(
    words: Mapping[str, Sequence[str]], kinds: Sequence[str] | None, described: Schema | Path | None
) -> Mapping[str, Sequence[str]]:
    """The options with what ``--kind`` says of columns, which a schema says itself."""
    if not kinds:
        return words
    if described is not None:
        where = described if isinstance(described, Path) else "the schema that comes with the table"
        raise SchemaError(f"--kind and {where} both say what kind a column is; write the kind into a schema")
    return {**words, "kinds": kinds}


def refuse_other_roles(schema: Path, given: Mapping[str, Sequence[str]]) -> None:
    """Raise unless the options that name columns by role repeat what the schema says."""
    declared = Schema.load(schema)
    for role, words in given.items():
        there = declared.names(Role(role))
        if there != names_in(words):
            raise SchemaError(
                f"--schema and --{role} both say what the columns are, and in {schema} {role} is "
                f"{', '.join(there) or 'no column'}; write it there, or leave --{role} out"
            )


def given_roles(
    source: str, schema: Path | None, given: Mapping[str, Sequence[str]]
) -> tuple[Schema | Path | None, Mapping[str, Sequence[str]]]:
    """What each column is: a schema, or None and the words that name columns by role."""
    if schema is not None and given:
        refuse_other_roles(schema, given)
    if schema is not None:
        return schema, {}
    if not given:
        from pellucid.datasets import schema_of  # here: a table of one's own does not need them

        known = schema_of(source)
        if known is None:
            source = without_password(source)
            raise SchemaError(
                f"{source}: say what the columns are with --schema FILE ('pellucid init {source}' drafts one), "
                "or with --quasi A,B --sensitive X"
            )
        return known, {}
    for role in ("quasi", "sensitive"):
        if role not in given:
            raise SchemaError(f"--{role} is missing: without --schema, --quasi and --sensitive are both needed")
    return None, given
