"""What a release shows column by column, and how many rows are published alike: all that many metrics look at.

Counts of parts of a release add up to those of the release, so that these metrics are measured wherever its rows are:
from boxes in memory (:class:`~pellucid.metrics.boxes.Shown`), or from counts that Spark made (:class:`Counted`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from pellucid.core.table import Attribute, Codes
from pellucid.errors import MeasureError
from pellucid.metrics.workload import Workload
from pellucid.published.choices import Choices, Floats, Integers, Ticks
from pellucid.runtime.records import record


@record(eq=False)
class Margin:
    """One quasi-identifier, and what is published of it: a few choices."""

    attribute: Attribute
    choices: Choices

    @cached_property
    def ticks(self) -> Ticks:
        """The line that the column's values lie on."""
        return Ticks.of(self.attribute)


class RowTally(NamedTuple):
    """How much is published with each choice of each column, suppressed, and both together: in rows, or by weight."""

    published: Sequence[Integers | Floats]
    suppressed: float
    counted: float


class Averages:
    """What follows from margins."""

    def tally(self: Margins, *, weighted: bool = False) -> RowTally:
        """What a mean is over: rows, or the people for whom they stand."""
        return self.by_weight if weighted else RowTally(self.weights, self.suppressed, self.counted)

    @property
    def counted(self: Margins) -> int:
        """The rows that a mean is over: the published ones and the suppressed ones."""
        return self.rows + self.suppressed

    @property
    def classes_in_all(self: Margins) -> int:
        """How many classes there are."""
        return int(self.class_sizes[1].sum())

    def mean(
        self: Margins, column: int, of_choice: Floats, suppressed: float = 1.0, *, weighted: bool = False
    ) -> float:
        """The mean over rows of what their choice in a column has; suppressed rows have what is said.

        ``weighted``: each row counts by its weight. Raises where the column is published as means.
        """
        require_cells(self.columns[column])
        tally = self.tally(weighted=weighted)
        # summed exactly, so that the order of rows and of choices makes no difference
        total = math.fsum((tally.published[column] * of_choice).tolist()) + suppressed * tally.suppressed
        return total / tally.counted

    def by_column(self: Margins, values: Sequence[float]) -> dict[str, float]:
        """A figure for each quasi-identifier, by name."""
        return {of.attribute.name: value for of, value in zip(self.columns, values, strict=True)}


class Margins(Protocol):
    """What is published, column by column; what each says is told in :class:`Counted`."""

    @property
    def columns(self) -> Sequence[Margin]: ...  # noqa: D102
    @property
    def secrets(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def weights(self) -> Sequence[Integers]: ...  # noqa: D102
    @property
    def original(self) -> Sequence[Integers]: ...  # noqa: D102
    @property
    def original_rows(self) -> int: ...  # noqa: D102
    @property
    def rows(self) -> int: ...  # noqa: D102
    @property
    def class_sizes(self) -> tuple[Integers, Integers]: ...  # noqa: D102
    @property
    def suppressed(self) -> int: ...  # noqa: D102
    @property
    def added(self) -> int: ...  # noqa: D102
    @property
    def replaces(self) -> bool: ...  # noqa: D102
    @property
    def truth(self) -> Codes | None: ...  # noqa: D102
    @property
    def published(self) -> Codes | None: ...  # noqa: D102
    @property
    def counted(self) -> int: ...  # noqa: D102
    @property
    def classes_in_all(self) -> int: ...  # noqa: D102
    @property
    def by_weight(self) -> RowTally: ...  # noqa: D102
    def tally(self, *, weighted: bool = False) -> RowTally: ...  # noqa: D102
    def mean(  # noqa: D102
        self, column: int, of_choice: Floats, suppressed: float = 1.0, *, weighted: bool = False
    ) -> float: ...
    def by_column(self, values: Sequence[float]) -> dict[str, float]: ...  # noqa: D102


@record(eq=False)
class Counted(Averages):
    """Margins that were counted where the rows are.

    ``weights`` has for each of the ``columns``, the quasi-identifiers, how many rows are published with each choice,
    ``original`` how many rows of the original have each value. ``rows`` are published in boxes. ``class_sizes`` are
    the sizes that classes have, ascending, and how many classes have each. ``suppressed`` rows of the original are not
    published, or with nothing but ``*``; ``added`` published rows have nobody behind them. ``secrets`` names the
    sensitive columns; ``truth`` and ``published``, their codes where some were replaced, are known in memory only.
    ``books`` has the original's columns and values, without its rows. ``ask`` answers a workload from the original and
    from what is shown, where the rows are; None when it cannot. ``notes`` say what the figures leave out.
    """

    columns: tuple[Margin, ...]
    secrets: tuple[str, ...]
    weights: tuple[Integers, ...]
    original: tuple[Integers, ...]
    original_rows: int
    rows: int
    class_sizes: tuple[Integers, Integers]
    suppressed: int
    added: int
    replaces: bool
    books: tuple[Attribute, ...]
    ask: Callable[[Workload], tuple[Integers, Floats]] | None = None
    truth: Codes | None = None
    published: Codes | None = None
    carried: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def by_weight(self) -> RowTally:
        """Weights are not added up with Spark."""
        raise MeasureError("weighted = true: weights are not added up with Spark; measure this release in memory")


def require_cells(margin: Margin) -> None:
    """Raise where a column is published as means or medians: they leave no share of it open, and are no value either.

    27 of a group of 20, 25 and 36 covers none of them; taken as a cell that may be anything it would keep nothing, and
    as the value of each row everything.
    """
    if margin.choices.centred:
        raise MeasureError(
            f"{margin.attribute.name} is published as means of groups, of which nothing says how much of the column "
            "they leave open; measure sse and query-error, which take the mean as everybody's value"
        )


def added_up(codes: Codes, rows: Integers, size: int) -> Integers:
    """How many rows have each of so many codes, where so many rows have what each of these codes is of.

    >>> added_up(np.array([0, 1, 0], np.int32), np.array([2, 4, 3]), 3)
    array([5, 4, 0])
    """
    sums = np.zeros(size, np.int64)
    np.add.at(sums, codes, rows)
    return sums


def sizes_of_classes(sizes: Integers) -> tuple[Integers, Integers]:
    """The different sizes of classes, ascending, and how many classes have each.

    >>> sizes_of_classes(np.array([2, 4, 2]))
    (array([2, 4]), array([2, 1]))
    """
    return np.unique(sizes, return_counts=True)
