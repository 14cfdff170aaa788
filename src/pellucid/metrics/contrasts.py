"""Contrasts: what becomes of differences between classes of people, such as men less women, in a release."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes
from pellucid.errors import MeasureError
from pellucid.messages import Message, Share
from pellucid.metrics.boxes import ColumnBoxes, Shown
from pellucid.metrics.joint import Grid
from pellucid.metrics.margins import Counted
from pellucid.metrics.metric import Direction, Metric, Score
from pellucid.models import Groups
from pellucid.published.choices import Choices, Floats, Integers, Ticks
from pellucid.runtime.records import record
from pellucid.text.values import label_of

MOST_CLASSES = 500  # of one column: of more nobody compares each with each
ESTIMATE = "Shares of a release are estimated by spreading each row evenly over what its cells leave open."


class Contrasts(Metric):
    """By how much differences between classes of people are off, as a share of all these differences.

    For each quasi-identifier and each sensitive column: the share of a value in each class, in the original and by what
    is published, where each row is spread evenly over what its cell leaves open and has each value as its class does.
    Suppressed rows are in no estimate. Classes are the values of a column. Numbers, dates and ordered values go into
    ``bins`` of about as many people each where they have more values, a value where the middle of its people does.
    Classes of fewer than ``support`` people are left out, and values that fewer people have or have not.

    A contrast is the share of a value in one class less that in another: the highest less the lowest where a column has
    an order, else the two that differ most in the original. Of two values the rarer is told. The figure is the sum of
    what contrasts are off by, divided by the sum of their sizes: 0 where all come out as they are, 1 where a release
    shows none. ``details`` has the shares (``pairs``), the ``contrasts``, the strongest first, and for each column with
    an order the least-squares ``slopes`` of the value on the column, from one end of it to the other. ``kept`` is the
    slope of published contrasts on true ones through zero. Rows count by their weights, where a release has some.

    >>> import polars as pl
    >>> import pellucid as pc
    >>> people = pl.DataFrame({"sex": list("ffffmmmm"), "zip": [1, 2, 3, 4] * 2, "ill": list("aaabbbba")})
    >>> release = pc.publish(people, pc.Mondrian(k=8), quasi=["sex", "zip"], sensitive="ill")  # one group of all
    >>> score, = pc.measure(release, people, [pc.Contrasts(support=2)])
    >>> score.value, [(one["quasi"], one["true"], one["published"]) for one in score.details["contrasts"]]
    (1.0, [('sex', 0.5, 0.0), ('zip', 0.0, 0.0)])
    """

    name: ClassVar[str] = "contrasts"
    summary: ClassVar[str] = "by how much differences between classes of people are off"
    unit: ClassVar[str] = "share of the differences"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "attenuation by a mismeasured covariate: Carroll et al. Measurement error. 2006"

    bins: int = Field(default=5, ge=2, description="into how many classes numbers, dates and ordered values go")
    support: int = Field(default=50, ge=1, description="the least number of people in a class, and with a value")
    weighted: bool = Field(default=True, description="whether rows count by their weights, where a release has some")

    @classmethod
    def concerns(cls, shown: Shown | Counted) -> bool:
        """Where something is sensitive; where nothing is, it is not asked."""
        return bool(shown.secrets)

    def score(self, shown: Shown) -> Score:
        """The score of what is shown."""
        found = Found(shown.valued, self)
        contrasts = sorted(found.contrasts, key=lambda one: -abs(one["true"]))
        sizes = math.fsum(abs(one["true"]) for one in contrasts)
        if sizes == 0:
            nothing = "no classes differ in the original" if contrasts else "no classes can be compared"
            raise MeasureError("{nothing}{left_out}", nothing=Message(nothing), left_out=found.why)
        off = [abs(one["published"] - one["true"]) for one in contrasts]
        squares = math.fsum(one["true"] ** 2 for one in contrasts)
        most = max(zip(off, contrasts, strict=True), key=lambda pair: pair[0])[1]
        return self.found(
            math.fsum(off) / sizes,
            Message(
                "differences between classes are off by {value} of their size; most: {contrast}",
                value=Share(math.fsum(off) / sizes),
                contrast=contrast_words(most),
            ),
            kept=math.fsum(one["true"] * one["published"] for one in contrasts) / squares,
            pairs=found.pairs,
            contrasts=contrasts,
            slopes=found.slopes,
            left_out=found.left_out,
            support=self.support,
            weighted=found.weighted,
        )


def contrast_words(one: Mapping[str, Any]) -> Message:
    """A contrast in words.

    >>> contrast_words(dict(quasi="sex", high="m", low="f", sensitive="ill", value="yes", true=0.1, published=0.02))
    'the share of yes of ill, sex m less f, is +2.0 points instead of +10.0'
    """
    return Message(
        "the share of {value} of {sensitive}, {quasi} {high} less {low}, is {published:+.1f} points instead of "
        "{true:+.1f}",
        **{**one, "published": 100 * one["published"], "true": 100 * one["true"]},
    )


@record(eq=False)
class Classes:
    """A column divided into classes of people: the class of each code, its name, and whether they have an order.

    ``null`` is the class of null, -1 where there is none; it has no place in the order.
    """

    of_code: Codes
    names: tuple[str, ...]
    ordered: bool
    null: int

    @classmethod
    def of(cls, attribute: Attribute, people: Integers, bins: int) -> Classes:
        """Each value by itself, or so many bins of about as many people each; ``people`` have each code."""
        null, ordered = int(attribute.has_null), attribute.kind is not Kind.CATEGORY
        known = people[null:]
        place = np.arange(len(known))
        if ordered and len(known) > bins:
            middle = 2 * (np.cumsum(known) - known) + known  # twice the number of people below the middle of a value's
            place = np.unique(np.minimum(bins * middle // max(2 * int(known.sum()), 1), bins - 1), return_inverse=True)[
                1
            ]
        labels = [label_of(value) for value in attribute.values.slice(null).to_list()]
        count = int(place.max(initial=-1)) + 1
        ends = (
            [np.flatnonzero(place == c)[[0, -1]] for c in range(count)] if ordered else [(c, c) for c in range(count)]
        )
        names = tuple(labels[a] if a == b else f"{labels[a]} to {labels[b]}" for a, b in ends)
        of_code = np.concatenate((np.full(null, count), place)).astype(np.int32)
        return cls(of_code, names + ("null",) * null, ordered, count if null else -1)

    def cells(self, ticks: Ticks, told: NDArray[np.bool_]) -> tuple[Grid, Codes]:
        """The classes that are told as cells of the column's line, and the class of each cell.

        What lies between two values of a column that has an order is in the class of the lower one.
        """
        if not self.ordered:
            codes = np.flatnonzero(told[self.of_code])
            return Grid(ticks.of_code[codes], ticks.of_code[codes], self.of_code), self.of_code[codes]
        null = int(self.null >= 0)
        begins = np.flatnonzero(np.diff(self.of_code[null:], prepend=-1))
        low = ticks.of_code[null:][begins]
        low[:1] = 0
        high = np.append(low[1:] - 1, ticks.count - 1)
        front = np.full(null, -1, np.int64)
        classes = np.append(front + len(self.names), np.arange(len(begins))).astype(np.int32)
        return Grid(np.append(front, low), np.append(front, high), self.of_code), classes


class Found:
    """Shares, contrasts and slopes of each pair of quasi-identifier and sensitive column, and what is left out."""

    def __init__(self, shown: Shown, asked: Contrasts) -> None:
        self.asked, self.shown = asked, shown
        self.pairs: list[dict[str, Any]] = []
        self.contrasts: list[dict[str, Any]] = []
        self.slopes: list[dict[str, Any]] = []
        self.left_out: list[dict[str, str]] = []
        self.weighted = asked.weighted and shown.weight is not None
        table = shown.table
        self._counts = np.ones(len(table)) if not self.weighted else np.asarray(shown.original_weights)
        self._of_box = shown.sizes * (shown.class_weights[shown.classes] if self.weighted else 1.0)
        places = {attribute.name: i for i, attribute in enumerate(table.attributes)}
        usable = [(of, at) for of in shown.quasi if self._has_classes(of, at := places[of.attribute.name])]
        for groups in shown.sensitive:
            values = self._values(groups, table.codes[places[groups.attribute.name]])
            if values is not None:
                for cells, place in usable:
                    self._look(cells, table.codes[place], values)

    @property
    def why(self) -> Message | str:
        """Why columns are left out, after a sentence that has to say so."""
        reasons = dict.fromkeys(f"{one['column']} {one['reason']}" for one in self.left_out)
        return Message(": {reasons}", reasons="; ".join(reasons)) if reasons else ""

    def _leave_out(self, column: str, reason: str) -> None:
        self.left_out.append({"column": column, "reason": reason})

    def _divided(self, attribute: Attribute, codes: Codes) -> tuple[Classes, Integers]:
        """The classes of a column, and how many people are in each."""
        people = np.bincount(codes, minlength=len(attribute)).astype(np.int64)
        classes = Classes.of(attribute, people, self.asked.bins)
        return classes, np.bincount(classes.of_code, weights=people, minlength=len(classes.names)).astype(np.int64)

    def _has_classes(self, cells: ColumnBoxes, place: int) -> bool:
        """Whether a quasi-identifier has two classes with enough people; why not is kept."""
        classes, people = self._divided(cells.attribute, self.shown.table.codes[place])
        known = people[: classes.null] if classes.null >= 0 else people
        enough = int((known >= self.asked.support).sum())
        if not 2 <= enough <= MOST_CLASSES:
            why = f"has {enough:,} classes of at least {self.asked.support} rows"
            self._leave_out(cells.attribute.name, f"{why}, more than {MOST_CLASSES}" if enough > 1 else why)
            return False
        return True

    def _values(self, groups: Groups, codes: Codes) -> Values | None:
        """The values of a sensitive column that enough people have; None where there are none, and why is kept."""
        classes, people = self._divided(groups.attribute, codes)
        least = self.asked.support
        told = [v for v in range(len(people)) if least <= people[v] <= len(codes) - least]
        if not told:
            self._leave_out(groups.attribute.name, f"has no value that {least} rows have and {least} have not")
            return None
        if len(people) == 2:  # the shares of one are those of the other
            told = [int(people.argmin())]
        place = np.full(len(people), len(told), np.int32)
        place[told] = np.arange(len(told))
        of_code = place[classes.of_code]
        distinct = np.diff(groups.starts)[self.shown.classes]
        box = np.repeat(np.arange(len(distinct)), distinct)
        entry = np.repeat(groups.starts[:-1][self.shown.classes] - np.cumsum(distinct) + distinct, distinct)
        entry += np.arange(len(box))
        rows = self._of_box[box] * (groups.counts[entry] / groups.sizes[self.shown.classes][box])
        names = [classes.names[v] for v in told]
        return Values(groups.attribute.name, names, of_code[codes], box, of_code[groups.codes[entry]], rows)

    def _look(self, cells: ColumnBoxes, codes: Codes, values: Values) -> None:
        """Shares, contrasts and slopes of one pair of columns."""
        classes, people = self._divided(cells.attribute, codes)
        true = added(classes.of_code[codes], values.of_row, self._counts, (len(people), values.count))
        of_choice = added(cells.of_box[values.box], values.of_entry, values.rows, (len(cells.choices), values.count))
        grid, class_of_cell = classes.cells(cells.ticks, people >= self.asked.support)
        starts, cell, share = grid.shares(cells.choices)
        choice = np.repeat(np.arange(len(cells.choices)), np.diff(starts))
        published = np.stack(
            [np.bincount(class_of_cell[cell], share * part[choice], len(people)) for part in of_choice.T], axis=1
        )
        there = [c for c in range(len(people)) if people[c] >= self.asked.support and published[c].sum() > 0]
        told = [c for c in there if c != classes.null]
        names = {"quasi": cells.attribute.name, "sensitive": values.name}
        if len(told) < 2:
            self._leave_out(cells.attribute.name, "is published of fewer than two classes")
            return
        both = [matrix[there, :-1] / matrix[there].sum(axis=1, keepdims=True) for matrix in (true, published)]
        off = np.abs(both[0] - both[1])
        told_classes = [
            {"name": classes.names[c], "people": int(people[c]), "true": mine.tolist(), "published": theirs.tolist()}
            for c, mine, theirs in zip(there, *both, strict=True)
        ]
        self.pairs.append(
            {
                **names,
                "values": values.names,
                "classes": told_classes,
                "largest": float(off.max()),
                "mean": float(off.mean()),
            }
        )
        self.contrasts += [
            {**names, **one}
            for one in _contrasts_of(told_classes, [there.index(c) for c in told], values, classes.ordered)
        ]
        if classes.ordered:
            slopes = slopes_of_values(cells.ticks, codes, self._counts, values, of_choice, cells.choices)
            self.slopes += [
                {**names, "value": value, "true": mine, "published": theirs}
                for value, mine, theirs in zip(values.names, *slopes, strict=True)
            ]


def _contrasts_of(
    told: Sequence[Mapping[str, Any]], ends: Sequence[int], values: Values, ordered: bool
) -> Iterator[dict[str, Any]]:
    """A contrast for each value: of the highest and the lowest class, or of the two that differ most."""
    for v, value in enumerate(values.names):
        high, low = ends[-1], ends[0]
        if not ordered:
            high = max(ends, key=lambda c: told[c]["true"][v])
            low = min(ends, key=lambda c: told[c]["true"][v])
        shares = {of: told[high][of][v] - told[low][of][v] for of in ("true", "published")}
        yield {"value": value, "high": told[high]["name"], "low": told[low]["name"], **shares}


@record(eq=False)
class Values:
    """The values of a sensitive column that are looked at: of each row, and of boxes how many rows have each.

    All others are one more value, the last.
    """

    name: str
    names: Sequence[str]
    of_row: Codes
    box: Integers
    of_entry: Codes
    rows: Floats

    @property
    def count(self) -> int:
        """How many values are told apart."""
        return len(self.names) + 1


def added(rows: Codes, columns: Codes, weights: Floats, shape: tuple[int, int]) -> Floats:
    """A table of sums of weights."""
    key = rows.astype(np.int64) * shape[1] + columns
    return np.bincount(key, weights, shape[0] * shape[1]).astype(np.float64).reshape(shape)


def slopes_of_values(
    ticks: Ticks, codes: Codes, counts: Floats, values: Values, of_choice: Floats, choices: Choices
) -> tuple[list[float | None], list[float | None]]:
    """The least-squares slope of having each value on the column, whose line goes from 0 to 1: true, and published.

    Rows without a value of the column have no part in it.
    """
    end = max(ticks.count - 1, 1)
    place = ticks.of_code[codes]
    here = np.flatnonzero(place >= 0)
    x = place[here] / end
    sums = [
        np.bincount(values.of_row[here], counts[here] * power, values.count).astype(np.float64)
        for power in (np.ones(len(x)), x, x * x)
    ]
    lengths = (choices.high - choices.low + 1).astype(np.float64)
    middle = (choices.low + choices.high) / 2 / end
    inside = (lengths**2 - 1) / 12 / end**2  # the variance of as many places
    run = np.repeat(np.arange(len(choices)), np.diff(choices.starts))
    moments = [
        np.bincount(run, lengths * moment, len(choices)) / choices.points
        for moment in (np.ones(len(run)), middle, middle**2 + inside)
    ]
    return _slopes(*sums), _slopes(*(moment @ of_choice for moment in moments))


def _slopes(rows: Floats, x: Floats, xx: Floats) -> list[float | None]:
    """By how much having each value grows along the line, from sums by value; None where all are at one place."""
    n = rows.sum()
    if n == 0:
        return [None] * (len(rows) - 1)
    spread = xx.sum() / n - (x.sum() / n) ** 2
    if spread <= 1e-12:
        return [None] * (len(rows) - 1)
    found: list[float | None] = ((x / n - rows / n * (x.sum() / n)) / spread)[:-1].tolist()
    return found
