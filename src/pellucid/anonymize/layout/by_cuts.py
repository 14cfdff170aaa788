"""What a method offers that can group a table which no single machine holds: cuts first, then part by part.

Such a method is Tailor at the top. Whether and where to cut a group follows from the sensitive counts of the group and
from the boxes of its rows, which add up over machines. A part that is small enough is grouped like a table of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.tentative_cuts import ROOT_PLACE, Place, Trying
from pellucid.anonymize.same import Apart
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table
from pellucid.models import PrivacyModel
from pellucid.models.groups import Counts

# from a group's rows and, for each sensitive column, the codes that occur and how often
RowsNeeded = Callable[[int, Sequence[tuple[Counts, Counts]]], int]


@runtime_checkable
class InParts(Protocol):
    """A method that can group a table in parts.

    ``outline`` is the table without its rows, ``counts`` one array for each sensitive column of the whole table.
    """

    def check_counts(self, outline: Table, counts: Sequence[Counts]) -> None:
        """Raise when the table cannot be published with these parameters."""

    def rows_needed(self, outline: Table, counts: Sequence[Counts]) -> RowsNeeded:
        """What says how many rows each side of a cut needs."""

    def group_part(self, table: Table, counts: Sequence[Counts], coins: Coins) -> Grouping:
        """The groups of one part."""


@runtime_checkable
class TriedInParts(InParts, Protocol):
    """One that also tries cuts which are not certain: a part goes on from its place in the tree."""

    def trying(self, outline: Table, coins: Coins) -> Trying:
        """What decides about the cuts that are tried."""

    def group_part(self, table: Table, counts: Sequence[Counts], coins: Coins, place: Place = ROOT_PLACE) -> Grouping:
        """The groups of one part."""


@runtime_checkable
class CutBetweenCodes(InParts, Protocol):
    """One whose cuts are all between different codes, and that first divides the table by some quasi-identifiers.

    What is believed differs by group, and is told of all parts together.
    """

    size: int  # of a group before it is divided further

    def apart(self, outline: Table) -> list[Apart]:
        """The columns of which no group mixes values."""

    def beyond(self, table: Table, grouping: Grouping) -> Mapping[str, NDArray[np.float64]]:
        """Of each sensitive column and group how much is believed at most where that is more than usual, else 0."""

    def above_most(self, table: Table, grouping: Grouping) -> Above:
        """Of which groups of a part more is believed than was asked for."""

    def require_most(self, above: Above) -> None:
        """Raise where there are such groups in any part."""


def larger(bounds: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    """The bounds above a limit, and 0 for the others; what differs in the last bits is the same."""
    return np.where(bounds > limit * (1 + 1e-12), bounds, 0)


class Above(NamedTuple):
    """Of how many groups more is believed than some limit, their rows, and the most that is.

    ``half``: rows of groups with more than 1/2. ``whole`` and ``certain``: the groups with 1, and their rows.
    ``people``: all to whom the column applies.

    >>> some = Above.of(np.array([0, 0.75, 0.6, 1]), np.array([2, 8, 5, 4]))
    >>> some
    Above(groups=3, rows=17, most=1.0, half=17, whole=1, certain=4, people=19)
    >>> Above.together([some, Above.of(np.array([0.5]), np.array([2]))])
    Above(groups=4, rows=19, most=1.0, half=17, whole=1, certain=4, people=21)
    """

    groups: int
    rows: int
    most: float
    half: int = 0
    whole: int = 0
    certain: int = 0
    people: int = 0

    @classmethod
    def of(cls, bounds: NDArray[np.float64], sizes: NDArray[np.integer]) -> Above:
        """Those of some groups, of which so many rows count: 0 where no more is believed."""
        bounds = np.where(sizes, bounds, 0)
        above, half, certain = bounds > 0, bounds > 0.5, bounds == 1
        rows, of_half, of_certain = (int(sizes[some].sum()) for some in (above, half, certain))
        return cls(
            int(above.sum()),
            rows,
            float(bounds.max(initial=0)),
            of_half,
            int(certain.sum()),
            of_certain,
            int(sizes.sum()),
        )

    @classmethod
    def together(cls, parts: Iterable[Above]) -> Above:
        """Those of all parts."""
        groups, rows, most, *others = zip(*parts, strict=True)
        return cls(sum(groups), sum(rows), max(most), *map(sum, others))


def sensitive_of(table: Table) -> list[Attribute]:
    """The sensitive columns of a table."""
    return [table.attributes[i] for i in table.having(Role.SENSITIVE)]


def times_most_frequent(l: int) -> RowsNeeded:
    """L times the rows of the most frequent value.

    >>> times_most_frequent(3)(10, [(np.array([0, 4]), np.array([8, 2]))])
    24
    """
    return lambda _, columns: l * max(int(counts.max()) for _, counts in columns)


def by_model(model: PrivacyModel, attributes: Sequence[Attribute], counts: Sequence[Counts]) -> RowsNeeded:
    """The size from which on any choice of the group's rows satisfies a model, in every column."""
    thresholds = [model.threshold(attribute) for attribute in attributes]
    sizes = [
        model.worst_case_sizes(of_table, attribute)
        for attribute, of_table in zip(attributes, counts, strict=True)
        if not all(thresholds)
    ]

    def of_column(column: int, rows: int, codes: Counts, of_codes: Counts) -> int:
        threshold = thresholds[column]
        if sizes or threshold is None:
            return sizes[column](codes, of_codes, max(1, rows // 2))
        dense = np.zeros(len(attributes[column]), np.int64)
        dense[codes] = of_codes
        return threshold.of(dense)

    return lambda rows, columns: min(rows, max(of_column(i, rows, *column) for i, column in enumerate(columns)))
