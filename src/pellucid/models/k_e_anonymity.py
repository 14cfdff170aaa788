"""(k,e)-anonymity: groups of rows whose numbers spread."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes
from pellucid.errors import ModelError
from pellucid.kernels import worst_case as kernel
from pellucid.messages import Message
from pellucid.models.exact import Direction, Rational, at_least, exact, some_rows
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel, Sizes


class KEAnonymity(PrivacyModel):
    """Every group has at least k rows whose sensitive numbers span at least e: nobody's number is known to within e.

    Definition: ``|G| >= k`` and ``max - min >= e`` in every group; with ``distinct``, at least k different numbers
    instead of k rows. (Zhang et al. ask for k different values, Wong et al. 2007, whom we follow, for k rows.) A null
    is a row, and with ``distinct`` a value, but no number: it does not widen a group. Numbers are taken as the decimals
    that denote them.

    The level states the largest e and the largest k; they do not depend on each other.

    >>> import polars as pl
    >>> from pellucid.io import read
    >>> pay = read(pl.DataFrame({"q": [1, 2, 3], "pay": [10, 20, 25]}), quasi="q", sensitive="pay").attributes[1]
    >>> counts = np.array([[1, 0, 1], [0, 2, 1]])
    >>> KEAnonymity(k=2, e=10).check_counts(counts, np.array([1, 2, 2]), attribute=pay).tolist()
    [True, False]
    """

    name: ClassVar[str] = "(k,e)-anonymity"
    summary: ClassVar[str] = "groups of at least k rows whose sensitive numbers span at least e"
    reference: ClassVar[str] = (
        "Zhang, Koudas, Srivastava, Yu: Aggregate query answering on anonymized tables. ICDE 2007."
    )
    place: ClassVar[int] = 130
    directions: ClassVar[Mapping[str, Direction]] = {"e": "largest", "k": "largest"}
    examples: ClassVar[Mapping[str, str]] = {"k": "3", "e": "1000"}

    k: int = Field(ge=1, description="the least number of rows of a group, or of different values when distinct")
    e: Rational = Field(ge=0, description="the least difference between a group's largest and smallest number")
    distinct: bool = Field(default=False, description="whether k counts different values instead of rows")

    @property
    def asks_nothing(self) -> bool:
        """With k = 1 a row may be alone."""
        return self.k == 1

    def unfit(self, groups: Groups) -> Message | None:
        """Only numbers have a range."""
        if groups.attribute.kind is not Kind.NUMBER:
            return Message(
                "{attribute!r} is no number and has no range; use l-diversity or t-closeness",
                attribute=groups.attribute.name,
            )
        return None

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The ranges, and the sizes or numbers of different values."""
        first, last = groups.starts[:-1], groups.starts[1:] - 1
        low, high = groups.codes[first], groups.codes[last]
        if groups.attribute.has_null:  # code 0 is null: the smallest number is the next, if there is one
            with_null = low == 0
            low = np.where(with_null & (last > first), groups.codes[np.minimum(first + 1, last)], low)
        ends = np.unique(np.concatenate((low, high)))  # a column may have as many numbers as rows: two per group count
        numbers, unit = integers(groups.attribute, ends)
        spans = numbers[np.searchsorted(ends, high)] - numbers[np.searchsorted(ends, low)]
        return {
            "e": Ratios(spans, np.full(len(groups), unit, dtype=spans.dtype)),
            "k": Ratios(groups.distinct if self.distinct else groups.sizes, 1),
        }

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The range."""
        many = some_rows(values["k"], "different value" if self.distinct else "row")
        return Message(
            "every group has {many}, and its {name} spans at least {at_least}",
            many=many,
            name=groups.attribute.name,
            at_least=at_least(values["e"]),
        )

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """One more than the rows of the fullest window narrower than e, nulls included; and k."""
        if attribute is None or attribute.kind is not Kind.NUMBER:
            raise ModelError("{name} needs the column of numbers", "pass attribute=", name=self.name)
        numbers, unit = integers(attribute)
        counts = np.asarray(counts, dtype=np.int64)
        size = 1
        if self.e > 0:
            nulls = int(counts[0]) if attribute.has_null else 0
            first = int(attribute.has_null)
            running = np.append(0, np.cumsum(counts[first:]))
            ends = np.searchsorted(numbers[first:], numbers[first:] + math.ceil(self.e * unit), side="left")
            fullest = int((running[ends] - running[:-1]).max(initial=0)) if len(ends) else 0
            size = 1 + nulls + fullest
        most = np.sort(counts)[::-1]
        size = max(size, 1 + int(most[: self.k - 1].sum()) if self.distinct else self.k)
        return size if size <= int(counts.sum()) else None

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """The windows are found once, as the first code beyond the window that begins at each."""
        if attribute.kind is not Kind.NUMBER:
            return super().worst_case_sizes(table_counts, attribute)
        first = int(attribute.has_null)
        beyond = np.arange(len(attribute), dtype=np.int64)
        if self.e > 0:
            numbers, unit = integers(attribute)
            ends = np.searchsorted(numbers[first:], numbers[first:] + math.ceil(self.e * unit), side="left")
            beyond[first:] = ends + first

        def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
            size = 1 + kernel.fullest_window(codes, counts, beyond, first) if self.e > 0 else 1
            if not self.distinct:
                return max(size, self.k)
            return max(size, 1 + int(np.sort(counts)[::-1][: self.k - 1].sum()))

        return size_of


def integers(attribute: Attribute, codes: Codes | None = None) -> tuple[NDArray[Any], int]:
    """The numbers of codes (all when None) as multiples of one over an integer, which is returned too; a null is 0.

    64-bit integers where they fit, else Python's.
    """
    chosen = attribute.values if codes is None else attribute.values.gather(codes.astype(np.uint32))
    values = [Fraction(0) if value is None else exact(value) for value in chosen.to_list()]
    unit = math.lcm(*(value.denominator for value in values))
    scaled = [int(value * unit) for value in values]
    fits = max(map(abs, scaled)) < 2**60 and unit < 2**60
    return np.array(scaled, dtype=np.int64 if fits else object), unit
