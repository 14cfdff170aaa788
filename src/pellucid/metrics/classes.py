"""Classes: how many rows are published alike."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from pellucid.metrics.margins import Margins
from pellucid.metrics.metric import Direction, MarginMetric, Score
from pellucid.published.choices import Integers


class Discernibility(MarginMetric):
    """How many rows each row cannot be told from: the sum of squared class sizes; a suppressed row costs all rows.

    The figure is an exact integer of any size. Rows are told apart by what is published of their quasi-identifiers;
    of an anatomy release by their group number.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> pc.measure(release, pc.datasets.patients(), [pc.Discernibility()], **roles)[0].value  # classes of 4, 2 and 2
    24
    """

    name: ClassVar[str] = "discernibility"
    summary: ClassVar[str] = "how many rows each row cannot be told from"
    unit: ClassVar[str] = "pairs of rows"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Bayardo, Agrawal. Data privacy through optimal k-anonymization. ICDE 2005"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        # Python integers: 64 bits are not enough for one class of five billion rows, 32 not for one of 46,341
        sizes, classes = (part.tolist() for part in shown.class_sizes)
        value = sum(size * size * times for size, times in zip(sizes, classes, strict=True))
        value += shown.suppressed * shown.counted
        mean = value / shown.counted
        return self.found(
            value,
            f"a row cannot be told from {mean:,.1f} rows on average over rows, itself included (in class-size, the "
            "average is over classes, so that large ones count less); 1: every row stands alone",
            per_row=mean,
            least=shown.counted,
            most=shown.counted**2,
        )


class AverageClassSize(MarginMetric):
    """How many rows are published alike, on average over the classes; with ``k``, C_avg: that by k.

    Suppressed rows are in no class. ``details`` also has ``rows_per_class_with_suppressed``, which counts all of them
    as one class more: that is ARX's average equivalence class size.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> [s.value for s in pc.measure(release, pc.datasets.patients(), [pc.AverageClassSize(k=2)], **roles)]
    [1.3333333333333333]
    """

    name: ClassVar[str] = "class-size"
    summary: ClassVar[str] = "how many rows are published alike; by k it is C_avg"
    unit: ClassVar[str] = "rows per class, by k"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006"

    k: int = Field(default=1, ge=1, description="the size that every class must have, for C_avg")

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        sizes, classes = shown.class_sizes[0], shown.classes_in_all
        mean, median = shown.rows / classes, median_size(*shown.class_sizes)
        as_arx = (shown.rows + shown.suppressed) / (classes + (shown.suppressed > 0))
        return self.found(
            mean / self.k,
            f"{mean:,.1f} rows are published alike on average, {median:,g} in the median class"
            + (f", {mean / self.k:.3g} times k" * (self.k > 1))
            + (f"; {as_arx:,.1f} with the suppressed rows as one class more, as ARX counts" * (shown.suppressed > 0)),
            classes=classes,
            median=median,
            smallest=int(sizes.min()),
            largest=int(sizes.max()),
            rows_per_class=mean,
            rows_per_class_with_suppressed=as_arx,
        )


def median_size(sizes: Integers, times: Integers) -> float:
    """The median of sizes that occur so many times each, ascending.

    >>> median_size(np.array([2, 4]), np.array([2, 1])), median_size(np.array([2, 4]), np.array([1, 1]))
    (2.0, 3.0)
    """
    ends = np.cumsum(times)
    middle = [int(sizes[np.searchsorted(ends, place, "right")]) for place in ((ends[-1] - 1) // 2, ends[-1] // 2)]
    return sum(middle) / 2
