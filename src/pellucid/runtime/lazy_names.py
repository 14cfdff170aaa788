"""Names that a package says once, in its stub, and imports when they are first used.

The stub (``__init__.pyi``) is what type checkers read; at run time the same lines say where each name lives.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

Names = tuple[list[str], Callable[[str], object], Callable[[], list[str]]]


def names_of(package: str, file: str) -> Names:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package whose stub lists its names.

    >>> names, get, _ = names_of("pellucid.risk", import_module("pellucid.risk").__file__)
    >>> "attack" in names, get("Has")
    (True, <class 'pellucid.risk.facts.Has'>)
    """
    homes = _homes(Path(file).with_suffix(".pyi"))

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, there = homes[name]
        if module == package:
            return import_module(f"{module}.{there}")
        value = getattr(import_module(module), there)
        setattr(sys.modules[package], name, value)  # the next time it is simply there
        return value

    return sorted(homes), get, lambda: sorted(homes)


def _homes(stub: Path) -> dict[str, tuple[str, str]]:
    """The module of each name that the stub lists, and its name there."""
    return {
        alias.asname or alias.name: (line.module or "", alias.name)
        for line in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
