"""Precision: how far up their taxonomies the published values stand."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pellucid.measuring.margins import Margins
from pellucid.measuring.metric import Direction, MeanMetric, Score


class Precision(MeanMetric):
    """1 less the mean height of the published cells: 1 when nothing is generalised, 0 when everything is.

    The height of a name is its level by the height of its taxonomy. Without a taxonomy, and where an interval or a set
    is published instead of a name, there are two levels: the value, and anything else.
    """

    name: ClassVar[str] = "precision"
    summary: ClassVar[str] = "1 less how far up their taxonomies the published values stand"
    unit: ClassVar[str] = "1 less the mean height, 0 to 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Sweeney. Achieving k-anonymity privacy protection. IJUFKS 2002"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        heights = [shown.mean(i, cells.choices.height, weighted=self.weighted) for i, cells in enumerate(shown.columns)]
        value = 1 - float(np.mean(heights))
        trees = any(cells.attribute.taxonomy is not None for cells in shown.columns)
        high = f"the published cells stand at {1 - value:.1%} of the height of their taxonomies"
        plain = f"{1 - value:.1%} of the published cells are generalised; without taxonomies no cell is so by degrees"
        return self.found(
            value,
            high if trees else plain,
            heights=shown.by_column(heights),
        )
