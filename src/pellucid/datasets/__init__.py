"""Tables that come with the package: eight patients, and a census of any size. No row is a real person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.datasets.census import census
from pellucid.datasets.patients import patients, voters
from pellucid.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from pellucid.core.schema import Schema

__all__ = ["census", "named", "patients", "schema_of", "voters"]

_TABLES = {"patients": patients, "voters": voters}


def named(name: str) -> pl.DataFrame | None:
    """The table that a command line calls ``patients``, ``voters``, ``census:50000`` or ``census:50000:7`` (a seed).

    None when the name is not one of these, so that it can be a path.

    >>> named("census:1000").height
    1000
    >>> named("patients.csv") is None
    True
    """
    if name in _TABLES:
        return _TABLES[name]()
    kind, _, size = name.partition(":")
    if kind != "census":
        return None
    numbers = size.replace("_", "").split(":")
    if len(numbers) > 2 or not all(number.isascii() and number.isdigit() for number in numbers):
        raise InputError(f"{name!r}: give the number of rows and, if you like, a seed, for example census:50000:7")
    return census(*map(int, numbers))


def is_embedded(name: str) -> bool:
    """Whether a name is one of those that :func:`named` knows, however many rows it asks for.

    >>> is_embedded("census:50000"), is_embedded("patients.csv")
    (True, False)
    """
    return name in _TABLES or name.startswith("census:")


def schema_of(name: str) -> Schema | None:
    """The schema that goes with a table of :func:`named`: what a person would have written; None for other names.

    >>> schema_of("patients").names("quasi")
    ['age', 'zipcode']
    """
    from pellucid.core.schema import Schema

    kind = name.partition(":")[0]
    if kind == "patients":
        return Schema.of(quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    if kind == "census":
        return Schema.of(quasi=["age", "gender", "education", "birthplace"], sensitive="occupation")
    return None
