"""Where the broader names of a column are published, and where the way a group is written leaves them aside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.anonymize.recode import RECODERS
from pellucid.core.schema import Column, Kind, Role

BROADER_NAMES = "taxonomy"


def uses_broader_names(recode: str, kind: Kind) -> bool:
    """Whether a column of this kind is published by its taxonomy, as :mod:`pellucid.anonymize.recode` writes it.

    >>> uses_broader_names("intervals", Kind.CATEGORY), uses_broader_names("intervals", Kind.NUMBER)
    (True, False)
    >>> uses_broader_names("taxonomy", Kind.NUMBER), uses_broader_names("suppression", Kind.CATEGORY)
    (True, False)
    """
    return RECODERS[recode].uses_names(kind)


def left_aside(data: Mapping[str, Any], columns: Mapping[str, Column], recode: str) -> list[str]:
    """The columns that would be published and have broader names which this way of writing a group does not use."""
    found = []
    for facts in data["columns"]:
        column = columns[facts["name"]]
        published = column.role in (Role.QUASI, Role.CARRY) and column.taxonomy is not None
        if published and not uses_broader_names(recode, column.kind or Kind(facts["kind"])):
            found.append(facts["name"])
    return found
