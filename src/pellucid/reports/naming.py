"""Published columns that name people: what the pages of ``pellucid serve`` ask about, the report for the file says."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from pellucid.core.naming import belonging, is_measured
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.messages import Message

RANGES = "ends of ranges are people's own values"
VALUES = "the values themselves are published"


@dataclass(frozen=True)
class Naming:
    """A column that names people, in words."""

    name: str
    sentence: str


def naming_columns(table: Table, published: Collection[str], with_values: Collection[str]) -> list[Naming]:
    """The columns that name people, of those that are ``published``; ``with_values`` are those whose cells are values.

    A broader name covers many people and names none, and a range of what is measured is what a release is made for.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> table = pc.read(patients, quasi=["name", "age"], sensitive="disease")
    >>> [one.name for one in naming_columns(table, ["name", "age", "disease"], ["name", "disease"])]
    ['name']
    """
    columns = zip(table.attributes, table.codes, strict=True)
    naming = [_told(column, codes, column.name in with_values) for column, codes in columns if column.name in published]
    return [column for column in naming if column is not None]


def _told(attribute: Attribute, codes: Codes, has_values: bool) -> Naming | None:
    if not has_values and attribute.kind not in (Kind.NUMBER, Kind.DATE):
        return None
    whole = attribute.values.dtype.is_integer()
    if not has_values and is_measured(attribute.name, attribute.role, attribute.kind, whole=whole):
        return None
    counts = np.bincount(codes, minlength=len(attribute))[int(attribute.has_null) :]  # null is code 0
    counted = belonging(attribute.name, int((counts > 0).sum()), int(counts.sum()))
    if not counted:
        return None
    way_out = "Round a measured number to bands." if attribute.role is Role.SENSITIVE else "Or is it the identifier?"
    return Naming(
        attribute.name,
        Message(
            "{counted}, and {values}: whoever knows somebody's {attribute} finds that "
            "person's group. Unless that is meant, publish again without it. {way_out}",
            counted=counted,
            values=VALUES if has_values else RANGES,
            attribute=attribute.name,
            way_out=way_out,
        ),
    )
