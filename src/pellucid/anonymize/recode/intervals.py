"""Intervals: the tightest range around a group."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.published import (
    Published,
    codes_between,
    published_ranges,
    range_choices,
    ranges_behind,
    spans_of,
    take,
)
from pellucid.anonymize.recode.recoder import RowRecoder, reads_like_a_group
from pellucid.anonymize.recode.sets import (
    LARGEST_SET,
    codes_in_set,
    interval_texts,
    may_be_interval,
    may_be_set,
    placed,
    published_sets,
    set_choices,
    sets_tell_apart,
)
from pellucid.anonymize.recode.taxonomic import codes_below, node_choices, node_names, published_nodes
from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes, Table
from pellucid.published.choices import Choices
from pellucid.published.grammar import is_value_or_null


class Intervals(RowRecoder):
    """Publish numbers, dates and ordered values as ``[low, high]``, and as the value itself where a group agrees.

    A category becomes the nearest common ancestor in its taxonomy, or the set ``{a, b}`` of its values without one, and
    ``*`` where that would be more than ``largest_set`` values (12; None: any number). The ends of a capped column are
    written ``<=40`` and ``>=150``, also in an interval: ``[120, >=150]``; classes are written
    ``[18, 30)``, ``>=65`` and ``<18``. A group with and without nulls gets
    ``[21, 27] or null``. In such texts a value that could be misread is quoted, and the empty text is ``""``; a value
    that stands alone is never changed. With ``split``, numbers and dates get two columns of their own type, ``age_low``
    and ``age_high`` (and ``age_nulls``: none, some or all, where the column has nulls); of a cap the recipe tells
    there, and of classes where they begin.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Tailor(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release.frame["age"].to_list()
    ['[21, 32]', '[21, 32]', '[21, 32]', '[21, 32]', '[54, 60]', '[54, 60]', '60', '60']
    """

    name: ClassVar[str] = "intervals"
    summary: ClassVar[str] = "ranges such as [21, 27]"
    largest_set: int | None = Field(default=LARGEST_SET, ge=1, description="the most values that are listed as a set")
    split: bool = Field(default=False, description="two columns, low and high, instead of one text")

    def spell(self, attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Published:
        """How every group's values of one attribute are published."""
        if attribute.kind is Kind.CATEGORY:
            if attribute.taxonomy is not None:
                return published_nodes(attribute, codes, grouping, threads)
            return published_sets(attribute, codes, grouping, threads, self.largest_set)
        spans = spans_of(attribute, codes, grouping, threads)
        published = published_ranges(attribute, *spans, partial(self._ends, attribute))
        if attribute.kind is not Kind.ORDERED:
            return published
        texts = published.columns[0]
        merged = placed(published.ranks, texts, texts.unique(maintain_order=True))
        return replace(merged, keys=published.keys) if len(merged) == len(texts) else merged

    def spell_keys(self, attribute: Attribute, keys: NDArray[np.int64]) -> list[pl.Series]:
        """The published values of these keys."""
        if attribute.kind is Kind.CATEGORY:
            return [node_names(attribute, keys)]
        ranges = ranges_behind(attribute, keys)
        return self._ends(attribute, ranges.low, ranges.high, ranges.nulls)

    def stands_for(self, attribute: Attribute, held: Codes) -> NDArray[np.bool_]:
        """What lies between the ends, below the node, or in the set; anything where a set is too large to be listed."""
        if attribute.kind is not Kind.CATEGORY:
            return codes_between(attribute, held)
        if attribute.taxonomy is not None:
            return codes_below(attribute, held)
        return codes_in_set(attribute, held, self.largest_set)

    def clear_choices(self, table: Table, column: int, grouping: Grouping) -> tuple[Codes, Choices]:
        """What intervals, nodes and sets leave open."""
        attribute, codes = table.attributes[column], table.codes[column]
        if attribute.kind is not Kind.CATEGORY:
            return range_choices(attribute, *spans_of(attribute, codes, grouping, threads=1))
        if attribute.taxonomy is not None:
            return node_choices(attribute, codes, grouping)
        return set_choices(attribute, codes, grouping, self.largest_set)

    def may_write(self, attribute: Attribute, text: str) -> bool:
        """An interval, or a set and what stands in place of a large one; a node is never a value."""
        if attribute.kind is not Kind.CATEGORY:
            return is_value_or_null(text) or may_be_interval(attribute, text)
        return attribute.taxonomy is None and may_be_set(attribute, text, self.largest_set)

    def spans(self, attribute: Attribute) -> bool:
        """Where values lie on a line, taxonomy or not."""
        return attribute.kind is not Kind.CATEGORY

    def lists(self, attribute: Attribute) -> bool:
        """Categories without a taxonomy."""
        return attribute.kind is Kind.CATEGORY and attribute.taxonomy is None

    @classmethod
    def uses_names(cls, kind: str) -> bool:
        """Of categories."""
        return kind == Kind.CATEGORY

    @classmethod
    def writes_values(cls, kind: str) -> bool:
        """Of categories it may be a node."""
        return kind != Kind.CATEGORY

    def tells_apart(self, attribute: Attribute) -> bool:
        """Ranges do, and sets that are listed; nodes and ``*`` may be shared by groups on both sides of a cut."""
        if reads_like_a_group(attribute):
            return False
        if attribute.kind is not Kind.CATEGORY:
            return True
        return attribute.taxonomy is None and sets_tell_apart(attribute, self.largest_set)

    def _ends(self, attribute: Attribute, low: Codes, high: Codes, nulls: NDArray[np.bool_]) -> list[pl.Series]:
        split = self.split and attribute.kind in (Kind.NUMBER, Kind.DATE)
        return (split_ends if split else interval_texts)(attribute, low, high, nulls)


def split_ends(attribute: Attribute, low: Codes, high: Codes, nulls: NDArray[np.bool_]) -> list[pl.Series]:
    """The two ends as columns of the attribute's own type."""
    name = attribute.name
    columns = [take(attribute.values, low).rename(f"{name}_low"), take(attribute.values, high).rename(f"{name}_high")]
    if attribute.has_null:
        words = np.where(low < 0, "all", np.where(nulls, "some", "none"))
        columns.append(pl.Series(f"{name}_nulls", words.tolist(), dtype=pl.String))
    return columns
