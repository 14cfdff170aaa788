"""Perimeter: how large the published boxes are, over all rows."""

from __future__ import annotations

from typing import ClassVar

from pellucid.measuring.margins import Margins
from pellucid.measuring.metric import Direction, MeanMetric, Score


class Perimeter(MeanMetric):
    """The sum over all rows of the extents of what is published for them, from 0 to the number of quasi-identifiers.

    The extent of an interval is its width by the column's range, of a name in a taxonomy its leaves less one by all
    leaves less one, of a set its values less one by all values less one; 0 for a value, 1 for a suppressed cell. The
    value is the mean over rows; ``details`` has the total, which Tailor, Ace and Hybrid minimise, and each column.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.Perimeter()], **roles)
    >>> round(score.value, 4), score.unit, score.direction
    (0.4295, 'mean sum of extents per row', 'lower')
    """

    name: ClassVar[str] = "perimeter"
    summary: ClassVar[str] = "how wide the published boxes are, summed over the quasi-identifiers"
    unit: ClassVar[str] = "mean sum of extents per row"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Xiao, Tao, Koudas. Transparent anonymization. TODS 2010"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        means = [shown.mean(i, cells.choices.extent, weighted=self.weighted) for i, cells in enumerate(shown.columns)]
        value = sum(means)
        columns = len(means)
        return self.found(
            value,
            f"a row's box spans {value:.3g} of at most {columns} ranges; 0: every value is published as it is",
            total=value * shown.tally(weighted=self.weighted).counted,
            columns=shown.by_column(means),
        )
