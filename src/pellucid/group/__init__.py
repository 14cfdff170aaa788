"""The methods: one file each. Adding a file with a :class:`Method` adds the method everywhere."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from functools import cache

from pellucid.errors import MethodError
from pellucid.group.grouping import Grouping
from pellucid.group.method import Method
from pellucid.text.suggestions import meant


@cache
def methods() -> dict[str, type[Method]]:
    """Every method, by name, found by looking through this folder.

    >>> [name for name in methods() if name.startswith("h")]
    ['hybrid']
    """
    by_name = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if inspect.isclass(member) and issubclass(member, Method) and "name" in vars(member):
                by_name[member.name] = member
    return dict(sorted(by_name.items()))


def method_named(name: str) -> type[Method]:
    """The method of this name, upper or lower case.

    Where a file is called like it, the others are not imported: that is much of the time that a program takes to start.

    >>> method_named("Soft-Cut").__name__
    'SoftCut'
    """
    home = name.lower().replace("-", "_")
    if home.isidentifier() and importlib.util.find_spec(f"{__name__}.{home}") is not None:
        for member in vars(importlib.import_module(f"{__name__}.{home}")).values():
            if inspect.isclass(member) and issubclass(member, Method) and vars(member).get("name") == name.lower():
                return member
    known = methods()
    if name.lower() in known:
        return known[name.lower()]
    raise MethodError(f"no method is called {name!r}", f"the methods are {', '.join(known)}{meant(name, known)}")


__all__ = ["Grouping", "Method", "method_named", "methods"]
