"""Publish microdata that stays private when the attacker knows the algorithm.

>>> import pellucid as pc
>>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2),
...                      quasi=["age", "zipcode"], sensitive="disease", identifier="name")
>>> release.recipe["guarantee"]
'algorithm'
"""

from pellucid import datasets
from pellucid.audit import examine, levels, verify
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
from pellucid.model import Level, PrivacyModel, Verdict
from pellucid.model.k_anonymity import KAnonymity
from pellucid.publish import SecretSeedWarning, publish
from pellucid.recode import Anatomy, Intervals, Suppression
from pellucid.recode import Taxonomic as Taxonomy
from pellucid.release import Release
from pellucid.schema import Column, Schema
from pellucid.table import Table

__all__ = [
    "Ace",
    "Anatomy",
    "Cancelled",
    "Column",
    "Hybrid",
    "Infeasible",
    "InputError",
    "Intervals",
    "KAnonymity",
    "Level",
    "MethodError",
    "OutputError",
    "PellucidError",
    "PrivacyModel",
    "Release",
    "Schema",
    "SchemaError",
    "SecretSeedWarning",
    "Suppression",
    "Table",
    "Tailor",
    "Taxonomy",
    "TaxonomyError",
    "Verdict",
    "datasets",
    "examine",
    "levels",
    "publish",
    "read",
    "verify",
]
