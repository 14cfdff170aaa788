"""What a group becomes: one file per recoder, each a function of the group alone.

Adding a file with a :class:`Recoder`, and its name to :data:`pellucid.group.method.RecoderName`, adds the recoder
everywhere.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import get_args

from pellucid.group.method import RecoderName
from pellucid.recode.anatomy import TwoTables
from pellucid.recode.intervals import Intervals
from pellucid.recode.means import Means
from pellucid.recode.recoder import Recoder
from pellucid.recode.suppression import Suppression
from pellucid.recode.taxonomic import Taxonomic

Taxonomy = Taxonomic  # the public name, ``pc.Taxonomy``; elsewhere a Taxonomy is a tree of categories


def _found() -> dict[str, type[Recoder]]:
    """Every recoder by name, found by looking through this folder, in the order of their names' declaration."""
    recoders = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if inspect.isclass(member) and issubclass(member, Recoder) and "name" in vars(member):
                recoders[member.name] = member
    return {name: recoders[name] for name in get_args(RecoderName)}


RECODERS = _found()

__all__ = [
    "RECODERS",
    "Intervals",
    "Means",
    "Recoder",
    "Suppression",
    "Taxonomic",
    "Taxonomy",
    "TwoTables",
    "recoder_of",
]


def recoder_of(recode: Recoder | str) -> Recoder:
    """A recoder, or the one of this name with its usual parameters.

    >>> recoder_of("suppression")
    Suppression()
    """
    return RECODERS[recode]() if isinstance(recode, str) else recode
