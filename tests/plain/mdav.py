"""MDAV written down as it is defined, for comparison with the compiled one.

Nothing is imported from the package's methods or kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor, isqrt

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Table

RANGE = 2**20
Group = list[int]


def rounded(number: Fraction) -> int:
    return floor(number + Fraction(1, 2))


class Axis:
    """One quasi-identifier: how far values are apart, and their average."""

    def __init__(self, attribute: Attribute, steps: int = RANGE) -> None:
        self.attribute = attribute
        self.steps = steps
        self.width = max(int(attribute.width), 1)

    def value(self, code: int) -> int | None:
        """A place on the line, or the code of a category."""
        if self.attribute.kind is Kind.CATEGORY:
            return code
        if self.attribute.has_null and code == 0:
            return None
        share = Fraction(int(self.attribute.positions[code]), self.width)
        return rounded(share * self.steps) * self.attribute.importance

    def apart(self, one: int | None, other: int | None) -> int:
        if one == other:
            return 0
        everything = self.steps * self.attribute.importance
        if one is None or other is None:
            return everything
        if self.attribute.kind is not Kind.CATEGORY:
            return abs(one - other)
        chains, leaves = self.attribute.chains, self.attribute.leaves
        if chains is None or leaves is None:
            return everything
        node = next(int(level[one]) for level in chains if level[one] == level[other])
        return rounded(Fraction(int(leaves[node]) - 1, self.width) * self.steps) * self.attribute.importance

    def average(self, values: Sequence[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        if self.attribute.kind is Kind.CATEGORY:
            held = Counter(known)
            return min(held, key=lambda code: (-held[code], code))
        return rounded(Fraction(sum(known), len(known))) if known else None


def by_deviation(table: Table, quasi: Sequence[int]) -> list[Axis]:
    """Columns measured by their variance: half the mean square of how far two rows are apart."""
    variances = []
    for i in quasi:
        axis = Axis(replace(table.attributes[i], importance=1))
        values = [axis.value(int(code)) for code in table.codes[i]]
        variances.append(Fraction(sum(axis.apart(a, b) ** 2 for a in values for b in values), 2 * len(values) ** 2))
    least = min((one for one in variances if one), default=Fraction(1))
    steps = [isqrt(floor(RANGE**2 * least / one)) if one else RANGE for one in variances]
    return [Axis(table.attributes[i], one) for i, one in zip(quasi, steps, strict=True)]


def mdav(
    table: Table,
    order: Sequence[int],
    k: int,
    scale: str = "range",
    satisfies: Callable[[Group], bool] = lambda _: True,
) -> list[Group]:
    """The groups, in the order in which they are made; put together where one does not satisfy what is asked."""
    quasi = table.having(Role.QUASI)
    axes = [Axis(table.attributes[i]) for i in quasi] if scale == "range" else by_deviation(table, quasi)
    rows = [
        [axis.value(int(table.codes[i][row])) for axis, i in zip(axes, quasi, strict=True)] for row in range(len(table))
    ]
    left = sorted(range(len(table)), key=lambda row: order[row])
    groups: list[Group] = []

    def distance(one: Sequence[int | None], other: Sequence[int | None]) -> int:
        return sum(axis.apart(a, b) ** 2 for axis, a, b in zip(axes, one, other, strict=True))

    def farthest(centre: Sequence[int | None]) -> int:
        return max(left, key=lambda row: (distance(rows[row], centre), -order[row]))

    def average(some: Sequence[int] | None = None) -> list[int | None]:
        return [axis.average([rows[row][i] for row in (left if some is None else some)]) for i, axis in enumerate(axes)]

    def take(first: int) -> None:
        others = sorted(
            (row for row in left if row != first), key=lambda row: (distance(rows[row], rows[first]), order[row])
        )
        group = [first, *others[: k - 1]]
        left[:] = [row for row in left if row not in group]
        groups.append(sorted(group))

    while len(left) >= 3 * k:
        first = farthest(average())
        take(first)
        take(farthest(rows[first]))
    if len(left) >= 2 * k:
        take(farthest(average()))
    if left:
        groups.append(sorted(left))
    place = 0
    while place < len(groups):
        if satisfies(groups[place]):
            place += 1
            continue
        centre = average(groups[place])
        away = {n: distance(average(group), centre) for n, group in enumerate(groups) if n != place}
        other = min(away, key=lambda n: (away[n], n))
        groups[place] = sorted([*groups[place], *groups[other]])
        del groups[other]
        place -= other < place
    return groups
