"""How the original and people's own values are read beside a release: by the schema, by the recipe, or as they look.

The one place where a recipe becomes the schema of a table that is read beside the release.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import polars as pl

from pellucid.core.recipe import Recipe
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.schema.people import ROW
from pellucid.core.schema.rounding import Quantiles
from pellucid.core.table import Codes, Table
from pellucid.errors import InputError, MeasureError, PellucidError
from pellucid.io import load, read
from pellucid.io.text_form import filled_in
from pellucid.runtime.progress import SILENT, Progress


def meant_by(recipe: Recipe | None, schema: Schema | None, *, own: bool = False) -> Schema:
    """What reads a table of people as the table of a release was read (:func:`pellucid.io.read_original`).

    A cap in percent became values when the release was made, and its recipe tells them. Without these, it is counted
    again only in the release's ``own`` table; of others the values stay as they are, and ``>=150`` covers them.

    >>> kg = {"name": "kg", "role": "quasi", "kind": "number", "cap": {"high": 150}}
    >>> meant_by(Recipe.of({"columns": [kg]}), None).columns["kg"].cap.high
    150
    """
    in_recipe = {} if recipe is None else recipe.declared()
    if schema is None:
        return Schema.model_construct(columns=in_recipe, where=None if recipe is None else recipe.where)
    columns = dict(schema.columns)
    for name, column in columns.items():
        if isinstance(column.round, Quantiles) and column.round.begin is None:
            columns[name] = column = _with_classes(name, column, in_recipe.get(name), own=own)
        if column.cap is None or column.cap.percent is None:
            continue
        if name in in_recipe and in_recipe[name].cap is not None:
            columns[name] = column.model_copy(update={"cap": in_recipe[name].cap})
        elif not own:
            columns[name] = column.model_copy(update={"cap": None})
    return schema.model_copy(update={"columns": columns})


def _with_classes(name: str, column: Column, in_recipe: Column | None, *, own: bool) -> Column:
    """The column with classes that begin where the recipe tells; in its own table they are counted again."""
    if in_recipe is not None and in_recipe.round is not None:
        return column.model_copy(update={"round": in_recipe.round})
    if own:
        return column
    raise InputError(
        f"the classes of {name!r} were counted in the table of the release, and nobody says where they begin; give the "
        "folder with its recipe, or a schema with classes as in round = [0, 18, 65]"
    )


def original_told(recipe: Recipe, identifier: str | None = None) -> Schema:
    """How the original is read, as a recipe tells it; the identifier, which it does not name, is the caller's."""
    _require_orders(recipe)
    named = {} if identifier is None else {identifier: Column(role=Role.IDENTIFIER)}
    return Schema(columns=named | recipe.declared(), nothing_sensitive=recipe.nothing_sensitive)


def read_together(source: Any, schema: Schema, recipe: Recipe | None, progress: Progress = SILENT) -> Table:
    """The original, with which rows belong together where the recipe names the column of it and the original has it.

    So it is with a column that numbers people of whom each row was protected by itself.
    """
    if recipe is not None and recipe.where is not None:
        schema = schema.model_copy(update={"where": recipe.where})
    together, several = (None, None) if recipe is None else (recipe.cluster, recipe.several)
    columns, people = schema.columns, None
    if together is not None and together not in schema.columns and not schema.names(Role.CLUSTER):
        columns = {**schema.columns, together: Column(role=Role.CLUSTER)}
    elif several is not None and several.answer == ROW:
        people = several.text
    if people is not None or columns is not schema.columns:
        told = schema.model_copy(update={"columns": columns})
        with suppress(PellucidError):  # without that column it is read as before
            return read(source, schema=told, people=people, progress=progress)
    return read(source, schema=schema, progress=progress)


def rows_told(original: Any, labels: Codes, schema: Schema, recipe: Recipe | None) -> tuple[Any, Codes]:
    """The rows of the original that were published, where not all are, and their groups: -1 is a row that was left out.

    A table has these rows already, and so has an original that is not as long as the groups.
    """
    if recipe is None or not recipe.of_some_rows or isinstance(original, Table):
        return original, labels
    with filled_in(schema.file):
        frame, _ = load(original, missing={name: column.missing for name, column in schema.columns.items()})
    if len(labels) != frame.height:
        return original, labels
    kept = labels >= 0
    return frame.filter(pl.Series(kept)), labels[kept]


def measured_told(recipe: Recipe, *, carried: bool = False) -> Schema:
    """How the original is read to be measured; an older recipe tells no taxonomies and no domains.

    Of what is ``carried`` along the texts are enough, unless who is in which group is told.

    >>> kids = {"name": "kids", "role": "quasi", "kind": "number", "domain": [0, 20]}
    >>> [measured_told(Recipe.of({"format": of, "columns": [kids]})).columns["kids"].domain for of in (1, 2)]
    [None, (0, 20)]
    """
    _require_orders(recipe)
    measured = (Role.QUASI, Role.SENSITIVE, Role.WEIGHT, *([Role.CARRY] if carried else ()))
    columns = {
        column.name: column.declared() if recipe.tells_what_steered else Column.told(column.facts)
        for column in recipe.columns
        if column.role in measured
    }
    told = Schema(columns=columns, nothing_sensitive=recipe.nothing_sensitive)
    return told.model_copy(update={"where": recipe.where})


def _require_orders(recipe: Recipe) -> None:
    for column in recipe.columns:
        if column.orderless:
            raise MeasureError(
                f"{column.name!r} is ordered, and the recipe does not say how; give the schema that it was made with"
            )
