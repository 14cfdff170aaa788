"""A tree of broader names as the editor of the page has it: groups by their names, the column's values by number.

A page may show a value shortened or without signs that no page can hold; so the editor names values by their place in a
list that stays here, and what comes back is a tree of the values themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pellucid.core.taxonomy.declaration import TOP
from pellucid.errors import SchemaError
from pellucid.text.values import few
from pellucid.web.worker_state import DEEPEST

MOST_EDITED = 5_000  # values that the editor works with
NO_TREE = "the tree did not arrive whole; change something and save once more"


def to_edit(nested: Mapping[str, Any], numbers: Mapping[str, int]) -> list[Any]:
    """What stands below a name, as the editor reads it: the number of a value, or a name and what is below it.

    >>> to_edit({"Italy": {"Rome": {}, "Pisa": {}}, "Oslo": {}}, {"Rome": 0, "Oslo": 1, "Pisa": 2})
    [['Italy', [0, 2]], 1]
    """
    return [[name, to_edit(below, numbers)] if below else numbers[name] for name, below in nested.items()]


def from_edit(text: str, values: Sequence[str], top: str = TOP) -> dict[str, Any]:
    """The tree that the editor sends, nested as a schema file has it; raise in words where it is none.

    >>> from_edit('[["Italy", [0, 2]], 1]', ["Rome", "Oslo", "Pisa"])
    {'*': {'Italy': {'Rome': {}, 'Pisa': {}}, 'Oslo': {}}}
    >>> from_edit('[["Italy", [0]]]', ["Rome", "Oslo", "Pisa"])
    Traceback (most recent call last):
    pellucid.errors.SchemaError: Oslo, Pisa: no longer in the tree; press Undo until they are back, and save once more
    """
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        raise SchemaError(NO_TREE) from None
    left = dict(enumerate(values))
    tree = {top: _below(sent, top, left, {top})}
    if left:
        raise SchemaError(
            f"{few(list(left.values()), 3)}: no longer in the tree; press Undo until they are back, and save once more"
        )
    if all(not below for below in tree[top].values()):
        raise SchemaError(
            "no value is in a group yet; tick some, write a name and press Group, or go back: without groups, lists "
            "of values are published"
        )
    return tree


def _below(sent: Any, above: str, left: dict[int, str], met: set[str], depth: int = 1) -> dict[str, Any]:
    """What stands below a name; values that were met are taken from those ``left``, and no name is ``met`` twice.

    Only a value may have the name of the group in which it stands: the two are told apart by that.
    """
    if not isinstance(sent, list) or depth > DEEPEST:
        raise SchemaError(NO_TREE)
    found: dict[str, Any] = {}
    for one in sent:
        name, below = _node(one, left)
        if name in found or (name in met and (below is not None or name != above)):
            raise SchemaError("{name!r} stands in the tree twice; give the group another name", name=name)
        met.add(name)
        found[name] = {} if below is None else _below(below, name, left, met, depth + 1)
        if below is not None and not found[name]:
            raise SchemaError("the group {name!r} is empty; move something into it, or take it away", name=name)
    return found


def _node(one: Any, left: dict[int, str]) -> tuple[str, Any]:
    """The name of a value, which has nothing below it, or of a group with what is below it."""
    if type(one) is int and one in left:
        return left.pop(one), None
    if not isinstance(one, list) or len(one) != 2 or not isinstance(one[0], str):
        raise SchemaError(NO_TREE)
    if not one[0].strip():
        raise SchemaError("a group has no name; write one")
    return one[0], one[1]
