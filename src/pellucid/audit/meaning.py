"""How people's own values are meant beside a release: by the schema, by the recipe, or as they look."""

from __future__ import annotations

from pellucid.recipe import Recipe
from pellucid.schema import Schema


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
