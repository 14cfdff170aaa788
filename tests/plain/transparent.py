"""Tailor, Ace and Hybrid written down as they are defined, for reading and for comparison with the compiled kernels.

Nothing here is clever: a perimeter is a :class:`fractions.Fraction` over the rows of a group, and a cut is found by
trying every attribute and every size. Nothing is imported from the package's methods or kernels. A row is its number
in the input. Every result lists its groups from left to right: a cut or division puts its first rows on the left,
Assign's buckets follow each other in the order in which they are made, Hybrid's leaves are Tailor's from left to
right. Inside a group rows are listed in ascending number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table

Group = list[int]
Grouping = tuple[tuple[int, ...], ...]
Vectors = Sequence[tuple[int, ...]]


class NotEligibleError(ValueError):
    """More than one row in l has the same sensitive value."""


@dataclass(frozen=True)
class Line:
    """An attribute on an integer line: ``positions[code]``, -1 for null; the domain is ``width`` long."""

    positions: tuple[int, ...]
    width: int
    importance: int = 1


@dataclass(frozen=True)
class Tree:
    """An attribute with a taxonomy: ``chains[h][code]`` is the ancestor h levels up, ``leaves[node]`` counts leaves."""

    chains: tuple[tuple[int, ...], ...]
    leaves: tuple[int, ...]
    width: int
    importance: int = 1


Geometry = Line | Tree


def extent(codes: Iterable[int], geometry: Geometry) -> Fraction:
    """How much of the attribute's domain the codes span, from 0 to 1.

    >>> extent([0, 2], Line(positions=(-1, 0, 5), width=10)), extent([1, 2], Line(positions=(-1, 0, 5), width=10))
    (Fraction(1, 1), Fraction(1, 2))
    >>> extent([0, 1], Tree(chains=((0, 1, 2), (3, 3, 4), (5, 5, 5)), leaves=(1, 1, 1, 2, 1, 3), width=2))
    Fraction(1, 2)
    """
    present = set(codes)
    if len(present) == 1:
        return Fraction(0)
    if isinstance(geometry, Tree):
        for level in geometry.chains:
            ancestors = {level[code] for code in present}
            if len(ancestors) == 1:
                return Fraction(geometry.leaves[ancestors.pop()] - 1, geometry.width)
        raise ValueError("the taxonomy has no root above these codes")
    positions = {geometry.positions[code] for code in present}
    if -1 in positions:
        return Fraction(1)
    return Fraction(max(positions) - min(positions), geometry.width)


def perimeter(group: Sequence[int], codes: Vectors, geometry: Sequence[Geometry]) -> Fraction:
    """The number of rows times the sum of their extents, of which each counts as many times as it is important."""
    extents = (one.importance * extent((codes[row][i] for row in group), one) for i, one in enumerate(geometry))
    return len(group) * sum(extents, Fraction(0))


def most_frequent(group: Iterable[int], sensitive: Vectors) -> int:
    """The count of the most frequent sensitive value of a group; the largest over the sensitive columns."""
    rows = list(group)
    columns = range(len(sensitive[0]))
    return max(max(Counter(sensitive[row][j] for row in rows).values()) for j in columns)


def check_eligible(rows: Sequence[int], sensitive: Vectors, l: int) -> None:
    """Raise unless every sensitive value has at most one row in l."""
    if most_frequent(rows, sensitive) * l > len(rows):
        raise NotEligibleError(f"a value is held by more than 1/{l} of the rows")


def canonical_cut(
    group: Sequence[int], codes: Vectors, order: Sequence[int], geometry: Sequence[Geometry], sizes: range
) -> tuple[Group, Group]:
    """The cut with the smallest total perimeter; ties: lowest attribute, then fewest rows on the left."""
    candidates = []
    for i in range(len(geometry)):
        line = sorted(group, key=lambda row, i=i: (codes[row][i], order[row]))  # type: ignore[misc]
        for k in sizes:
            left, right = line[:k], line[k:]
            total = perimeter(left, codes, geometry) + perimeter(right, codes, geometry)
            candidates.append((total, i, k, left, right))
    _, _, _, left, right = min(candidates, key=lambda candidate: candidate[:3])
    return left, right


def tailor(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    l: int,
    geometry: Sequence[Geometry],
    rows: Sequence[int] | None = None,
) -> list[Group]:
    """Cut while a group has at least 2*l*c rows; both sides of a cut get at least l*c."""
    group = list(range(len(codes)) if rows is None else rows)
    check_eligible(group, sensitive, l)
    least = l * most_frequent(group, sensitive)
    if len(group) < 2 * least:
        return [sorted(group)]
    left, right = canonical_cut(group, codes, order, geometry, range(least, len(group) - least + 1))
    return [leaf for side in (left, right) for leaf in tailor(codes, order, sensitive, l, geometry, side)]


def assign_steps(counts: dict[int, int], l: int) -> list[tuple[int, int, tuple[int, ...]]]:
    """The buckets that Assign makes of these counts: (alpha, beta, signature) each.

    >>> assign_steps({0: 1, 1: 1, 2: 2, 3: 2, 4: 2}, l=2)
    [(2, 2, (2, 3)), (1, 2, (4, 0)), (1, 2, (1, 4))]
    """
    left = {value: count for value, count in counts.items() if count > 0}
    if left and max(left.values()) * l > sum(left.values()):
        raise NotEligibleError(f"a value is held by more than 1/{l} of the rows")
    steps = []
    while left:
        ranked = sorted(left, key=lambda value: (-left[value], value))
        alpha, beta = first_feasible([left[value] for value in ranked], l)
        signature = tuple(ranked[:beta])
        steps.append((alpha, beta, signature))
        for value in signature:
            left[value] -= alpha
        left = {value: count for value, count in left.items() if count > 0}
    return steps


def first_feasible(n: Sequence[int], l: int) -> tuple[int, int]:
    """The smallest beta that has an alpha, and its largest alpha, for counts in descending order."""
    total = sum(n)
    for beta in range(l, len(n) + 1):
        following = n[beta] if beta < len(n) else None
        for alpha in range(n[beta - 1], 0, -1):
            rest = total - alpha * beta
            if l * (n[0] - alpha) <= rest and (following is None or l * following <= rest):
                return alpha, beta
    raise AssertionError("Assign always finds a bucket in an eligible table")


def slice_bucket(
    columns: Sequence[Sequence[int]],
    codes: Vectors,
    order: Sequence[int],
    geometry: Sequence[Geometry],
    height: int = 1,
) -> list[Group]:
    """Divide a bucket, given as one list of rows per value, as long as both sides keep so many rows of each value."""
    if len(columns[0]) < 2 * height:
        return [sorted(row for column in columns for row in column)]
    candidates = []
    for i in range(len(geometry)):
        lines = [sorted(column, key=lambda row, i=i: (codes[row][i], order[row])) for column in columns]  # type: ignore[misc]
        for k in range(height, len(columns[0]) - height + 1):
            left, right = [line[:k] for line in lines], [line[k:] for line in lines]
            total = sum(
                (perimeter([r for c in side for r in c], codes, geometry) for side in (left, right)), Fraction(0)
            )
            candidates.append((total, i, k, left, right))
    _, _, _, left, right = min(candidates, key=lambda candidate: candidate[:3])
    return [leaf for side in (left, right) for leaf in slice_bucket(side, codes, order, geometry, height)]


def assign(rows: Sequence[int], sensitive: Vectors, l: int, draw: Sequence[int]) -> list[list[list[int]]]:
    """Assign's buckets, each one list of rows per value; a value's rows are taken in ascending draw."""
    waiting: dict[int, list[int]] = {}
    for row in sorted(rows, key=lambda row: draw[row]):
        waiting.setdefault(sensitive[row][0], []).append(row)
    buckets = []
    for alpha, _, signature in assign_steps({value: len(column) for value, column in waiting.items()}, l):
        buckets.append([[waiting[value].pop(0) for _ in range(alpha)] for value in signature])
    return buckets


def ace(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    l: int,
    geometry: Sequence[Geometry],
    draw: Sequence[int],
    rows: Sequence[int] | None = None,
) -> list[Group]:
    """Assign, then Slice every bucket. There is one sensitive column."""
    group = list(range(len(codes)) if rows is None else rows)
    buckets = assign(group, sensitive, l, draw)
    return [leaf for columns in buckets for leaf in slice_bucket(columns, codes, order, geometry)]


def hybrid(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    l: int,
    geometry: Sequence[Geometry],
    draw: Sequence[int],
) -> list[Group]:
    """Tailor, then Ace inside each of its groups."""
    leaves = tailor(codes, order, sensitive, l, geometry)
    return [group for leaf in leaves for group in ace(codes, order, sensitive, l, geometry, draw, leaf)]


def as_grouping(groups: Iterable[Sequence[int]]) -> Grouping:
    """Groups from left to right as a value that can be compared and hashed."""
    return tuple(tuple(sorted(group)) for group in groups)


def labels(groups: Sequence[Sequence[int]]) -> list[int]:
    """For each row the number of its group, counted from the left."""
    found = {row: number for number, group in enumerate(groups) for row in group}
    return [found[row] for row in range(len(found))]


def geometry_of(attribute: Attribute) -> Geometry:
    """An attribute's geometry without its numpy arrays."""
    if attribute.chains is not None and attribute.leaves is not None:
        chains = tuple(tuple(int(node) for node in level) for level in attribute.chains)
        return Tree(chains, tuple(int(count) for count in attribute.leaves), int(attribute.width), attribute.importance)
    return Line(tuple(int(position) for position in attribute.positions), int(attribute.width), attribute.importance)


@dataclass(frozen=True)
class Inputs:
    """What the definitions above need of a table; ``order`` is the table's own, or given when it has none."""

    codes: list[tuple[int, ...]]
    order: list[int]
    sensitive: list[tuple[int, ...]]
    geometry: list[Geometry]


def inputs_of(table: Table, order: Sequence[int] | None = None) -> Inputs:
    """Read a table into plain lists."""
    rank = table.order if table.order is not None else order
    if rank is None:
        raise ValueError("a table without an identifier needs a row order")

    def vectors(role: Role) -> list[tuple[int, ...]]:
        columns = [table.codes[i].tolist() for i in table.having(role)]
        return list(zip(*columns, strict=True))

    geometry = [geometry_of(table.attributes[i]) for i in table.having(Role.QUASI)]
    return Inputs(vectors(Role.QUASI), [int(r) for r in rank], vectors(Role.SENSITIVE), geometry)
