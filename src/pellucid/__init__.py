"""Publish microdata that stays private when the attacker knows the algorithm.

>>> import pellucid as pc
>>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2),
...                      quasi=["age", "zipcode"], sensitive="disease", identifier="name")
>>> release.recipe["guarantee"]
'algorithm'

Names are imported when they are first used, so that ``import pellucid`` and ``pellucid --help`` answer at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pellucid import datasets
    from pellucid.errors import (
        Cancelled,
        Infeasible,
        InputError,
        MethodError,
        OutputError,
        PellucidError,
        SchemaError,
        TaxonomyError,
    )
    from pellucid.group.ace import Ace
    from pellucid.group.hybrid import Hybrid
    from pellucid.group.tailor import Tailor
    from pellucid.io import read
    from pellucid.publishing import SecretSeedWarning, publish
    from pellucid.recode.anatomy import Anatomy
    from pellucid.recode.intervals import Intervals
    from pellucid.recode.suppression import Suppression
    from pellucid.recode.taxonomic import Taxonomic as Taxonomy
    from pellucid.release import Release
    from pellucid.schema import Column, Schema
    from pellucid.table import Table

_HOMES = {
    "Ace": "group.ace",
    "Anatomy": "recode.anatomy",
    "Cancelled": "errors",
    "Column": "schema",
    "Hybrid": "group.hybrid",
    "Infeasible": "errors",
    "InputError": "errors",
    "Intervals": "recode.intervals",
    "MethodError": "errors",
    "OutputError": "errors",
    "PellucidError": "errors",
    "Release": "release",
    "Schema": "schema",
    "SchemaError": "errors",
    "SecretSeedWarning": "publishing",
    "Suppression": "recode.suppression",
    "Table": "table",
    "Tailor": "group.tailor",
    "Taxonomy": "recode.taxonomic",
    "TaxonomyError": "errors",
    "publish": "publishing",
    "read": "io",
}


def __getattr__(name: str) -> object:
    if name == "datasets":
        return import_module("pellucid.datasets")
    if name not in _HOMES:
        raise AttributeError(f"module 'pellucid' has no attribute {name!r}")
    home = import_module(f"pellucid.{_HOMES[name]}")
    found = getattr(home, "Taxonomic" if name == "Taxonomy" else name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Ace",
    "Anatomy",
    "Cancelled",
    "Column",
    "Hybrid",
    "Infeasible",
    "InputError",
    "Intervals",
    "MethodError",
    "OutputError",
    "PellucidError",
    "Release",
    "Schema",
    "SchemaError",
    "SecretSeedWarning",
    "Suppression",
    "Table",
    "Tailor",
    "Taxonomy",
    "TaxonomyError",
    "datasets",
    "publish",
    "read",
]
