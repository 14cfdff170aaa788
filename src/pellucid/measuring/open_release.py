"""From what a person gives (a release in memory or on disk, the original) to what is shown."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from pellucid.advice import SCHEMA, Advice
from pellucid.audit.meaning import meant_by, measured_told
from pellucid.audit.source import WHOLE, OpenedRelease, opened
from pellucid.errors import MeasureError
from pellucid.io import read_as, schema_for
from pellucid.measuring.boxes import Shown, require_alike, shown_by
from pellucid.measuring.margins import Counted
from pellucid.measuring.provenance import check_belongs
from pellucid.measuring.reading import shown_in
from pellucid.parallel import thread_count
from pellucid.progress import SILENT, Progress
from pellucid.release import Release
from pellucid.schema import UNSAID, Names, Role, Roles, Schema, column_names
from pellucid.spark.frames import is_distributed, require_running
from pellucid.table import Table, fingerprint

MEASURED = (Role.QUASI, Role.SENSITIVE, Role.CARRY)


def shown_of(
    release: Any,
    original: Any,
    roles: Roles = UNSAID,
    *,
    spark: Any = None,
    progress: Progress = SILENT,
) -> Shown | Counted:
    """What a release shows of the original: its boxes, or with Spark what is counted of them."""
    spark = _session_of(release, original) if spark is None else spark
    source = opened(release, spark)
    roles = _meant_roles(release, source, roles, by_recipe=not isinstance(original, Table))
    if spark is not None and isinstance(original, str | PathLike):
        original = opened(original, spark).tables[WHOLE]
    if is_distributed(original):
        require_running(original.sparkSession)
    if source.distributed or is_distributed(original):
        return _counted_with_spark(source, original, roles, progress)
    table = read_as(original, roles, progress=progress)
    if not table.having(Role.QUASI):
        raise MeasureError("the original has no quasi-identifier; name the columns that the release generalises")
    if isinstance(release, Release):
        require_alike(release, table)
        if _was_made_of(release, table):
            return shown_by(release, table)
        # another table, or the same with its rows in another order or read without its taxonomies: as from a file
    shown = shown_in(source, table)
    check_belongs(shown)
    return shown


def _meant_roles(release: Any, source: OpenedRelease, roles: Roles, *, by_recipe: bool) -> Roles:
    """How to read the original: as the caller says, where the recipe does not say more."""
    schema, sensitive = roles.schema, roles.sensitive
    if by_recipe and schema is None and roles.quasi is None and source.recipe is not None:
        schema = _as_it_was_read(release) if isinstance(release, Release) and not source.distributed else None
        if schema is None:
            schema = measured_told(source.recipe)
            _warn_of_taxonomies(source)
        schema, sensitive = _about(schema, sensitive), None
    if source.recipe is not None and isinstance(schema, Schema | str | PathLike):
        given = schema if isinstance(schema, Schema) else Schema.load(Path(schema))
        schema = meant_by(source.recipe, given, own=True)
    return replace(roles, schema=schema, sensitive=sensitive)


def _counted_with_spark(source: OpenedRelease, original: Any, roles: Roles, progress: Progress) -> Counted:
    if not (source.distributed and is_distributed(original)):
        there, here = ("release", "original") if source.distributed else ("original", "release")
        raise MeasureError(f"the {there} is with Spark and the {here} is not; give both as Spark DataFrames")
    progress.stage("counting with Spark", 0)
    from pellucid.spark.measure import counted_with_spark  # which imports measuring

    return counted_with_spark(source, original, schema_for(original, roles))


def _was_made_of(release: Release, table: Table) -> bool:
    """Whether a release was made of exactly this table, read as it is here."""
    carried = set(release.public.recipe.names(Role.CARRY))
    if carried != {table.attributes[i].name for i in table.having(Role.CARRY)}:
        return False
    return release.private.made_of == fingerprint(table, measured=True, threads=thread_count(None))


def _about(schema: Schema, sensitive: Names | None) -> Schema:
    """What is known about the columns, with these sensitive ones alone where they are named."""
    if sensitive is None:
        return schema
    named = column_names(sensitive)
    known = schema.names(Role.SENSITIVE)
    for name in named:
        if name not in known:
            raise MeasureError(
                f"{name!r} is no sensitive column of the release, says its recipe; these are: {', '.join(known)}"
            )
    columns = {n: one for n, one in schema.columns.items() if one.role is not Role.SENSITIVE or n in named}
    return schema.model_copy(update={"columns": columns})


def _session_of(release: Any, original: Any) -> Any:
    """The Spark session that one of the two is with, so that Spark reads the other from its files; None without one.

    >>> _session_of("out/", "people.parquet") is None
    True
    """
    public = release.public.frames if isinstance(release, Release) else release
    given = [original, *(public.values() if isinstance(public, Mapping) else [public])]
    return next((frame.sparkSession for frame in given if is_distributed(frame)), None)


def _as_it_was_read(release: Release) -> Schema | None:
    """How the table of a release in memory was read when it was published, as far as it is measured."""
    known = release.private.schema
    if known is None:
        return None
    columns = {name: column for name, column in known.columns.items() if column.role in MEASURED}
    return known.model_copy(update={"columns": columns})


def _warn_of_taxonomies(source: OpenedRelease) -> None:
    """Say that the taxonomies of a release are not at hand, so that names in them are taken as sets of values."""
    if source.facts.recode == "taxonomy":
        warnings.warn(
            Advice(
                "the release was made with taxonomies, which its recipe does not hold: loss, precision and what else "
                f"looks at them are measured without; give {SCHEMA} with the taxonomies for the figures that belong to "
                "it"
            ),
            UserWarning,
            stacklevel=4,
        )
