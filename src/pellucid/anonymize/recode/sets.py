"""Sets: a category without a taxonomy is published as the set of values that a group has.

A set of more than a few values is read by nobody and written in every row of its group: 18,000 zip codes make
gigabytes. Beyond ``largest_set`` values the group gets what its order gives, ``[low, high]`` (numbers, dates, ordered
values), and without an order ``*``. That depends on the group alone, so that it tells nothing else.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.ranges import Ranges
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.published import (
    Published,
    classes_of,
    codes_between,
    distinct_ranges,
    numbered,
    range_choices,
    take,
    texts_of,
)
from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes, compact
from pellucid.kernels import canonical as kernel
from pellucid.published.choices import Choices, anything, sets
from pellucid.published.grammar import STAR, as_part, interval_of, is_value_or_null, without_null
from pellucid.runtime.parallel import in_stretches
from pellucid.runtime.series import series_of

LARGEST_SET = 12
BITS = 64  # the set of a group fits one machine word
FEW_VALUES = 16  # all sets of so many are numbered by a table of flags instead of by sorting


def published_sets(
    attribute: Attribute, codes: Codes, grouping: Grouping, threads: int, largest: int | None = None
) -> Published:
    """``{a, b}`` in codebook order, the value alone where a group agrees; nulls as ``{a, b} or null``.

    A value that stands alone is published as it is; as a part of a longer text it is spelled by :func:`part_texts`.
    """
    number, code, ranks = sets_of_groups(attribute, codes, grouping, threads)
    texts = spell_sets(attribute, number, code, largest)
    # the order must come from the texts, not from how the sets were found
    return placed(ranks, texts, texts.unique().sort(nulls_last=False))


Sets = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.integer]]


def sets_of_groups(attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Sets:
    """The distinct sets as (set number, code) pairs in ascending order, and each group's set number."""
    return grouping.once(codes, ("sets", len(attribute)), lambda: _found_sets(attribute, codes, grouping, threads))


def _found_sets(attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Sets:
    if len(attribute) > BITS:
        return distinct_sets(codes, grouping)
    bits = np.empty(len(grouping), np.uint64)
    small = compact(codes, len(attribute), threads)
    in_stretches(
        lambda a, b: kernel.group_sets(small, grouping.members, grouping.starts[a : b + 1], bits[a:b]),
        len(grouping),
        threads,
    )
    distinct, ranks = (
        numbered(bits.astype(np.int64), 1 << len(attribute))
        if len(attribute) <= FEW_VALUES
        else np.unique(bits, return_inverse=True)
    )
    flags = (distinct.astype(np.uint64)[:, None] >> np.arange(len(attribute), dtype=np.uint64)) & np.uint64(1)
    number, code = np.nonzero(flags)
    return number, code, ranks.astype(np.int32)


def set_choices(attribute: Attribute, codes: Codes, grouping: Grouping, largest: int | None) -> tuple[Codes, Choices]:
    """What the set of each group leaves open; beyond the largest one that is listed, what is written in its place."""
    number, code, ranks = sets_of_groups(attribute, codes, grouping, 1)
    count = int(number.max()) + 1
    large = np.zeros(count, np.bool_) if largest is None else sizes_of_sets(attribute, number, code) > largest
    if not large.any():
        return ranks.astype(np.int32), sets(attribute, number, code, count)
    place = np.cumsum(~large) - 1
    kept = ~large[number]
    small = sets(attribute, place[number[kept]], code[kept], int((~large).sum()))
    of_large, others = _large_choices(attribute, ends_of_sets(attribute, number, code, large))
    choice = np.where(large, len(small), place)
    choice[large] += of_large
    return choice[ranks].astype(np.int32), Choices.joined([small, others])


def _large_choices(attribute: Attribute, ends: Ranges) -> tuple[Codes, Choices]:
    if attribute.kind is Kind.CATEGORY:
        return np.zeros(len(ends.low), np.int32), anything(attribute)
    return range_choices(attribute, *distinct_ranges(attribute, ends))


def ends_of_sets(
    attribute: Attribute, number: NDArray[np.int64], code: NDArray[np.int64], which: NDArray[np.bool_]
) -> Ranges:
    """The ends in the column's order of the flagged sets, which have more than nulls."""
    null = attribute.has_null & (code == 0)
    low, high = np.full(len(which), len(attribute), np.int32), np.full(len(which), -1, np.int32)
    nulls = np.zeros(len(which), np.bool_)
    np.minimum.at(low, number[~null], code[~null].astype(np.int32))
    np.maximum.at(high, number[~null], code[~null].astype(np.int32))
    nulls[number[null]] = True
    return Ranges(low[which], high[which], nulls[which])


def codes_in_set(attribute: Attribute, held: Codes, largest: int | None) -> NDArray[np.bool_]:
    """The codes that what :func:`published_sets` writes for a group with these codes stands for."""
    values = len(held) - int(attribute.has_null and held[0] == 0)
    if largest is not None and values > largest:
        if attribute.kind is Kind.CATEGORY:
            return np.ones(len(attribute), np.bool_)
        return codes_between(attribute, held)
    listed = np.zeros(len(attribute), np.bool_)
    listed[held] = True
    return listed


def sets_tell_apart(attribute: Attribute, largest: int | None) -> bool:
    """Whether sets of values that lie apart never read alike: there are too few values for two that become ``*``."""
    if attribute.kind is not Kind.CATEGORY or largest is None:
        return True
    return len(attribute) - int(attribute.has_null) < 2 * (largest + 1)


def may_be_set(attribute: Attribute, text: str, largest: int | None) -> bool:
    """Whether this text of a value is also one that :func:`published_sets` may write."""
    if text.startswith("{") or is_value_or_null(text):
        return True
    if largest is None or len(attribute) - int(attribute.has_null) <= largest:
        return False
    return text == STAR if attribute.kind is Kind.CATEGORY else may_be_interval(attribute, text)


def may_be_interval(attribute: Attribute, text: str) -> bool:
    """Whether this text of a value is also one that :func:`interval_texts` may write: between two of the values."""
    span = interval_of(without_null(text)[0])
    return span is not None and {span.low, span.high} <= set(attribute.values.to_list())


def placed(ranks: NDArray[np.integer], texts: pl.Series, distinct: pl.Series) -> Published:
    """Publish ``texts[ranks]`` with the distinct texts in this order.

    The value "a or null" and the set of "a" and null have one text: they get one place, or rows would tell them apart.
    """
    places = pl.DataFrame({"text": distinct, "place": series_of(np.arange(len(distinct), dtype=np.int32))})
    with_places = texts.to_frame("text").join(places, on="text", how="left", nulls_equal=True, maintain_order="left")
    return Published(with_places["place"].to_numpy()[ranks], [distinct])


def distinct_sets(codes: Codes, grouping: Grouping) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Many possible values: the distinct sets as (set number, code) pairs, and each group's set number."""
    pairs = pl.DataFrame(
        {
            "group": np.repeat(np.arange(len(grouping), dtype=np.int32), grouping.sizes),
            "code": codes[grouping.members],
        }
    )
    by_group = pairs.unique().sort("group", "code").group_by("group", maintain_order=True).agg("code")
    distinct = by_group.select("code").unique(maintain_order=True).with_row_index("number")
    ranks = by_group.join(distinct, on="code", how="left", maintain_order="left")["number"].to_numpy().astype(np.int64)
    flat = distinct.explode("code")
    return flat["number"].to_numpy().astype(np.int64), flat["code"].to_numpy().astype(np.int64), ranks


def sizes_of_sets(attribute: Attribute, number: NDArray[np.int64], code: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many values each set has, nulls left aside; sets are (set number, code) pairs."""
    count = int(number.max()) + 1 if len(number) else 0
    values = number[code > 0] if attribute.has_null else number
    return np.bincount(values, minlength=count).astype(np.int64)


def spell_sets(
    attribute: Attribute, number: NDArray[np.int64], code: NDArray[np.int64], largest: int | None = None
) -> pl.Series:
    """The text of each set, given as (set number, code) pairs in ascending order."""
    sizes = sizes_of_sets(attribute, number, code)
    if largest is not None and (sizes > largest).any():
        return _spell_with_large(attribute, number, code, sizes > largest)
    null = pl.col("code") == 0 if attribute.has_null else pl.lit(False)
    alone, inside = texts_of(attribute), part_texts(attribute, "{},")
    codes = series_of(code)
    pairs = pl.DataFrame({"number": series_of(number), "code": codes}).with_columns(
        null.alias("null"), alone.gather(codes).alias("alone"), inside.gather(codes).alias("inside")
    )
    beside_null = "inside" if classes_of(attribute) is None else "alone"  # a class needs no quotation marks there
    listed = pairs.group_by("number", maintain_order=True).agg(
        pl.col("inside").filter(~pl.col("null")).alias("values"),
        pl.col("alone").filter(~pl.col("null")).first().alias("value"),
        pl.col(beside_null).filter(~pl.col("null")).first().alias("part"),
        (~pl.col("null")).sum().alias("size"),
        pl.col("null").any(),
    )
    spelled = (
        pl.when(pl.col("size") == 0)
        .then(pl.lit(None, pl.String))
        .when(pl.col("size") == 1)
        .then(pl.when(pl.col("null")).then(pl.col("part")).otherwise(pl.col("value")))
        .otherwise(pl.lit("{") + pl.col("values").list.join(", ") + pl.lit("}"))
    )
    spelled = pl.when(pl.col("null")).then(pl.format("{} or null", spelled)).otherwise(spelled)
    return listed.select(spelled.alias(attribute.name)).to_series()


def _spell_with_large(
    attribute: Attribute, number: NDArray[np.int64], code: NDArray[np.int64], large: NDArray[np.bool_]
) -> pl.Series:
    """The same where some sets are too large: their ends in the column's order, or ``*``."""
    place = np.cumsum(~large) - 1
    kept = ~large[number]
    small = spell_sets(attribute, place[number[kept]], code[kept])
    if attribute.kind is Kind.CATEGORY:
        others = pl.Series(np.repeat(STAR, int(large.sum())).tolist(), dtype=pl.String)
    else:
        ends = ends_of_sets(attribute, number, code, large)
        others = interval_texts(attribute, ends.low, ends.high, ends.nulls)[0]
    both = pl.concat([small.alias(attribute.name), others.alias(attribute.name)])
    places = np.where(large, len(small) + np.cumsum(large) - 1, place)
    return both.gather(places)


def interval_texts(attribute: Attribute, low: Codes, high: Codes, nulls: NDArray[np.bool_]) -> list[pl.Series]:
    """``[low, high]``, the value alone where both are the same, null where there is nothing but nulls."""
    alone, inside = texts_of(attribute), part_texts(attribute, "[],")
    classes = classes_of(attribute)
    lows, highs = (inside, inside) if classes is None else (classes.low, classes.high)
    texts = pl.DataFrame(
        {
            "value": take(alone, low),
            "part": take(inside if classes is None else alone, low),
            "low": take(lows, low),
            "high": take(highs, high),
            "close": pl.repeat("]", len(low), eager=True) if classes is None else take(classes.close, high),
            "same": series_of(low == high),
            "nulls": series_of(nulls),
        }
    )
    part = pl.when("same").then("part").otherwise(pl.format("[{}, {}{}", "low", "high", "close"))
    spelled = pl.when("nulls").then(pl.format("{} or null", part)).when("same").then("value").otherwise(part)
    return [texts.select(spelled.alias(attribute.name)).to_series()]


def part_texts(attribute: Attribute, marks: str) -> pl.Series:
    """Each code's value as a part of a longer text: a set, an interval, or ``... or null``.

    What is quoted there says :func:`pellucid.published.grammar.as_part`.
    """
    texts = texts_of(attribute)
    written = attribute.values.dtype == pl.String or classes_of(attribute) is not None
    return as_part(texts, marks) if written else texts
