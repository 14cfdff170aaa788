"""The methods: one file each. Adding a file with a :class:`Method` adds the method everywhere."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache

from pellucid.group.grouping import Grouping
from pellucid.group.method import Method


@cache
def methods() -> dict[str, type[Method]]:
    """Every method, by name, found by looking through this folder.

    >>> sorted(methods())
    ['ace', 'alpha-k', 'hybrid', 'incognito', 'tailor']
    """
    found = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if inspect.isclass(member) and issubclass(member, Method) and "name" in vars(member):
                found[member.name] = member
    return dict(sorted(found.items()))


__all__ = ["Grouping", "Method", "methods"]
