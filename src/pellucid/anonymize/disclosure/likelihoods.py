"""What methods tell somebody who knows them: the shape of each group, found again from quasi-identifiers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.models import Groups, PrivacyModel
from pellucid.posterior.column import TableCounts
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.shape import Likelihood, Plain, Shape

Parts = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[Any]]
Sides = NDArray[np.bool_]  # of each member of a group: whether it is on the left


def whole_counts(published: Groups) -> tuple[tuple[Any, int], ...]:
    """The sensitive counts of the whole table by value, as shapes have them."""
    return TableCounts.of(published.attribute, published.table_counts.tolist())


def order_of(people: Table, grouping: Grouping) -> NDArray[np.int64]:
    """The row order: the identifier's; without one, that in which the method has its rows, as if it were known."""
    if people.order is not None:
        return people.order
    order = np.full(len(people), len(people), np.int64)
    order[grouping.members] = np.arange(len(grouping.members))
    return order


@dataclass
class ShapeCollector:
    """Collects the shapes of groups, equal ones once, and the parts of their rows."""

    groups: int
    rows: int
    shapes: dict[Shape, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.of_group = np.zeros(self.groups, np.int32)
        self.part = np.zeros(self.rows, np.int32)

    def group(self, number: int, shape: Shape, members: Codes, parts: Sequence[int] | NDArray[Any] | int = 0) -> None:
        """Note that a group has this shape and its members are in these parts."""
        self.of_group[number] = self.shapes.setdefault(shape, len(self.shapes))
        self.part[members] = parts

    def likelihood(self) -> Likelihood:
        """The whole."""
        return Likelihood(list(self.shapes), self.of_group, self.part)


def members_of(grouping: Grouping) -> Iterator[tuple[int, Codes]]:
    """The groups with their rows."""
    starts = grouping.starts.tolist()
    for group in range(len(grouping)):
        yield group, grouping.members[starts[group] : starts[group + 1]]


def ranks_in_groups(grouping: Grouping, place: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
    """The rows of the groups, group after group, each by its place in the line; and each one's number in its group."""
    along = np.full(len(place), -1, np.int32)
    along[place] = grouping.labels
    line = np.empty(len(place), np.int32)
    line[place] = np.arange(len(place), dtype=np.int32)
    order = np.argsort(along, kind="stable")[grouping.rows - len(grouping.members) :]
    return line[order], np.arange(len(order)) - np.repeat(grouping.starts[:-1], grouping.sizes)


def told_by_size(
    grouping: Grouping, place: NDArray[np.int64], shape: Callable[[int], Shape], parts: Parts
) -> Likelihood:
    """Of groups whose shape follows from their size: ``parts(rank, size)`` is the part of the row at that place."""
    distinct, of_group = np.unique(grouping.sizes, return_inverse=True)
    rows, rank = ranks_in_groups(grouping, place)
    part = np.zeros(grouping.rows, np.int32)
    part[rows] = parts(rank, np.repeat(grouping.sizes, grouping.sizes))
    return Likelihood([shape(int(size)) for size in distinct], of_group.astype(np.int32), part)


def refused(cuts: Sequence[Sides], model: PrivacyModel, whole: tuple[tuple[Any, int], ...]) -> tuple[Shape, list[int]]:
    """The shape of a group whose every cut was refused, and the part of each member."""
    if not cuts:
        raise ValueError("no cut was tried")
    keys = [tuple(side) for side in np.stack(cuts, axis=1).tolist()]
    cells = sorted(set(keys), reverse=True)  # left before right
    place = {cell: part for part, cell in enumerate(cells)}
    parts = [place[key] for key in keys]
    sizes = tuple(parts.count(part) for part in range(len(cells)))
    left = tuple(tuple(bool(cell[cut]) for cell in cells) for cut in range(len(cuts)))
    return Refused(sizes, left, model, whole), parts


def median_cuts(
    people: Table, members: Codes, order: NDArray[np.int64], *, strict: bool, retry: bool
) -> Iterator[Sides]:
    """The cuts that Mondrian tries of a group, widest attribute first; only the first without ``retry``."""
    quasi = people.having(Role.QUASI)
    columns = [people.codes[i][members] for i in quasi]
    widths = [extent(people.attributes[i], codes) for i, codes in zip(quasi, columns, strict=True)]
    size = len(members)
    for place in sorted(range(len(quasi)), key=lambda i: (-widths[i], i)):
        if widths[place] == 0:
            return
        codes = columns[place]
        line = np.lexsort((order[members], codes))
        left = np.zeros(size, dtype=bool)
        if strict:
            left = codes < codes[line[size // 2]]
            if not left.any():
                continue
        else:
            left[line[: (size + 1) // 2]] = True
        yield left
        if not retry:
            return


def extent(attribute: Attribute, codes: Codes) -> Fraction:
    """How much of the attribute's domain these codes span, from 0 to 1, times its importance; exact."""
    return attribute.importance * _share(attribute, codes)


def _share(attribute: Attribute, codes: Codes) -> Fraction:
    low, high = int(codes.min()), int(codes.max())
    if low == high or attribute.width == 0:
        return Fraction(int(low != high and attribute.has_null and low == 0))
    if attribute.chains is not None and attribute.leaves is not None:
        ends = attribute.chains[:, [low, high]]
        node = int(ends[int(np.argmax(ends[:, 0] == ends[:, 1])), 0])
        return Fraction(int(attribute.leaves[node]) - 1, int(attribute.width))
    if attribute.has_null and low == 0:
        return Fraction(1)
    return Fraction(int(attribute.positions[high] - attribute.positions[low]), int(attribute.width))


def plain(telling: ShapeCollector, group: int, members: Codes) -> None:
    """Note that a group tells nothing but its counts."""
    telling.group(group, Plain((len(members),)), members)
