"""What a group becomes: one file per recoder, each a function of the group alone.

Adding a file with a :class:`Recoder`, and its name to :data:`pellucid.group.method.RecoderName`, adds the recoder
everywhere.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from typing import Any, get_args

from pellucid.group.method import RecoderName
from pellucid.recode.anatomy import TwoTables
from pellucid.recode.intervals import Intervals
from pellucid.recode.recoder import Recoder
from pellucid.recode.suppression import Suppression
from pellucid.recode.taxonomic import Taxonomic


def _found() -> dict[str, type[Recoder]]:
    """Every recoder by name, found by looking through this folder, in the order of their names' declaration."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if inspect.isclass(member) and issubclass(member, Recoder) and "name" in vars(member):
                found[member.name] = member
    return {name: found[name] for name in get_args(RecoderName)}


RECODERS = _found()

__all__ = ["RECODERS", "Intervals", "Recoder", "Suppression", "Taxonomic", "TwoTables", "recoder_of", "recoder_told"]


def recoder_of(recode: Recoder | str) -> Recoder:
    """A recoder, or the one of this name with its usual parameters.

    >>> recoder_of("suppression")
    Suppression()
    """
    return RECODERS[recode]() if isinstance(recode, str) else recode


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


def writer_told(recipe: Mapping[str, Any] | None) -> Recoder | None:
    """The same where a recipe may be lacking, say nothing of a recoder, or name one that there is not.

    >>> writer_told({"recode": "suppression"}), writer_told({"recode": "by hand"}), writer_told(None)
    (Suppression(), None, None)
    """
    return None if recipe is None or recipe.get("recode") not in RECODERS else recoder_told(recipe)
