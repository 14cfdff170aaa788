"""Publish microdata that stays private when the attacker knows the algorithm.

>>> import pellucid as pc
>>> release = pc.publish(pc.datasets.patients(), pc.SoftCut(l=2),
...                      quasi=["age", "zipcode"], sensitive="disease", identifier="name")
>>> release.recipe["guarantee"]
'algorithm'

Names are imported when they are first used, so that ``import pellucid`` and ``pellucid --help`` answer at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pellucid.renamed import Renamed, current_name

if TYPE_CHECKING:
    from pellucid import datasets, posterior
    from pellucid.attacking import (
        Adversary,
        Beliefs,
        Distribution,
        Evidence,
        Has,
        Implies,
        Learned,
        Not,
        attack,
        attack_anonymizer,
    )
    from pellucid.attacking.suite import AttackReport, attack_all
    from pellucid.attacking.verifying import verify
    from pellucid.audit import examine, levels
    from pellucid.comparing import Comparison, compare
    from pellucid.determined import TellingColumnWarning
    from pellucid.engine.settings import Spark
    from pellucid.errors import (
        AttackError,
        Cancelled,
        EngineError,
        Infeasible,
        InputError,
        MeasureError,
        MethodError,
        ModelError,
        OutputError,
        PellucidError,
        RequirementNotMet,
        SchemaError,
        TaxonomyError,
    )
    from pellucid.group.ace import Ace
    from pellucid.group.alpha_k import AlphaK
    from pellucid.group.anatomy import Anatomy
    from pellucid.group.art import ART
    from pellucid.group.audited import Audited
    from pellucid.group.greedy_grouping import GreedyGrouping
    from pellucid.group.hybrid import Hybrid
    from pellucid.group.incognito import Incognito
    from pellucid.group.injector import Injector
    from pellucid.group.mask import Mask
    from pellucid.group.mondrian import Mondrian
    from pellucid.group.opt_gen import OptGen
    from pellucid.group.randomized_greedy_grouping import RandomizedGreedyGrouping
    from pellucid.group.soft_cut import SoftCut
    from pellucid.group.spurious_records import SpuriousRecords
    from pellucid.group.symmetric_grouping import SymmetricGrouping
    from pellucid.group.tailor import Tailor
    from pellucid.io import read
    from pellucid.job import Job, run
    from pellucid.measuring import Metric, Score, measure
    from pellucid.measuring.changes import AddedRows, SensitiveDistortion, SuppressedRows
    from pellucid.measuring.classes import AverageClassSize, Discernibility
    from pellucid.measuring.classification import ClassificationUtility
    from pellucid.measuring.distributions import KLDivergence, Marginals
    from pellucid.measuring.entropy import NonUniformEntropy
    from pellucid.measuring.kept import Kept
    from pellucid.measuring.loss import InformationLoss, Loss, NormalizedCertaintyPenalty
    from pellucid.measuring.perimeter import Perimeter
    from pellucid.measuring.precision import Precision
    from pellucid.measuring.query_error import QueryError
    from pellucid.measuring.workload import Workload
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
    from pellucid.recode.intervals import Intervals
    from pellucid.recode.suppression import Suppression
    from pellucid.recode.taxonomic import Taxonomic as Taxonomy
    from pellucid.release import Release
    from pellucid.reporting import Report, report
    from pellucid.schema import Column, Schema
    from pellucid.table import Table

# Where each name lives; the imports above say the same to type checkers, and a test compares the two.
_HOMES = {
    "ART": "group.art",
    "Ace": "group.ace",
    "AddedRows": "measuring.changes",
    "Adversary": "attacking",
    "AlphaK": "group.alpha_k",
    "AlphaKAnonymity": "model.alpha_k_anonymity",
    "Anatomy": "group.anatomy",
    "AttackError": "errors",
    "AttackReport": "attacking.suite",
    "Audited": "group.audited",
    "AverageClassSize": "measuring.classes",
    "AverageRisk": "model.average_risk",
    "Beliefs": "attacking",
    "BetaLikeness": "model.beta_likeness",
    "Cancelled": "errors",
    "ClassificationUtility": "measuring.classification",
    "Column": "schema",
    "Comparison": "comparing",
    "DeltaDisclosure": "model.delta_disclosure",
    "DeltaPresence": "model.delta_presence",
    "Discernibility": "measuring.classes",
    "DistinctLDiversity": "model.distinct_l_diversity",
    "Distribution": "attacking",
    "EngineError": "errors",
    "EnhancedBetaLikeness": "model.enhanced_beta_likeness",
    "EntropyLDiversity": "model.entropy_l_diversity",
    "Evidence": "attacking",
    "GreedyGrouping": "group.greedy_grouping",
    "Has": "attacking",
    "Hybrid": "group.hybrid",
    "Implies": "attacking",
    "Incognito": "group.incognito",
    "Infeasible": "errors",
    "InformationLoss": "measuring.loss",
    "InformedAttackerWarning": "publishing",
    "Injector": "group.injector",
    "InputError": "errors",
    "Intervals": "recode.intervals",
    "Job": "job",
    "KAnonymity": "model.k_anonymity",
    "KEAnonymity": "model.k_e_anonymity",
    "KLDivergence": "measuring.distributions",
    "KMap": "model.k_map",
    "Kept": "measuring.kept",
    "LDiversity": "model.l_diversity",
    "Learned": "attacking",
    "Level": "model",
    "Loss": "measuring.loss",
    "MConfidentiality": "model.m_confidentiality",
    "Marginals": "measuring.distributions",
    "Mask": "group.mask",
    "MaximumRisk": "model.maximum_risk",
    "MeasureError": "errors",
    "MethodError": "errors",
    "Metric": "measuring",
    "ModelError": "errors",
    "Mondrian": "group.mondrian",
    "NonUniformEntropy": "measuring.entropy",
    "NormalizedCertaintyPenalty": "measuring.loss",
    "Not": "attacking",
    "OptGen": "group.opt_gen",
    "OutputError": "errors",
    "PellucidError": "errors",
    "Perimeter": "measuring.perimeter",
    "Precision": "measuring.precision",
    "PrivacyModel": "model",
    "QueryError": "measuring.query_error",
    "RRobustness": "model.r_robustness",
    "RandomizedGreedyGrouping": "group.randomized_greedy_grouping",
    "RecursiveDiversity": "model.recursive_diversity",
    "Release": "release",
    "Report": "reporting",
    "RequirementNotMet": "errors",
    "SampleUniqueness": "model.sample_uniqueness",
    "Schema": "schema",
    "SchemaError": "errors",
    "Score": "measuring",
    "SecretSeedWarning": "publishing",
    "SensitiveDistortion": "measuring.changes",
    "SoftCut": "group.soft_cut",
    "Spark": "engine.settings",
    "SpuriousRecords": "group.spurious_records",
    "SuppressedRows": "measuring.changes",
    "Suppression": "recode.suppression",
    "SymmetricGrouping": "group.symmetric_grouping",
    "TCloseness": "model.t_closeness",
    "Table": "table",
    "Tailor": "group.tailor",
    "Taxonomy": "recode.taxonomic:Taxonomic",
    "TaxonomyError": "errors",
    "TellingColumnWarning": "determined",
    "TransparentLDiversity": "model.transparent_l_diversity",
    "Verdict": "model",
    "Workload": "measuring.workload",
    "attack": "attacking",
    "attack_all": "attacking.suite",
    "attack_anonymizer": "attacking",
    "compare": "comparing",
    "examine": "audit",
    "levels": "audit",
    "measure": "measuring",
    "publish": "publishing",
    "read": "io",
    "report": "reporting",
    "run": "job",
    "verify": "attacking.verifying",
}
_OLD_NAMES: dict[str, Renamed] = {}  # what is going away, see docs/versions.md


def __getattr__(name: str) -> object:
    if name in ("datasets", "posterior"):
        return import_module(f"pellucid.{name}")
    if name in _OLD_NAMES:
        return getattr(import_module("pellucid"), current_name(f"pellucid.{name}", _OLD_NAMES[name], AttributeError))
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
    "AddedRows",
    "Adversary",
    "AlphaK",
    "AlphaKAnonymity",
    "Anatomy",
    "AttackError",
    "AttackReport",
    "Audited",
    "AverageClassSize",
    "AverageRisk",
    "Beliefs",
    "BetaLikeness",
    "Cancelled",
    "ClassificationUtility",
    "Column",
    "Comparison",
    "DeltaDisclosure",
    "DeltaPresence",
    "Discernibility",
    "DistinctLDiversity",
    "Distribution",
    "EngineError",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "Evidence",
    "GreedyGrouping",
    "Has",
    "Hybrid",
    "Implies",
    "Incognito",
    "Infeasible",
    "InformationLoss",
    "InformedAttackerWarning",
    "Injector",
    "InputError",
    "Intervals",
    "Job",
    "KAnonymity",
    "KEAnonymity",
    "KLDivergence",
    "KMap",
    "Kept",
    "LDiversity",
    "Learned",
    "Level",
    "Loss",
    "MConfidentiality",
    "Marginals",
    "Mask",
    "MaximumRisk",
    "MeasureError",
    "MethodError",
    "Metric",
    "ModelError",
    "Mondrian",
    "NonUniformEntropy",
    "NormalizedCertaintyPenalty",
    "Not",
    "OptGen",
    "OutputError",
    "PellucidError",
    "Perimeter",
    "Precision",
    "PrivacyModel",
    "QueryError",
    "RRobustness",
    "RandomizedGreedyGrouping",
    "RecursiveDiversity",
    "Release",
    "Report",
    "RequirementNotMet",
    "SampleUniqueness",
    "Schema",
    "SchemaError",
    "Score",
    "SecretSeedWarning",
    "SensitiveDistortion",
    "SoftCut",
    "Spark",
    "SpuriousRecords",
    "SuppressedRows",
    "Suppression",
    "SymmetricGrouping",
    "TCloseness",
    "Table",
    "Tailor",
    "Taxonomy",
    "TaxonomyError",
    "TellingColumnWarning",
    "TransparentLDiversity",
    "Verdict",
    "Workload",
    "attack",
    "attack_all",
    "attack_anonymizer",
    "compare",
    "datasets",
    "examine",
    "levels",
    "measure",
    "posterior",
    "publish",
    "read",
    "report",
    "run",
    "verify",
]
