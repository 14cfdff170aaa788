"""``pellucid publish``: a table in, a release out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pellucid.anonymize.k_anonymity_only import HIDING
from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import Recoder
from pellucid.anonymize.usual_method import unnamed
from pellucid.cli.columns import names_in, read_with_roles, split_columns
from pellucid.cli.named_values import with_named_values
from pellucid.cli.output import JsonOption, Output, QuietOption
from pellucid.cli.parameters import Given, build_method, with_method_options
from pellucid.cli.publish_and_tell import Doing, publish_and_tell
from pellucid.cli.request_options import plainly_given, with_request_options
from pellucid.cli.summary import named_truth
from pellucid.cli.text_tables import with_file_options
from pellucid.core.request import Request, UnfitRecoding, recoder_with
from pellucid.core.schema import Role, Roles, Schema
from pellucid.core.table import Table
from pellucid.errors import MethodError, SchemaError
from pellucid.io import refuse_absent
from pellucid.io.database import without_password
from pellucid.messages.terms import KEEP_GROUPS
from pellucid.publishing import carry_out, check_places, lot_of, read_table
from pellucid.runtime.progress import Progress

EXAMPLES = (
    "pellucid publish patients.csv --schema patients.toml --l 2 --out out/",
    "pellucid publish patients.csv --quasi age,zipcode --sensitive disease \\\n  --l 2 --out again/",
    "pellucid publish census:50000 --l 8 --recode anatomy --out census/ --json",
)


ROLES = ("quasi", "sensitive", "identifier", "carry", "cluster", "weight")


def command(words: Sequence[str] | None = None) -> Callable[..., None]:
    """The verb, with the parameters of every method as options."""
    return with_file_options(with_method_options(with_request_options(publish), words))


def publish(
    given: Mapping[str, Any],
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
    source, hiding = given["source"], given["nothing_sensitive"]
    if given["engine"] == "local":
        refuse_absent(source)
    chosen = _method_for(given["method"], parameters, given["engine"], nothing_sensitive=hiding)
    recoder = _recoder(given["recode"] or chosen.recoder, given)
    plain = plainly_given(given)
    named = named_roles({role: given[role] for role in ROLES}, nothing_sensitive=hiding)
    described, words = given_roles(source, given["schema"], named)
    words = with_kinds(words, given["kind"], described)
    chosen = with_named_values(chosen, described, words)
    asked = Request(source, chosen, schema=described, recode=recoder, unnamed=given["method"] is None, **plain)
    do = _doing(asked, recoder, words, given)
    publish_and_tell(asked, given["out"], do, output, began, told_as=named_truth(source))


def _doing(asked: Request, recoder: Recoder, words: Mapping[str, Sequence[str]], given: Mapping[str, Any]) -> Doing:
    """How it is done: in this process, or with Spark."""
    for_spark = {name: given[name] for name in ("master", "rows_per_worker", "spark_option")}
    if given["engine"] != "spark":
        for name, value in for_spark.items():
            if value is not None:
                raise MethodError("--{replace} goes with --engine spark", replace=name.replace("_", "-"))
        read = partial(_read_words, words) if words else read_table
        return lambda bar, look: carry_out(asked, progress=bar, read=read, look=look, keeping=KEEP_GROUPS).verdicts
    from pellucid.cli.publish_on_spark import publish_on_spark, settings_given

    asked = replace(asked, roles=Roles(**split_columns(words)))
    check_places(asked, KEEP_GROUPS)
    return partial(publish_on_spark, asked, given["out"], recoder, settings_given(**for_spark))


def _read_words(words: Mapping[str, Sequence[str]], request: Request, progress: Progress) -> Table:
    """The table under the roles that options name."""
    rows = Roles(people=request.people, where=request.where, applies=request.applies)
    return read_with_roles(
        request.source, words, threads=request.threads, progress=progress, rows=rows, coins=lot_of(request)
    )


def _method_for(
    name: str | None, parameters: Mapping[str, str | bool], engine: str, *, nothing_sensitive: bool
) -> Method:
    """The method that is named; else the usual one, or with Spark one that can be divided among machines."""
    chosen = build_method(name or (HIDING if nothing_sensitive else unnamed(parameters)), parameters)
    if name is None and engine == "spark":
        from pellucid.cli.publish_on_spark import divisible

        return chosen if divisible(chosen) else build_method("hybrid", parameters)
    return chosen


def _recoder(name: str, given: Mapping[str, Any]) -> Recoder:
    """The recoder that ``--recode`` names, with what else is said about it."""
    try:
        return recoder_with(name, given)
    except UnfitRecoding as unfit:
        option, fit = f"--{unfit.option.replace('_', '-')}", unfit.fit
        if len(fit) == 1:
            raise MethodError(f"{option} goes with --recode {fit[0]}, not with --recode {name}") from None
        sets = f"{', '.join(fit[:-1])} or {fit[-1]}"
        raise MethodError(f"{option} goes with --recode {sets}: --recode {name} lists no sets") from None


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
