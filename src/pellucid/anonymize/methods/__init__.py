"""The methods: one file each. Adding a file with a :class:`Method` adds the method everywhere."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from functools import cache

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.method import Method
from pellucid.errors import MethodError
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


def method_in_its_file(name: str) -> type[Method] | None:
    """The method whose file is called like it; the others are not imported, which is much of a program's start.

    >>> method_in_its_file("Soft-Cut").__name__, method_in_its_file("tree")
    ('SoftCut', None)
    """
    name = name.lower()
    home = name.replace("-", "_")
    if not home.isidentifier() or importlib.util.find_spec(f"{__name__}.{home}") is None:
        return None
    for member in vars(importlib.import_module(f"{__name__}.{home}")).values():
        if inspect.isclass(member) and issubclass(member, Method) and vars(member).get("name") == name:
            return member
    return None


def method_named(name: str) -> type[Method]:
    """The method of this name, upper or lower case."""
    found = method_in_its_file(name)
    if found is not None:
        return found
    known = methods()
    if name.lower() in known:
        return known[name.lower()]
    raise MethodError(f"no method is called {name!r}", f"the methods are {', '.join(known)}{meant(name, known)}")


__all__ = ["Grouping", "Method", "method_in_its_file", "method_named", "methods"]
