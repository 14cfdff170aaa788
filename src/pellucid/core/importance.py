"""How much each quasi-identifier matters: its extent counts so many times when methods weigh one against another.

Importance is public, like the schema that says it, and methods look at nothing else because of it: the groups are
those of a table whose columns were scaled. So every promise stays as it is, and the recipe tells the importance, since
whoever forms the groups again needs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.core.schema import Column, Role, Schema, whole_importance
from pellucid.core.table import Table
from pellucid.errors import SchemaError
from pellucid.text.values import listed


def weighed(table: Table, importance: Mapping[str, float] | None) -> Table:
    """The table whose quasi-identifiers matter so much; those that are not named as before.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> [attribute.importance for attribute in weighed(table, {"age": 3}).attributes]
    [3, 1, 1]
    >>> [attribute.importance for attribute in weighed(table, {"age": 2.5}).attributes]  # 2.5 to 1
    [5, 2, 1]
    """
    if not importance:
        return table
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    checked = checked_importance(importance, [one.name for one in quasi])
    said = {} if table.schema is None else {name: one.importance for name, one in table.schema.columns.items()}
    whole = whole_importance({one.name: said.get(one.name, one.importance) for one in quasi} | checked)
    attributes = tuple(replace(one, importance=whole.get(one.name, one.importance)) for one in table.attributes)
    schema = None if table.schema is None else weighed_schema(table.schema, checked)
    return replace(table, attributes=attributes, schema=schema)


def weighed_schema(schema: Schema, importance: Mapping[str, float] | None) -> Schema:
    """The same of a schema."""
    checked = checked_importance(importance or {}, schema.names(Role.QUASI))
    columns = {
        name: column.model_copy(update={"importance": checked[name]}) if name in checked else column
        for name, column in schema.columns.items()
    }
    return schema.model_copy(update={"columns": columns})


def checked_importance(importance: Any, quasi: Sequence[str]) -> dict[str, int | float]:
    """The importance of quasi-identifiers; raise for what is none."""
    if not isinstance(importance, Mapping):
        raise SchemaError(f"importance = {importance!r}: say it of each column, as in {{'age': 3}}")
    unknown = [name for name in importance if name not in quasi]
    if unknown:
        raise SchemaError(
            f"importance of {listed(unknown)}: no quasi-identifier", f"say it of one of {listed(list(quasi))}"
        )
    return {name: Column(role=Role.QUASI, importance=times).importance for name, times in importance.items()}


def without_effect(table: Table, method: Method) -> str:
    """That a method does not look at importance though some is given; empty where it does, or none is."""
    told = [one.name for one in table.attributes if one.importance != 1]
    if not told or method.weighs_columns:
        return ""
    return f"the importance of {listed(told)} changes nothing: {method.name} does not weigh one column against another"
