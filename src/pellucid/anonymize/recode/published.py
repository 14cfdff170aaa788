"""One column as it will be published: a few distinct texts, and which of them each group gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.ranges import Ranges, ranges_of
from pellucid.anonymize.methods import Grouping
from pellucid.core.schema.rounding import Quantiles
from pellucid.core.table import Attribute, Codes, frequencies
from pellucid.published.choices import Choices, Ticks, intervals, values_as_they_are
from pellucid.runtime.parallel import run, stretches
from pellucid.runtime.records import record
from pellucid.runtime.series import series_of

PIECE = 1 << 19  # rows made at a time
FEW = 1 << 22  # so many possible keys are numbered by a table of flags instead of by sorting


@record(eq=False)
class Published:
    """``columns`` are the distinct published values in canonical order; ``ranks[group]`` says which one a group gets.

    The order of the distinct values depends on nothing but the values, so the order of the release's rows does not
    either. Most columns are published as one; an interval with separate ends as two or three.

    ``keys`` are ascending numbers for the distinct values that mean the same in every part of a table, so that parts
    published by themselves can be put in order together; None where the order is that of the texts.
    """

    ranks: Codes
    columns: list[pl.Series]
    keys: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """The number of distinct published values."""
        return len(self.columns[0])


def numbered(keys: NDArray[np.int64], bound: int) -> tuple[NDArray[np.int64], Codes]:
    """The distinct keys in ascending order, and each key's place among them; keys are below ``bound``.

    >>> distinct, ranks = numbered(np.array([7, 3, 7]), 10)
    >>> distinct.tolist(), ranks.tolist()
    ([3, 7], [1, 0, 1])
    """
    if bound <= FEW:
        present = np.zeros(bound, np.bool_)
        present[keys] = True
        distinct = np.flatnonzero(present)
        place = np.zeros(bound, np.int32)
        place[distinct] = np.arange(len(distinct), dtype=np.int32)
        return distinct, place[keys]
    distinct, ranks = np.unique(keys, return_inverse=True)
    return distinct, ranks.astype(np.int32)


def spans_of(attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> tuple[NDArray[np.int64], Codes]:
    """The :func:`distinct_ranges` of all groups on one attribute."""
    return grouping.once(
        codes,
        ("spans", len(attribute), attribute.has_null),
        lambda: distinct_ranges(attribute, ranges_of(attribute, codes, grouping, threads)),
    )


def published_ranges(
    attribute: Attribute,
    distinct: NDArray[np.int64],
    ranks: Codes,
    spell: Callable[[Codes, Codes, NDArray[np.bool_]], list[pl.Series]],
) -> Published:
    """Spell each of the :func:`distinct_ranges` once, in canonical order: by low, high, then without nulls first."""
    ends = ranges_behind(attribute, distinct)
    return Published(ranks, spell(ends.low, ends.high, ends.nulls), distinct)


def distinct_ranges(attribute: Attribute, ranges: Ranges) -> tuple[NDArray[np.int64], Codes]:
    """The keys of the distinct ranges, ascending, and the place of each group's among them; nothing but null first."""
    size = len(attribute) + 1
    keys = ((ranges.low.astype(np.int64) + 1) * size + ranges.high + 1) * 2 + ranges.nulls
    return numbered(keys, 2 * size * size)


def range_choices(attribute: Attribute, distinct: NDArray[np.int64], ranks: Codes) -> tuple[Codes, Choices]:
    """What the tightest interval around each group leaves open, null beside it, of :func:`distinct_ranges`."""
    ends = ranges_behind(attribute, distinct)
    some = ends.low >= 0  # else nothing but nulls: the null itself
    nulls = values_as_they_are(attribute, np.zeros(int((~some).sum()), np.int64))
    return ranks, Choices.joined([nulls, intervals_between(attribute, ends, some)])


def intervals_between(attribute: Attribute, ranges: Ranges, which: NDArray[np.bool_]) -> Choices:
    """What the intervals of these ranges leave open."""
    low, high, nulls = ranges.low[which], ranges.high[which], ranges.nulls[which]
    ticks = Ticks.of(attribute).of_code
    return intervals(attribute, ticks[low], ticks[high], nulls, (high - low + 1 + nulls).astype(np.int64))


def ranges_behind(attribute: Attribute, keys: NDArray[np.int64]) -> Ranges:
    """The ranges that the keys of :func:`published_ranges` stand for."""
    size = len(attribute) + 1
    nulls = (keys % 2).astype(np.bool_)
    low = (keys // 2 // size - 1).astype(np.int32)
    high = (keys // 2 % size - 1).astype(np.int32)
    return Ranges(low, high, nulls)


def codes_between(attribute: Attribute, held: Codes) -> NDArray[np.bool_]:
    """The codes that ``[low, high]`` or ``[low, high] or null`` around these, which ascend, stands for."""
    null = attribute.has_null and held[0] == 0
    codes = np.arange(len(attribute))
    inside = (codes >= held[int(null)]) & (codes <= held[-1])
    inside[0] |= null
    return np.asarray(inside)


def texts_of(attribute: Attribute) -> pl.Series:
    """Each code's value as text; null stays null."""
    values = attribute.values
    if values.dtype == pl.String:
        return values
    if values.dtype == pl.Boolean:
        return pl.select(pl.when(values).then(pl.lit("true")).when(~values).then(pl.lit("false"))).to_series()
    classes = classes_of(attribute)
    return _with_cap(attribute, values.cast(pl.String)) if classes is None else classes.alone


@record(eq=False)
class ClassTexts:
    """What is written for the classes of a column, code by code: a class alone, and as an end of several of them.

    ``[18, 30)`` and the last of them ``>=65``; the first one, which has all that lies below, ``<18``. From one class to
    another it is ``[18, 65)``, ``[18, >=65]`` or ``[<18, 65)``: ``close`` is the bracket after the upper end. Of a part
    of a date they are its first and its last day, which belongs to it.
    """

    alone: pl.Series
    low: pl.Series
    high: pl.Series
    close: pl.Series


def classes_of(attribute: Attribute) -> ClassTexts | None:
    """How the classes, or the parts of dates, are written that a column was rounded to; None where it was to neither.

    >>> import pellucid as pc
    >>> columns = {"age": pc.Column(role="quasi", round=[0, 18, 65]), "ill": pc.Column(role="sensitive")}
    >>> ages = pl.DataFrame({"age": [3, 20, 80], "ill": ["a", "b", "c"]})
    >>> texts_of(pc.read(ages, schema=pc.Schema(columns=columns)).attributes[0]).to_list()
    ['<18', '[18, 65)', '>=65']
    """
    rounding = attribute.rounding.begin if isinstance(attribute.rounding, Quantiles) else attribute.rounding
    values = attribute.values
    if isinstance(rounding, str):
        following = values.dt.offset_by(PARTS[rounding]).dt.offset_by("-1d")
        return _texts_of_classes(attribute, following.cast(pl.String), "]", ("<=", ">="))
    if not isinstance(rounding, tuple):
        return None
    told = [float(begin) if isinstance(begin, int) and values.dtype.is_float() else begin for begin in rounding]
    begins = pl.Series(told).cast(values.dtype)
    place = begins.search_sorted(values, side="right")  # of null it is 0, which is not looked at
    following = begins.cast(pl.String).extend_constant(None, 1).gather(place)
    first = values == begins[0]
    return _texts_of_classes(attribute, following, ")", ("<", ">="), first, following.is_null())


PARTS = {"month": "1mo", "quarter": "1q", "year": "1y"}


def _texts_of_classes(
    attribute: Attribute,
    ends: pl.Series,
    closing: str,
    marks: tuple[str, str],
    below: pl.Series | None = None,
    above: pl.Series | None = None,
) -> ClassTexts:
    """Classes that begin at their values and end so; the flagged ones have all that lies below, or above."""
    values = attribute.values
    never = pl.Series([False] * len(values))
    below, above = never if below is None else below, never if above is None else above
    cap = attribute.cap
    if cap is not None:
        plain = values.cast(pl.Float64) if isinstance(values.dtype, pl.Decimal) else values
        below = below if cap.low is None else below | (plain == cap.low)
        above = above if cap.high is None else above | (plain == cap.high)
    known = pl.DataFrame({"begin": values.cast(pl.String), "end": ends, "below": below, "above": above})
    low = pl.when("below").then(pl.format(f"{marks[0]}{{}}", "end")).otherwise("begin")
    high = pl.when("above").then(pl.format(f"{marks[1]}{{}}", "begin")).otherwise("end")
    close = pl.when("above").then(pl.lit("]")).otherwise(pl.lit(closing))
    low = pl.when(pl.col("below") & pl.col("end").is_null()).then(pl.format(f"{marks[0]}{{}}", "begin")).otherwise(low)
    parts = known.select(low=low, high=high, close=close, below="below", above="above", null=pl.col("begin").is_null())
    several = pl.format("[{}, {}{}", "low", "high", "close")
    one_end = (
        pl.when(pl.col("below") & ~pl.col("above")).then("low").when(pl.col("above") & ~pl.col("below")).then("high")
    )
    alone = pl.when("null").then(pl.lit(None, pl.String)).otherwise(one_end.otherwise(several))
    made = parts.with_columns(alone=alone)
    name = attribute.name
    return ClassTexts(*(made[part].alias(name) for part in ("alone", "low", "high", "close")))


def _with_cap(attribute: Attribute, texts: pl.Series) -> pl.Series:
    """The ends of a capped column as what they stand for: ``<=40`` and ``>=150``."""
    cap, values = attribute.cap, attribute.values
    if cap is None:
        return texts
    first, last = int(attribute.has_null), len(values) - 1
    for code, end, mark in ((first, cap.low, "<="), (last, cap.high, ">=")):
        if end is not None and code <= last and _number_or_date(values[code]) == end:
            texts = texts.scatter(code, f"{mark}{texts[code]}")
    return texts


def _number_or_date(value: object) -> object:
    """A value as a cap has it: a decimal is a plain number."""
    return float(value) if isinstance(value, Decimal) else value


def take(values: pl.Series, places: NDArray[np.int32] | NDArray[np.int64]) -> pl.Series:
    """The values at these places; a place of -1 gives null."""
    index = series_of(places)
    if not (places < 0).any():
        return values.gather(index)
    return values.gather(pl.select(pl.when(index >= 0).then(index)).to_series())


def own_copy(values: pl.Series) -> pl.Series:
    """The same values in memory that holds nothing else; categoricals become text.

    A gathered column goes on sharing the memory of all the texts it was gathered from, and an Arrow file would contain
    them all. Published columns are gathered from own copies, which hold published values only.
    """
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        values = values.cast(pl.String)
    if values.dtype != pl.String:
        return values
    if not values.null_count():
        return values + ""  # appending nothing copies the text
    copied = values.fill_null("") + ""
    return pl.select(pl.when(values.is_not_null()).then(copied).alias(values.name)).to_series()


def decode(values: pl.Series, code_of: Codes, keys: Codes, threads: int) -> pl.Series:
    """The value ``values[code_of[key]]`` of each key, from memory that holds only values that are there.

    Made in pieces of about equal length; no copy of all keys exists.
    """
    own, place = values_of_keys(values, code_of, keys, threads)
    as_they_are = np.array_equal(place, np.arange(len(place)))

    def piece(a: int, b: int) -> pl.Series:
        return own.gather(pl.Series(keys[a:b].view(np.uint32) if as_they_are else place[keys[a:b]]))

    return in_pieces(piece, even_cuts(len(keys)), threads)


def values_of_keys(
    values: pl.Series, code_of: Codes, keys: Codes, threads: int
) -> tuple[pl.Series, NDArray[np.uint32]]:
    """The values that keys have, in memory that holds nothing else, and which of them ``values[code_of[key]]`` is."""
    used = np.zeros(len(values), np.bool_)
    used[code_of[frequencies(keys, len(code_of), threads) > 0]] = True
    return own_copy(values.filter(series_of(used))), (np.cumsum(used) - 1).astype(np.uint32)[code_of]


def even_cuts(rows: int) -> list[int]:
    """Where pieces of about PIECE rows begin, and the end."""
    return [0, *(b for _, b in stretches(rows, max(1, rows // PIECE)))]


def in_pieces(piece: Callable[[int, int], pl.Series], cuts: Sequence[int], threads: int) -> pl.Series:
    """The column of which ``piece(a, b)`` makes the stretch between two cuts."""
    made: dict[int, pl.Series] = {}

    def make(a: int, b: int) -> None:
        made[a] = piece(a, b)

    run([partial(make, a, b) for a, b in pairwise(cuts) if a < b], threads)
    return pl.concat([made[a] for a in sorted(made)], rechunk=False) if made else piece(0, 0)
