"""Distributions: how far what a release says about the columns together is from what the original says."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import numpy as np
from pydantic import Field

from pellucid.messages import Message, Share
from pellucid.metrics.boxes import Shown, require_one_sensitive
from pellucid.metrics.joint import Joints, joint
from pellucid.metrics.margins import require_cells
from pellucid.metrics.metric import Direction, Metric, Score


class KLDivergence(Metric):
    """How far the joint distribution of quasi-identifiers and sensitive value is from the original's, in bits.

    What is published of a row is spread evenly over what it leaves open, independently by column, and each row of a
    class has each of its sensitive values alike. With ``bins``, a line of more places is cut into so many stretches.
    Infinite where a row of the original has values that the release excludes, such as replaced ones.
    """

    name: ClassVar[str] = "kl-divergence"
    summary: ClassVar[str] = "how far the joint distribution with the sensitive value is from the original's"
    unit: ClassVar[str] = "bits"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Kifer, Gehrke. Injecting utility into anonymized datasets. SIGMOD 2006"

    bins: int | None = Field(default=None, ge=1, description="into how many stretches a long line is cut")

    def score(self, shown: Shown) -> Score:
        """The score of what is shown."""
        require_one_sensitive(shown, "kl-divergence is with")
        for cells in shown.quasi:
            require_cells(cells)
        shares = joint(shown, range(len(shown.quasi)), sensitive=True, bins=self.bins)
        value = shares.divergence
        excluded = int((shares.estimated <= 0).sum())
        meaning = (
            f"the release excludes {excluded:,} combinations of values that people have"
            if excluded
            else f"{value:.3g} bits are missing to know a person's row as the original's distribution does"
        )
        return self.found(value, meaning, excluded=excluded)


class Marginals(Metric):
    """The total variation distance of every marginal of one, two and three columns, quasi-identifiers and sensitive.

    0 when counts by those columns come out as in the original, 1 when nothing does. The value is the mean over all
    marginals; ``details`` has the mean and the worst of each order. A line of more than ``bins`` places is cut into so
    many stretches of equal length.
    """

    name: ClassVar[str] = "marginals"
    summary: ClassVar[str] = "how far tables of one, two and three columns are from the original's"
    unit: ClassVar[str] = "total variation, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "McKenna, Miklau, Sheldon. Winning the NIST contest. JPC 2021"

    order: int = Field(default=3, ge=1, le=3, description="how many columns a marginal has at most")
    bins: int = Field(default=20, ge=1, description="into how many stretches a long line is cut")

    def score(self, shown: Shown) -> Score:
        """The score of what is shown."""
        names = [cells.attribute.name for cells in shown.quasi]
        secret = len(shown.quasi) if len(shown.sensitive) == 1 else None
        if secret is not None:
            names.append(shown.sensitive[0].attribute.name)
        by_order: dict[str, dict[str, float | str]] = {}
        every: list[float] = []
        one_way: dict[str, float] = {}
        joints = Joints(shown, self.bins)
        for order in range(1, min(self.order, len(names)) + 1):
            distances = {}
            for chosen in combinations(range(len(names)), order):
                quasi = [i for i in chosen if i != secret]
                shares = joints.of(quasi, sensitive=secret in chosen)
                distances[", ".join(names[i] for i in chosen)] = shares.variation
            worst = max(distances, key=lambda name: distances[name])
            mean = float(np.mean(list(distances.values())))
            by_order[str(order)] = {"mean": mean, "worst": distances[worst], "worst_columns": worst}
            every += distances.values()
            if order == 1:
                one_way = distances
        value = float(np.mean(every))
        return self.found(
            value,
            Message(
                "{value} of the rows would have to move for tables of up to {orders} columns to come out right",
                value=Share(value, 1),
                orders=len(by_order),
            ),
            marginals=len(every),
            orders=by_order,
            columns=one_way,
        )
