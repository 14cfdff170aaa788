"""Published texts become choices of the original's columns, whoever wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from pellucid.audit.covering import INTERVAL, OR_NULL, Covering
from pellucid.audit.number_line import number_of
from pellucid.errors import MeasureError
from pellucid.io.codes import coded
from pellucid.measuring.cells import (
    Choices,
    Integers,
    Ticks,
    anything,
    intervals,
    is_line,
    names,
    sets,
    values_as_they_are,
)
from pellucid.table import Attribute, Codes
from pellucid.taxonomy.wording import label_of

STAR = "*"


def as_published(available: Sequence[str], name: str, source: str) -> list[str]:
    """A column under its own name, or as the ends of its intervals."""
    if name in available:
        return [name]
    ends = [f"{name}_{end}" for end in ("low", "high", "nulls")]
    if ends[0] in available and ends[1] in available:
        return [end for end in ends if end in available]
    raise MeasureError(
        f"{source} has no column {name!r}, which the original has; its columns: {', '.join(map(repr, available))}"
    )


def values_of(series: pl.Series, attribute: Attribute) -> Codes:
    """Published sensitive values as codes of the original's column."""
    values, codes, has_null = coded(series)
    covering = Covering(attribute.values)
    place = np.zeros(len(values) + int(has_null), np.int32)
    spelled: list[Any] = ([None] if has_null else []) + values.to_list()
    for i, value in enumerate(spelled):
        found = np.flatnonzero(covering.of(value))
        if len(found) != 1:
            what = "null" if value is None else repr(label_of(value))
            raise MeasureError(
                f"{what} is a published {attribute.name!r} and no value of the original's; "
                "give the table that the release was made of"
            )
        place[i] = found[0]
    return place[codes]


def choices_of(
    attribute: Attribute, frame: pl.DataFrame, columns: Sequence[str], *, spans: bool | None = None
) -> tuple[Codes, Choices]:
    """The choice of each row, and the choices, each once."""
    reader = _Reader(attribute, spans=spans)
    if len(columns) == 1:
        values, codes, has_null = coded(frame[columns[0]])
        made = [reader.choice(value) for value in ([None] if has_null else []) + values.to_list()]
    else:
        distinct = frame.select(columns).unique(maintain_order=True).with_row_index("@")
        codes = (
            frame.select(columns)
            .join(distinct, on=columns, how="left", nulls_equal=True, maintain_order="left")["@"]
            .to_numpy()
            .astype(np.int32)
        )
        places = [next((i for i, name in enumerate(columns) if name.endswith(end)), None) for end in _ENDS]
        made = [
            reader.between(*(None if at is None else row[at] for at in places))
            for row in distinct.drop("@").iter_rows()
        ]
    return _each_once(codes.astype(np.int32), Choices.joined(made))


_ENDS = ("_low", "_high", "_nulls")


def _each_once(codes: Codes, choices: Choices) -> tuple[Codes, Choices]:
    """Different texts may say the same: they are one choice."""
    keys: dict[tuple[bytes, bytes, bool, float], int] = {}
    place = np.empty(len(choices), np.int32)
    first = []
    for i in range(len(choices)):
        part = slice(int(choices.starts[i]), int(choices.starts[i + 1]))
        key = (
            choices.low[part].tobytes(),
            choices.high[part].tobytes(),
            bool(choices.nulls[i]),
            float(choices.height[i]),
        )
        if key not in keys:
            keys[key] = len(keys)
            first.append(i)
        place[i] = keys[key]
    return place[codes], choices.take(first)


class _Reader:
    """Reads the published texts of one column.

    ``spans`` says that numbers, dates and ordered values are published as intervals, also where an interval reads like
    a name in the taxonomy, or that they are not: then ``20 or null`` is a set of two. None: nobody says it.
    """

    def __init__(self, attribute: Attribute, *, spans: bool | None) -> None:
        self.attribute = attribute
        self.sets = spans is False
        self.named = attribute.taxonomy is not None and not (spans and is_line(attribute))
        self.ticks = Ticks.of(attribute)
        taxonomy = attribute.taxonomy
        order = [label_of(value) for value in attribute.values.drop_nulls().to_list()] if is_line(attribute) else []
        self.covering = Covering(attribute.values, taxonomy=taxonomy, order=order)
        self.labels = [None if value is None else label_of(value) for value in attribute.values.to_list()]
        self.null = np.flatnonzero(attribute.values.is_null().to_numpy())

    def choice(self, published: object) -> Choices:
        """What a published value leaves open."""
        attribute = self.attribute
        if published is None:
            return self._values(self.null, published)
        text = label_of(published)
        exact = np.flatnonzero(self.covering.of(published)) if text != STAR else self.null[:0]
        if len(exact) == 1 and self.labels[int(exact[0])] == text:
            return values_as_they_are(attribute, exact)
        if text == STAR:
            return anything(attribute)
        if self.named and attribute.taxonomy is not None and attribute.taxonomy.knows(text):
            return names(attribute, [text])
        bare = text.removesuffix(OR_NULL) if text.endswith(OR_NULL) else text
        nulls = bare != text
        span = INTERVAL.match(bare)
        if span and is_line(attribute):
            ends = self._ends(bare, without=(span[1] != "[", span[4] != "]"), low=span[2], high=span[3])
            if ends is not None:
                return intervals(attribute, *ends, np.array([nulls]))
        if nulls and is_line(attribute) and not self.sets and not bare.startswith("{"):
            alone = np.flatnonzero(self.covering.of(bare))
            if len(alone):
                at = self.ticks.of_code[alone]
                return intervals(attribute, at[:1], at[-1:], np.array([True]))
        return self._values(exact, published)

    def between(self, low: object, high: object, nulls: object) -> Choices:
        """The same for an interval whose ends are columns of their own."""
        if low is None:
            return self._values(self.null, None)
        text = f"[{label_of(low)}, {label_of(high)}]"
        if nulls in ("some", "all"):
            text += OR_NULL
        return self.choice(text)

    def _values(self, codes: Integers, published: object) -> Choices:
        """A set of values that occur in the original."""
        if len(codes) == 0:
            what = "null" if published is None else repr(label_of(published))
            raise MeasureError(
                f"{what} is a published {self.attribute.name!r} that covers no value of the original; "
                "give the table that the release was made of, and the schema with its taxonomies"
            )
        if len(codes) == 1:
            return values_as_they_are(self.attribute, codes)
        return sets(self.attribute, np.zeros(len(codes), np.int64), codes, 1)

    def _ends(self, text: str, *, without: tuple[bool, bool], low: str, high: str) -> tuple[Integers, Integers] | None:
        """The first and the last tick inside an interval: where its ends lie, not only the values in it."""
        inside = np.flatnonzero(self.covering.of(text))
        if len(inside) == 0:
            return None
        first, last = int(self.ticks.of_code[inside[0]]), int(self.ticks.of_code[inside[-1]])
        start, end = self._tick(low), self._tick(high)
        if start is not None:
            ceiling = -(-start.numerator // start.denominator)
            first = min(first, ceiling + int(without[0] and ceiling == start))
        if end is not None:
            floor = end.numerator // end.denominator
            last = max(last, floor - int(without[1] and floor == end))
        return np.array([max(first, 0)]), np.array([min(last, self.ticks.count - 1)])

    def _tick(self, text: str) -> Fraction | None:
        """Where a number lies on the line, exactly; None where there are no two values to tell the scale from."""
        number = number_of(text.strip('"'))
        values, null = self.attribute.values, int(self.attribute.has_null)
        if number is None or not values.dtype.is_numeric() or len(values) - null < 2:
            return None
        a, b = (Fraction(str(values[i])) for i in (null, len(values) - 1))
        p, q = int(self.ticks.of_code[null]), int(self.ticks.of_code[-1])
        return p + (Fraction(number) - a) * (q - p) / (b - a)


def single_codes(attribute: Attribute, choices: Choices) -> Integers:
    """The code of each choice that is one value."""
    places = Ticks.of(attribute).of_code
    null = int(attribute.has_null)
    found = np.zeros(len(choices), np.int64)
    single = ~choices.nulls
    found[single] = np.searchsorted(places[null:], choices.low[choices.starts[:-1][single]]) + null
    return found
