"""What a group becomes: one file per recoder, each a function of the group alone.

Adding a file with a :class:`Recoder`, and its name to :data:`pellucid.anonymize.method.RecoderName`, adds the recoder
everywhere.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from typing import get_args

from pellucid.anonymize.method import Method, RecoderName
from pellucid.anonymize.recode.anatomy import TwoTables
from pellucid.anonymize.recode.intervals import Intervals
from pellucid.anonymize.recode.means import Means
from pellucid.anonymize.recode.recoder import Recoder
from pellucid.anonymize.recode.suppression import Suppression
from pellucid.anonymize.recode.taxonomic import Taxonomic
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute

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
    "recoder_for",
    "recoder_of",
]


def recoder_of(recode: Recoder | str) -> Recoder:
    """A recoder, or the one of this name with its usual parameters.

    >>> recoder_of("suppression")
    Suppression()
    """
    return RECODERS[recode]() if isinstance(recode, str) else recode


def recoder_for(method: Method, recode: Recoder | None, attributes: Iterable[Attribute]) -> Recoder:
    """The recoder that is asked for, or the method's usual one; of strata such that strata read differently.

    Two strata lie on two sides of a cut. Where both sides have more than ``largest_set`` values of a category, both may
    read ``*``. Unless somebody says a ``largest_set``, half of the values of each such column are listed, so that one
    side is, or as many as a stratum can have: with 2 * size values a cut leaves both sides ``size`` rows. This looks at
    codebooks of quasi-identifiers, and at no group.

    >>> import pellucid as pc, polars as pl
    >>> frame = pl.DataFrame({"town": [f"t{i:02}" for i in range(30)], "ill": ["yes", "no"] * 15})
    >>> towns = pc.read(frame, quasi="town", sensitive="ill").attributes
    >>> recoder_for(pc.Strata(l=2), None, towns), recoder_for(pc.SoftCut(l=2), None, towns)
    (Intervals(largest_set=15, split=False), Intervals(largest_set=12, split=False))
    """
    recoder = RECODERS[method.recoder]() if recode is None else recode
    usual = getattr(recoder, "largest_set", None)
    if method.whole_from is None or usual is None or "largest_set" in recoder.model_fields_set:
        return recoder
    listed = [one for one in attributes if one.role is Role.QUASI and one.kind is Kind.CATEGORY and recoder.lists(one)]
    half = max(((len(one) - int(one.has_null)) // 2 for one in listed), default=0)
    return recoder.model_copy(update={"largest_set": max(usual, min(half, 2 * method.whole_from - 1))})
