"""The Python API: every public name with its docstring, in the order in which a user needs them."""

from __future__ import annotations

import inspect
from types import ModuleType

import pellucid as pc
from generating.markdown import paragraphs
from generating.metrics import is_metric
from generating.models import is_model

PLACES = {
    "Read and publish": ["read", "publish", "run", "Job", "Release", "Roles", "Schema", "Column", "Table", "Spark"],
    "What a group becomes": ["Intervals", "Taxonomy", "Suppression", "Means"],
    "Check": ["levels", "verify", "examine", "RowRisks", "HouseholdRisk", "Level", "Verdict", "PrivacyModel"],
    "Attack": [
        *("attack", "attack_all", "attack_anonymizer", "Adversary", "Learned", "Distribution", "Has", "Not", "Implies"),
        *("Beliefs", "AttackReport", "Evidence"),
    ],
    "Measure, compare, report": ["measure", "compare", "report", "Metric", "Score", "Workload", "Comparison", "Report"],
}
METHOD = next(base for base in pc.SoftCut.__mro__ if base.__name__ == "Method")
# Plug-ins answer what their base class asks; their own pages tell their parameters.
BARE = ("PrivacyModel", "Metric", "Method", "Exception")


def text() -> str:
    """A section for each place; a public name without one is an error of the build."""
    places = {heading: list(names) for heading, names in PLACES.items()}
    for name in pc.__all__:
        places.setdefault(place(name), [])
        if name not in places[place(name)]:
            places[place(name)].append(name)
    return paragraphs(*(section(heading, names) for heading, names in places.items()))


def place(name: str) -> str:
    """Where a name belongs."""
    thing = getattr(pc, name)
    kinds = {"Methods": METHOD, "Errors and warnings": Exception}
    for heading, names in PLACES.items():
        if name in names:
            return heading
    if isinstance(thing, ModuleType):
        return "Modules"
    if is_model(thing):
        return "Privacy models"
    if is_metric(thing):
        return "Metrics"
    for heading, kind in kinds.items():
        if inspect.isclass(thing) and issubclass(thing, kind):
            return heading
    if name == "Anatomy":  # the method and the recoder of that name
        return "Methods"
    raise ValueError(f"docs/generating/names.py has no place for the public name {name}")


def section(heading: str, names: list[str]) -> str:
    """The names of a place, each by the directive that reads its docstring."""
    return paragraphs(f"## {heading}", "```{eval-rst}", *map(directive, names), "```")


def directive(name: str) -> str:
    """What Sphinx is told to read."""
    thing = getattr(pc, name)
    if isinstance(thing, ModuleType):
        return f".. automodule:: pellucid.{name}\n   :members:\n   :imported-members:"
    if not inspect.isclass(thing):
        return f".. autofunction:: pellucid.{name}"
    is_plug_in = any(base.__name__ in BARE for base in thing.__mro__[1:]) or is_method(thing)
    members = "" if is_plug_in else "\n   :members:\n   :exclude-members: model_config, model_post_init"
    return f".. autoclass:: pellucid.{name}{members}"


def is_method(thing: type) -> bool:
    """Whether a class groups rows."""
    return issubclass(thing, METHOD)
