"""What a group becomes: one file per recoder, each a function of the group alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.recode.anatomy import TwoTables
from pellucid.recode.intervals import Intervals
from pellucid.recode.recoder import Recoder
from pellucid.recode.suppression import Suppression
from pellucid.recode.taxonomic import Taxonomic

RECODERS: dict[str, type[Recoder]] = {kind.name: kind for kind in (Intervals, Taxonomic, TwoTables, Suppression)}

__all__ = ["RECODERS", "Intervals", "Recoder", "Suppression", "Taxonomic", "TwoTables", "recoder_told"]


def recoder_told(recipe: Mapping[str, Any]) -> Recoder:
    """The recoder that a recipe names. Before there was a largest set, every set was published whole.

    >>> recoder_told({"recode": "intervals", "recode_parameters": {"split": False}})
    Intervals(largest_set=None, split=False)
    """
    kind = RECODERS[recipe["recode"]]
    parameters = dict(recipe.get("recode_parameters", {}))
    if "largest_set" in kind.model_fields:
        parameters.setdefault("largest_set", None)
    return kind(**parameters)
