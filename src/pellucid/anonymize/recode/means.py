"""Means: a group becomes one person in the middle of it, as microaggregation has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor, lcm
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.intervals import Intervals
from pellucid.anonymize.recode.published import Published, numbered, take, texts_of
from pellucid.anonymize.recode.recoder import Behind, RowRecoder
from pellucid.anonymize.recode.sets import LARGEST_SET
from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes, Table
from pellucid.messages import Message
from pellucid.published.choices import Choices
from pellucid.published.ends import MEAN, MEDIAN, NULLS
from pellucid.published.forms import CENTRE, CENTRES, group_shows
from pellucid.published.numbers import numbers_in
from pellucid.runtime.records import record

NO_VALUE = -1  # the place of a group that has nothing but nulls
NONE, SOME, ALL = range(3)  # how many of a group are null
WORDS = ("none", "some", "all")
EXACT_IN_DOUBLE = 1 << 53


class Means(RowRecoder):
    """Publish numbers and dates as the mean of a group, in a column ``age_mean`` of the column's own type.

    A mean is rounded (halves upwards) to the unit in which the column counts: years where ages are whole years, tenths
    where weights have one decimal, days where dates are days. With ``statistic="median"`` it is the middle value, of
    an even number the lower of the two, in ``age_median``. Ordered values have no mean: they become their median
    always. Categories have neither: they become what :class:`Intervals` makes of them, the common node or the set.
    Nulls are left aside, and ``age_nulls`` (none, some or all) says of which groups, where the column has nulls.

    **What it tells.** Quasi-identifiers of the group and nothing else, so every method keeps its promise about the
    sensitive values. A mean covers nobody: whoever is in the group may have any value of the column. Audits and attacks
    read it so (counts of :func:`pellucid.measure` take it as everybody's value, as readers do), and no chance of being
    in a group is ever counted from means (they say more together than each by itself): there the attacker is taken to
    know.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> for statistic in ("mean", "median"):
    ...     release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), recode=pc.Means(statistic=statistic), **roles)
    ...     print(release.frame[f"age_{statistic}"].to_list())
    [28, 28, 28, 28, 57, 57, 60, 60]
    [27, 27, 27, 27, 54, 54, 60, 60]

    Reference: J. Domingo-Ferrer, J. M. Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure
    control. TKDE 2002.
    """

    name: ClassVar[str] = "means"
    summary: ClassVar[str] = "the mean or the median of a group's numbers and dates"
    statistic: Literal["mean", "median"] = Field(
        default="mean", description="mean, or median: the middle value, of an even number the lower of the two"
    )
    largest_set: int | None = Field(default=LARGEST_SET, ge=1, description="the most values that are listed as a set")

    def spell(self, attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Published:
        """How every group's values of one attribute are published."""
        if attribute.kind is Kind.CATEGORY:
            return self._categories.spell(attribute, codes, grouping, threads)
        mine = codes[grouping.members]
        nulls = nulls_in(attribute, mine, grouping)
        place = (mean_positions if self._averages(attribute) else median_codes)(attribute, mine, grouping, nulls)
        keys = (place + 1) * len(WORDS) + nulls
        distinct, ranks = numbered(keys, int(keys.max(initial=0)) + 1)
        return Published(ranks, self.spell_keys(attribute, distinct), distinct)

    def spell_keys(self, attribute: Attribute, keys: NDArray[np.int64]) -> list[pl.Series]:
        """The published values of these keys."""
        if attribute.kind is Kind.CATEGORY:
            return self._categories.spell_keys(attribute, keys)
        place, nulls = keys // len(WORDS) - 1, keys % len(WORDS)
        if self._averages(attribute):
            centre = values_at(attribute, place).rename(f"{attribute.name}{MEAN}")
        else:
            values = attribute.values if attribute.kind is not Kind.ORDERED else texts_of(attribute)
            centre = take(values, place).rename(f"{attribute.name}{MEDIAN}")
        if not attribute.has_null:
            return [centre]
        return [centre, pl.Series(f"{attribute.name}{NULLS}", [WORDS[how] for how in nulls.tolist()], dtype=pl.String)]

    def distances(self, attribute: Attribute, codes: Codes, grouping: Grouping) -> NDArray[np.float64]:
        """How far each group's values lie from what is published of them, on average and by the range; with nulls 1."""
        mine = codes[grouping.members]
        nulls, places = nulls_in(attribute, mine, grouping), attribute.positions[mine]
        if self._averages(attribute):
            centres = mean_positions(attribute, mine, grouping, nulls)
        else:
            centres = attribute.positions[median_codes(attribute, mine, grouping, nulls)]
        apart = np.abs(places - np.repeat(centres, grouping.sizes)) / max(attribute.width, 1)
        mean_distance = np.add.reduceat(apart, grouping.starts[:-1]) / grouping.sizes
        return np.where(nulls == SOME, 1.0, np.where(nulls == ALL, 0.0, mean_distance))

    def clear_choices(self, table: Table, column: int, grouping: Grouping) -> tuple[Codes, Choices]:
        """Of categories what nodes and sets leave open, else any value, however it is written."""
        if table.attributes[column].kind is Kind.CATEGORY:
            return self._categories.clear_choices(table, column, grouping)
        return self._choices_read(table, column, grouping)

    def behind(self, attribute: Attribute) -> Behind:
        """Whoever has a value may be behind a mean, also where all values of the group are the same."""
        if attribute.kind is Kind.CATEGORY:
            return self._categories.behind(attribute)
        values = ~attribute.values.is_null().to_numpy()

        def tell(held: Codes) -> NDArray[np.bool_]:
            null = attribute.has_null and int(held[0]) == 0
            return (values if len(held) > int(null) else ~values) | (~values if null else False)

        return tell

    def stands_for(self, attribute: Attribute, held: Codes) -> NDArray[np.bool_]:
        """The same for two values or more."""
        return self.behind(attribute)(held)

    def tells_apart(self, attribute: Attribute) -> bool:
        """Means on both sides of a cut lie on both sides of it, if the line tells all values apart."""
        if attribute.kind is Kind.CATEGORY:
            return self._categories.tells_apart(attribute)
        if not self._averages(attribute):
            return True
        places = attribute.positions[int(attribute.has_null) :]
        return bool((np.diff(places) > 0).all()) and values_at(attribute, places).n_unique() == len(places)

    def may_write(self, attribute: Attribute, text: str) -> bool:
        """Of categories a set and what stands in place of a large one; other columns have names of their own."""
        return attribute.kind is Kind.CATEGORY and self._categories.may_write(attribute, text)

    def lists(self, attribute: Attribute) -> bool:
        """Categories without a taxonomy."""
        return self._categories.lists(attribute)

    @classmethod
    def uses_names(cls, kind: str) -> bool:
        """Of categories."""
        return Intervals.uses_names(kind)

    @classmethod
    def writes_values(cls, kind: str) -> bool:  # noqa: ARG003
        """Never: of categories it may be a node, else it is the middle of several."""
        return False

    def describe(self, forms: Sequence[Mapping[str, int]]) -> Message:
        """With the statistic that is meant."""
        return group_shows(forms, {CENTRE: CENTRES[self.statistic]})

    @property
    def _categories(self) -> Intervals:
        return Intervals(largest_set=self.largest_set)

    def _averages(self, attribute: Attribute) -> bool:
        """Whether a column gets a mean: it is asked for, and there is one."""
        dtype = attribute.values.dtype
        on_line = attribute.kind is not Kind.ORDERED and (dtype.is_numeric() or _is_time(dtype))
        return self.statistic == "mean" and on_line


def _is_time(dtype: pl.DataType) -> bool:
    return dtype == pl.Date or isinstance(dtype, pl.Datetime)


def nulls_in(attribute: Attribute, mine: Codes, grouping: Grouping) -> NDArray[np.int64]:
    """None, some or all of each group; ``mine`` are the codes of its members, group after group."""
    if not attribute.has_null:
        return np.zeros(len(grouping), np.int64)
    nulls = np.add.reduceat((mine == 0).astype(np.int64), grouping.starts[:-1])
    return np.where(nulls == 0, NONE, np.where(nulls < grouping.sizes, SOME, ALL)).astype(np.int64)


def mean_positions(
    attribute: Attribute, mine: Codes, grouping: Grouping, nulls: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The mean on the column's line of each group's values, halves upwards; nulls are left aside.

    Exact: positions are below 2**31, so that the positions of four billion rows add up in 64 bits.
    """
    places = attribute.positions[mine]
    values = places >= 0
    sums = np.add.reduceat(np.where(values, places, 0), grouping.starts[:-1])
    counts = np.maximum(np.add.reduceat(values.astype(np.int64), grouping.starts[:-1]), 1)
    rest = sums % counts
    return np.where(nulls == ALL, NO_VALUE, sums // counts + (rest >= counts - rest))


def median_codes(attribute: Attribute, mine: Codes, grouping: Grouping, nulls: NDArray[np.int64]) -> NDArray[np.int64]:
    """The code in the middle of each group's values, of an even number the lower one; nulls are left aside."""
    order = np.lexsort((mine, np.repeat(np.arange(len(grouping)), grouping.sizes)))  # a null is code 0, so it is first
    starts = grouping.starts[:-1].astype(np.int64)
    left_out = np.zeros(len(grouping), np.int64)
    if attribute.has_null:
        left_out = np.add.reduceat((mine == 0).astype(np.int64), starts)
    middle = starts + left_out + (np.maximum(grouping.sizes - left_out, 1) - 1) // 2
    middle = np.where(nulls == ALL, starts, middle)
    return np.where(nulls == ALL, NO_VALUE, mine[order][middle]).astype(np.int64)


@record()
class ValueLine:
    """From a place on a column's line back to its value: ``(first + step * (place - start)) / scale``, exactly."""

    start: int
    first: int
    step: int
    scale: int

    @classmethod
    def of(cls, attribute: Attribute) -> ValueLine:
        """The line through the least and the largest value of a column."""
        null = int(attribute.has_null)
        ends = attribute.values.gather([null, len(attribute.values) - 1])
        known: list[Any] = ends.to_physical().to_list() if _is_time(ends.dtype) else numbers_in(ends)
        low, high = (Fraction(end) for end in known)
        p, q = int(attribute.positions[null]), int(attribute.positions[-1])
        step = (high - low) / (q - p) if q > p else Fraction(0)
        scale = lcm(low.denominator, step.denominator)
        return cls(p, int(low * scale), int(step * scale), scale)

    def exactly(self, steps: int) -> Fraction:
        """The value so many steps from the least one."""
        return Fraction(self.first + self.step * steps, self.scale)


def values_at(attribute: Attribute, places: NDArray[np.int64]) -> pl.Series:
    """The values at these places of a column's line, in the column's own type; null where there is none.

    >>> import pellucid as pc
    >>> weights = pc.read(pl.DataFrame({"w": [40.5, 61.0, 90.0], "s": [1, 2, 3]}), quasi="w", sensitive="s")
    >>> values_at(weights.attributes[0], np.array([0, 206, -1])).to_list()
    [40.5, 61.1, None]
    """
    dtype, there = attribute.values.dtype, places >= 0
    if not there.any():
        return pl.Series(attribute.name, [None] * len(places), dtype=dtype)
    line = ValueLine.of(attribute)
    steps = np.where(there, places - line.start, 0)
    largest = abs(line.first) + abs(line.step) * int(np.abs(steps).max())
    if 2 * max(largest, line.scale) < EXACT_IN_DOUBLE and not isinstance(dtype, pl.Decimal):
        # both numbers are exact in double precision, so their quotient is the double nearest to the value
        scaled = line.first + line.step * steps
        numbers = scaled / line.scale if dtype.is_float() else (2 * scaled + line.scale) // (2 * line.scale)
        values = pl.Series(numbers).cast(dtype)
    else:
        values = _of_own_type([line.exactly(step) for step in steps.tolist()], dtype)
    return pl.select(pl.when(pl.Series(there)).then(values).alias(attribute.name)).to_series()


def _of_own_type(numbers: Sequence[Fraction], dtype: pl.DataType) -> pl.Series:
    """Exact numbers as a column of some type, halves upwards."""
    if dtype.is_float():
        return pl.Series([float(number) for number in numbers], dtype=pl.Float64).cast(dtype)
    digits = dtype.scale if isinstance(dtype, pl.Decimal) else 0
    whole = [floor(number * 10**digits + Fraction(1, 2)) for number in numbers]
    if isinstance(dtype, pl.Decimal):
        return pl.Series([Decimal(number).scaleb(-digits) for number in whole], dtype=dtype)
    return pl.Series(whole, dtype=pl.Int128).cast(dtype)
