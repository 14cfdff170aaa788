"""What each model looks at besides groups, and the order in which a person reads about them."""

from __future__ import annotations

from typing import Literal

from pellucid.model import PrivacyModel

Subject = Literal["sizes", "population", "values"]
SIZES = ("k-anonymity", "maximum re-identification risk", "average re-identification risk", "sample uniqueness")
POPULATION = ("k-map", "delta-presence")
VALUES = (
    "l-diversity",
    "distinct l-diversity",
    "entropy l-diversity",
    "recursive (c,l)-diversity",
    "(alpha,k)-anonymity",
    "t-closeness",
    "ordered t-closeness",
    "hierarchical t-closeness",
    "(k,e)-anonymity",
    "delta-disclosure",
    "beta-likeness",
    "enhanced beta-likeness",
)
ORDER = {name: place for place, name in enumerate((*SIZES, *POPULATION, *VALUES))}


def subject_of(model: type[PrivacyModel]) -> Subject:
    """Sizes of groups, a population, or sensitive values. Only models about values have several columns and views."""
    return "sizes" if model.name in SIZES else "population" if model.name in POPULATION else "values"


def place_of(label: str) -> int:
    """Where a model is told; those that this list does not know come last."""
    return ORDER.get(label, len(ORDER))
