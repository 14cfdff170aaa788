"""From what a person gives (a release in memory or on disk, the original) to what is shown.

And whether a release was made of this original: every row of it that is not suppressed lies in some published class.
Columns that fit one by one do not suffice: of a table with one column shuffled each value is still published. So rows
are looked at as a whole: there must be a box that covers all quasi-identifiers of a row, in a class that has the row's
sensitive value, unless sensitive values were replaced.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.audit.meaning import meant_by, measured_told, rows_told
from pellucid.audit.source import WHOLE, OpenedRelease, opened
from pellucid.core.recipe import Recipe
from pellucid.core.release import Release
from pellucid.core.schema import OF_GROUP, UNSAID, Column, Names, Role, Roles, Schema, column_names
from pellucid.core.table import Codes, Table, fingerprint
from pellucid.errors import MeasureError
from pellucid.io import read_as, schema_for
from pellucid.messages import Message
from pellucid.metrics.boxes import BESIDE, Shown, before_all_rounding, require_alike, shown_by
from pellucid.metrics.margins import Counted
from pellucid.metrics.reading import shown_in
from pellucid.metrics.told_groups import labels_of, refuse_other_groups, with_groups
from pellucid.models import Groups
from pellucid.published.choices import Choices, Integers
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress
from pellucid.spark.frames import is_distributed, require_running
from pellucid.text.values import cell_text

MEASURED = (*OF_GROUP, Role.SENSITIVE)
NAMED = ("quasi", "sensitive", "weight")  # roles of columns that a caller may name of a release with a recipe


def shown_of(
    release: Any,
    original: Any,
    roles: Roles = UNSAID,
    *,
    groups: Any = None,
    spark: Any = None,
    progress: Progress = SILENT,
) -> Shown | Counted:
    """What a release shows of the original: its boxes, or with Spark what is counted of them.

    ``groups``: the group of each row of the original, which publishing kept. Warns of what no figure will tell.
    """
    shown = _shown_of(release, original, roles, groups=groups, spark=spark, progress=progress)
    for note in shown.notes:
        warnings.warn(note, UserWarning, stacklevel=3)
    return shown


def _shown_of(
    release: Any, original: Any, roles: Roles, *, groups: Any, spark: Any, progress: Progress
) -> Shown | Counted:
    spark = _session_of(release, original) if spark is None else spark
    source = opened(release, spark)
    by_recipe = not isinstance(original, Table)
    roles = _meant_roles(release, source, roles, by_recipe=by_recipe, carried=groups is not None)
    if spark is not None and isinstance(original, str | PathLike):
        original = opened(original, spark).tables[WHOLE]
    if is_distributed(original):
        require_running(original.sparkSession)
    if source.distributed or is_distributed(original):
        return _counted_with_spark(source, original, roles, progress)
    if by_recipe:
        original, roles, groups = published_rows(original, roles, groups, source.recipe)
    table = read_as(original, roles, progress=progress)
    if not table.having(Role.QUASI):
        raise MeasureError("the original has no quasi-identifier; name the columns that the release generalises")
    if isinstance(release, Release):
        require_alike(release, table)
        if _was_made_of(release, table):
            if groups is not None:
                refuse_other_groups(groups, release.private.labels)
            return shown_by(release, table)
        # another table, or the same with its rows in another order or read without its taxonomies: as from a file
    shown = shown_in(source, table)
    check_belongs(shown)
    return before_all_rounding(shown if groups is None else with_groups(shown, source.recipe, groups))


def published_rows(original: Any, roles: Roles, groups: Any, recipe: Recipe | None) -> tuple[Any, Roles, Any]:
    """The rows of the original that were published, where groups say which, and the groups of these."""
    if recipe is None or not recipe.of_some_rows:
        return original, roles, groups
    if groups is not None:
        original, groups = rows_told(original, labels_of(groups), schema_for(original, roles), recipe)
        return original, _of_all_rows(roles), groups
    if recipe.several is not None and recipe.several.leaves_one:
        raise MeasureError("one row of each person was published; give {GROUPS}, which publishing keeps: it says which")
    return original, roles, groups


def _of_all_rows(roles: Roles) -> Roles:
    """The roles for a table that has the rows already which a condition leaves."""
    schema = roles.schema
    if isinstance(schema, str | PathLike):
        schema = Schema.load(Path(schema))
    return replace(
        roles, schema=None if schema is None else schema.model_copy(update={"where": None}), where=None, people=None
    )


def _told_schema(release: Any, source: OpenedRelease, recipe: Recipe, *, carried: bool) -> Schema:
    """The schema that the table of a release was read by, where it is at hand; else as far as the recipe tells it."""
    schema = _as_it_was_read(release) if isinstance(release, Release) and not source.distributed else None
    if schema is None:
        schema = measured_told(recipe, carried=carried)
        _warn_of_taxonomies(source)
    return schema


def _meant_roles(release: Any, source: OpenedRelease, roles: Roles, *, by_recipe: bool, carried: bool) -> Roles:
    """How to read the original: as the caller says, where the recipe does not say more.

    ``carried``: with what is carried along, of which the published texts are enough unless groups are told.
    """
    schema, sensitive, kinds = roles.schema, roles.sensitive, roles.kinds
    if by_recipe and schema is None and roles.quasi is None and source.recipe is not None:
        told = _told_schema(release, source, source.recipe, carried=carried)
        schema, sensitive, kinds = _about(told, sensitive), None, None
    elif by_recipe and schema is None and kinds is None and _named_of(source.recipe, roles):
        assert source.recipe is not None
        told = _told_schema(release, source, source.recipe, carried=carried)
        return replace(roles, schema=_as_named(told, roles), quasi=None, sensitive=None, weight=None)
    if source.recipe is not None and isinstance(schema, Schema | str | PathLike):
        given = schema if isinstance(schema, Schema) else Schema.load(Path(schema))
        schema = meant_by(source.recipe, given, own=True)
    return replace(roles, schema=schema, sensitive=sensitive, kinds=kinds)


def _named_of(recipe: Recipe | None, roles: Roles) -> bool:
    """Whether a recipe tells all about the columns that are named, and there is one that is protected."""
    if recipe is None or roles.sensitive is None or not set(roles.named) <= set(NAMED):
        return False
    named = {name for names in roles.named.values() for name in column_names(names)}
    columns = {column.name: column for column in recipe.columns}
    return named <= set(columns) and not any(column.orderless for column in columns.values())


def _as_named(told: Schema, roles: Roles) -> Schema:
    """The named columns in the roles that the caller says, and as the recipe means them: its orders and domains."""
    given = {role: column_names(names) for role in NAMED if (names := getattr(roles, role)) is not None}
    columns = {name: Column(role=Role(role)) for role, names in given.items() for name in names}
    known = {name: column for name, column in told.columns.items() if name in columns}  # in the order of the recipe
    meant = {name: column for name, column in known.items() if column.role is columns[name].role}
    return told.model_copy(
        update={"columns": known | columns | meant, "nothing_sensitive": Role.SENSITIVE not in given}
    )


def _counted_with_spark(source: OpenedRelease, original: Any, roles: Roles, progress: Progress) -> Counted:
    if not (source.distributed and is_distributed(original)):
        there, here = ("release", "original") if source.distributed else ("original", "release")
        raise MeasureError(f"the {there} is with Spark and the {here} is not; give both as Spark DataFrames")
    progress.stage("counting with Spark", 0)
    from pellucid.spark.measure import counted_with_spark  # which imports measuring

    return counted_with_spark(source, original, schema_for(original, roles))


def _was_made_of(release: Release, table: Table) -> bool:
    """Whether a release was made of exactly this table, read as it is here."""
    carried = set(release.public.recipe.names(*BESIDE))
    if carried != {attribute.name for attribute in table.attributes if attribute.role in BESIDE}:
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
    columns = {n: column for n, column in schema.columns.items() if column.role is not Role.SENSITIVE or n in named}
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
    if source.facts.recode == "taxonomy" and not source.facts.tells_what_steered:
        warnings.warn(
            Message(
                "the release was made with taxonomies, which its recipe does not hold: loss, precision and what else "
                "looks at them are measured without; give {SCHEMA} with the taxonomies for the figures that belong to "
                "it"
            ),
            UserWarning,
            stacklevel=4,
        )


EFFORT = 20_000_000  # pairs of a row and a box that are looked at; of large tables some rows, evenly spread
FEWEST = 50  # rows that are looked at however many boxes there are
AT_ONCE = 2_000_000  # of these pairs in memory

Fits = NDArray[np.bool_]


def check_belongs(shown: Shown) -> None:
    """Raise when more rows of the original than are suppressed lie in no published class."""
    table = shown.table
    n, boxes = len(table), len(shown.sizes)
    most = max(boxes, *(len(cells.choices) for cells in shown.quasi))
    rows = np.unique(np.linspace(0, n - 1, min(n, max(FEWEST, EFFORT // most))).astype(np.int64))
    at_once = max(FEWEST, AT_ONCE // most)
    inside = [_in_some_box(shown, rows[first : first + at_once]) for first in range(0, len(rows), at_once)]
    outside = rows[~np.concatenate(inside)]
    if len(outside) > shown.suppressed:
        compared = [*table.having(Role.QUASI), *([] if shown.replaces else table.having(Role.SENSITIVE))]
        values_ = [(table.attributes[i], int(table.codes[i][outside[0]])) for i in compared]
        row = ", ".join(f"{of.name} {cell_text(of.values[code])}" for of, code in values_)
        looked_at = f"{len(outside):,} of {len(rows):,} rows of the original that were compared"
        raise MeasureError(
            f"{looked_at} lie in no published group, such as the one with {row}; "
            "give the table that the release was made of"
        )


def _in_some_box(shown: Shown, rows: Integers) -> Fits:
    """For each of these rows of the original whether a box covers it, in a class that has its sensitive values."""
    table = shown.table
    fits = np.ones((len(rows), len(shown.sizes)), np.bool_)
    for i, cells in zip(table.having(Role.QUASI), shown.quasi, strict=True):
        values, place = np.unique(cells.ticks.of_code[table.codes[i][rows]], return_inverse=True)
        fits &= covering(cells.choices, values)[:, cells.of_box][place]
    if not shown.replaces:
        for i, groups in zip(table.having(Role.SENSITIVE), shown.sensitive, strict=True):
            codes, place = np.unique(table.codes[i][rows].astype(np.int64), return_inverse=True)
            fits &= holding(groups, codes)[:, shown.classes][place]
    return np.asarray(fits.any(axis=1))


def covering(choices: Choices, ticks: Integers) -> Fits:
    """For each of some ticks, ascending, and each choice whether the choice covers it; null is the tick -1.

    >>> from pellucid.published.choices import Choices
    >>> none, two = np.zeros(2), np.ones(2, np.int64)
    >>> low, high = np.array([0, 4]), np.array([3, 5])
    >>> nulls = np.array([False, True])
    >>> choices = Choices(np.arange(3), low, high, nulls, none, two, two, none, nulls)
    >>> covering(choices, np.array([-1, 3, 4])).tolist()
    [[False, True], [True, False], [False, True]]
    """
    null = int(len(ticks) > 0 and ticks[0] < 0)
    places = ticks[null:]
    change = np.zeros((len(places) + 1, len(choices)), np.int16)
    owner = np.repeat(np.arange(len(choices)), np.diff(choices.starts))
    np.add.at(change, (np.searchsorted(places, choices.low, "left"), owner), 1)
    np.add.at(change, (np.searchsorted(places, choices.high, "right"), owner), -1)
    covered = np.cumsum(change, axis=0, dtype=np.int16)[:-1] > 0
    return np.concatenate((np.tile(choices.nulls, (null, 1)), covered))


def holding(groups: Groups, codes: Codes | Integers) -> Fits:
    """For each of some sensitive codes, ascending, and each class whether the class has it."""
    owner = np.repeat(np.arange(len(groups.sizes)), np.diff(groups.starts))
    wanted = np.isin(groups.codes, codes)
    holds = np.zeros((len(codes), len(groups.sizes)), np.bool_)
    holds[np.searchsorted(codes, groups.codes[wanted]), owner[wanted]] = True
    return holds
