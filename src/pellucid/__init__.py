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

from pellucid.runtime.lazy_names import names_of
from pellucid.runtime.renamed import Renamed, current_name

__all__, _get, __dir__ = names_of(__name__, __file__)
_OLD_NAMES: dict[str, Renamed] = {}  # what is going away, see docs/versions.md


def __getattr__(name: str) -> object:
    if name in _OLD_NAMES:
        return getattr(import_module("pellucid"), current_name(f"pellucid.{name}", _OLD_NAMES[name], AttributeError))
    return _get(name)
