"""Sets: a category without a taxonomy is published as the set of values that a group has."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.group import Grouping
from pellucid.kernels import canonical as kernel
from pellucid.parallel import in_stretches
from pellucid.recode.published import Published, texts_of
from pellucid.table import Attribute, Codes, compact


def published_sets(attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Published:
    """``{a, b}`` in codebook order, the value alone where a group agrees; nulls as ``{a, b} or null``.

    A value that stands alone is published as it is; as a part of a longer text it is spelled by :func:`part_texts`.
    """
    if len(attribute) <= 64:
        bits = np.empty(len(grouping), np.uint64)
        small = compact(codes, len(attribute), threads)
        in_stretches(
            lambda a, b: kernel.group_sets(small, grouping.members, grouping.starts[a : b + 1], bits[a:b]),
            len(grouping),
            threads,
        )
        distinct, ranks = np.unique(bits, return_inverse=True)
        flags = (distinct[:, None] >> np.arange(len(attribute), dtype=np.uint64)) & np.uint64(1)
        number, code = np.nonzero(flags)
    else:
        number, code, ranks = distinct_sets(codes, grouping)
    texts = spell_sets(attribute, number, code)
    # the order must come from the texts, not from how the sets were found
    return placed(ranks, texts, texts.unique().sort(nulls_last=False))


def placed(ranks: NDArray[np.integer], texts: pl.Series, distinct: pl.Series) -> Published:
    """Publish ``texts[ranks]`` with the distinct texts in this order.

    The value "a or null" and the set of "a" and null have one text: they get one place, or rows would tell them apart.
    """
    places = pl.DataFrame({"text": distinct, "place": np.arange(len(distinct), dtype=np.int32)})
    found = texts.to_frame("text").join(places, on="text", how="left", nulls_equal=True, maintain_order="left")
    return Published(found["place"].to_numpy()[ranks], [distinct])


def distinct_sets(codes: Codes, grouping: Grouping) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Many possible values: the distinct sets as (set number, code) pairs, and each group's set number."""
    pairs = pl.DataFrame(
        {
            "group": np.repeat(np.arange(len(grouping), dtype=np.int32), grouping.sizes),
            "code": codes[grouping.members],
        }
    )
    sets = pairs.unique().sort("group", "code").group_by("group", maintain_order=True).agg("code")
    distinct = sets.select("code").unique(maintain_order=True).with_row_index("number")
    ranks = sets.join(distinct, on="code", how="left", maintain_order="left")["number"].to_numpy().astype(np.int64)
    flat = distinct.explode("code")
    return flat["number"].to_numpy().astype(np.int64), flat["code"].to_numpy().astype(np.int64), ranks


def spell_sets(attribute: Attribute, number: NDArray[np.int64], code: NDArray[np.int64]) -> pl.Series:
    """The text of each set, given as (set number, code) pairs in ascending order."""
    null = pl.col("code") == 0 if attribute.has_null else pl.lit(False)
    alone, inside = texts_of(attribute), part_texts(attribute, "{},")
    pairs = pl.DataFrame({"number": number, "code": code}).with_columns(
        null.alias("null"), alone.gather(code).alias("alone"), inside.gather(code).alias("inside")
    )
    sets = pairs.group_by("number", maintain_order=True).agg(
        pl.col("inside").filter(~pl.col("null")).alias("values"),
        pl.col("alone").filter(~pl.col("null")).first().alias("value"),
        pl.col("inside").filter(~pl.col("null")).first().alias("part"),
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
    return sets.select(spelled.alias(attribute.name)).to_series()


def part_texts(attribute: Attribute, marks: str) -> pl.Series:
    """Each code's value as a part of a longer text: a set, an interval, or ``... or null``.

    Quoted is text with one of these marks or a quotation mark in it, empty text (``""``), text with blanks around it,
    and text that reads like a generalisation: ``*``, ``[...``, ``{...``, ``... or null``.
    """
    texts = texts_of(attribute, inside=marks)
    if attribute.values.dtype != pl.String:
        return texts
    general = (texts == "*") | texts.str.contains(r"^[\[{]") | texts.str.ends_with(" or null")
    quoted = '"' + texts + '"'  # text that is not quoted yet has no quotation mark in it
    return pl.select(pl.when(general).then(quoted).otherwise(texts)).to_series().rename(attribute.name)
