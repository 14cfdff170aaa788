"""What a taxonomy's author declared, and what makes it a hierarchy.

A declaration is names under names. It is a hierarchy when exactly one name stands under no other (the root) and no
name stands above itself. A name may stand under several others: the first one declared places it in the order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from pellucid.errors import TaxonomyError
from pellucid.text.values import listed

TOP = "*"
HALF = re.compile("[\ud800-\udfff]")  # JSON can write them


def no_line(_name: str) -> int | None:
    """The line of a name that was not read from a file."""
    return None


class Numbered(NamedTuple):
    """A checked hierarchy, its nodes numbered depth first along first parents; node 0 is the root.

    Levels grow strictly from child to first parent, and a leaf has level 0.
    """

    names: tuple[str, ...]
    first_parents: tuple[int, ...]
    further_parents: tuple[tuple[int, int], ...]
    levels: tuple[int, ...]


@dataclass(slots=True)
class Declaration:
    """Names under names, in the order they were declared; :meth:`numbered` turns them into a hierarchy."""

    source: str = "the taxonomy"
    line_of: Callable[[str], int | None] = no_line
    names: dict[str, None] = field(default_factory=dict)
    first_parent: dict[str, str] = field(default_factory=dict)
    further_parents: dict[str, list[str]] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)
    values: set[str] = field(default_factory=set)
    """Names that are values of the column themselves, even if others stand below them."""
    levels: dict[str, int] | None = None
    """The level of each name where the source says so (the columns of a CSV); else it follows from the depth."""

    def name(self, name: str) -> None:
        """Declare a name."""
        if HALF.search(name):
            raise self.error(f"{name!r} has half of a character in it, which no file can hold; write the name again")
        self.names[name] = None

    def link(self, child: str, parent: str) -> None:
        """Declare that ``child`` stands below ``parent``. Below itself, it is a value of that name."""
        self.names[child] = self.names[parent] = None
        if child == parent:
            self.values.add(child)
        elif child not in self.first_parent:
            self.first_parent[child] = parent
            self.children.setdefault(parent, []).append(child)
        elif parent not in self.parents(child):
            self.further_parents.setdefault(child, []).append(parent)
            self.children.setdefault(parent, []).append(child)

    def parents(self, name: str) -> list[str]:
        """The names that a name stands directly below, in the order declared."""
        first = self.first_parent.get(name)
        return [] if first is None else [first, *self.further_parents.get(name, ())]

    def climb(self, values: Iterable[str], path: Iterable[str]) -> None:
        """Declare values, each once, and the names above all of them, lowest first, read only as far as they are new.

        A name that is repeated is the same name one level up; a name has the same names above it on every path.
        """
        upward = iter(path)
        below = next(upward)
        members = list(values)
        self.values.update(members)
        new = [value for value in members if value != below and value not in self.first_parent]
        self.names.update(dict.fromkeys((*new, below)))
        self.first_parent.update(dict.fromkeys(new, below))
        if new:
            self.children.setdefault(below, []).extend(new)
        for name in upward:
            if name == below:
                continue
            if below in self.first_parent:  # seen on another value's path, and so is everything above it
                return
            self.link(below, name)
            below = name

    def error(self, rule: str, name: str | None = None, *, line: int | None = None) -> TaxonomyError:
        """The error for a broken rule, with the source and, where known, the line."""
        line = line if line is not None or name is None else self.line_of(name)
        place = self.source if line is None else f"{self.source}, line {line}"
        return TaxonomyError("{place}: {rule}", place=place, rule=rule)

    def refuse_cycles(self) -> None:
        """Raise if a name stands above itself."""
        waiting = self._below_themselves()
        if not waiting:
            return
        # Every name still waiting has a parent still waiting, so walking up must come back to a name on the way.
        name = waiting[0]
        trail: dict[str, None] = {}
        while name not in trail:
            trail[name] = None
            name = next(parent for parent in self.parents(name) if parent in waiting)
        upward = list(trail)
        cycle = [repr(step) for step in (name, *reversed(upward[upward.index(name) :]))]
        if len(cycle) > 7:
            cycle[5:-1] = ["..."]
        raise self.error(
            f"{name!r} stands above itself ({' above '.join(cycle)}); take one of these names from below the other",
            name,
        )

    def _below_themselves(self) -> list[str]:
        """The names that are left when those without a parent are taken out, again and again."""
        waiting = {name: len(self.parents(name)) for name in self.children}  # a name without children is above none
        ready = [name for name, count in waiting.items() if count == 0]
        while ready:
            for child in self.children[ready.pop()]:
                if child in waiting:
                    waiting[child] -= 1
                    if waiting[child] == 0:
                        ready.append(child)
        return [name for name, count in waiting.items() if count]

    def root(self) -> str:
        """The only name that stands under no other."""
        roots = [name for name in self.names if name not in self.first_parent]
        if len(roots) == 1:
            return roots[0]
        if TOP not in roots:
            way_out = f"put them all below one {TOP!r}"
        else:
            roots.sort(key=lambda name: name != TOP)
            way_out = f"put {listed(roots[1:])} below {TOP!r} or below a name that is"
        raise self.error(f"there are {len(roots)} roots, {listed(roots)}, where one reaches all; {way_out}", roots[-1])

    def _checked_root(self) -> str:
        """The root of what is a hierarchy of values; the error that says why it is none."""
        if not self.names:
            raise self.error(f"there is no value in it; write one line per value, such as value;group;{TOP}")
        self.refuse_cycles()
        root = self.root()
        if root not in self.children and root not in self.values:
            raise self.error(f"nothing stands below the root {root!r}; put the column's values there", root)
        return root

    def numbered(self) -> Numbered:
        """The hierarchy, or the error that says why it is none.

        A value that others stand below, or that is the root, becomes a leaf of its own under its name, so that leaves
        are exactly the values.
        """
        root = self._checked_root()
        number: dict[str, int] = {}
        names: list[str] = []
        first_parents: list[int] = []
        depths: list[int] = []
        leaves: list[int] = []
        stack = [(root, 0, 0)]
        while stack:
            name, parent, depth = stack.pop()
            node = number[name] = len(names)
            names.append(name)
            first_parents.append(parent)
            depths.append(depth)
            children = self.children.get(name, () if name == root else None)
            if children is None:
                leaves.append(node)
                continue
            if name in self.values:
                leaves.append(len(names))
                names.append(name)
                first_parents.append(node)
                depths.append(depth + 1)
            first = self.first_parent
            stack.extend([(child, node, depth + 1) for child in reversed(children) if first[child] == name])
        further = tuple(
            (number[child], number[parent]) for child, parents in self.further_parents.items() for parent in parents
        )
        return Numbered(tuple(names), tuple(first_parents), further, self._levels(names, depths, leaves))

    def _levels(self, names: list[str], depths: list[int], leaves: list[int]) -> tuple[int, ...]:
        if self.levels is None:
            height = max(depths[leaf] for leaf in leaves)
            levels = [max(height - depth, 1) for depth in depths]
        else:
            levels = [max(self.levels[name], 1) for name in names]
        for leaf in leaves:
            levels[leaf] = 0
        return tuple(levels)
