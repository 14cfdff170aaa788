"""What every metric is: frozen parameters, a unit, a direction, and one function from what is shown to a score."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from pellucid.errors import MeasureError
from pellucid.measuring.shown import Shown, shown_by
from pellucid.notebook import table, view
from pellucid.release import Release
from pellucid.table import Table

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
    """A list of scores that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = [[one.metric, figure(one.value), one.unit, one.direction, one.meaning] for one in self]
        return view(table(["metric", "value", "unit", "better", "meaning"], rows))


def figure(value: float | int | None) -> str:
    """A figure for a person: whole numbers as they are, others with four digits.

    >>> figure(90000), figure(0.123456), figure(12345.6)
    ('90,000', '0.1235', '12,346')
    """
    if value is None:
        return "none"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if 1000 <= abs(value) < math.inf else f"{value:.4g}"


class Metric(BaseModel, ABC):
    """A metric with its parameters as fields.

    The same class is the Python argument and the name behind ``--metric``. A metric looks at what is published
    (:class:`~pellucid.measuring.shown.Shown`) and at the original table, never at how a release was made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: ClassVar[str]
    summary: ClassVar[str]
    unit: ClassVar[str]
    direction: ClassVar[Direction]
    reference: ClassVar[str]

    def __init__(self, *positional: object, **parameters: object) -> None:
        if positional:
            raise MeasureError(f"{self.name} takes its parameters by name, as in {self._example(positional[0])}")
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
        try:
            super().__init__(**plain)
        except ValidationError as error:
            raise MeasureError(self._complaint(error)) from None

    @classmethod
    def _example(cls, value: object) -> str:
        first = next(iter(cls.model_fields), None)
        return f"{cls.__name__}({first}={value!r})" if first else f"{cls.__name__}()"

    @classmethod
    def _complaint(cls, error: ValidationError) -> str:
        """The first thing wrong with the parameters, in one line."""
        problem = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        name = ".".join(str(part) for part in problem["loc"][:1]) or "parameters"
        known = ", ".join(cls.model_fields) or "none"
        if problem["type"] == "extra_forbidden":
            return f"{cls.name} has no parameter {name!r}; its parameters are: {known}"
        told = problem["msg"].removeprefix("Value error, ")
        if not problem["loc"]:
            return f"{cls.name}: {told}"
        meaning = cls.model_fields[name].description if name in cls.model_fields else None
        told = told if problem["type"] == "value_error" else told.lower()
        return f"{name} = {problem['input']!r}: {told}" + (f" ({name} is {meaning})" if meaning else "")

    def measure(self, table: Table, release: Release) -> Score:
        """The score of a release of ours and the table that it was made of."""
        return self.score(shown_by(release, table))

    @abstractmethod
    def score(self, shown: Shown) -> Score:
        """The score of what is shown; a :class:`~pellucid.errors.MeasureError` says why there is none."""

    def found(self, value: float | int, meaning: str, **details: Any) -> Score:
        """A score of this metric."""
        return Score(self.name, value, self.unit, self.direction, meaning, details)
