"""Published columns that name people: nearly every value belongs to one person, so whoever knows it finds the row."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from pellucid.schema import Role
from pellucid.table import Attribute, Codes, Table

NEARLY_UNIQUE = 0.95  # so many different values for one filled-in row, as the pages and `pellucid init` have it


@dataclass(frozen=True)
class Naming:
    """A column that names people, and by how much."""

    name: str
    role: Role
    distinct: int
    rows: int

    @property
    def sentence(self) -> str:
        """The warning and the way out."""
        every = "Every" if self.distinct == self.rows else "Nearly every"
        way_out = "Round a measured number to bands." if self.role is Role.SENSITIVE else "Or is it the identifier?"
        return (
            f"{every} value of {self.name} belongs to one person ({self.distinct:,} different values in "
            f"{self.rows:,} rows), and values themselves are published: whoever knows somebody's {self.name} finds "
            f"that person's group. Unless that is meant, publish again without it. {way_out}"
        )


def naming_columns(table: Table, published: Collection[str]) -> list[Naming]:
    """The columns that name people, among those whose values themselves are ``published``: ranges name nobody.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> [one.name for one in naming_columns(pc.read(patients, quasi=["name", "age"], sensitive="disease"), ["name"])]
    ['name']
    >>> naming_columns(pc.read(patients, quasi=["age"], sensitive="disease", identifier="name"), ["disease"])
    []
    """
    columns = zip(table.attributes, table.codes, strict=True)
    found = [_counted(attribute, codes) for attribute, codes in columns if attribute.name in published]
    return [one for one in found if one.distinct > 1 and one.distinct >= NEARLY_UNIQUE * one.rows]


def _counted(attribute: Attribute, codes: Codes) -> Naming:
    """How many different values the filled-in rows have; null is code 0."""
    counts = np.bincount(codes, minlength=len(attribute))[int(attribute.has_null) :]
    return Naming(attribute.name, attribute.role, int((counts > 0).sum()), int(counts.sum()))
