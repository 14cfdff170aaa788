"""Suppression: a value is published only where the whole group shares it."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.group import Grouping
from pellucid.published.grammar import STAR
from pellucid.recode.published import Published, published_ranges, ranges_behind, ranges_of, take, texts_of
from pellucid.recode.recoder import RowRecoder
from pellucid.table import Attribute, Codes


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

    def spell(self, attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Published:
        """How every group's values of one attribute are published."""
        ranges = ranges_of(attribute, codes, grouping, threads)
        hidden = (ranges.low != ranges.high) | (ranges.nulls & (ranges.high >= 0))
        # all hidden values are one: the last in canonical order
        ranges.low[hidden] = ranges.high[hidden] = len(attribute) - 1
        ranges.nulls[hidden] = True

        return published_ranges(attribute, ranges, partial(stars, attribute))

    def spell_keys(self, attribute: Attribute, keys: NDArray[np.int64]) -> list[pl.Series]:
        """The published values of these keys."""
        ranges = ranges_behind(attribute, keys)
        return stars(attribute, ranges.low, ranges.high, ranges.nulls)

    def stands_for(self, attribute: Attribute, held: Codes) -> NDArray[np.bool_]:  # noqa: ARG002
        """Anything."""
        return np.ones(len(attribute), np.bool_)


def stars(attribute: Attribute, low: Codes, high: Codes, nulls: NDArray[np.bool_]) -> list[pl.Series]:
    """The value, or ``*`` where values and nulls are marked as hidden."""
    star = pl.Series(nulls & (high >= 0))
    values = take(texts_of(attribute), low)
    return [pl.select(pl.when(star).then(pl.lit(STAR)).otherwise(values).alias(attribute.name)).to_series()]
