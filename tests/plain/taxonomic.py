"""AlphaK and Incognito written down as they are defined, for comparison with the compiled ones.

Nothing here is clever, and nothing is imported from the package's methods or kernels. An attribute is a list of levels;
a level says for every code which node it becomes and how many leaves this node has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, log2

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table

Group = list[int]
Node = tuple[int, ...]


@dataclass(frozen=True)
class Levels:
    """``nodes[h][code]`` is the ancestor h levels up, the last level the root; ``leaves[node]`` counts leaves."""

    nodes: list[list[object]]
    leaves: dict[object, int]

    @property
    def top(self) -> int:
        return len(self.nodes) - 1

    def loss(self, level: int, code: int) -> Fraction:
        """The share of the leaves that the code's ancestor leaves open."""
        most = self.leaves[self.nodes[-1][code]] - 1
        return Fraction(self.leaves[self.nodes[level][code]] - 1, most) if most else Fraction(0)


def levels_of(attribute: Attribute) -> Levels:
    """The taxonomy's levels; the value and everything where there is none."""
    if attribute.chains is not None and attribute.leaves is not None:
        return Levels(attribute.chains.tolist(), dict(enumerate(attribute.leaves.tolist())))
    codes = list(range(len(attribute)))
    if attribute.taxonomy is None:
        return Levels([list(codes), ["*"] * len(codes)], {"*": len(codes), **dict.fromkeys(codes, 1)})
    # a ladder: a row of names per leaf; the null is a leaf of its own directly below the root
    rows = {row[0]: row for row in attribute.taxonomy.to_rows()}
    height = len(next(iter(rows.values()))) - 1
    paths: list[list[object]] = []
    for value in attribute.values.to_list():
        if value is None:
            paths.append([("null",)] * height + [(height, "*")])
        else:
            row = rows[str(value)]
            paths.append([(min(h for h in range(height + 1) if row[h] == row[g]), row[g]) for g in range(height + 1)])
    leaves: Counter[object] = Counter()
    for row in rows.values():
        leaves.update({(min(h for h in range(height + 1) if row[h] == name), name) for name in row})
    if attribute.has_null:
        leaves.update([("null",), (height, "*")])
    return Levels([[path[h] for path in paths] for h in range(height + 1)], dict(leaves))


@dataclass(frozen=True)
class Plain:
    """A table as plain lists: quasi-identifier codes, row order and sensitive codes by row; levels by attribute."""

    codes: list[tuple[int, ...]]
    order: list[int]
    values: list[int]
    levels: list[Levels]
    importance: list[int]


def plain_of(table: Table, order: Sequence[int]) -> Plain:
    quasi = table.having(Role.QUASI)
    (secret,) = table.having(Role.SENSITIVE)
    codes = list(zip(*(table.codes[i].tolist() for i in quasi), strict=True))
    levels = [levels_of(table.attributes[i]) for i in quasi]
    importance = [table.attributes[i].importance for i in quasi]
    return Plain(codes, [int(rank) for rank in order], table.codes[secret].tolist(), levels, importance)


# --- Incognito


def classes(t: Plain, node: Node) -> dict[tuple[object, ...], Group]:
    """The rows by their ancestors on the node's levels."""
    found: dict[tuple[object, ...], Group] = {}
    for row, codes in enumerate(t.codes):
        names = tuple(one.nodes[h][code] for one, h, code in zip(t.levels, node, codes, strict=True))
        found.setdefault(names, []).append(row)
    return found


def withheld(t: Plain, node: Node, holds: Callable[[Group], bool]) -> list[int]:
    """The rows of a node's groups that do not satisfy."""
    return sorted(row for group in classes(t, node).values() if not holds(group) for row in group)


def good_nodes(t: Plain, holds: Callable[[Group], bool], most: Fraction = Fraction(0)) -> set[Node]:
    """The nodes whose groups satisfy but for a share of the rows, and not for all; each is tried."""
    nodes = product(*(range(one.top + 1) for one in t.levels))
    rows = len(t.codes)
    return {node for node in nodes if len(withheld(t, node, holds)) <= min(floor(most * rows), rows - 1)}


def minimal_nodes(t: Plain, holds: Callable[[Group], bool], most: Fraction = Fraction(0)) -> list[Node]:
    """Those none of whose predecessors satisfy."""
    good = good_nodes(t, holds, most)

    def lower(node: Node) -> list[Node]:
        return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level]

    return sorted(node for node in good if not any(one in good for one in lower(node)))


def mean_loss(t: Plain, node: Node, gone: Sequence[int] = (), weight: Fraction = Fraction(1)) -> Fraction:
    """The sum over attributes of the mean loss of the rows, times their importance.

    Who is gone loses what the root does, ``weight`` times.
    """
    total = Fraction(0)
    for row, codes in enumerate(t.codes):
        for one, level, code, times in zip(t.levels, node, codes, t.importance, strict=True):
            total += weight * times * one.loss(one.top, code) if row in gone else times * one.loss(level, code)
    return total / len(t.codes)


def precision_lost(t: Plain, node: Node, gone: Sequence[int], weight: Fraction) -> Fraction:
    """The same with levels by the height of the taxonomy."""
    height = sum(
        Fraction(times * level, one.top) for one, level, times in zip(t.levels, node, t.importance, strict=True)
    )
    return (height * (len(t.codes) - len(gone)) + weight * sum(t.importance) * len(gone)) / len(t.codes)


def bits_missing(t: Plain, node: Node, gone: Sequence[int], weight: Fraction) -> float:
    """The bits from what is published to the values, of the rows of the whole table."""
    total = 0.0
    for i, (one, level, times) in enumerate(zip(t.levels, node, t.importance, strict=True)):
        column = [codes[i] for codes in t.codes]
        held, among = Counter(column), Counter(one.nodes[level][code] for code in column)
        for row, code in enumerate(column):
            share = held[code] / (len(column) if row in gone else among[one.nodes[level][code]])
            total -= float(weight if row in gone else 1) * times * log2(share)
    return round(total, 4)


def pairs_alike(t: Plain, node: Node, gone: Sequence[int], weight: Fraction) -> Fraction:
    """From how many rows each cannot be told; who is gone from all."""
    squares = sum(len(group) ** 2 for group in classes(t, node).values() if group[0] not in gone)
    return squares + weight * len(gone) * len(t.codes)


def mean_class(t: Plain, node: Node, gone: Sequence[int], weight: Fraction) -> Fraction:  # noqa: ARG001
    """Rows by classes, all who are gone being one more."""
    kept = sum(group[0] not in gone for group in classes(t, node).values())
    return Fraction(len(t.codes), kept + bool(gone))


LOSSES: dict[str, Callable[[Plain, Node, Sequence[int], Fraction], Fraction | float]] = {
    "loss": mean_loss,
    "precision": precision_lost,
    "entropy": bits_missing,
    "discernibility": pairs_alike,
    "class-size": mean_class,
}


def published(t: Plain, node: Node, asked: Asked) -> list[int] | None:
    """Who is withheld at a node, whatever the budget: as is asked of groups, and then of what is left of the table."""
    groups = [group for group in classes(t, node).values() if asked.of_group(group)]
    groups.sort(key=lambda group: (len(group), min(t.codes[row] for row in group)))
    while groups and not asked.of_sizes([len(group) for group in groups]):
        first = len(groups[0])
        groups = [group for group in groups if len(group) > first] if asked.size_by_size else groups[1:]
    return sorted(set(range(len(t.codes))) - {row for group in groups for row in group})


@dataclass(frozen=True)
class Asked:
    """What is asked of each group, and of the sizes of all that are left; the objective."""

    of_group: Callable[[Group], bool]
    of_sizes: Callable[[Sequence[int]], bool] = lambda _: True
    most: Fraction = Fraction(0)
    objective: str = "loss"
    weight: Fraction = Fraction(1)
    size_by_size: bool = False  # whether all groups of one size are withheld at once


def best_of_all_nodes(t: Plain, asked: Asked) -> tuple[Node, list[int]]:
    """Every node is tried: of those that withhold no more than may be the one that loses least; and who is withheld."""
    allowed = min(floor(asked.most * len(t.codes)), len(t.codes) - 1)
    tried = {node: published(t, node, asked) for node in product(*(range(one.top + 1) for one in t.levels))}
    fit = {node: gone for node, gone in tried.items() if gone is not None and len(gone) <= allowed}
    lost = {node: LOSSES[asked.objective](t, node, gone, asked.weight) for node, gone in fit.items()}
    node = min(lost, key=lambda node: (lost[node], node))
    return node, fit[node]


def incognito(t: Plain, holds: Callable[[Group], bool], most: Fraction = Fraction(0)) -> tuple[Node, list[Group]]:
    """The node of least loss, and its groups in the order of their codes, without those that do not satisfy."""
    node, _ = best_of_all_nodes(t, Asked(holds, most=most))

    def place(group: Group) -> tuple[int, ...]:
        """By each attribute's first code below the group's ancestor."""
        codes = t.codes[group[0]]
        return tuple(one.nodes[h].index(one.nodes[h][c]) for one, h, c in zip(t.levels, node, codes, strict=True))

    return node, sorted((group for group in classes(t, node).values() if holds(group)), key=place)


# --- AlphaK


@dataclass(frozen=True)
class AlphaKPlain:
    """The definition with its parameters; ``protected`` None: all values."""

    t: Plain
    alpha: Fraction
    k: int
    protected: frozenset[int] | None = None

    def counts(self, rows: Sequence[int]) -> Counter[int]:
        values = (self.t.values[row] for row in rows)
        return Counter(value for value in values if self.protected is None or value in self.protected)

    def holds(self, rows: Sequence[int]) -> bool:
        return len(rows) >= self.k and max(self.counts(rows).values(), default=0) <= self.alpha * len(rows)

    def groups(self) -> list[Group]:
        rows = sorted(range(len(self.t.codes)), key=lambda row: self.t.order[row])
        return [sorted(group) for group in self.specialise(rows, tuple(one.top for one in self.t.levels))]

    def specialise(self, rows: Group, levels: tuple[int, ...]) -> list[Group]:
        """What becomes of a group that stands on these levels; its rows are in row order."""
        best: tuple[Fraction, Group, list[Group], tuple[int, ...]] | None = None
        for i, level in enumerate(levels):
            if level == 0:
                continue
            kept, children = self.attempt(rows, i, level - 1)
            if not children:
                continue
            one = self.t.levels[i]
            gain = sum(
                (
                    one.loss(level, self.t.codes[row][i]) - one.loss(level - 1, self.t.codes[row][i])
                    for child in children
                    for row in child
                ),
                Fraction(0),
            )
            if best is None or gain > best[0]:
                best = (gain, kept, children, (*levels[:i], level - 1, *levels[i + 1 :]))
        if best is None:
            return [rows]
        _, kept, children, lower = best
        return ([kept] if kept else []) + [group for child in children for group in self.specialise(child, lower)]

    def attempt(self, rows: Group, attribute: int, level: int) -> tuple[Group, list[Group]]:
        """The rows that the parent keeps, and the children that have rows, in the order of their first codes."""
        nodes = self.t.levels[attribute].nodes[level]
        dealt: dict[int, Group] = {}
        for row in rows:
            dealt.setdefault(nodes.index(nodes[self.t.codes[row][attribute]]), []).append(row)
        children = {first: child for first, child in dealt.items() if self.holds(child)}
        kept = [row for first in sorted(dealt) if first not in children for row in dealt[first]]
        if kept and not self.holds(kept):
            kept, children = self.take_back(kept, children)
        return kept, [children[first] for first in sorted(children)]

    def take_back(self, kept: Group, children: dict[int, Group]) -> tuple[Group, dict[int, Group]]:
        needed = max(self.k, ceil(max(self.counts(kept).values(), default=0) / self.alpha))
        parent, left = list(kept), {first: list(child) for first, child in children.items()}
        for first in sorted(children, key=lambda first: (-len(children[first]), first)):
            for row in children[first]:
                without = [other for other in left[first] if other != row]
                grown = [*parent, row]
                value_fits = self.counts(grown)[self.t.values[row]] <= self.alpha * needed
                if len(parent) < needed and self.holds(without) and value_fits:
                    parent, left[first] = grown, without
        if len(parent) == needed:
            return parent, left
        parent, left = list(kept), dict(children)
        for first in sorted(children, key=lambda first: (len(children[first]), first)):
            if not self.holds(parent):
                parent += left.pop(first)
        return parent, left
