"""The same three methods, fast enough for thousands of tables of some hundred rows, and still exact.

Two shortcuts, both tested against :mod:`plain.transparent`: an extent is a Python integer over the least common
multiple of the domain widths, and the boxes of all the first k rows of a line come from one running pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from plain.transparent import Geometry, Group, Inputs, Line, Tree, assign, check_eligible, most_frequent

Layers = list[list[int]]  # the k-th layer holds the rows that a cut of size k + 1 adds to its left side


class Ruler:
    """Measures sets of codes of one attribute in whole units of 1 / scale."""

    def __init__(self, geometry: Geometry, scale: int) -> None:
        self.geometry = geometry
        self.scale = scale

    def unit(self, width: int) -> int:
        """The scaled extent of one step on a domain that is ``width`` steps long; a constant one has no steps."""
        return self.scale // width if width else 0

    def running(self, layers: Iterable[Iterable[int]]) -> list[int]:
        """The scaled extent of the codes of the first layer, of the first two, and so on, as often as it counts."""
        geometry = self.geometry
        found = self.tree(geometry, layers) if isinstance(geometry, Tree) else self.line(geometry, layers)
        return [geometry.importance * extent for extent in found]

    def line(self, line: Line, layers: Iterable[Iterable[int]]) -> list[int]:
        low, high, null, extents = -1, -1, False, []
        unit = self.unit(line.width)
        for layer in layers:
            for code in layer:
                position = line.positions[code]
                if position == -1:
                    null = True
                elif low == -1:
                    low = high = position
                elif position < low:
                    low = position
                elif position > high:
                    high = position
            extents.append(self.scale if null and low != -1 else unit * (high - low))
        return extents

    def tree(self, tree: Tree, layers: Iterable[Iterable[int]]) -> list[int]:
        some, height, extents = -1, 0, []
        unit = self.unit(tree.width)
        for layer in layers:
            for code in layer:
                some = code if some == -1 else some
                while tree.chains[height][some] != tree.chains[height][code]:
                    height += 1
            extents.append(unit * (tree.leaves[tree.chains[height][some]] - 1))
        return extents


class Running:
    """One table; ``tailor``, ``ace`` and ``hybrid`` are those of :mod:`plain.transparent`."""

    def __init__(self, inputs: Inputs) -> None:
        self.codes = inputs.codes
        self.order = inputs.order
        self.sensitive = inputs.sensitive
        scale = lcm(*(geometry.width for geometry in inputs.geometry if geometry.width))
        self.rulers = [Ruler(geometry, scale) for geometry in inputs.geometry]

    def line(self, rows: Iterable[int], i: int) -> list[int]:
        """Rows sorted by their code on attribute i, then by row order."""
        return sorted(rows, key=lambda row: (self.codes[row][i], self.order[row]))

    def extents(self, layers: Layers) -> list[int]:
        """The scaled sum of extents of the first layer, of the first two, and so on."""
        of_attributes = (
            ruler.running([self.codes[row][j] for row in layer] for layer in layers)
            for j, ruler in enumerate(self.rulers)
        )
        return [sum(extents) for extents in zip(*of_attributes, strict=True)]

    def best(self, of_attribute: Sequence[Layers], sizes: range) -> tuple[int, int]:
        """The attribute and the number of layers on the left of the split with the smallest total perimeter."""
        found = None
        for i, layers in enumerate(of_attribute):
            left, right, count = self.extents(layers), self.extents(layers[::-1])[::-1], len(layers)
            for k in sizes:
                # Every layer has the same number of rows, so counting layers scales all perimeters alike.
                total = k * left[k - 1] + (count - k) * right[k]
                if found is None or total < found[0]:
                    found = total, i, k
        assert found is not None
        return found[1], found[2]

    def tailor(self, l: int, rows: Sequence[int] | None = None) -> list[Group]:
        group = list(range(len(self.codes)) if rows is None else rows)
        check_eligible(group, self.sensitive, l)
        least = l * most_frequent(group, self.sensitive)
        if len(group) < 2 * least:
            return [sorted(group)]
        lines = [self.line(group, i) for i in range(len(self.rulers))]
        i, k = self.best([[[row] for row in line] for line in lines], range(least, len(group) - least + 1))
        return [leaf for side in (lines[i][:k], lines[i][k:]) for leaf in self.tailor(l, side)]

    def slice_bucket(self, columns: Sequence[Sequence[int]]) -> list[Group]:
        if len(columns[0]) == 1:
            return [sorted(row for column in columns for row in column)]
        lines = [[self.line(column, i) for column in columns] for i in range(len(self.rulers))]
        layers = [[list(layer) for layer in zip(*line, strict=True)] for line in lines]
        i, k = self.best(layers, range(1, len(columns[0])))
        sides = [column[:k] for column in lines[i]], [column[k:] for column in lines[i]]
        return [leaf for side in sides for leaf in self.slice_bucket(side)]

    def ace(self, l: int, draw: Sequence[int], rows: Sequence[int] | None = None) -> list[Group]:
        buckets = assign(range(len(self.codes)) if rows is None else rows, self.sensitive, l, draw)
        return [leaf for columns in buckets for leaf in self.slice_bucket(columns)]

    def hybrid(self, l: int, draw: Sequence[int]) -> list[Group]:
        return [group for leaf in self.tailor(l) for group in self.ace(l, draw, leaf)]
