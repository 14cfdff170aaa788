"""Published texts become choices of the original's columns, whoever wrote them.

The text is what is published, so the text is what is measured. Where a column has a value that reads like something
that the recoder writes (a value ``{a, b}`` beside the values a and b, a value ``*`` where suppression writes ``*``),
nobody can tell which of the two a cell is: it leaves open whatever either of them does, in a release in memory as well
as in one that is read from a file. What a recoder never writes (``*`` of :class:`~pellucid.Intervals`) is the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
import polars as pl
import polars.selectors as cs

from pellucid.core.schema import Kind
from pellucid.core.schema.rounding import Quantiles
from pellucid.core.table import Attribute, Codes
from pellucid.errors import MeasureError
from pellucid.io.codes import coded
from pellucid.published.choices import (
    Choices,
    Floats,
    Integers,
    Ticks,
    anything,
    intervals,
    is_line,
    names,
    sets,
    values_as_they_are,
)
from pellucid.published.ends import is_centre, joined_ends, place_of_end, published_as
from pellucid.published.grammar import STAR, Interval, interval_of, is_general, without_null
from pellucid.published.matcher import CellMatcher
from pellucid.published.numbers import number_of, numbers_in
from pellucid.text.values import label_of


class Writer(Protocol):
    """Who wrote the cells of a column: a recoder (:class:`pellucid.anonymize.recode.Recoder`), which knows them."""

    def may_write(self, attribute: Attribute, text: str) -> bool:
        """Whether this text, which is one of the column's values, may also stand for others."""

    def spans(self, attribute: Attribute) -> bool:
        """Whether groups are written as intervals around their values, also where one reads like a broader name."""

    def lists(self, attribute: Attribute) -> bool:
        """Whether groups are written as sets of their values."""


class Anybody:
    """A writer of whom nothing is known."""

    def may_write(self, attribute: Attribute, text: str) -> bool:  # noqa: ARG002
        """What reads like several values may be."""
        return is_general(text)

    def spans(self, attribute: Attribute) -> bool:  # noqa: ARG002
        """A broader name is one."""
        return False

    def lists(self, attribute: Attribute) -> bool:  # noqa: ARG002
        """A value with null beside it is an interval where values have an order."""
        return False


class AsItIs(Anybody):
    """A writer who generalises nothing."""

    def may_write(self, attribute: Attribute, text: str) -> bool:  # noqa: ARG002
        """A value is that value."""
        return False


def as_published(available: Sequence[str], name: str, source: str) -> list[str]:
    """A column under its own name, or as the ends of its intervals."""
    if columns := published_as(name, available):
        return columns
    raise MeasureError(
        f"{source} has no column {name!r}, which the original has; its columns: {', '.join(map(repr, available))}"
    )


def values_of(series: pl.Series, attribute: Attribute) -> Codes:
    """Published sensitive values as codes of the original's column."""
    values, codes, has_null = coded(series)
    covering = CellMatcher(attribute.values, as_written=True)
    place = np.zeros(len(values) + int(has_null), np.int32)
    spelled: list[Any] = ([None] if has_null else []) + values.to_list()
    for i, value in enumerate(spelled):
        covered = np.flatnonzero(covering.of(value))
        if len(covered) != 1:
            what = "null" if value is None else repr(label_of(value))
            raise MeasureError(
                f"{what} is a published {attribute.name!r} and no value of the original's; "
                "give the table that the release was made of"
            )
        place[i] = covered[0]
    return place[codes]


def choices_of(
    attribute: Attribute,
    frame: pl.DataFrame,
    columns: Sequence[str],
    writer: Writer | None = None,
    *,
    suppressed: bool = False,
) -> tuple[Codes, Choices]:
    """The choice of each row, and the choices, each once; ``writer`` is the recoder that wrote them, where known.

    Null is a value, or ``*`` where cells are ``suppressed`` by it.
    """
    if is_centre(attribute.name, columns):
        return _centres(attribute, frame, columns)
    if len(columns) == 1:
        values, codes, has_null = coded(frame[columns[0]])
        texts = ([STAR if suppressed else None] if has_null else []) + values.to_list()
    else:
        distinct = frame.select(columns).unique(maintain_order=True).with_row_index("@")
        codes = (
            frame.select(columns)
            .join(distinct, on=columns, how="left", nulls_equal=True, maintain_order="left")["@"]
            .to_numpy()
            .astype(np.int32)
        )
        places = sorted(range(len(columns)), key=lambda i: place_of_end(columns[i]))
        # the end 0.1 in single precision is 0.1, and not 0.10000000149
        shortest = distinct.drop("@").with_columns(cs.by_dtype(pl.Float32).cast(pl.String))
        texts = [joined_ends(*[row[at] for at in places]) for row in shortest.iter_rows()]
    reader = _Reader(attribute, writer or Anybody())
    made = _made(reader, texts)
    return _each_once(codes.astype(np.int32), made, [reader.told_apart(text) for text in texts])


def _made(reader: _Reader, texts: Sequence[object]) -> Choices:
    """The choice that each text is; intervals whose ends tell all, of which there may be very many, at once."""
    spans = [reader.span(text) for text in texts]
    apart = [i for i, span in enumerate(spans) if span is None]
    together = [i for i, span in enumerate(spans) if span is not None]
    parts = [reader.choice(texts[i]) for i in apart]
    if together:
        low, high, nulls, covered = np.array([span for span in spans if span is not None], np.int64).T
        parts.append(intervals(reader.attribute, low, high, nulls > 0, covered))
    return Choices.joined(parts).take(np.argsort([*apart, *together]))


def _centres(attribute: Attribute, frame: pl.DataFrame, columns: Sequence[str]) -> tuple[Codes, Choices]:
    """Means and medians: any value may be behind each, but groups with different ones are different."""
    parts: list[str] = sorted(columns, key=place_of_end)
    named = frame.select(parts)
    distinct = named.unique(maintain_order=True).with_row_index("@")
    codes = named.join(distinct, on=named.columns, how="left", nulls_equal=True, maintain_order="left")["@"]
    cells = distinct.drop("@").rows()
    made = [_any_value(attribute, none=cell[0] is None, nulls=cell[-1] == "some") for cell in cells]
    choices = replace(Choices.joined(made), centre=_places(attribute, distinct[parts[0]]))
    return _each_once(codes.to_numpy().astype(np.int32), choices, [repr(c).encode() for c in cells])


def _places(attribute: Attribute, centres: pl.Series) -> Floats:
    """Where means and medians lie on the line of the column, as ticks; nan where there is none."""
    ticks, null, values = Ticks.of(attribute).of_code, int(attribute.has_null), attribute.values
    if not (values.dtype.is_numeric() or values.dtype.is_temporal()):  # the median of ordered values is one of them
        place = {label_of(value): float(tick) for value, tick in zip(values, ticks, strict=True) if value is not None}
        return np.array([np.nan if one is None else place.get(label_of(one), np.nan) for one in centres], np.float64)
    known = values.slice(null)
    if centres.dtype == pl.String:
        centres = (
            centres.str.to_date(strict=False)
            if known.dtype == pl.Date
            else centres.str.to_datetime(strict=False)
            if known.dtype.is_temporal()
            else centres.cast(pl.Float64, strict=False)
        )
    there, mine = (
        (part.cast(known.dtype, strict=False).to_physical() if known.dtype.is_temporal() else part)
        .cast(pl.Float64, strict=False)
        .to_numpy()
        for part in (centres, known)
    )
    first, last = float(mine[0]), float(mine[-1])
    scale = (ticks[-1] - ticks[null]) / (last - first) if last > first else 0.0
    return np.asarray(ticks[null] + (there - first) * scale, np.float64)


def _any_value(attribute: Attribute, *, none: bool, nulls: bool) -> Choices:
    """What a mean leaves open: the null where there was nothing but nulls, else every value, and null beside some."""
    first = int(attribute.has_null)
    if none or len(attribute) - first < 2:
        alone = values_as_they_are(attribute, np.array([0 if none else first]))
        return alone if none or not nulls else anything(attribute)
    last, beside = np.array([Ticks.of(attribute).count - 1]), np.array([nulls])
    return intervals(attribute, np.zeros(1, np.int64), last, beside, np.array([len(attribute) - first + nulls]))


def _each_once(codes: Codes, choices: Choices, apart: Sequence[bytes]) -> tuple[Codes, Choices]:
    """Different texts may say the same: they are one choice."""
    keys: dict[tuple[bytes, bytes, bool, float, bytes], int] = {}
    place = np.empty(len(choices), np.int32)
    first = []
    for i in range(len(choices)):
        part = slice(int(choices.starts[i]), int(choices.starts[i + 1]))
        key = (
            choices.low[part].tobytes(),
            choices.high[part].tobytes(),
            bool(choices.nulls[i]),
            float(choices.height[i]),
            apart[i],
        )
        if key not in keys:
            keys[key] = len(keys)
            first.append(i)
        place[i] = keys[key]
    return place[codes], choices.take(first)


class _Reader:
    """Reads the published texts of one column."""

    def __init__(self, attribute: Attribute, writer: Writer) -> None:
        self.attribute = attribute
        self.writer = writer
        self.named = attribute.taxonomy is not None and not writer.spans(attribute)
        self.ticks = Ticks.of(attribute)
        taxonomy = attribute.taxonomy
        labels = [None if value is None else label_of(value) for value in attribute.values.to_list()]
        order = [label for label in labels if label is not None] if is_line(attribute) else []
        self.covering = CellMatcher(attribute.values, taxonomy=taxonomy, order=order, as_written=True)
        self.place = {label: code for code, label in enumerate(labels) if label is not None}
        self.shared = bool((np.diff(self.ticks.of_code) == 0).any())
        self.null = np.flatnonzero(attribute.values.is_null().to_numpy())

    @property
    def _of_classes(self) -> bool:
        """Whether the values are classes, or parts of dates, which are written as what they cover."""
        return isinstance(self.attribute.rounding, str | tuple | Quantiles)

    def choice(self, published: object) -> Choices:
        """What a published value leaves open."""
        if published is None:
            return self._values(self.null, published)
        text = label_of(published)
        own = self.place.get(text)
        if own is not None and not self.writer.may_write(self.attribute, text):
            return values_as_they_are(self.attribute, np.array([own]))
        if text == STAR:
            return anything(self.attribute)
        if own is None:
            return self._generalised(text, np.flatnonzero(self.covering.of(published)))
        covered = np.flatnonzero(self.covering.generalised(text))
        if len(np.setdiff1d(covered, self.null)) == 0:  # "a or null" in a column that has no a
            return values_as_they_are(self.attribute, np.array([own]))
        if own in covered:
            return self._generalised(text, covered)
        return self._values(np.sort(np.append(covered, own)), published)

    def span(self, published: object) -> tuple[int, int, bool, int] | None:
        """The ends in ticks of what an interval leaves open, whether null is beside, and how many values it covers.

        None where the ends of a text do not tell, or it is no interval: :meth:`choice` then looks at every value. Where
        there is an answer, it is the same.
        """
        if not isinstance(published, str) or self._of_classes or not is_line(self.attribute):
            return None
        bare, nulls = without_null(published)
        interval = interval_of(bare) if bare.startswith("[") and published not in self.place else None
        if interval is None or any(map(self._is_a_name, (published, bare))):
            return None
        inside = self.covering.run_of(interval)
        if not inside:
            return None
        low, high = self._widened(interval, inside[0], inside[-1])
        return low, high, nulls, len(inside) + (len(self.null) if nulls else 0)

    def _is_a_name(self, text: str) -> bool:
        return self.attribute.taxonomy is not None and self.attribute.taxonomy.knows(text)

    def _is_one_of_a_list(self, covered: Integers) -> bool:
        """Whether an interval is a class, with null beside it or not, of a writer who lists values."""
        return self._of_classes and self.writer.lists(self.attribute) and len(np.setdiff1d(covered, self.null)) == 1

    def _is_on_a_line(self, text: str) -> bool:
        """Whether a text says where on the line of its attribute a value is, and lists none."""
        return is_line(self.attribute) and not self.writer.lists(self.attribute) and not text.startswith("{")

    def _generalised(self, text: str, covered: Integers) -> Choices:
        """What a text that is no value leaves open, given what it covers."""
        attribute = self.attribute
        if self.named and attribute.taxonomy is not None and attribute.taxonomy.knows(text):
            return names(attribute, [text])
        bare, nulls = without_null(text)
        span = interval_of(bare)
        if span is not None and is_line(attribute) and not self._is_one_of_a_list(covered):
            ends = self._ends(bare, span)
            if ends is not None:
                return intervals(attribute, *ends, np.array([nulls]), np.array([len(covered)]))
        if nulls and self._is_on_a_line(bare):
            alone = np.flatnonzero(self.covering.part(bare))
            if len(alone):
                at = self.ticks.of_code[alone]
                return intervals(attribute, at[:1], at[-1:], np.array([True]), np.array([len(covered)]))
        return self._values(covered, text)

    def told_apart(self, published: object) -> bytes:
        """What tells a published value from others on the same ticks, where several values of the column share one."""
        if not self.shared:
            return b""
        return blake2b(np.packbits(self.covering.of(published)).tobytes(), digest_size=16).digest()

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

    def _ends(self, text: str, interval: Interval) -> tuple[Integers, Integers] | None:
        """The first and the last tick inside an interval: where its ends lie, not only the values in it."""
        inside = np.flatnonzero(self.covering.generalised(text))
        if len(inside) == 0:
            return None
        low, high = self._widened(interval, int(inside[0]), int(inside[-1]))
        return np.array([low]), np.array([high])

    def _widened(self, interval: Interval, low: int, high: int) -> tuple[int, int]:
        """The ticks from one code to another, and on to where an interval ends that has these."""
        first, last = int(self.ticks.of_code[low]), int(self.ticks.of_code[high])
        if self._of_classes:  # each ends between two of the values
            return first, last
        start, end = self._tick(interval.low), self._tick(interval.high)
        if start is not None:
            ceiling = -(-start.numerator // start.denominator)
            first = min(first, ceiling + int(interval.without_low and ceiling == start))
        if end is not None:
            floor = end.numerator // end.denominator
            last = max(last, floor - int(interval.without_high and floor == end))
        return max(first, 0), min(last, self.ticks.count - 1)

    def _tick(self, text: str) -> Fraction | None:
        """Where a number lies on the line, exactly; None where there are no two values to tell the scale from."""
        number = number_of(text)
        if number is None or self._scale is None:
            return None
        if number.is_infinite():  # [30, inf]: as far as the line goes
            return Fraction(self.ticks.count - 1 if number > 0 else 0)
        first, tick, slope = self._scale
        return tick + (Fraction(number) - first) * slope

    @cached_property
    def _scale(self) -> tuple[Fraction, int, Fraction] | None:
        """The first number, its tick, and how many ticks one is; None where there are no two numbers."""
        values, null = self.attribute.values, int(self.attribute.has_null)
        on_line = self.attribute.kind is Kind.NUMBER and values.dtype.is_numeric()
        if not on_line or len(values) - null < 2:
            return None
        ends = numbers_in(values.gather([null, len(values) - 1]))
        a, b = (Fraction(end) for end in ends if end is not None)
        p, q = int(self.ticks.of_code[null]), int(self.ticks.of_code[-1])
        return a, p, (q - p) / (b - a)


def single_codes(attribute: Attribute, choices: Choices) -> Integers:
    """The code of each choice that is one value."""
    places = Ticks.of(attribute).of_code
    null = int(attribute.has_null)
    codes = np.zeros(len(choices), np.int64)
    single = ~choices.nulls
    codes[single] = np.searchsorted(places[null:], choices.low[choices.starts[:-1][single]]) + null
    return codes
