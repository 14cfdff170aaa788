"""A tree of broader names that somebody writes into the page: one line for each value, ever broader to the right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.core.schema import Column
from pellucid.core.taxonomy.declaration import TOP

WRITTEN = "lines"  # the choice and its box
CALLED = "A tree of broader names, written here"
NAME = "written here"  # instead of the name of a file
MOST_SHOWN = 500  # lines that the box shows of a tree that is there already


def lines_in(text: str) -> list[str]:
    r"""The lines of a box, trimmed, each up to the top, which need not be written.

    >>> lines_in("Rome; Italy\n\n Bern;Switzerland;* ")
    ['Rome;Italy;*', 'Bern;Switzerland;*']
    """
    parts = [[part.strip() for part in line.split(";")] for line in text.splitlines() if line.strip()]
    return [";".join(line if line[-1] == TOP else [*(line if line[-1] else line[:-1]), TOP]) for line in parts]


def lines_of(column: Column) -> list[str]:
    """The tree of a column as lines, to be changed in the box; none where it is too long or has no such lines.

    >>> lines_of(Column(role="quasi", taxonomy={"tree": {"*": {"Italy": ["Rome", "Pisa"]}}}))
    ['Rome;Italy;*', 'Pisa;Italy;*']
    """
    tree = None if column.taxonomy is None else column.taxonomy.tree
    found: list[str] = []
    return found if isinstance(tree, Mapping) and list(tree) == [TOP] and _walk(tree[TOP], [TOP], found) else []


def _walk(below: Any, above: list[str], found: list[str]) -> bool:
    """Write the lines below a name; False where they cannot be written."""
    names = list(below) if isinstance(below, Mapping | list | tuple) else [below]
    for name in names:
        if not isinstance(name, str) or not name.strip() or set(name) & set(';"\r\n'):
            return False
        deeper = below[name] if isinstance(below, Mapping) else None
        if deeper:
            if not _walk(deeper, [name, *above], found):
                return False
        else:
            found.append(";".join([name, *above]))
        if len(found) > MOST_SHOWN:
            return False
    return True
