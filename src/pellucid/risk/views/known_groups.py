"""Evidence where the groups of a table are known: a release of ours with its table, or a table with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.anonymize.methods import Grouping, Method
from pellucid.core.release import Release
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table
from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.models import Groups, PrivacyModel
from pellucid.risk.views import Evidence, PublishedFrom
from pellucid.risk.views.fingerprint import fingerprint
from pellucid.risk.views.how_made import required_by
from pellucid.risk.views.regrouping import HowMade


def people_of(table: Table) -> Table:
    """The table as an adversary has it: without the sensitive columns, and without what was before any was rounded."""
    kept = [i for i, attribute in enumerate(table.attributes) if attribute.role is not Role.SENSITIVE]
    return replace(
        table,
        attributes=tuple(table.attributes[i] for i in kept),
        codes=tuple(table.codes[i] for i in kept),
        before={},
    )


def evidence_of_release(
    release: Release,
    table: Table,
    *,
    names: Sequence[Any] | None = None,
    model: PrivacyModel | None = None,
    made_by: Method | None = None,
    sensitive: str | None = None,
) -> Evidence:
    """A release of ours and the table that it was made of: who is in which group is taken as known."""
    grouping = release.private.grouping
    if grouping.rows != len(table):
        raise AttackError(
            f"the release was made of {grouping.rows:,} rows and the table has {len(table):,}", "give the same table"
        )
    method = made_by if made_by is not None else release.public.recipe.made_by
    recoder = release.public.recipe.recoder
    made = HowMade(method, recoder, fingerprint(release))
    return published_evidence(table, grouping, made, names=names, model=model, sensitive=sensitive)


def published_evidence(
    table: Table,
    grouping: Grouping,
    made: HowMade,
    *,
    names: Sequence[Any] | None,
    model: PrivacyModel | None,
    notes: Sequence[str] = (),
    sensitive: str | None = None,
) -> Evidence:
    """A table and its groups, as they were published; of several sensitive columns one is attacked."""
    as_published, formed = grouping.as_published(table)
    column, attribute = sensitive_column(as_published, sensitive)
    beside = tuple(as_published.attributes[i].name for i in as_published.having(Role.SENSITIVE) if i != column)
    published = Groups.of(formed.labels, as_published.codes[column], attribute)
    origin = PublishedFrom(recoder=made.recoder, fingerprint=made.prints, changes=bool(grouping.changes))
    all_notes = (*(f"{change}: beliefs are about what is published" for change in grouping.changes), *notes)
    model = model or required_by(made.method, attribute.name)
    return Evidence(
        people_of(table), grouping, published, made.method, model, names, notes=all_notes, origin=origin, beside=beside
    )


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
    return Evidence(people_of(table), grouping, published, method, model or required_by(method, attribute.name), names)


class SeveralColumns(AttackError):
    """An attack is on one sensitive column, and none, or not one of those there are, was named."""

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__(
            Message(
                "an attack is on one sensitive column; there are: {columns}; name one with {SENSITIVE}",
                columns=", ".join(columns),
            )
            if columns
            else Message(
                "nothing is sensitive here, so there is no value to learn; name a column with {SENSITIVE}, or ask "
                "'pellucid levels' among how many rows people are hidden"
            )
        )
        self.columns = tuple(columns)


def sensitive_column(table: Table, name: str | None = None) -> tuple[int, Attribute]:
    """The sensitive column of this name, or the only one."""
    columns = table.having(Role.SENSITIVE)
    chosen = columns if name is None else [i for i in columns if table.attributes[i].name == name]
    if len(chosen) != 1:
        raise SeveralColumns([table.attributes[i].name for i in columns])
    return chosen[0], table.attributes[chosen[0]]
