"""Suppression: a value is published only where the whole group shares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.ranges import ranges_of
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.published import (
    Published,
    distinct_ranges,
    numbered,
    published_ranges,
    ranges_behind,
    take,
    texts_of,
)
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.core.table import Attribute, Codes, Table
from pellucid.messages import Message
from pellucid.published.choices import Choices, anything, values_as_they_are
from pellucid.published.grammar import STAR


class Suppression(RowRecoder):
    """Publish the value where a group agrees, and ``*`` where it does not.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.Tailor(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name",
    ...                      recode=pc.Suppression())
    >>> release.frame["age"].to_list()
    ['60', '60', '*', '*', '*', '*', '*', '*']
    """

    name: ClassVar[str] = "suppression"
    summary: ClassVar[str] = "a star unless all agree"
    coarse: ClassVar[bool] = True

    def spell(self, attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Published:
        """How every group's values of one attribute are published."""
        ranges = ranges_of(attribute, codes, grouping, threads)
        hidden = (ranges.low != ranges.high) | (ranges.nulls & (ranges.high >= 0))
        # all hidden values are one: the last in canonical order
        ranges.low[hidden] = ranges.high[hidden] = len(attribute) - 1
        ranges.nulls[hidden] = True

        return published_ranges(attribute, *distinct_ranges(attribute, ranges), partial(stars, attribute))

    def spell_keys(self, attribute: Attribute, keys: NDArray[np.int64]) -> list[pl.Series]:
        """The published values of these keys."""
        ranges = ranges_behind(attribute, keys)
        return stars(attribute, ranges.low, ranges.high, ranges.nulls)

    def clear_choices(self, table: Table, column: int, grouping: Grouping) -> tuple[Codes, Choices]:
        """The value that a group shares, else anything."""
        attribute = table.attributes[column]
        mine = table.codes[column][grouping.members]  # a null is code 0
        low, high = (find.reduceat(mine, grouping.starts[:-1]) for find in (np.minimum, np.maximum))
        shared = np.where(low == high, low, len(attribute)).astype(np.int64)
        distinct, ranks = numbered(shared, len(attribute) + 1)
        hidden = distinct == len(attribute)
        stars_ = [anything(attribute)] if hidden.any() else []
        return ranks, Choices.joined([values_as_they_are(attribute, distinct[~hidden]), *stars_])

    def may_write(self, attribute: Attribute, text: str) -> bool:  # noqa: ARG002
        """A star."""
        return text == STAR

    @classmethod
    def writes_values(cls, kind: str) -> bool:  # noqa: ARG003
        """Always."""
        return True

    def describe(self, forms: Sequence[Mapping[str, int]]) -> Message:  # noqa: ARG002
        """Always the same."""
        return Message("Rows of a group show a value where all agree, and * otherwise.")

    def stands_for(self, attribute: Attribute, held: Codes) -> NDArray[np.bool_]:  # noqa: ARG002
        """Anything."""
        return np.ones(len(attribute), np.bool_)


def stars(attribute: Attribute, low: Codes, high: Codes, nulls: NDArray[np.bool_]) -> list[pl.Series]:
    """The value, or ``*`` where values and nulls are marked as hidden."""
    star = pl.Series(nulls & (high >= 0))
    values = take(texts_of(attribute), low)
    return [pl.select(pl.when(star).then(pl.lit(STAR)).otherwise(values).alias(attribute.name)).to_series()]
