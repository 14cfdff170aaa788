"""What a column is: its role, and how its values relate to each other; and what a caller says of all, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pellucid.schema.whole import Names, Schema


class Role(StrEnum):
    """What a column is to the person who publishes it and to the one who attacks."""

    IDENTIFIER = "identifier"
    """Names a person; orders the rows, never published."""
    QUASI = "quasi"
    """Known to an attacker; steers the grouping, published in general form."""
    SENSITIVE = "sensitive"
    """What must not be learnt about a person."""
    CARRY = "carry"
    """Recoded per group like a quasi-identifier, without steering the grouping."""
    DROP = "drop"
    """Left out, as if the schema did not name it."""


class Kind(StrEnum):
    """How the values of a column relate to each other."""

    NUMBER = "number"
    ORDERED = "ordered"
    CATEGORY = "category"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Roles:
    """What a caller says the columns are: by a schema or its file, or by their names; nothing where nobody says it.

    ``kinds`` says what a named column holds, ``group`` which column numbers the groups of a release in two tables.
    Public functions take these as keywords; whatever they call takes them together.

    >>> Roles(quasi=["age"], sensitive="disease").named
    {'quasi': ['age'], 'sensitive': 'disease'}
    """

    schema: Schema | str | PathLike[str] | None = None
    quasi: Names | None = None
    sensitive: Names | None = None
    identifier: str | None = None
    carry: Names | None = None
    kinds: Mapping[str, Kind | str] | None = None
    group: str | None = None

    @property
    def named(self) -> dict[str, Any]:
        """The roles whose columns are named, with these."""
        by_role = {
            "quasi": self.quasi,
            "sensitive": self.sensitive,
            "identifier": self.identifier,
            "carry": self.carry,
        }
        return {role: names for role, names in by_role.items() if names is not None}


UNSAID = Roles()
