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
    ModelError,
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
from pellucid.publish import SecretSeedWarning, publish
from pellucid.recode import Anatomy, Intervals, Suppression
from pellucid.recode import Taxonomic as Taxonomy
from pellucid.release import Release
from pellucid.schema import Column, Schema
from pellucid.table import Table

__all__ = [
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
    "publish",
    "read",
    "verify",
]
