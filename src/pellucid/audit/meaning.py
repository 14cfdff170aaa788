"""How the original and people's own values are read beside a release: by the schema, by the recipe, or as they look.

The one place where a recipe becomes the schema of a table that is read beside the release.
"""

from __future__ import annotations

from pellucid.errors import MeasureError
from pellucid.recipe import Recipe
from pellucid.schema import Column, Role, Schema


def meant_by(recipe: Recipe | None, schema: Schema | None, *, own: bool = False) -> Schema:
    """What reads a table of people as the table of a release was read (:func:`pellucid.io.read_original`).

    A cap in percent became values when the release was made, and its recipe tells them. Without these, it is counted
    again only in the release's ``own`` table; of others the values stay as they are, and ``>=150`` covers them.

    >>> kg = {"name": "kg", "role": "quasi", "kind": "number", "cap": {"high": 150}}
    >>> meant_by(Recipe.of({"columns": [kg]}), None).columns["kg"].cap.high
    150
    """
    told = {} if recipe is None else recipe.declared()
    if schema is None:
        return Schema.model_construct(columns=told, file=None)
    columns = dict(schema.columns)
    for name, column in columns.items():
        if column.cap is None or column.cap.percent is None:
            continue
        if name in told and told[name].cap is not None:
            columns[name] = column.model_copy(update={"cap": told[name].cap})
        elif not own:
            columns[name] = column.model_copy(update={"cap": None})
    return schema.model_copy(update={"columns": columns})


def original_told(recipe: Recipe, identifier: str | None = None) -> Schema:
    """How the original is read, as a recipe tells it; the identifier, which it does not name, is the caller's."""
    _require_orders(recipe)
    named = {} if identifier is None else {identifier: Column(role=Role.IDENTIFIER)}
    return Schema(columns=named | recipe.declared())


def measured_told(recipe: Recipe) -> Schema:
    """How the original is read to be measured: without taxonomies and domains, which not every recipe tells."""
    _require_orders(recipe)
    measured = (Role.QUASI, Role.SENSITIVE)  # of what is carried the texts are enough
    return Schema(columns={one.name: Column.told(one.facts) for one in recipe.columns if one.role in measured})


def _require_orders(recipe: Recipe) -> None:
    for column in recipe.columns:
        if column.orderless:
            raise MeasureError(
                f"{column.name!r} is ordered, and the recipe does not say how; give the schema that it was made with"
            )
