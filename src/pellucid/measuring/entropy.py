"""Non-uniform entropy: how many bits somebody lacks who knows how often each value occurs."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from pellucid.errors import MeasureError
from pellucid.measuring.margins import Margins
from pellucid.measuring.metric import Direction, MarginMetric, Score


class NonUniformEntropy(MarginMetric):
    """The bits that are missing from a cell to its value, by how often values occur in the original.

    A cell that may be one of several values, of which the true one occurs in a share p of the rows that have one of
    them, lacks -log2 p bits. The value is what the cells of a column lack by what they would lack if all of the column
    were suppressed, as a mean over the columns. It is computed from sums over the column, so it needs to know which
    cells are published and not whose they are.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.NonUniformEntropy()], **roles)
    >>> score.details["bits"]["age"]  # [21, 32]: 2 + 2 + 1 + 1 bits; [54, 60]: 2 + log2 4/3
    8.415037499278844
    """

    name: ClassVar[str] = "entropy"
    summary: ClassVar[str] = "the bits missing from a cell to its value, by how often values occur"
    unit: ClassVar[str] = "share of the bits, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "de Waal, Willenborg. Information loss through global recoding. 1999; as in ARX"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        if shown.added:
            raise MeasureError(
                f"entropy is about people's own cells, and {shown.added:,} published records have nobody behind them; "
                "measure loss instead"
            )
        n = shown.original_rows
        shares, bits = [], []
        for weights, cells, counts in zip(shown.weights, shown.columns, shown.original, strict=True):
            possible = cells.choices.weights(cells.ticks, counts)
            known = math.fsum((counts * np.log2(counts)).tolist())  # the codebook has only values that occur
            lacking = math.fsum((weights * np.log2(possible)).tolist()) + shown.suppressed * float(np.log2(n)) - known
            most = n * float(np.log2(n)) - known
            bits.append(lacking)
            shares.append(lacking / most if most > 0 else 0.0)
        value = float(np.mean(shares))
        return self.found(
            value,
            f"{value:.1%} of the bits are missing that tell people's values; {sum(bits) / n:.3g} bits per row",
            columns=shown.by_column(shares),
            bits=shown.by_column(bits),
        )
