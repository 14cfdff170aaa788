"""What every metric is: frozen parameters, a unit, a direction, and one function from what is shown to a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from pellucid.core.release import Release
from pellucid.core.table import Table
from pellucid.errors import MeasureError, PellucidError
from pellucid.messages import Message
from pellucid.metrics.boxes import Shown, shown_by
from pellucid.metrics.margins import Counted, Margins
from pellucid.models.parameters import Parameters
from pellucid.runtime.notebook import table, view
from pellucid.text.figures import figure

Direction = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Score:
    """What a metric found: a figure with its unit, which direction is better, and what it means in one line.

    ``details`` has what the figure is made of, such as the loss of each column. ``value`` is None where the metric says
    nothing about this release, and ``meaning`` then says why.
    """

    metric: str
    value: float | int | None
    unit: str
    direction: Direction
    meaning: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def applies(self) -> bool:
        """Whether there is a figure."""
        return self.value is not None


class Scores(list[Score]):
    """A list of scores that a notebook shows as a table, and a terminal as a small one.

    >>> Scores([Score("loss", 0.25, "share of the domain", "lower", "a quarter is left open")])
    metric  value  better  unit                 meaning
    loss     0.25  lower   share of the domain  a quarter is left open
    """

    def __repr__(self) -> str:
        heads = ["metric", "value", "better", "unit", "meaning"]
        rows = [[score.metric, figure(score.value), score.direction, score.unit, score.meaning] for score in self]
        wide = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
        lines = []
        for row in [heads, *rows]:
            first, second, *rest = (text.ljust(width) for text, width in zip(row, wide, strict=True))
            lines.append("  ".join([first, second.strip().rjust(wide[1]), *rest]).rstrip())
        return "\n".join(lines)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rows = [[score.metric, figure(score.value), score.unit, score.direction, score.meaning] for score in self]
        return view(table(["metric", "value", "unit", "better", "meaning"], rows))


class Metric(Parameters, ABC):
    """A metric with its parameters as fields.

    The same class is the Python argument and the name behind ``--metric``. A metric looks at what is published
    (:class:`~pellucid.metrics.boxes.Shown`) and at the original table, never at how a release was made.
    """

    refusal: ClassVar[type[PellucidError]] = MeasureError

    summary: ClassVar[str]
    unit: ClassVar[str]
    direction: ClassVar[Direction]
    reference: ClassVar[str]

    if TYPE_CHECKING:  # which parameters there are depends on the class

        def __init__(self, *positional: object, **parameters: object) -> None: ...

    def measure(self, table: Table, release: Release) -> Score:
        """The score of a release of ours and the table that it was made of."""
        return self.score(shown_by(release, table))

    @abstractmethod
    def score(self, shown: Shown) -> Score:
        """The score of what is shown; a :class:`~pellucid.errors.MeasureError` says why there is none."""

    @classmethod
    def concerns(cls, shown: Shown | Counted) -> bool:  # noqa: ARG003
        """Whether whoever asks for all metrics means this one too, figure or not."""
        return True

    def found(self, value: float | int, meaning: str, **details: Any) -> Score:
        """A score of this metric."""
        return Score(self.name, value, self.unit, self.direction, meaning, details)


class MarginMetric(Metric):
    """A metric that looks at columns one by one and at the sizes of classes, so that it is measured with Spark too."""

    @abstractmethod
    def score(self, shown: Margins) -> Score:
        """The score of what is shown; a :class:`~pellucid.errors.MeasureError` says why there is none."""


class MeanMetric(MarginMetric):
    """A metric that is a mean over rows, which may count by their weights."""

    weighted: bool = Field(default=False, description="whether rows count by their weights, where a release has some")

    def found(self, value: float | int, meaning: str, **details: Any) -> Score:
        """A score of this metric, which says by what rows count where it is not one each."""
        if not self.weighted:
            return super().found(value, meaning, **details)
        return super().found(value, Message.joined([meaning, BY_WEIGHT]), weighted=True, **details)


BY_WEIGHT = "each row counts by its weight"
