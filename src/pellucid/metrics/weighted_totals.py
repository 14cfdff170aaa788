"""Weighted totals: how wrong the numbers of people are that a survey's weights say of each sensitive value."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pellucid.messages import Message, Share
from pellucid.metrics.boxes import Shown
from pellucid.metrics.margins import Counted
from pellucid.metrics.metric import Direction, Metric, Score
from pellucid.models import Groups
from pellucid.published.choices import Floats
from pellucid.text.values import label_of


class WeightedTotals(Metric):
    """By how much the sums of weights of the sensitive values are off, as a share of all weights.

    The original says of a value v the sum T(v) of the weights of its rows; the release, whose groups show their mean
    weight in every row, says P(v). The value is ``sum |P(v) - T(v)| / sum T(v)``, of several sensitive columns the
    largest; where nothing is sensitive, it is that of the sum of all weights. ``details`` has the sum of all weights,
    true and published, which differ by rounding and by what is suppressed, and the values of each column.

    >>> import polars as pl
    >>> import pellucid as pc
    >>> people = pl.DataFrame({"age": [20, 20, 50, 50], "w": [1, 3, 10, 10], "ill": ["a", "b", "a", "b"]})
    >>> release = pc.publish(people, pc.Tailor(l=2), quasi="age", sensitive="ill", weight="w")
    >>> score, = pc.measure(release, people, [pc.WeightedTotals()])
    >>> round(score.value, 4), score.details["total"]  # of 24 people, a has 12 instead of 11, and b has 12 of 13
    (0.0833, {'true': 24.0, 'published': 24.0, 'error': 0.0})
    """

    name: ClassVar[str] = "weighted-totals"
    summary: ClassVar[str] = "how wrong the numbers of people are that the weights say of each sensitive value"
    unit: ClassVar[str] = "share of all weights"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Horvitz, Thompson. A generalization of sampling without replacement. JASA 1952"

    @classmethod
    def concerns(cls, shown: Shown | Counted) -> bool:
        """Where the release has weights; of others it is not asked."""
        return isinstance(shown, Shown) and shown.weight is not None

    def score(self, shown: Shown) -> Score:
        """The score of what is shown."""
        published, true = shown.class_weights, shown.original_weights
        assert true is not None
        whole, published_total = math.fsum(true.tolist()), math.fsum((shown.sizes * published[shown.classes]).tolist())
        off = (published_total - whole) / whole
        columns = {groups.attribute.name: _totals(shown, groups, true, published) for groups in shown.sensitive}
        errors = {name: _share_off(totals, whole) for name, totals in columns.items()}
        value = max(errors.values(), default=abs(off))
        worst = max(errors, key=lambda name: errors[name], default="")
        about = Message(
            "sums of weights by {worst} are off by {value} of all weights; ", worst=worst, value=Share(value, 2)
        )
        return self.found(
            value,
            Message(
                "{about}the sum of all weights, {whole:,.6g}, is published as {published:,.6g} ({off})",
                about=about if worst else "",
                whole=whole,
                published=published_total,
                off=Share(off, 2, signed=True),
            ),
            total={"true": whole, "published": published_total, "error": off},
            columns=errors,
            values={name: _by_value(totals, shown.sensitive, name) for name, totals in columns.items()},
        )


def _totals(shown: Shown, groups: Groups, true: Floats, published: Floats) -> tuple[Floats, Floats]:
    """The weights of each value, in the original and by what is shown."""
    values = len(groups.attribute)
    names = [attribute.name for attribute in shown.table.attributes]
    codes = shown.table.codes[names.index(groups.attribute.name)]
    theirs = groups.counts * published[groups.groups_of_entries]
    mine = np.bincount(codes, weights=true, minlength=values).astype(np.float64)
    return mine, np.bincount(groups.codes, weights=theirs, minlength=values).astype(np.float64)


def _share_off(totals: tuple[Floats, Floats], whole: float) -> float:
    true, published = totals
    return math.fsum(np.abs(published - true).tolist()) / whole


def _by_value(totals: tuple[Floats, Floats], sensitive: tuple[Groups, ...], name: str) -> dict[str, Any]:
    """The true and the published weight of each value, as a document has it."""
    (groups,) = (of_column for of_column in sensitive if of_column.attribute.name == name)
    labels = ["null" if value is None else label_of(value) for value in groups.attribute.values.to_list()]
    pairs = zip(*(part.tolist() for part in totals), strict=True)
    return {
        label: {"true": true, "published": shown_total}
        for label, (true, shown_total) in zip(labels, pairs, strict=True)
    }
