"""How far off counts are that are made with a full-domain recoding: the rows for which conditions hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.lattice import Lattice, Node
from pellucid.anonymize.objectives import Kept, Objective
from pellucid.core.schema import Kind
from pellucid.core.schema.condition import Comparison, Condition, Known
from pellucid.core.table import Attribute
from pellucid.errors import MethodError
from pellucid.text.suggestions import meant
from pellucid.text.values import few, label_of

MOST_CASES = 2**20  # combinations of the values of a condition's columns
LEAST = Fraction(1, 200)  # an error is by at least this share of the rows, as query-error has it
PART = re.compile(r"""(?:[^;"']|"[^"]*"|'[^']*'|["'])+""")


def conditions(workload: str) -> list[Condition]:
    """The conditions of a workload, which semicolons separate.

    >>> [condition.columns for condition in conditions("age >= 65; age < 18 and town in ['Oslo; city', 'Rome']")]
    [['age'], ['age', 'town']]
    """
    return [Condition.of(part.strip()) for part in PART.findall(workload) if part.strip()]


class Counts(Objective):
    """The mean error of these counts, where a name is any of its values in the table, equally likely."""

    rises = False

    def __init__(self, lattice: Lattice, asked: Sequence[Condition], quasi: Sequence[Attribute]) -> None:
        super().__init__(lattice, Fraction(1), [], 0)
        places = {attribute.name: place for place, attribute in enumerate(quasi)}
        self.asked = [_Count(condition, places, quasi, lattice) for condition in asked]
        lowest = (0,) * len(lattice.shape)
        self.true = [float(count.shares(lowest) @ self.rows) for count in self.asked]

    def bound(self, node: Node) -> float:  # noqa: ARG002
        """Nothing: errors may cancel, so that every node is looked at."""
        return 0.0

    def value(self, node: Node, kept: Kept) -> Fraction:
        """The mean of the errors; what differs by less than a millionth is the same."""
        left = self.rows - self._withheld(self.lattice.classes(node), kept)
        least = float(LEAST * self.total)
        errors = [
            abs(true - float(count.shares(node) @ left)) / max(true, least)
            for count, true in zip(self.asked, self.true, strict=True)
        ]
        return Fraction(round(sum(errors) / len(errors) * 2**20), 2**20)


class _Count:
    """One condition: for which combinations of values it holds, and of what share of those below names."""

    def __init__(
        self, condition: Condition, places: dict[str, int], quasi: Sequence[Attribute], lattice: Lattice
    ) -> None:
        others = [name for name in condition.columns if name not in places]
        if others:
            raise MethodError(
                "the workload counts by {other!r}, which is no quasi-identifier",
                "name columns that are generalised: {known}",
                other=others[0],
                known=", ".join(places),
            )
        for asked in condition.comparisons:
            _refuse_no_value(asked, quasi[places[asked.column]])
        self.lattice = lattice
        self.columns = [places[name] for name in condition.columns]
        sizes = [len(quasi[place]) for place in self.columns]
        if prod(sizes) > MOST_CASES:
            raise MethodError(
                "a condition of the workload has {cases:,} combinations of values, and at most {most:,} are looked at",
                "use fewer columns in one condition, or round them",
                cases=prod(sizes),
                most=MOST_CASES,
            )
        grid = np.indices(sizes, np.int32).reshape(len(sizes), -1)
        known = {
            quasi[place].name: _known(quasi[place], codes) for place, codes in zip(self.columns, grid, strict=True)
        }
        self.holds = condition.holds(known).reshape(sizes).astype(np.float64)
        self.made: dict[Node, NDArray[np.float64]] = {}

    def shares(self, node: Node) -> NDArray[np.float64]:
        """For each vector of values the share of what its names stand for that satisfies the condition."""
        levels = tuple(node[place] for place in self.columns)
        if levels not in self.made:
            self.made[levels] = self._means(levels)
        nodes = [self.lattice.levels[place].nodes[level] for place, level in zip(self.columns, levels, strict=True)]
        vectors = (self.lattice.vectors[place] for place in self.columns)
        found: NDArray[np.float64] = self.made[levels][
            tuple(of[codes] for of, codes in zip(nodes, vectors, strict=True))
        ]
        return found

    def _means(self, levels: Node) -> NDArray[np.float64]:
        """The mean over the values below each combination of names."""
        found = self.holds
        for axis, (place, level) in enumerate(zip(self.columns, levels, strict=True)):
            nodes = self.lattice.levels[place].nodes[level]
            values = np.bincount(nodes)
            summed = np.zeros((len(values), *np.delete(found.shape, axis)))
            np.add.at(summed, nodes, np.moveaxis(found, axis, 0))
            found = np.moveaxis((summed.T / values).T, 0, axis)
        return found


def _refuse_no_value(asked: Comparison, attribute: Attribute) -> None:
    """Raise where a category is compared with what is no value of it, which would be counted as nobody."""
    if attribute.kind is not Kind.CATEGORY:
        return
    values = attribute.values.drop_nulls().to_list()
    known = [label_of(value) for value in values] if attribute.taxonomy is None else attribute.taxonomy.leaves
    wrong = [value for value in asked.values if value not in values and label_of(value) not in known]
    if wrong:
        raise MethodError(
            "the workload compares {name} with {wrong!r}, and {name} has no such value{meant}",
            "its values are {known}",
            name=attribute.name,
            wrong=wrong[0],
            meant=meant(label_of(wrong[0]), known),
            known=few(known),
        )


def _known(attribute: Attribute, codes: NDArray[np.int32]) -> Known:
    """The column as a condition looks at it."""
    ordered = attribute.kind is Kind.ORDERED
    order = [label_of(value) for value in attribute.values.drop_nulls()] if ordered else ()
    return Known(attribute.name, attribute.values, codes, order)
