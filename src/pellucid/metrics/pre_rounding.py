"""What rounding and caps lost: cells of a rounded column as cells of the column before it was rounded.

A method groups, and a release shows, the values that a schema rounds to and caps at. A figure of what is lost is about
the column that people brought, so that each of these values stands for its *band*: all that become it, on the line of
the original. A class that begins at 30 where the next begins at 65 is [30, 65), a multiple of 10 the ten around it, the
end of a capped column whatever lies beyond, as far as the original's line reaches. A cell that leaves some rounded
values open leaves open all of their bands.

- ``extent``: of an interval, and of a value, the width of its bands by the range; in a column with sets or broader
  names, whose values are counted, the values less one by all values less one; null beside an interval is 1 as ever.
- ``covered`` and ``domain`` count values of the original.
- ``height``: bands are one level more at the bottom of the column's taxonomy; without one there are two, as ever.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.schema.rounding import Quantiles, Rounding
from pellucid.core.table import AsItWas, Attribute, Table
from pellucid.messages import Message
from pellucid.published.choices import Choices, Floats, Integers, Ticks
from pellucid.published.numbers import numbers_in
from pellucid.runtime.records import record

NEARLY = 1e-4  # of a step of the line: floats that are an integer but for rounding
MONTHS = {"month": 1, "quarter": 3, "year": 12}


@record(eq=False)
class Bands:
    """For each value of a rounded column, null left out, the first and the last tick of what became it."""

    low: Integers
    high: Integers

    @classmethod
    def of(cls, rounded: Attribute, was: AsItWas) -> Bands:
        """The bands of a column that was rounded, capped or both: by what its schema says, and by all that occurs."""
        line, width = _Line.of(was.attribute), was.attribute.width
        null = int(rounded.has_null)
        begins, ends = _thresholds(rounded.values.slice(null), rounded, line)
        low, high = line.first_from(begins), line.first_from(ends) - 1
        there, places = was.becomes[null:] - null, was.attribute.positions[null:]
        np.minimum.at(low, there, places)
        np.maximum.at(high, there, places)
        return cls(np.clip(low, 0, width), np.clip(high, 0, width))


@record(eq=False)
class _Line:
    """The line of a column: numbers, or for dates their physical form, as ticks."""

    start: float
    scale: float  # ticks for each unit of what is counted
    dtype: pl.DataType

    @classmethod
    def of(cls, attribute: Attribute) -> _Line:
        null = int(attribute.has_null)
        ends = attribute.values.gather([null, len(attribute.values) - 1])
        first, last = _numbers(ends)
        p, q = int(attribute.positions[null]), int(attribute.positions[-1])
        # a single value: of whole numbers, and of days, a tick is one of them
        scale = (q - p) / (last - first) if last > first else 1.0
        return cls(first - p / scale, scale, attribute.values.dtype)

    def ticks(self, numbers: Floats) -> Floats:
        return (numbers - self.start) * self.scale

    def first_from(self, numbers: Floats) -> Integers:
        """The first tick that is not below each number; numbers may be infinite."""
        there = np.clip(self.ticks(numbers), -2.0, 2.0**32)
        return np.ceil(there - NEARLY).astype(np.int64)

    def numbers(self, values: pl.Series) -> Floats:
        """Values of the rounded column on this line."""
        if values.dtype.is_temporal() and values.dtype != self.dtype:
            return np.array([self.number(value) for value in values.to_list()], np.float64)
        return (values.to_physical() if values.dtype.is_temporal() else values).cast(pl.Float64).to_numpy()

    def number(self, bound: Any) -> float:
        """A value that a schema says, on this line: of a day its first moment."""
        if not isinstance(bound, date):
            return float(bound)
        moment = bound if isinstance(bound, datetime) else datetime(bound.year, bound.month, bound.day)
        if not isinstance(self.dtype, pl.Datetime):
            return float(bound.toordinal() - date(1970, 1, 1).toordinal())
        there = pl.Series([moment.replace(tzinfo=None)], dtype=pl.Datetime("us"))
        if self.dtype.time_zone is not None:
            there = there.dt.replace_time_zone(self.dtype.time_zone, ambiguous="earliest", non_existent="null")
        return float(there.cast(self.dtype).to_physical().fill_null(0).item())


def _numbers(values: pl.Series) -> list[float]:
    if values.dtype.is_temporal():
        return [float(number) for number in values.to_physical().to_list()]
    return [float(number) for number in numbers_in(values) if number is not None]


def _thresholds(values: pl.Series, rounded: Attribute, line: _Line) -> tuple[Floats, Floats]:
    """Where the band of each value begins, and where what follows it does, on the line before rounding."""
    rounding = rounded.rounding
    at = line.numbers(values)
    if rounding is None:
        begins, ends = at, at + 2 * NEARLY / line.scale  # the value itself
    elif isinstance(rounding, str):
        following = [line.number(_next(day, MONTHS[rounding])) for day in values.to_list()]
        begins, ends = at, np.array(following, np.float64)
    elif isinstance(rounding, int | float):
        begins, ends = at - rounding / 2, at + rounding / 2
    else:
        begins, ends = _classes(at, rounding, line)
    return _beyond(begins, ends, values, rounded)


def _classes(at: Floats, rounding: Rounding, line: _Line) -> tuple[Floats, Floats]:
    told = rounding.begin if isinstance(rounding, Quantiles) else rounding
    assert isinstance(told, tuple)
    begins = np.array([line.number(begin) for begin in told], np.float64)
    place = np.searchsorted(begins, at, "right") - 1
    return np.append(-np.inf, begins[1:])[place], np.append(begins[1:], np.inf)[place]


def _beyond(begins: Floats, ends: Floats, values: pl.Series, rounded: Attribute) -> tuple[Floats, Floats]:
    """The ends of a capped column reach as far as its line."""
    cap, begins, ends = rounded.cap, begins.copy(), ends.copy()
    if cap is not None and len(values):
        if cap.low is not None and _equal(values[0], cap.low):
            begins[0] = -np.inf
        if cap.high is not None and _equal(values[-1], cap.high):
            ends[-1] = np.inf
    return begins, ends


def _equal(value: Any, end: Any) -> bool:
    return bool(value == end) if isinstance(value, date) else float(value) == float(end)


def _next(day: date, months: int) -> date:
    """The first day of the part of a year that follows; after the last year there is the last day."""
    month = day.month - 1 + months
    year = day.year + month // 12
    return date.max if year > date.max.year else date(year, month % 12 + 1, 1)


def not_counted(table: Table) -> list[str]:
    """A sentence for each sensitive column that was rounded or capped: what that lost is in no figure.

    Groups show how often each rounded value occurs, and nothing spreads that over what it stands for.
    """
    columns = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    return [left_out(of, len(table.before[of.name].attribute)) for of in columns if of.name in table.before]


def left_out(rounded: Attribute, values: int) -> Message:
    """What was done to a column of so many values before, and that no figure counts it.

    >>> import pellucid as pc
    >>> table = pc.read(pl.DataFrame({"age": [31, 32, 47], "ill": list("abc")}), quasi="age", sensitive="ill")
    >>> left_out(replace(table.attributes[0], rounding=5), 3)
    'age was rounded to multiples of 5 before; what that lost is not in the figures: 3 values became 3'
    """
    return Message(
        "{rounded} was {rounded_how} before; what that lost is not in the figures: {values:,} values became {number:,}",
        rounded=rounded.name,
        rounded_how=rounded_how(rounded.rounding),
        values=values,
        number=len(rounded),
    )


def rounded_how(rounding: Rounding | None) -> Message:
    """What was done to a column that was rounded so, or without it capped.

    >>> rounded_how((0, 18)), rounded_how("year"), rounded_how(None)
    ('put into classes', 'rounded to the year', 'capped')
    """
    if rounding is None:
        return Message("capped")
    if isinstance(rounding, str):
        return Message("rounded to the {rounding}", rounding=rounding)
    return (
        Message("rounded to multiples of {rounding}", rounding=rounding)
        if isinstance(rounding, int | float)
        else Message("put into classes")
    )


def before_rounding(choices: Choices, rounded: Attribute, before: AsItWas) -> Choices:
    """The same published cells as choices of the column before it was rounded."""
    was = before.attribute
    coarse, fine = Ticks.of(rounded), Ticks.of(was)
    bands = Bands.of(rounded, before)
    null = int(rounded.has_null)
    places = coarse.of_code[null:]
    first, last = np.searchsorted(places, choices.low, "left"), np.searchsorted(places, choices.high, "right") - 1
    owner = np.repeat(np.arange(len(choices)), np.diff(choices.starts))
    inside = last >= first  # a run without any value that occurs covers nobody
    low, high, owner = bands.low[first[inside]], bands.high[last[inside]], owner[inside]
    if len(places) > 1:  # an interval of somebody else's may end between two values
        low, high = _as_far(choices, inside, (rounded, was), (low, high))
    low, high, owner = _apart(low, high, owner)
    starts = np.append(0, np.cumsum(np.bincount(owner, minlength=len(choices)))).astype(np.int64)
    none = np.zeros(len(choices))
    ones = np.ones(len(choices), np.int64)
    made = Choices(starts, low, high, choices.nulls, none, ones, ones * len(was), none, choices.counted)
    covered = np.maximum(made.weights(fine, np.ones(len(was))).astype(np.int64), 1)
    made = replace(made, covered=covered, centre=_centres(choices, rounded, was))
    return replace(made, extent=_extents(choices, made, fine), height=_heights(choices, rounded, made))


def _centres(choices: Choices, rounded: Attribute, was: Attribute) -> Floats | None:
    """Where means of the rounded column lie on the line before rounding."""
    if choices.centre is None:
        return None
    mine, theirs = _Line.of(rounded), _Line.of(was)
    numbers = choices.centre / mine.scale + mine.start
    if mine.dtype == pl.Date and isinstance(theirs.dtype, pl.Datetime):  # a day is its first moment
        numbers = numbers * (theirs.number(date(1970, 1, 2)) - theirs.number(date(1970, 1, 1)))
    return theirs.ticks(numbers)


def _as_far(
    choices: Choices,
    inside: NDArray[np.bool_],
    columns: tuple[Attribute, Attribute],
    reached: tuple[Integers, Integers],
) -> tuple[Integers, Integers]:
    """Runs that reach at least as far on the line before rounding as they do on that of the rounded column."""
    rounded, was = columns
    mine, theirs = _Line.of(rounded), _Line.of(was)
    if mine.dtype.is_temporal() and mine.dtype != theirs.dtype:  # days of moments: bands say it
        return reached
    low, high = (theirs.ticks(runs[inside] / mine.scale + mine.start) for runs in (choices.low, choices.high))
    ends = np.ceil(low - NEARLY).astype(np.int64), np.floor(high + NEARLY).astype(np.int64)
    return (
        np.clip(np.minimum(reached[0], ends[0]), 0, was.width),
        np.clip(np.maximum(reached[1], ends[1]), 0, was.width),
    )


def _apart(low: Integers, high: Integers, owner: Integers) -> tuple[Integers, Integers, Integers]:
    """Runs of one choice that touch or overlap as one."""
    if len(low) == 0:
        return low, high, owner
    follows = np.append(False, (owner[1:] == owner[:-1]) & (low[1:] <= high[:-1] + 1))
    begins = np.flatnonzero(~follows)
    return low[begins], np.maximum.reduceat(high, begins), owner[begins]


def _extents(choices: Choices, made: Choices, fine: Ticks) -> Floats:
    """How much of the column before rounding each choice leaves open."""
    counted = (choices.counted & ~choices.single).any()  # then the band of a value is, too
    lowest, highest = _ends(made)
    width = (highest - lowest) / max(fine.count - 1, 1)
    shares = (made.covered - 1) / np.maximum(made.domain - 1, 1)
    found = np.where(counted, shares, width)
    nothing = choices.nulls & choices.single
    return np.where(nothing, 0.0, np.where(choices.extent >= 1, 1.0, found))


def _ends(made: Choices) -> tuple[Integers, Integers]:
    """The first and the last tick of each choice; of one without ticks they are 0."""
    some = np.diff(made.starts) > 0
    lowest, highest = np.zeros(len(made), np.int64), np.zeros(len(made), np.int64)
    lowest[some], highest[some] = made.low[made.starts[:-1][some]], made.high[made.starts[1:][some] - 1]
    return lowest, highest


def _heights(choices: Choices, rounded: Attribute, made: Choices) -> Floats:
    """How far up each choice stands: a tree has the bands as one more level, below all of its own."""
    lowest, highest = _ends(made)
    several = (highest > lowest) | (made.nulls & (np.diff(made.starts) > 0)) | (choices.height > 0)
    if rounded.taxonomy is None:
        return several.astype(np.float64)
    levels = max(rounded.taxonomy.height, 1)
    return np.where(several, (choices.height * levels + 1) / (levels + 1), 0.0)
