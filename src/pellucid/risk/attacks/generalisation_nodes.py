"""What a hierarchical release shows of a group: a node of each attribute's tree. And what lies below such boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pellucid.core.schema import Role
from pellucid.core.table import Attribute
from pellucid.errors import AttackError
from pellucid.risk.views import Evidence
from pellucid.text.values import label_of

Box = tuple[str, ...]  # a node of each tree
NULL = "(null)"


@dataclass(frozen=True, eq=False)
class NodeTree:
    """The names of one attribute: ``children`` of each node, one root, leaves without children.

    >>> tree = NodeTree.of({"*": {"north": ["a", "b"], "south": ["c"]}})
    >>> tree.root, tree.children["north"], tree.within("a", "north"), tree.path("c")
    ('*', ('a', 'b'), True, ('c', 'south', '*'))
    """

    root: str
    children: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, nested: Mapping[str, Any]) -> NodeTree:
        """From nested names, as :meth:`pellucid.core.taxonomy.Taxonomy.to_tree` gives them."""
        ((root, _),) = nested.items()
        children: dict[str, tuple[str, ...]] = {}

        def descend(name: str, below: Any) -> None:
            if name in children:
                raise AttackError("{name!r} stands in the tree twice", "give every node a name of its own", name=name)
            named: dict[str, Any] = dict(below) if isinstance(below, Mapping) else dict.fromkeys(below, ())
            children[name] = tuple(named)
            for node, further in named.items():
                descend(node, further)

        descend(root, nested[root])
        return cls(root, children)

    @classmethod
    def flat(cls, values: Iterable[str]) -> NodeTree:
        """Every value directly below the root."""
        return cls.of({"*": [value for value in values if value != "*"]})

    @classmethod
    def of_attribute(cls, attribute: Attribute) -> NodeTree:
        """The attribute's taxonomy, or a flat tree of its values where it has none; null is a leaf below the root."""
        null = [NULL] if attribute.has_null else []
        if attribute.taxonomy is None:
            return cls.flat([*null, *labels_of(attribute)[len(null) :]])
        nested = attribute.taxonomy.to_tree()
        ((root, below),) = nested.items()
        assert isinstance(below, dict)
        return cls.of({root: {**below, **{name: {} for name in null}}})

    @cached_property
    def parent(self) -> dict[str, str]:
        """The node above each node but the root."""
        return {child: node for node, below in self.children.items() for child in below}

    @cached_property
    def leaves(self) -> dict[str, int]:
        """How many leaves each node has below it; a leaf has itself."""
        count: dict[str, int] = {}

        def descend(node: str) -> int:
            count[node] = sum(map(descend, self.children[node])) or 1
            return count[node]

        descend(self.root)
        return count

    def path(self, node: str) -> tuple[str, ...]:
        """The node and all above it."""
        names = [node]
        while names[-1] != self.root:
            names.append(self.parent[names[-1]])
        return tuple(names)

    def within(self, node: str, upper: str) -> bool:
        """Whether a node is another or stands below it."""
        return upper in self.path(node)

    def common(self, nodes: Iterable[str]) -> str:
        """The lowest node above all of these."""
        paths = [self.path(node) for node in nodes]
        return next(name for name in paths[0] if all(name in path for path in paths))


def within(trees: Sequence[NodeTree], box: Box, upper: Box) -> bool:
    """Whether a box lies in another."""
    return all(tree.within(node, above) for tree, node, above in zip(trees, box, upper, strict=True))


def narrower(trees: Sequence[NodeTree], box: Box) -> list[Box]:
    """The boxes one step below a box: one attribute's node is replaced by a child of it."""
    return [(*box[:i], child, *box[i + 1 :]) for i, tree in enumerate(trees) for child in tree.children[box[i]]]


def labels_of(attribute: Attribute) -> list[str]:
    """The name of each code in the attribute's tree."""
    return [NULL if value is None else label_of(value) for value in attribute.values.to_list()]


def boxes_of(evidence: Evidence) -> tuple[list[NodeTree], list[Box], list[list[Box]]]:
    """The trees, the tightest box of each group, and the exact values of each group's people.

    A release that shows wider boxes than the tightest ones is not minimal, so nothing is lost by assuming this.
    """
    people = evidence.people
    attributes = [people.attributes[i] for i in people.having(Role.QUASI)]
    _check_boxes_of_groups(evidence, attributes)
    trees = [NodeTree.of_attribute(attribute) for attribute in attributes]
    labels = [labels_of(attribute) for attribute in attributes]
    codes = [people.codes[i] for i in people.having(Role.QUASI)]
    boxes, members = [], []
    for group in range(len(evidence.grouping)):
        rows = evidence.members(group)
        own = [[names[code] for code in column[rows].tolist()] for names, column in zip(labels, codes, strict=True)]
        boxes.append(tuple(tree.common(set(names)) for tree, names in zip(trees, own, strict=True)))
        members.append(list(zip(*own, strict=True)))
    return trees, boxes, members


def merged(boxes: Sequence[Box]) -> tuple[list[Box], np.ndarray[Any, np.dtype[np.int64]]]:
    """The distinct boxes and the number of each given one: rows with the same box cannot be told apart."""
    number: dict[Box, int] = {}
    place = [number.setdefault(box, len(number)) for box in boxes]
    return list(number), np.array(place, np.int64)


def _check_boxes_of_groups(evidence: Evidence, attributes: Sequence[Attribute]) -> None:
    """Raise where groups have no boxes of their own, or values no tree."""
    if evidence.grouping.levels is not None:
        raise AttackError(
            "all values of a column were generalised alike (full-domain recoding), so a single group could not have "
            "been refined, and its box tells nothing about it"
        )
    for attribute in attributes:
        if attribute.taxonomy is not None and not attribute.taxonomy.is_tree:
            raise AttackError(f"the taxonomy of {attribute.name!r} gives a name several parents", "boxes need a tree")


def require_a_row_for_everybody(evidence: Evidence) -> None:
    """Raise where groups have more or fewer rows than people."""
    if (evidence.grouping.sizes != evidence.published.sizes).any():
        raise AttackError(
            "groups have more or fewer rows than people, so what was recoded is not known",
            "give the people of the table, or a release without added records",
        )
