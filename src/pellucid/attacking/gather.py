"""From what a person gives (a release, a population, how it was made) to the evidence of an attack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.attacking.evidence import Evidence
from pellucid.errors import AttackError
from pellucid.group import Grouping, Method, method_named
from pellucid.io import load, read
from pellucid.model import Groups, PrivacyModel, of
from pellucid.release import Release
from pellucid.schema import Role, Schema
from pellucid.table import Attribute, Table


def people_of(table: Table) -> Table:
    """The table as an adversary has it: without the sensitive columns."""
    kept = [i for i, attribute in enumerate(table.attributes) if attribute.role is not Role.SENSITIVE]
    return replace(
        table,
        attributes=tuple(table.attributes[i] for i in kept),
        codes=tuple(table.codes[i] for i in kept),
    )


def evidence_of_release(
    release: Release, table: Table, *, names: Sequence[Any] | None = None, model: PrivacyModel | None = None
) -> Evidence:
    """A release of ours and the table that it was made of: who is in which group is taken as known, the safe side."""
    grouping = release.private.grouping
    if grouping.rows != len(table):
        raise AttackError(
            f"the release was made of {grouping.rows:,} rows and the table has {len(table):,}; give the same table"
        )
    method = method_of(release.recipe)
    shown, formed = grouping.as_published(table)
    column, attribute = sensitive_column(shown)
    published = Groups.of(formed.labels, shown.codes[column], attribute)
    return Evidence(people_of(table), grouping, published, method, model or required_by(method), names)


def sensitive_column(table: Table) -> tuple[int, Attribute]:
    """The one sensitive column."""
    columns = table.having(Role.SENSITIVE)
    if len(columns) != 1:
        raise AttackError(f"an attack is on one sensitive column, and the table has {len(columns)}; attack one by one")
    return columns[0], table.attributes[columns[0]]


def method_of(recipe: Any) -> Method:
    """The method that a recipe names, with its parameters."""
    parameters = {
        key: tuple(value) if isinstance(value, list) else value for key, value in recipe["parameters"].items()
    }
    return method_named(recipe["method"])(**parameters)


def required_by(method: Method | None) -> PrivacyModel | None:
    """The model that a method's groups satisfy, where it says so."""
    if method is None:
        return None
    required = getattr(method, "required", None)
    if isinstance(required, PrivacyModel):
        return required
    l = getattr(method, "l", None)
    found = of({"name": "l-diversity", "l": l}) if isinstance(l, int) else None
    return found if isinstance(found, PrivacyModel) else None


def evidence_of_groups(
    table: Table,
    labels: Sequence[int],
    *,
    method: Method | None = None,
    model: PrivacyModel | None = None,
    names: Sequence[Any] | None = None,
) -> Evidence:
    """A table and its groups, given by label; what is published of a group is its sensitive counts."""
    grouping = Grouping.from_labels(np.asarray(labels, dtype=np.int32))
    column, attribute = sensitive_column(table)
    published = Groups.of(grouping.labels, table.codes[column], attribute)
    return Evidence(people_of(table), grouping, published, method, model or required_by(method), names)


def table_of(source: Any, schema: Schema | str | Path | None, roles: dict[str, Any]) -> tuple[Table, list[Any] | None]:
    """A table and the names of its people, from the identifier when there is one."""
    table = read(source, schema=schema, **roles)
    identifier = roles.get("identifier")
    names = None
    if isinstance(identifier, str) and not isinstance(source, Table):
        names = load(source, columns=[identifier])[0][identifier].to_list()
    return table, names
