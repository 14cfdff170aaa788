"""Publish microdata that stays private when the attacker knows the algorithm.

>>> import pellucid as pc
>>> release = pc.publish(pc.datasets.patients(), pc.SoftCut(l=2),
...                      quasi=["age", "zipcode"], sensitive="disease", identifier="name")
>>> release.recipe["guarantee"]
'algorithm'

Names are imported when they are first used, so that ``import pellucid`` and ``pellucid --help`` answer at once.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

from pellucid.renamed import Renamed, current_name


def _homes() -> dict[str, tuple[str, str]]:
    """The module of each public name and its name there, as ``__init__.pyi`` says: the one place that lists them."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: (line.module or "", alias.name)
        for line in stub.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }


_HOMES = _homes()
_OLD_NAMES: dict[str, Renamed] = {}  # what is going away, see docs/versions.md
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name in _OLD_NAMES:
        return getattr(import_module("pellucid"), current_name(f"pellucid.{name}", _OLD_NAMES[name], AttributeError))
    if name not in _HOMES:
        raise AttributeError(f"module 'pellucid' has no attribute {name!r}")
    module, there = _HOMES[name]
    if module == __name__:
        return import_module(f"{module}.{there}")
    found = getattr(import_module(module), there)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
