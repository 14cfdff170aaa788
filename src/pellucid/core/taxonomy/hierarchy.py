"""Taxonomy: a frozen hierarchy over the values of one column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.taxonomy import files, rules
from pellucid.core.taxonomy.declaration import Declaration
from pellucid.errors import TaxonomyError
from pellucid.text.suggestions import meant
from pellucid.text.values import listed


@dataclass(frozen=True, slots=True, repr=False)
class Taxonomy:
    """Which value stands below which more general name, up to one root.

    Values are matched by their text (17 is ``"17"``, dates are ISO, booleans ``true`` and ``false``). A node may have
    several parents (a DAG): the first one declared then places it in the order of the leaves and in :meth:`chains`,
    while a node always covers every leaf below it. Made by the class methods; equal when nodes and links are equal.

    >>> places = Taxonomy.from_tree({"*": {"Europe": ["France", "Turkey"], "Asia": ["Japan", "Turkey"]}})
    >>> places.leaves
    ('France', 'Turkey', 'Japan')
    >>> places.common_ancestor(["France", "Turkey"]), places.common_ancestor(["Turkey", "Japan"])
    ('Europe', 'Asia')
    >>> Taxonomy.ladder([21, 24, 27], [5, 10]).path("24")
    ['24', '[20, 24]', '[20, 29]', '*']
    """

    _names: tuple[str, ...]
    _first_parents: tuple[int, ...]
    _further_parents: tuple[tuple[int, int], ...]
    _levels: tuple[int, ...]
    source: str = field(default="the taxonomy", compare=False)
    leaves: tuple[str, ...] = field(init=False, compare=False)
    """The values, depth first: every subtree (along first parents) is contiguous."""
    is_tree: bool = field(init=False, compare=False)
    """Whether every node has at most one parent."""
    height: int = field(init=False, compare=False)
    """The number of levels above the leaves."""
    _parent: NDArray[np.int32] = field(init=False, compare=False)
    _level: NDArray[np.int32] = field(init=False, compare=False)
    _leaf_nodes: NDArray[np.int32] = field(init=False, compare=False)
    _position: dict[str, int] = field(init=False, compare=False)
    _further: dict[int, list[int]] = field(init=False, compare=False)
    _above: dict[int, frozenset[int]] = field(init=False, compare=False)
    _covered: NDArray[np.int64] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Derive what the queries need, once; numbers are depth first, so leaves in number order are in order."""
        inner = {*self._first_parents, *(parent for _, parent in self._further_parents)}
        nodes = [number for number in range(len(self._names)) if number not in inner]
        leaves = tuple(self._names[number] for number in nodes)
        further: dict[int, list[int]] = {}
        for child, parent in self._further_parents:
            further.setdefault(child, []).append(parent)
        derived = {
            "leaves": leaves,
            "is_tree": not self._further_parents,
            "height": max(self._levels),
            "_parent": np.array(self._first_parents, dtype=np.int32),
            "_level": np.array(self._levels, dtype=np.int32),
            "_leaf_nodes": np.array(nodes, dtype=np.int32),
            "_position": {leaf: position for position, leaf in enumerate(leaves)},
            "_further": further,
            "_above": {},
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_covered", self._count_leaves())
        for array in (self._parent, self._level, self._leaf_nodes, self._covered):
            array.setflags(write=False)

    @property
    def content(self) -> tuple[object, ...]:
        """Nodes and links: equal for equal taxonomies and for no others."""
        return self._names, self._first_parents, self._further_parents, self._levels

    def __repr__(self) -> str:
        """One line: where it is from and how large it is."""
        shape = "tree" if self.is_tree else "DAG"
        return f"<Taxonomy: {shape} of {len(self.leaves)} leaves, height {self.height}, from {self.source}>"

    @classmethod
    def load(cls, path: str | Path) -> Taxonomy:
        """Read ``leaf;level 1;...;*`` lines (.csv), or nested names (.toml, .json)."""
        return cls._of(files.declared_in(Path(path)))

    @classmethod
    def from_tree(cls, tree: Mapping[str, object] | Sequence[object]) -> Taxonomy:
        """Names over names: nested mappings and lists. A name mentioned in two places has two parents.

        >>> Taxonomy.from_tree({"*": {"gov": ["federal", "local"], "private": []}}).leaves
        ('federal', 'local', 'private')
        """
        return cls._of(files.from_nested(tree))

    @classmethod
    def ladder(
        cls, values: Iterable[object], widths: Sequence[object], *, labels: Sequence[str] | None = None
    ) -> Taxonomy:
        """Intervals over numbers, each width a multiple of the one before; ``labels`` are the values' texts if known.

        >>> Taxonomy.ladder([21.5, 27], [5, 10]).path("21.5")
        ['21.5', '[20, 25)', '[20, 30)', '*']
        """
        return cls._of(rules.ladder(values, widths, labels))

    @classmethod
    def dates(
        cls, values: Iterable[object], parts: Sequence[object], *, labels: Sequence[str] | None = None
    ) -> Taxonomy:
        """Parts of dates, finest first, of day, month, quarter, year, decade.

        >>> Taxonomy.dates(["2024-03-05", "2024-05-01"], ["month", "quarter", "decade"]).path("2024-03-05")
        ['2024-03-05', '2024-03', '2024-Q1', '2020s', '*']
        """
        return cls._of(rules.dates(values, parts, labels))

    @classmethod
    def prefixes(
        cls, values: Iterable[object], lengths: Sequence[object], *, labels: Sequence[str] | None = None
    ) -> Taxonomy:
        """The leading characters of a text, ever fewer.

        >>> Taxonomy.prefixes(["13053", "13068"], [4, 3]).path("13053")
        ['13053', '1305*', '130**', '*']
        """
        return cls._of(rules.prefixes(values, lengths, labels))

    @classmethod
    def _of(cls, declaration: Declaration) -> Taxonomy:
        return cls(*declaration.numbered(), source=declaration.source)

    def missing(self, values: Iterable[str]) -> list[str]:
        """The values that are no leaf here, each once, in the order met."""
        return [value for value in dict.fromkeys(values) if value not in self._position]

    def require(self, values: Iterable[str]) -> None:
        """Raise unless every value is a leaf; the error lists the first ten that are not, and how many there are."""
        missing = self.missing(values)
        if missing:
            count = "1 value" if len(missing) == 1 else f"{len(missing)} values"
            near = meant(missing[0], self.leaves) if len(self.leaves) <= 10_000 else ""
            raise TaxonomyError(
                f"{self.source} misses {count} of the column: {listed(missing)}; "
                f"add each below the name it belongs to{near}"
            )

    def rank(self, labels: Sequence[str]) -> NDArray[np.int64]:
        """The position of each label among the leaves: sort by it to sort by the taxonomy."""
        self.require(labels)
        position = self._position
        return np.fromiter((position[label] for label in labels), dtype=np.int64, count=len(labels))

    def chains(self, labels: Sequence[str], null: bool) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
        """Ancestors of each label, leaves below each node, and the number of leaves less one.

        ``chains[h, i]`` is the number of the i-th label's ancestor h levels up: row 0 the leaf, last row the root
        (always number 0), shorter chains repeating their leaf at the bottom. Two labels meet at the first row where
        their numbers are equal. With ``null``, column 0 is an extra leaf below the root for the null, counted as a
        leaf, and the labels follow from column 1 on. Sorted by :meth:`rank`, the ends of a range of labels meet where
        all of the range meets.
        """
        first = int(null)
        chains = np.empty((self.height + 1, len(labels) + first), dtype=np.int32)
        chains[:, first:] = self._climb(self._leaf_nodes[self.rank(labels)])
        covered = self._covered.copy()
        if null:
            chains[:, 0] = len(self._names)
            chains[-1, 0] = 0
            covered = np.append(covered, np.int64(1))
            covered[0] += 1
        return chains, covered, int(covered[0]) - 1

    def _climb(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """At each level the highest first-parent ancestor that is not above the level."""
        chains = np.empty((self.height + 1, len(nodes)), dtype=np.int32)
        chains[0] = nodes
        for h in range(1, self.height + 1):
            above = self._parent[chains[h - 1]]
            chains[h] = np.where(self._level[above] <= h, above, chains[h - 1])
        return chains

    def _count_leaves(self) -> NDArray[np.int64]:
        """How many leaves stand below each node, through any of its children."""
        count = np.zeros(len(self._names), dtype=np.int64)
        if self.is_tree:
            chains = self._climb(self._leaf_nodes)
            count[chains[0]] = 1
            for below, nodes in pairwise(chains):
                count += np.bincount(nodes[nodes != below], minlength=len(count))
            return count
        for leaf in self._leaf_nodes.tolist():
            for node in self._ancestors(leaf):
                count[node] += 1
        return count

    def _parents(self, node: int) -> list[int]:
        return [self._first_parents[node], *self._further.get(node, ())] if node else []

    def _ancestors(self, node: int) -> frozenset[int]:
        """The node and everything above it; kept for inner nodes only, since leaves are most of the nodes."""
        known = self._above
        waiting = [parent for parent in self._parents(node) if parent not in known]
        while waiting:
            top = waiting[-1]
            unknown = [parent for parent in self._parents(top) if parent not in known]
            if unknown:
                waiting.extend(unknown)
            else:
                known[top] = frozenset({top}).union(*(known[parent] for parent in self._parents(top)))
                waiting.pop()
        return known.get(node) or frozenset({node}).union(*(known[parent] for parent in self._parents(node)))

    def _number(self, label: str) -> int:
        position = self._position.get(label)
        if position is not None:
            return int(self._leaf_nodes[position])
        try:
            return self._names.index(label)
        except ValueError:
            near = meant(label, self._names) if len(self._names) <= 10_000 else ""
            raise TaxonomyError(
                f"{self.source} has no {label!r}{near or '; add it below the name it belongs to'}"
            ) from None

    def common_ancestor(self, labels: Iterable[str]) -> str:
        """The node with the fewest leaves that covers all labels; the lowest of equals, then the first declared."""
        numbers = [self._number(label) for label in dict.fromkeys(labels)]
        if not numbers:
            raise TaxonomyError("no labels have no common ancestor; give at least one")
        if self.is_tree:
            return self._names[self._lowest_above(numbers)]
        return self._names[self._with_fewest_leaves_above(numbers)]

    def _with_fewest_leaves_above(self, numbers: Sequence[int]) -> int:
        """The same where nodes have several parents."""
        common = frozenset.intersection(*(self._ancestors(number) for number in numbers))
        fewest = min(self._covered[node] for node in common)
        best = {node for node in common if self._covered[node] == fewest}
        higher = {up for node in best for up in self._ancestors(node) if up != node}
        return min(best - higher)

    def _lowest_above(self, numbers: list[int]) -> int:
        """In a tree numbered depth first, what the smallest and the largest number share is shared by all between."""
        low, high = min(numbers), max(numbers)
        while low != high:  # a parent's number is below its child's, so the larger one is never the shared ancestor
            low, high = sorted((low, self._first_parents[high]))
        return low

    def node_label(self, number: int) -> str:
        """The name of a node in :meth:`chains`; the null's is the empty text, as in a CSV."""
        return "" if number == len(self._names) else self._names[number]

    def below(self, label: str) -> NDArray[np.int64]:
        """Where the leaves below a name stand among all leaves, ascending; a leaf is below itself.

        >>> places = Taxonomy.from_tree({"*": {"Europe": ["France", "Turkey"], "Asia": ["Japan", "Turkey"]}})
        >>> places.below("Asia").tolist(), places.below("France").tolist()
        ([1, 2], [0])
        """
        number = self._number(label)
        if self.is_tree:  # numbered depth first: what is below a node follows it, up to the next node as high
            first = int(np.searchsorted(self._leaf_nodes, number))
            return np.arange(first, first + int(self._covered[number]), dtype=np.int64)
        leaves = [at for at, leaf in enumerate(self._leaf_nodes.tolist()) if number in self._ancestors(leaf)]
        return np.array(leaves, dtype=np.int64)

    def knows(self, label: str) -> bool:
        """Whether this is a name in the taxonomy, a value or a more general one."""
        return label in self._position or label in self._names

    def level(self, label: str) -> int:
        """How far above the leaves a name stands: 0 for a value, the height for the root.

        >>> Taxonomy.ladder([21, 24, 27], [5, 10]).level("[20, 29]")
        2
        """
        return int(self._levels[self._number(label)])

    def path(self, label: str) -> list[str]:
        """The label and the names above it, up to the root, along first parents."""
        number = self._number(label)
        names = [self._names[number]]
        while number:
            number = self._first_parents[number]
            names.append(self._names[number])
        return names

    def above(self, label: str) -> list[str]:
        """The label and every name above it, along all parents.

        >>> places = Taxonomy.from_tree({"*": {"Europe": ["France", "Turkey"], "Asia": ["Japan", "Turkey"]}})
        >>> sorted(places.above("Turkey")), places.path("Turkey")
        (['*', 'Asia', 'Europe', 'Turkey'], ['Turkey', 'Europe', '*'])
        """
        return [self._names[number] for number in sorted(self._ancestors(self._number(label)), reverse=True)]

    def to_rows(self) -> list[list[str]]:
        """One row per leaf, in order: the leaf, its name on each level, the root; all of the same length.

        >>> Taxonomy.from_tree({"*": {"A": ["a", "b"], "c": []}}).to_rows()
        [['a', 'A', '*'], ['b', 'A', '*'], ['c', 'c', '*']]
        """
        names = self._names
        return [[names[node] for node in row] for row in self._climb(self._leaf_nodes).T.tolist()]

    def to_nodes(self) -> dict[str, list[list[object]]]:
        """Plain lists that :meth:`from_nodes` reads back to an equal taxonomy, a DAG too: for files of programs.

        Each node is its name, the number of its first parent (the root, number 0, has itself) and its level; further
        parents are pairs of numbers.

        >>> Taxonomy.from_tree({"*": {"A": ["a"], "B": ["a", "b"]}}).to_nodes()["further"]
        [[2, 3]]
        """
        nodes = zip(self._names, self._first_parents, self._levels, strict=True)
        return {"nodes": [list(node) for node in nodes], "further": [list(pair) for pair in self._further_parents]}

    @classmethod
    def from_nodes(cls, nodes: Sequence[Sequence[object]], further: Sequence[Sequence[object]] = ()) -> Taxonomy:
        """The taxonomy of such lists; raises where they are none.

        >>> places = Taxonomy.from_tree({"*": {"Europe": ["France", "Turkey"], "Asia": ["Japan", "Turkey"]}})
        >>> Taxonomy.from_nodes(**places.to_nodes()) == places
        True
        """
        try:
            names, parents, levels = (tuple[Any, ...](part) for part in zip(*nodes, strict=True))
            pairs: tuple[tuple[Any, Any], ...] = tuple((child, parent) for child, parent in further)
        except (TypeError, ValueError):
            raise TaxonomyError("nodes are lists of a name, a parent and a level, as to_nodes() writes them") from None
        if not _hierarchical(names, parents, levels, pairs):
            raise TaxonomyError("these nodes are no hierarchy; each stands below an earlier one, a level lower or more")
        return cls(names, parents, pairs, levels)

    def to_tree(self) -> dict[str, object]:
        """Nested names that :meth:`from_tree` reads back; a DAG would lose which of its parents is first.

        >>> Taxonomy.ladder([3, 12], [5]).to_tree()
        {'*': {'[0, 4]': {'3': {}}, '[10, 14]': {'12': {}}}}
        """
        if not self.is_tree:
            raise TaxonomyError(
                "{source} gives a name several parents, which cannot be nested; keep it in a file", source=self.source
            )
        nested: list[dict[str, object]] = [{} for _ in self._names]
        for node, parent in enumerate(self._first_parents[1:], 1):
            nested[parent][self._names[node]] = nested[node]
        return {self._names[0]: nested[0]}


def _are_texts(names: Sequence[Any]) -> bool:
    return all(isinstance(name, str) for name in names)


def _hierarchical(
    names: Sequence[Any], parents: Sequence[Any], levels: Sequence[Any], further: Sequence[tuple[Any, Any]]
) -> bool:
    """Whether nodes that somebody wrote are numbered depth first, with leaves, and only leaves, on level 0."""
    links = [*parents, *chain.from_iterable(further)]
    if not _are_texts(names) or not all(map(_is_number, (*links, *levels))):
        return False
    if not names or max(links) >= len(names) or not _depth_first(parents, levels):
        return False
    above = {0, *parents[1:], *(parent for _, parent in further)}
    return parents[0] == 0 and _has_leaves(names, levels, above) and _without_cycles(parents, further)


def _has_leaves(names: Sequence[str], levels: Sequence[int], above: set[int]) -> bool:
    """Whether the nodes that stand above none, and only these, are on level 0, each with a name of its own."""
    leaves = [name for node, name in enumerate(names) if node not in above]
    fits = all((level == 0) == (node not in above) for node, level in enumerate(levels))
    return fits and 0 < len(leaves) == len(set(leaves))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _depth_first(parents: Sequence[int], levels: Sequence[int]) -> bool:
    """Whether each node follows its parent or a node below that, on a lower level than it."""
    path = [0]
    for node in range(1, len(parents)):
        while path and path[-1] != parents[node]:
            path.pop()
        if not path or not levels[path[-1]] > levels[node]:
            return False
        path.append(node)
    return True


def _without_cycles(parents: Sequence[int], further: Sequence[tuple[int, int]]) -> bool:
    """Whether no node stands above itself."""
    children: dict[int, list[int]] = {}
    for child, parent in (*enumerate(parents), *further):
        if child != 0:
            children.setdefault(parent, []).append(child)
    waiting = Counter(child for below in children.values() for child in below)
    ready, done = [0], 0
    while ready:
        done += 1
        for child in children.get(ready.pop(), ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return done == len(parents)
