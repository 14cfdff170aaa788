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
    from pellucid import datasets, posterior
    from pellucid.audit import examine, levels, verify
    from pellucid.errors import (
        Cancelled,
        Infeasible,
        InputError,
        MethodError,
        ModelError,
        OutputError,
        PellucidError,
        SchemaError,
        TaxonomyError,
    )
    from pellucid.group.ace import Ace
    from pellucid.group.art import ART
    from pellucid.group.hybrid import Hybrid
    from pellucid.group.tailor import Tailor
    from pellucid.io import read
    from pellucid.model import Level, PrivacyModel, Verdict
    from pellucid.model.alpha_k_anonymity import AlphaKAnonymity
    from pellucid.model.average_risk import AverageRisk
    from pellucid.model.beta_likeness import BetaLikeness
    from pellucid.model.delta_disclosure import DeltaDisclosure
    from pellucid.model.delta_presence import DeltaPresence
    from pellucid.model.distinct_l_diversity import DistinctLDiversity
    from pellucid.model.enhanced_beta_likeness import EnhancedBetaLikeness
    from pellucid.model.entropy_l_diversity import EntropyLDiversity
    from pellucid.model.k_anonymity import KAnonymity
    from pellucid.model.k_e_anonymity import KEAnonymity
    from pellucid.model.k_map import KMap
    from pellucid.model.l_diversity import LDiversity
    from pellucid.model.m_confidentiality import MConfidentiality
    from pellucid.model.maximum_risk import MaximumRisk
    from pellucid.model.r_robustness import RRobustness
    from pellucid.model.recursive_diversity import RecursiveDiversity
    from pellucid.model.sample_uniqueness import SampleUniqueness
    from pellucid.model.t_closeness import TCloseness
    from pellucid.model.transparent_l_diversity import TransparentLDiversity
    from pellucid.publishing import InformedAttackerWarning, SecretSeedWarning, publish
    from pellucid.recode.anatomy import TwoTables as Anatomy
    from pellucid.recode.intervals import Intervals
    from pellucid.recode.suppression import Suppression
    from pellucid.recode.taxonomic import Taxonomic as Taxonomy
    from pellucid.release import Release
    from pellucid.schema import Column, Schema
    from pellucid.table import Table

# Where each name lives; the imports above say the same to type checkers, and a test compares the two.
_HOMES = {
    "ART": "group.art",
    "Ace": "group.ace",
    "AlphaKAnonymity": "model.alpha_k_anonymity",
    "Anatomy": "recode.anatomy:TwoTables",
    "AverageRisk": "model.average_risk",
    "BetaLikeness": "model.beta_likeness",
    "Cancelled": "errors",
    "Column": "schema",
    "DeltaDisclosure": "model.delta_disclosure",
    "DeltaPresence": "model.delta_presence",
    "DistinctLDiversity": "model.distinct_l_diversity",
    "EnhancedBetaLikeness": "model.enhanced_beta_likeness",
    "EntropyLDiversity": "model.entropy_l_diversity",
    "Hybrid": "group.hybrid",
    "Infeasible": "errors",
    "InformedAttackerWarning": "publishing",
    "InputError": "errors",
    "Intervals": "recode.intervals",
    "KAnonymity": "model.k_anonymity",
    "KEAnonymity": "model.k_e_anonymity",
    "KMap": "model.k_map",
    "LDiversity": "model.l_diversity",
    "Level": "model",
    "MConfidentiality": "model.m_confidentiality",
    "MaximumRisk": "model.maximum_risk",
    "MethodError": "errors",
    "ModelError": "errors",
    "OutputError": "errors",
    "PellucidError": "errors",
    "PrivacyModel": "model",
    "RRobustness": "model.r_robustness",
    "RecursiveDiversity": "model.recursive_diversity",
    "Release": "release",
    "SampleUniqueness": "model.sample_uniqueness",
    "Schema": "schema",
    "SchemaError": "errors",
    "SecretSeedWarning": "publishing",
    "Suppression": "recode.suppression",
    "TCloseness": "model.t_closeness",
    "Table": "table",
    "Tailor": "group.tailor",
    "Taxonomy": "recode.taxonomic:Taxonomic",
    "TaxonomyError": "errors",
    "TransparentLDiversity": "model.transparent_l_diversity",
    "Verdict": "model",
    "examine": "audit",
    "levels": "audit",
    "publish": "publishing",
    "read": "io",
    "verify": "audit",
}


def __getattr__(name: str) -> object:
    if name in ("datasets", "posterior"):
        return import_module(f"pellucid.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'pellucid' has no attribute {name!r}")
    module, _, there = _HOMES[name].partition(":")
    found = getattr(import_module(f"pellucid.{module}"), there or name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "ART",
    "Ace",
    "AlphaKAnonymity",
    "Anatomy",
    "AverageRisk",
    "BetaLikeness",
    "Cancelled",
    "Column",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "Hybrid",
    "Infeasible",
    "InformedAttackerWarning",
    "InputError",
    "Intervals",
    "KAnonymity",
    "KEAnonymity",
    "KMap",
    "LDiversity",
    "Level",
    "MConfidentiality",
    "MaximumRisk",
    "MethodError",
    "ModelError",
    "OutputError",
    "PellucidError",
    "PrivacyModel",
    "RRobustness",
    "RecursiveDiversity",
    "Release",
    "SampleUniqueness",
    "Schema",
    "SchemaError",
    "SecretSeedWarning",
    "Suppression",
    "TCloseness",
    "Table",
    "Tailor",
    "Taxonomy",
    "TaxonomyError",
    "TransparentLDiversity",
    "Verdict",
    "datasets",
    "examine",
    "levels",
    "posterior",
    "publish",
    "read",
    "verify",
]
